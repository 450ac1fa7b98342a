// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/stream.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/settings.hpp"
#include "common/emulator/timeline/timeline.hpp"

namespace emulator {
namespace {

// As on hardware, a launch into a full queue waits for the oldest work. It also bounds the memory.
constexpr std::size_t kMaxQueuedTasks = 1024;

// What the streams of a device have in common.
struct DeviceStreams {
    std::shared_ptr<Stream> legacy;
    Clock whole;  // all that has been queued
    Clock blocking;  // the part of it for which the legacy default stream waits
    TimePoint free_at;  // when its last work ended, in the device's time
    int generation = 0;  // counts cudaDeviceReset()
};

class StreamTable {
  public:
    StreamTable() { of(0); }

    // Device 0's default stream has the id 0.
    DeviceStreams& of(int device) {
        DeviceStreams& found = devices_[device];
        if (found.legacy == nullptr) found.legacy = make(cudaStreamDefault, 0, device);
        return found;
    }

    std::shared_ptr<Stream> make(unsigned flags, int priority, int device) {
        auto stream = std::make_shared<Stream>();
        stream->id = next_id_++;
        stream->flags = flags;
        stream->priority = priority;
        stream->device = device;
        streams_.push_back(stream);
        handles_[stream.get()] = stream.get();
        device_of_id_[stream->id] = device;
        return stream;
    }

    Stream* find(cudaStream_t handle) {
        const int device = current_device();
        if (handle == nullptr && default_is_per_thread) handle = cudaStreamPerThread;
        if (handle == nullptr || handle == cudaStreamLegacy) return of(device).legacy.get();
        if (handle == cudaStreamPerThread) return &per_thread(device);
        const auto found = handles_.find(handle);
        return found == handles_.end() ? nullptr : found->second;
    }

    void destroy(Stream& stream) {
        stream.destroyed = true;
        handles_.erase(&stream);
        if (!stream.has_work()) drop_finished();
    }

    Clock host_clock;  // what the host has waited for
    bool default_is_per_thread = false;  // stream 0 is cudaStreamPerThread

    // Streams that the program has destroyed and that have no work left.
    void drop_finished() {
        std::erase_if(streams_,
                      [](const auto& stream) { return stream->destroyed && !stream->has_work(); });
    }

    // In the order of their creation.
    const std::vector<std::shared_ptr<Stream>>& all() const { return streams_; }

    bool host_waited_for_all() const {
        return std::none_of(streams_.begin(), streams_.end(),
                            [](const auto& stream) { return stream->has_work(); }) &&
               std::all_of(devices_.begin(), devices_.end(), [&](const DeviceStreams& device) {
                   return host_clock.covers(device.whole);
               });
    }

    void discard_work() {
        for (const auto& stream : streams_) discard_work(*stream);
    }

    void reset(int device) {
        DeviceStreams& own = of(device);
        for (const auto& stream : streams_) {
            if (stream->device != device) continue;
            discard_work(*stream);
            stream->capture = nullptr;
            stream->last_nodes.clear();
            if (stream != own.legacy) handles_.erase(stream.get());
        }
        host_clock.join(own.whole);
        std::erase_if(streams_, [&](const auto& stream) {
            return stream->device == device && stream != own.legacy;
        });
        ++own.generation;
    }

    TaskPlace take_id() {
        // An id whose tasks the host has waited for is free again.
        const auto free = std::find_if(free_ids_.begin(), free_ids_.end(), [&](const auto& last) {
            return host_clock.last_of(last.stream) >= last.sequence;
        });
        if (free == free_ids_.end()) {
            TaskPlace made;
            made.stream = next_id_++;
            return made;
        }
        const TaskPlace found = *free;
        free_ids_.erase(free);
        return found;
    }
    void give_back_id(const TaskPlace& last) { free_ids_.push_back(last); }

    std::string name(std::uint64_t id) {
        const auto device = device_of_id_.find(id);
        if (device == device_of_id_.end()) return "stream " + std::to_string(id);
        const bool is_default = of(device->second).legacy->id == id;
        return (is_default ? "the default stream" : "stream " + std::to_string(id)) +
               of_device(device->second);
    }

  private:
    static void discard_work(Stream& stream) {
        stream.queue.clear();
        stream.done = stream.queued;
    }

