// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/stream.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "common/emulator/engine/grid.hpp"
#include "common/emulator/process/settings.hpp"
#include "common/emulator/runtime/device.hpp"
#include "common/emulator/runtime/errors.hpp"
#include "common/emulator/runtime/host_hooks.hpp"
#include "common/emulator/runtime/memory.hpp"

struct CUevent_st {
    unsigned flags = 0;
    bool recorded = false;
    emulator::Progress progress;
    emulator::Clock clock;  // of what is before it
    std::chrono::steady_clock::time_point time;  // when the stream came to it
};

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

    // What the host has waited for; what has been queued; and of that, what stands in streams that
    // the legacy default stream waits for.
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

std::unordered_map<cudaEvent_t, std::shared_ptr<CUevent_st>>& events() {
    static auto* all = new std::unordered_map<cudaEvent_t, std::shared_ptr<CUevent_st>>;
    return *all;
}

std::shared_ptr<CUevent_st> find_event(cudaEvent_t handle) {
    const auto found = events().find(handle);
    return found == events().end() ? nullptr : found->second;
}

bool is_done(const Progress& progress) { return progress.stream->done >= progress.sequence; }

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

// The same rules, of work that may have ended too: that it had ended was chance.
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

void join_host(const Clock& clock) {
    if (host_hooks.task_begun == nullptr) return;
    StreamTable& all = table();
    all.host_clock.join(clock);
    // What is queued from now on is behind everything, and nothing else is left.
    if (all.is_idle() && all.host_clock.covers(all.whole_clock)) host_hooks.all_ended();
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

// Which of `count` things that might be next is: the schedule says so.
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

// One task of the stream, after what it waits for: a program that polls gets on.
cudaError_t step(Stream& stream) {
    return stream.has_work() ? run_until(stream, stream.queue.front()->sequence) : cudaSuccess;
}

cudaError_t create_stream(const char* function, cudaStream_t* stream, unsigned flags,
                          int priority) {
    return host_call(function, [&] {
        if (stream == nullptr || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) {
            return cudaErrorInvalidValue;
        }
        *stream =
            table().make(flags, std::clamp(priority, kGreatestPriority, kLeastPriority)).get();
        return cudaSuccess;
    });
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
    if (stream.queue.size() >= kMaxQueuedTasks) step(stream);
    apply_default_stream_rules(stream, *task);
    task->sequence = ++stream.queued;
    if (host_hooks.task_begun != nullptr) note_order(stream, *task);
    stream.queue.push_back(std::move(task));
    return stream.queued;
}

cudaError_t run_until(Stream& stream, std::uint64_t sequence) {
    // What is needed waits for other work, and that for more: a stack of its own instead of
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

cudaError_t wait_for(Stream& stream) {
    const cudaError_t error = run_until(stream, stream.queued);
    join_host(stream.clock);
    return error;
}

cudaError_t run_all() {
    const Schedule& schedule = settings().schedule;
    std::uint64_t random = mix_bits(schedule.seed);
    while (Stream* stream = choose_stream(random)) {
        const cudaError_t error = step(*stream);
        if (error != cudaSuccess) return error;
    }
    table().drop_finished();
    join_host(table().whole_clock);
    return sticky_error();
}

int launch_kernel(const LaunchConfiguration& configuration, KernelIdentity kernel,
                  std::unique_ptr<KernelCall> call) {
    if (current_thread != nullptr) {
        return launch_from_device(configuration, kernel, std::move(call));
    }
    return host_call("a kernel launch", [&] {
        const cudaError_t error = check_launch(configuration, kernel);
        if (error != cudaSuccess) return error;
        Stream* stream = find_stream(configuration.stream);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        auto grid = std::make_unique<Grid>(configuration, kernel, std::move(call));
        QueuedWork work;
        if (host_hooks.work_queued != nullptr) {
            work.kernel = grid->name();
            work.grid = grid->serial;
        }
        enqueue(*stream, [grid = std::move(grid), pending = PendingWork(work)]() mutable {
            pending.begin();
            run_grid_tree(std::move(grid));
        });
        return cudaSuccess;
    });
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaDeviceSynchronize() {
    return host_call("cudaDeviceSynchronize", [] { return run_all(); });
}

cudaError_t cudaDeviceReset() {
    if (current_thread != nullptr) fail_unsupported_device_call("cudaDeviceReset");
    const std::lock_guard lock(runtime_mutex());
    const ApiCall call;
    table().reset();
    events().clear();
    free_all_memory();
    reset_device_state();
    clear_errors();
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return create_stream("cudaStreamCreate", stream, cudaStreamDefault, kLeastPriority);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    if (current_thread != nullptr) return create_device_stream(stream, flags);
    return create_stream("cudaStreamCreateWithFlags", stream, flags, kLeastPriority);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return create_stream("cudaStreamCreateWithPriority", stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    if (current_thread != nullptr) return destroy_device_stream(handle);
    return host_call("cudaStreamDestroy", [&] {
        Stream* stream =
            handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread
                ? nullptr
                : find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        table().destroy(*stream);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    return host_call("cudaStreamSynchronize", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        return wait_for(*stream);
    });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    return host_call("cudaStreamQuery", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (!stream->has_work()) {
            join_host(stream->clock);
            return cudaSuccess;
        }
        const cudaError_t error = step(*stream);
        return error != cudaSuccess ? error : cudaErrorNotReady;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags) {
    return host_call("cudaStreamWaitEvent", [&] {
        Stream* stream = find_stream(handle);
        const auto event = find_event(event_handle);
        if (stream == nullptr || event == nullptr) return cudaErrorInvalidResourceHandle;
        if (flags != cudaEventWaitDefault) return cudaErrorInvalidValue;
        if (!event->recorded) return cudaSuccess;
        stream->clock.join(event->clock);
        if (stream->blocking() && stream != &table().legacy()) {
            table().blocking_clock.join(event->clock);
        }
        if (is_done(event->progress)) return cudaSuccess;
        auto nothing = [] {};
        auto task = std::make_unique<FunctionTask<decltype(nothing)>>(nothing);
        task->waits_for.push_back(event->progress);
        enqueue(*stream, std::unique_ptr<Task>(std::move(task)));
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
    return host_call("cudaStreamGetFlags", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (flags == nullptr) return cudaErrorInvalidValue;
        *flags = stream->flags;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
    return host_call("cudaStreamGetPriority", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (priority == nullptr) return cudaErrorInvalidValue;
        *priority = stream->priority;
        return cudaSuccess;
    });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* user_data) {
    return host_call("cudaLaunchHostFunc", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (function == nullptr) return cudaErrorInvalidValue;
        enqueue(*stream, [=] {
            in_host_function = true;
            function(user_data);
            in_host_function = false;
        });
        return cudaSuccess;
    });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return host_call("cudaEventCreate", [&] {
        constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming;
        if (event == nullptr || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
        auto made = std::make_shared<CUevent_st>();
        made->flags = flags;
        *event = made.get();
        events()[*event] = std::move(made);
        return cudaSuccess;
    });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    return host_call("cudaEventDestroy", [&] {
        return events().erase(handle) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
    return host_call("cudaEventRecord", [&] {
        Stream* stream = find_stream(stream_handle);
        const auto event = find_event(handle);
        if (stream == nullptr || event == nullptr) return cudaErrorInvalidResourceHandle;
        const std::uint64_t sequence =
            enqueue(*stream, [event] { event->time = std::chrono::steady_clock::now(); });
        event->progress = {stream->shared_from_this(), sequence};
        event->clock = stream->clock;
        event->recorded = true;
        return cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    return host_call("cudaEventSynchronize", [&] {
        const auto event = find_event(handle);
        if (event == nullptr) return cudaErrorInvalidResourceHandle;
        if (!event->recorded) return cudaSuccess;
        const cudaError_t error = run_until(*event->progress.stream, event->progress.sequence);
        join_host(event->clock);
        return error;
    });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    return host_call("cudaEventQuery", [&] {
        const auto event = find_event(handle);
        if (event == nullptr) return cudaErrorInvalidResourceHandle;
        if (!event->recorded) return cudaSuccess;
        if (is_done(event->progress)) {
            join_host(event->clock);
            return cudaSuccess;
        }
        const cudaError_t error = step(*event->progress.stream);
        return error != cudaSuccess ? error : cudaErrorNotReady;
    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start_handle,
                                 cudaEvent_t stop_handle) {
    return host_call("cudaEventElapsedTime", [&] {
        const auto start = find_event(start_handle);
        const auto stop = find_event(stop_handle);
        if (milliseconds == nullptr) return cudaErrorInvalidValue;
        if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded ||
            ((start->flags | stop->flags) & cudaEventDisableTiming) != 0) {
            return cudaErrorInvalidResourceHandle;
        }
        if (!is_done(start->progress) || !is_done(stop->progress)) return cudaErrorNotReady;
        *milliseconds = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
        return cudaSuccess;
    });
}
