// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/stream.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/settings.hpp"

namespace emulator {
namespace {

// As on hardware, a launch into a full queue waits for the oldest work. It also bounds the memory.
constexpr std::size_t kMaxQueuedTasks = 1024;

class StreamTable {
  public:
    StreamTable() : legacy_(make(cudaStreamDefault, 0)) {}

    Stream& legacy() { return *legacy_; }

    std::shared_ptr<Stream> make(unsigned flags, int priority) {
        auto stream = std::make_shared<Stream>();
        stream->id = next_id_++;
        stream->flags = flags;
        stream->priority = priority;
        streams_.push_back(stream);
        handles_[stream.get()] = stream.get();
        return stream;
    }

    Stream* find(cudaStream_t handle) {
        if (handle == nullptr || handle == cudaStreamLegacy) return legacy_.get();
        if (handle == cudaStreamPerThread) return &per_thread();
        const auto found = handles_.find(handle);
        return found == handles_.end() ? nullptr : found->second;
    }

    void destroy(Stream& stream) {
        stream.destroyed = true;
        handles_.erase(&stream);
        if (!stream.has_work()) drop_finished();
    }

    // What the host has waited for; all that has been queued; and the part of it that is in streams
    // for which the legacy default stream waits.
    Clock host_clock;
    Clock whole_clock;
    Clock blocking_clock;

    // Streams that the program has destroyed and that have no work left.
    void drop_finished() {
        std::erase_if(streams_,
                      [](const auto& stream) { return stream->destroyed && !stream->has_work(); });
    }

    // In the order of their creation.
    const std::vector<std::shared_ptr<Stream>>& all() const { return streams_; }

    bool is_idle() const {
        return std::none_of(streams_.begin(), streams_.end(),
                            [](const auto& stream) { return stream->has_work(); });
    }

    void discard_work() {
        for (const auto& stream : streams_) {
            stream->queue.clear();
            stream->done = stream->queued;
        }
    }

    void reset() {
        discard_work();
        host_clock.join(whole_clock);
        std::erase_if(streams_, [&](const auto& stream) { return stream != legacy_; });
        handles_.clear();
        ++generation_;
    }

  private:
    Stream& per_thread() {
        thread_local std::shared_ptr<Stream> stream;
        thread_local int generation = -1;
        if (stream == nullptr || generation != generation_) {
            stream = make(cudaStreamDefault, 0);
            generation = generation_;
        }
        return *stream;
    }

    std::uint64_t next_id_ = 0;
    int generation_ = 0;
    std::vector<std::shared_ptr<Stream>> streams_;
    std::unordered_map<cudaStream_t, Stream*> handles_;
    std::shared_ptr<Stream> legacy_;
};

StreamTable& table() {
    static auto* streams = new StreamTable;  // never destroyed, as the memory table
    return *streams;
}

Progress all_of(Stream& stream) { return {stream.shared_from_this(), stream.queued}; }

// The legacy default stream waits for all blocking streams, and they for it.
void apply_default_stream_rules(Stream& stream, Task& task) {
    Stream& legacy = table().legacy();
    if (&stream == &legacy) {
        for (const auto& other : table().all()) {
            if (other.get() != &legacy && other->blocking() && other->has_work()) {
                task.waits_for.push_back(all_of(*other));
            }
        }
    } else if (stream.blocking() && legacy.has_work()) {
        task.waits_for.push_back(all_of(legacy));
    }
}

// The same rules, applied to work that has ended too: that it had already ended was chance.
void note_order(Stream& stream, Task& task) {
    StreamTable& all = table();
    Stream& legacy = all.legacy();
    stream.clock.join(all.host_clock);
    if (&stream == &legacy) {
        stream.clock.join(all.blocking_clock);
    } else if (stream.blocking()) {
        stream.clock.join(legacy.clock);
    }
    task.before = stream.clock;
    stream.clock.advance(stream.id, task.sequence);
    all.whole_clock.advance(stream.id, task.sequence);
    if (&stream != &legacy && stream.blocking()) all.blocking_clock.join(stream.clock);
}

void run_first(Stream& stream) {
    const std::unique_ptr<Task> task = std::move(stream.queue.front());
    stream.queue.pop_front();
    if (host_hooks.task_begun != nullptr) {
        host_hooks.task_begun(stream.id, task->sequence, task->before);
    }
    task->run();
    stream.done = task->sequence;
}

// Which of `count` candidates comes next, as the schedule says.
std::int64_t choose(std::int64_t count, std::uint64_t& random) {
    const Schedule& schedule = settings().schedule;
    if (schedule.order == Schedule::Order::in_order) return 0;
    if (schedule.order == Schedule::Order::reversed) return count - 1;
    random = mix_bits(random);
    return static_cast<std::int64_t>(random % static_cast<std::uint64_t>(count));
}

Stream* choose_stream(std::uint64_t& random) {
    std::vector<Stream*> ready;
    for (const auto& stream : table().all()) {
        if (stream->has_work()) ready.push_back(stream.get());
    }
    if (ready.empty()) return nullptr;
    return ready[choose(static_cast<std::int64_t>(ready.size()), random)];
}

}  // namespace

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
    if (host_hooks.task_begun != nullptr) note_order(stream, *task);
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
    if (host_hooks.task_begun == nullptr) return;
    StreamTable& all = table();
    all.host_clock.join(clock);
    // All that is queued from now on is ordered after everything, and nothing else is left.
    if (all.is_idle() && all.host_clock.covers(all.whole_clock)) host_hooks.all_ended();
}

void order_after(Stream& stream, const Clock& clock) {
    stream.clock.join(clock);
    if (stream.blocking() && &stream != &table().legacy()) table().blocking_clock.join(clock);
}

cudaError_t run_one(Stream& stream) {
    return stream.has_work() ? run_until(stream, stream.queue.front()->sequence) : cudaSuccess;
}

cudaError_t wait_for(Stream& stream) {
    const cudaError_t error = run_until(stream, stream.queued);
    note_host_waited(stream.clock);
    return error;
}

cudaError_t run_all() {
    const Schedule& schedule = settings().schedule;
    std::uint64_t random = mix_bits(schedule.seed);
    while (Stream* stream = choose_stream(random)) {
        const cudaError_t error = run_one(*stream);
        if (error != cudaSuccess) return error;
    }
    table().drop_finished();
    note_host_waited(table().whole_clock);
    return sticky_error();
}

std::shared_ptr<Stream> create_stream(unsigned flags, int priority) {
    return table().make(flags, std::clamp(priority, kGreatestPriority, kLeastPriority));
}

void destroy_stream(Stream& stream) { table().destroy(stream); }

void forget_streams() { table().reset(); }

}  // namespace emulator