    Stream& per_thread(int device) {
        struct Own {
            std::shared_ptr<Stream> stream;
            int generation = -1;
        };
        thread_local std::array<Own, kMaxDevices> streams;
        Own& own = streams[device];
        const int generation = of(device).generation;
        if (own.stream == nullptr || own.generation != generation) {
            own = {make(cudaStreamDefault, 0, device), generation};
        }
        return *own.stream;
    }

    std::uint64_t next_id_ = 0;
    std::vector<std::shared_ptr<Stream>> streams_;
    std::unordered_map<cudaStream_t, Stream*> handles_;
    std::unordered_map<std::uint64_t, int> device_of_id_;
    std::array<DeviceStreams, kMaxDevices> devices_;
    std::vector<TaskPlace> free_ids_;
};

StreamTable& table() {
    static auto* streams = new StreamTable;  // never destroyed, as the memory table
    return *streams;
}

Progress all_of(Stream& stream) { return {stream.shared_from_this(), stream.queued}; }

// The legacy default stream waits for all blocking streams of its device, and they for it.
void apply_default_stream_rules(Stream& stream, Task& task) {
    Stream& legacy = legacy_stream(stream.device);
    if (&stream == &legacy) {
        for (const auto& other : table().all()) {
            if (other.get() != &legacy && other->device == stream.device && other->blocking() &&
                other->has_work()) {
                task.waits_for.push_back(all_of(*other));
            }
        }
    } else if (stream.blocking() && legacy.has_work()) {
        task.waits_for.push_back(all_of(legacy));
    }
}

// The order between tasks is for an observer and for the timeline.
bool order_is_noted() { return host_hooks.task_begun != nullptr || timeline::is_on(); }

// The same rules, applied to work that has ended too: that it had already ended was chance.
void note_order(Stream& stream, Task& task) {
    DeviceStreams& all = table().of(stream.device);
    stream.clock.join(table().host_clock);
    if (&stream == all.legacy.get()) {
        stream.clock.join(all.blocking);
    } else if (stream.blocking()) {
        stream.clock.join(all.legacy->clock);
    }
    task.before = stream.clock;
    stream.clock.advance(stream.id, task.sequence);
    all.whole.advance(stream.id, task.sequence);
    if (&stream != all.legacy.get() && stream.blocking()) all.blocking.join(stream.clock);
}

// The task that runs: when it began, in the device's time and in the host's.
struct Running {
    TimePoint on_device, on_host;
    bool takes_time = true;
};
thread_local Running running;

void run_in_device_time(Stream& stream, Task& task) {
    TimePoint& free_at = table().of(stream.device).free_at;
    TimePoint begin = std::max(task.queued_at, stream.ended_at);
    for (const Progress& one : task.waits_for) begin = std::max(begin, one.stream->ended_at);
    if (task.takes_time) begin = std::max(begin, free_at);
    running = {begin, std::chrono::steady_clock::now(), task.takes_time};
    task.run();
    stream.ended_at = device_time();
    if (task.takes_time) free_at = stream.ended_at;
}

void run_first(Stream& stream) {
    const std::unique_ptr<Task> task = std::move(stream.queue.front());
    stream.queue.pop_front();
    if (host_hooks.task_begun != nullptr) {
        TaskPlace place;
        place.stream = stream.id;
        place.sequence = task->sequence;
        place.device = stream.device;
        host_hooks.task_begun(place, task->before);
    }
    if (timeline::is_on()) {
        timeline::begin_task(std::to_string(stream.id), task->sequence, task->before.text());
    }
    run_in_device_time(stream, *task);
    if (timeline::is_on()) timeline::end_task();
    stream.done = task->sequence;
}

// A stream with work; of one device only, or of any (kAnyDevice).
constexpr int kAnyDevice = -1;
Stream* choose_stream(int device, std::uint64_t& random) {
    std::vector<Stream*> ready;
    for (const auto& stream : table().all()) {
        if (stream->has_work() && (device == kAnyDevice || stream->device == device)) {
            ready.push_back(stream.get());
        }
    }
    if (ready.empty()) return nullptr;
    return ready[choose(static_cast<std::int64_t>(ready.size()), random)];
}

cudaError_t run_streams(int device) {
    std::uint64_t random = mix_bits(settings().schedule.seed);
    while (Stream* stream = choose_stream(device, random)) {
        const cudaError_t error = run_one(*stream);
        if (error != cudaSuccess) return error;
    }
    table().drop_finished();
    return sticky_error();
}

}  // namespace

std::int64_t choose(std::int64_t count, std::uint64_t& random) {
    const Schedule& schedule = settings().schedule;
    if (schedule.order == Schedule::Order::in_order) return 0;
    if (schedule.order == Schedule::Order::reversed) return count - 1;
    random = mix_bits(random);
    return static_cast<std::int64_t>(random % static_cast<std::uint64_t>(count));
}

TimePoint device_time() {
    if (!running.takes_time) return running.on_device;
    return running.on_device + (std::chrono::steady_clock::now() - running.on_host);
}

void use_per_thread_default_stream() { table().default_is_per_thread = true; }

Stream& legacy_stream(int device) { return *table().of(device).legacy; }

bool is_legacy(const Stream& stream) { return &stream == &legacy_stream(stream.device); }

std::string name_of_stream(std::uint64_t id) { return table().name(id); }

Stream* find_stream(cudaStream_t handle) {
    if (handle == cudaStreamTailLaunch || handle == cudaStreamFireAndForget) {
        explain("cudaStreamTailLaunch and cudaStreamFireAndForget are for device code");
        return nullptr;
    }
    return table().find(handle);
}

std::uint64_t enqueue(Stream& stream, std::unique_ptr<Task> task) {
    if (stream.queue.size() >= kMaxQueuedTasks) run_one(stream);
    apply_default_stream_rules(stream, *task);
    task->sequence = ++stream.queued;
    task->queued_at = std::chrono::steady_clock::now();
    if (order_is_noted()) note_order(stream, *task);
    stream.queue.push_back(std::move(task));
    const std::uint64_t sequence = stream.queued;
    if (host_uses_device_memory) run_until(stream, sequence);
    return sequence;
}

cudaError_t run_until(Stream& stream, std::uint64_t sequence) {
    // The needed work waits for other work, and that for more. An explicit stack replaces
    // recursion, because a chain between two streams may be as long as their queues.
    std::vector<Progress> needed{{stream.shared_from_this(), sequence}};
    std::uint64_t random = mix_bits(settings().schedule.seed);
    while (!needed.empty() && sticky_error() == cudaSuccess) {
        Stream& current = *needed.back().stream;
        if (is_done(needed.back())) {
            needed.pop_back();
            continue;
        }
        std::vector<Progress> unmet;
        for (const Progress& one : current.queue.front()->waits_for) {
            if (!is_done(one)) unmet.push_back(one);
        }
        if (unmet.empty()) {
            run_first(current);
        } else {
            needed.push_back(unmet[choose(static_cast<std::int64_t>(unmet.size()), random)]);
        }
    }
    if (sticky_error() != cudaSuccess) table().discard_work();
    return sticky_error();
}

bool is_done(const Progress& progress) { return progress.stream->done >= progress.sequence; }

void note_host_waited(const Clock& clock) {
    if (!order_is_noted()) return;
    table().host_clock.join(clock);
    // All that is queued from now on is ordered after everything, and nothing else is left.
    if (host_hooks.all_ended != nullptr && table().host_waited_for_all()) host_hooks.all_ended();
}

void note_queued(Stream& stream, const Clock& clock) {
    order_after(stream, clock);
    table().of(stream.device).whole.join(clock);
}

TaskPlace take_id() { return table().take_id(); }

void give_back_id(const TaskPlace& last) { table().give_back_id(last); }

void order_after(Stream& stream, const Clock& clock) {
    stream.clock.join(clock);
    if (stream.blocking() && !is_legacy(stream)) table().of(stream.device).blocking.join(clock);
}

cudaError_t run_one(Stream& stream) {
    return stream.has_work() ? run_until(stream, stream.queue.front()->sequence) : cudaSuccess;
}

cudaError_t wait_for(Stream& stream) {
    const cudaError_t error = run_until(stream, stream.queued);
    note_host_waited(stream.clock);
    return error;
}

cudaError_t run_all(int device) {
    const cudaError_t error = run_streams(device);
    if (error == cudaSuccess) note_host_waited(table().of(device).whole);
    return error;
}

cudaError_t run_everything() {
    const cudaError_t error = run_streams(kAnyDevice);
    for (int device = 0; device < device_count() && error == cudaSuccess; ++device) {
        note_host_waited(table().of(device).whole);
    }
    return error;
}

std::shared_ptr<Stream> create_stream(unsigned flags, int priority) {
    return table().make(flags, std::clamp(priority, kGreatestPriority, kLeastPriority),
                        current_device());
}

void destroy_stream(Stream& stream) { table().destroy(stream); }

void forget_streams(int device) { table().reset(device); }

}  // namespace emulator
