// SPDX-License-Identifier: MIT
// Streams run when the host waits for them, and not before.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "engine_test.hpp"

namespace {

class StreamTest : public EngineTest {};

__global__ void set_kernel(int* out, int value) { *out = value; }
__global__ void copy_kernel(int* out, const int* in) { *out = *in; }
__global__ void append_kernel(int* log, int value) { log[1 + log[0]++] = value; }

class Streams {
  public:
    explicit Streams(int count, unsigned flags = cudaStreamDefault) : streams_(count) {
        for (cudaStream_t& stream : streams_) {
            EXPECT_EQ(cudaStreamCreateWithFlags(&stream, flags), cudaSuccess);
        }
    }
    ~Streams() {
        for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    }
    cudaStream_t operator[](int i) const { return streams_[i]; }

  private:
    std::vector<cudaStream_t> streams_;
};

TEST_F(StreamTest, a_missing_synchronisation_shows_the_old_value) {
    ManagedArray<int> out(1, 7);
    set_kernel<<<1, 1>>>(out.data(), 8);
    EXPECT_EQ(out[0], 7);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0], 8);
}

TEST_F(StreamTest, a_blocking_copy_waits_for_the_default_stream_and_blocking_streams) {
    const Streams blocking(1);
    const Streams independent(1, cudaStreamNonBlocking);
    int* d_values = nullptr;
    ASSERT_EQ(cudaMalloc(&d_values, 3 * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMemset(d_values, 0, 3 * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    set_kernel<<<1, 1>>>(d_values, 1);
    set_kernel<<<1, 1, 0, blocking[0]>>>(d_values + 1, 2);
    set_kernel<<<1, 1, 0, independent[0]>>>(d_values + 2, 3);
    int values[3] = {};
    ASSERT_EQ(cudaMemcpy(values, d_values, sizeof values, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(values[0], 1);
    EXPECT_EQ(values[1], 2);
    EXPECT_EQ(values[2], 0) << "a non-blocking stream is not waited for";
    ASSERT_EQ(cudaStreamSynchronize(independent[0]), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(values, d_values, sizeof values, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(values[2], 3);
    cudaFree(d_values);
}

TEST_F(StreamTest, synchronising_one_stream_leaves_the_others) {
    const Streams streams(2);
    ManagedArray<int> out(2);
    set_kernel<<<1, 1, 0, streams[0]>>>(out.data(), 1);
    set_kernel<<<1, 1, 0, streams[1]>>>(out.data() + 1, 2);
    ASSERT_EQ(cudaStreamSynchronize(streams[1]), cudaSuccess);
    EXPECT_EQ(out[0], 0);
    EXPECT_EQ(out[1], 2);
}

TEST_F(StreamTest, the_default_stream_orders_blocking_streams) {
    const Streams streams(2);
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        ManagedArray<int> log(10);
        append_kernel<<<1, 1, 0, streams[0]>>>(log.data(), 1);
        append_kernel<<<1, 1>>>(log.data(), 2);
        append_kernel<<<1, 1, 0, streams[1]>>>(log.data(), 3);
        append_kernel<<<1, 1, 0, cudaStreamPerThread>>>(log.data(), 3);
        append_kernel<<<1, 1, 0, cudaStreamLegacy>>>(log.data(), 4);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(log.values(), (std::vector<int>{5, 1, 2, 3, 3, 4, 0, 0, 0, 0})) << schedule;
    }
}

TEST_F(StreamTest, a_stream_keeps_its_order_and_schedules_order_streams) {
    std::vector<std::vector<int>> orders;
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        const Streams streams(3, cudaStreamNonBlocking);
        ManagedArray<int> log(1 + 30);
        for (int i = 0; i < 30; ++i) append_kernel<<<1, 1, 0, streams[i % 3]>>>(log.data(), i);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        std::vector<int> last(3, -1);
        for (int i = 1; i <= 30; ++i) {
            EXPECT_GT(log[i], last[log[i] % 3]) << schedule;
            last[log[i] % 3] = log[i];
        }
        EXPECT_EQ(last, (std::vector<int>{27, 28, 29}));
        orders.push_back(log.values());
    }
    for (std::size_t i = 0; i < orders.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(orders[i], orders[j]);
    }
}

TEST_F(StreamTest, an_event_orders_two_streams) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        const Streams streams(2, cudaStreamNonBlocking);
        ManagedArray<int> values(2);
        cudaEvent_t event;
        ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
        set_kernel<<<1, 1, 0, streams[1]>>>(values.data(), 5);
        ASSERT_EQ(cudaEventRecord(event, streams[1]), cudaSuccess);
        ASSERT_EQ(cudaStreamWaitEvent(streams[0], event), cudaSuccess);
        copy_kernel<<<1, 1, 0, streams[0]>>>(values.data() + 1, values.data());
        ASSERT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
        EXPECT_EQ(values[1], 5) << schedule;
        EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    }
}

TEST_F(StreamTest, a_long_chain_between_two_streams) {
    const Streams streams(2, cudaStreamNonBlocking);
    ManagedArray<int> log(401);
    for (int i = 0; i < 400; ++i) {
        cudaEvent_t event;
        ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
        append_kernel<<<1, 1, 0, streams[i % 2]>>>(log.data(), i);
        ASSERT_EQ(cudaEventRecord(event, streams[i % 2]), cudaSuccess);
        ASSERT_EQ(cudaStreamWaitEvent(streams[(i + 1) % 2], event), cudaSuccess);
        ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
    }
    ASSERT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
    for (int i = 0; i < 400; ++i) EXPECT_EQ(log[1 + i], i);
}

TEST_F(StreamTest, queries_tell_the_state_and_make_progress) {
    const Streams streams(1);
    ManagedArray<int> log(10);
    EXPECT_EQ(cudaStreamQuery(streams[0]), cudaSuccess);
    append_kernel<<<1, 1, 0, streams[0]>>>(log.data(), 1);
    append_kernel<<<1, 1, 0, streams[0]>>>(log.data(), 2);
    cudaEvent_t event;
    ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    EXPECT_EQ(cudaEventQuery(event), cudaSuccess) << "never recorded";
    ASSERT_EQ(cudaEventRecord(event, streams[0]), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(streams[0]), cudaErrorNotReady);
    EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
    int polls = 0;
    while (cudaEventQuery(event) == cudaErrorNotReady) ++polls;
    EXPECT_LT(polls, 5);
    EXPECT_EQ(log[0], 2);
    EXPECT_EQ(cudaStreamQuery(streams[0]), cudaSuccess);
    cudaGetLastError();
}

TEST_F(StreamTest, elapsed_time_is_that_of_the_work_between) {
    cudaEvent_t start, stop, no_timing;
    ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&stop), cudaSuccess);
    ASSERT_EQ(cudaEventCreateWithFlags(&no_timing, cudaEventDisableTiming), cudaSuccess);
    float milliseconds = -1;
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorInvalidResourceHandle);
    ASSERT_EQ(cudaEventRecord(start), cudaSuccess);
    ASSERT_EQ(
        cudaLaunchHostFunc(
            nullptr, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); },
            nullptr),
        cudaSuccess);
    ASSERT_EQ(cudaEventRecord(stop), cudaSuccess);
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorNotReady);
    ASSERT_EQ(cudaEventSynchronize(stop), cudaSuccess);
    ASSERT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
    EXPECT_GE(milliseconds, 20.0f);
    EXPECT_LT(milliseconds, 2000.0f);
    ASSERT_EQ(cudaEventRecord(no_timing), cudaSuccess);
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, no_timing),
              cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

class Events {
  public:
    explicit Events(int count) : events_(count) {
        for (cudaEvent_t& event : events_) EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
    }
    ~Events() {
        for (cudaEvent_t event : events_) cudaEventDestroy(event);
    }
    cudaEvent_t operator[](int i) const { return events_[i]; }
    float elapsed_ms(int first, int second) const {
        float milliseconds = -1;
        EXPECT_EQ(cudaEventElapsedTime(&milliseconds, events_[first], events_[second]),
                  cudaSuccess);
        return milliseconds;
    }

  private:
    std::vector<cudaEvent_t> events_;
};

void sleep_ms(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}
void sleep_in_a_task(void* milliseconds) { sleep_ms(*static_cast<int*>(milliseconds)); }

// A sleep takes at least its time on a machine that is busy, too. So all bounds hold anywhere. A
// float of milliseconds has seven digits.
constexpr float kRounding = 1e-3f;

TEST_F(StreamTest, work_of_the_host_between_two_events_takes_its_time) {
    const Events events(3);
    ManagedArray<int> out(1);
    ASSERT_EQ(cudaEventRecord(events[0]), cudaSuccess);
    sleep_ms(20);
    ASSERT_EQ(cudaEventRecord(events[1]), cudaSuccess);
    set_kernel<<<1, 1>>>(out.data(), 1);
    sleep_ms(10);
    ASSERT_EQ(cudaEventRecord(events[2]), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_GE(events.elapsed_ms(0, 1), 20 - kRounding);
    EXPECT_GE(events.elapsed_ms(1, 2), 10 - kRounding);
}

TEST_F(StreamTest, work_of_the_host_after_the_last_event_does_not) {
    using Clock = std::chrono::steady_clock;
    const Events events(2);
    ManagedArray<int> out(1);
    const Clock::time_point begin = Clock::now();
    ASSERT_EQ(cudaEventRecord(events[0]), cudaSuccess);
    set_kernel<<<1, 1>>>(out.data(), 1);
    ASSERT_EQ(cudaEventRecord(events[1]), cudaSuccess);
    sleep_ms(50);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const float all_ms = std::chrono::duration<float, std::milli>(Clock::now() - begin).count();
    EXPECT_GE(events.elapsed_ms(0, 1), 0);
    EXPECT_LE(events.elapsed_ms(0, 1), all_ms - 50 + kRounding);
}

TEST_F(StreamTest, streams_take_turns_in_the_time_of_events) {
    using Clock = std::chrono::steady_clock;
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        const Streams streams(2);
        const Streams idle(1, cudaStreamNonBlocking);
        const Events events(3);
        int task_ms = 5;
        const Clock::time_point begin = Clock::now();
        ASSERT_EQ(cudaEventRecord(events[0]), cudaSuccess);
        for (int i = 0; i < 2; ++i) {
            ASSERT_EQ(cudaLaunchHostFunc(streams[i], sleep_in_a_task, &task_ms), cudaSuccess);
        }
        ASSERT_EQ(cudaEventRecord(events[1]), cudaSuccess);
        // An event in an idle stream waits for no work of the others.
        ASSERT_EQ(cudaEventRecord(events[2], idle[0]), cudaSuccess);
        const float queued_ms =
            std::chrono::duration<float, std::milli>(Clock::now() - begin).count();
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_GE(events.elapsed_ms(0, 1), 10 - kRounding) << schedule;
        EXPECT_LE(events.elapsed_ms(0, 2), queued_ms + kRounding) << schedule;
    }
}

TEST_F(StreamTest, events_of_a_graph_have_times) {
    const Streams streams(1);
    const Events events(2);
    int task_ms = 5;
    ASSERT_EQ(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal), cudaSuccess);
    ASSERT_EQ(cudaEventRecordWithFlags(events[0], streams[0], cudaEventRecordExternal),
              cudaSuccess);
    ASSERT_EQ(cudaLaunchHostFunc(streams[0], sleep_in_a_task, &task_ms), cudaSuccess);
    ASSERT_EQ(cudaEventRecordWithFlags(events[1], streams[0], cudaEventRecordExternal),
              cudaSuccess);
    cudaGraph_t graph;
    ASSERT_EQ(cudaStreamEndCapture(streams[0], &graph), cudaSuccess);
    cudaGraphExec_t exec;
    ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    ASSERT_EQ(cudaGraphLaunch(exec, streams[0]), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
    const float all_ms = std::chrono::duration<float, std::milli>(Clock::now() - begin).count();
    EXPECT_GE(events.elapsed_ms(0, 1), 5 - kRounding);
    EXPECT_LE(events.elapsed_ms(0, 1), all_ms + kRounding);
    EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(StreamTest, a_host_function_runs_in_order_and_may_not_call_cuda) {
    ManagedArray<int> out(1);
    struct Seen {
        int* value;
        int before;
        cudaError_t error;
    } seen{out.data(), 0, cudaSuccess};
    set_kernel<<<1, 1>>>(out.data(), 3);
    ASSERT_EQ(cudaLaunchHostFunc(
                  nullptr,
                  [](void* data) {
                      auto* seen_here = static_cast<Seen*>(data);
                      seen_here->before = *seen_here->value;
                      void* pointer = nullptr;
                      seen_here->error = cudaMalloc(&pointer, 4);
                  },
                  &seen),
              cudaSuccess);
    set_kernel<<<1, 1>>>(out.data(), 4);
    messages_of([] { ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess); });
    EXPECT_EQ(seen.before, 3);
    EXPECT_EQ(seen.error, cudaErrorNotPermitted);
    EXPECT_EQ(out[0], 4);
}

TEST_F(StreamTest, pageable_sources_are_read_at_the_call_and_pinned_ones_when_the_stream_runs) {
    const Streams streams(1);
    int* d_values = nullptr;
    int* pinned = nullptr;
    ASSERT_EQ(cudaMalloc(&d_values, 2 * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(&pinned, 2 * sizeof(int)), cudaSuccess);
    int pageable = 1;
    pinned[0] = 1;
    ASSERT_EQ(cudaMemcpyAsync(d_values, &pageable, 4, cudaMemcpyHostToDevice, streams[0]),
              cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(d_values + 1, pinned, 4, cudaMemcpyHostToDevice, streams[0]),
              cudaSuccess);
    pageable = pinned[0] = 2;
    int back[2] = {};
    // Into pageable memory: returns when it is done. Into pinned memory: at once.
    ASSERT_EQ(cudaMemcpyAsync(back, d_values, 8, cudaMemcpyDeviceToHost, streams[0]), cudaSuccess);
    EXPECT_EQ(back[0], 1);
    EXPECT_EQ(back[1], 2);
    pinned[0] = pinned[1] = 0;
    ASSERT_EQ(cudaMemcpyAsync(pinned, d_values, 8, cudaMemcpyDeviceToHost, streams[0]),
              cudaSuccess);
    EXPECT_EQ(pinned[0], 0);
    ASSERT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
    EXPECT_EQ(pinned[0], 1);
    EXPECT_EQ(pinned[1], 2);
    cudaFreeHost(pinned);
    cudaFree(d_values);
}

TEST_F(StreamTest, freeing_waits_for_queued_work) {
    int* d_value = nullptr;
    ManagedArray<int> out(1);
    ASSERT_EQ(cudaMallocAsync(&d_value, 4, nullptr), cudaSuccess);
    set_kernel<<<1, 1>>>(d_value, 9);
    copy_kernel<<<1, 1>>>(out.data(), d_value);
    ASSERT_EQ(cudaFreeAsync(d_value, nullptr), cudaSuccess);
    EXPECT_EQ(out[0], 0);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0], 9);
    messages_of(
        [&] { EXPECT_EQ(cudaFree(d_value), cudaErrorInvalidValue) << "freed by the stream"; });
    cudaGetLastError();
    ASSERT_EQ(cudaMalloc(&d_value, 4), cudaSuccess);
    set_kernel<<<1, 1>>>(d_value, 11);
    copy_kernel<<<1, 1>>>(out.data(), d_value);
    ASSERT_EQ(cudaFree(d_value), cudaSuccess);
    EXPECT_EQ(out[0], 11);
}

// The order of the default stream must not hide a forgotten wait between two of them.
TEST_F(StreamTest, the_schedule_orders_what_the_default_stream_waits_for) {
    for (const auto& [schedule, first] : {std::pair("in-order", 0), std::pair("reversed", 2)}) {
        use_schedule(schedule);
        ManagedArray<int> log(5);
        const Streams streams(3);
        for (int i = 0; i < 3; ++i) append_kernel<<<1, 1, 0, streams[i]>>>(log.data(), i);
        append_kernel<<<1, 1>>>(log.data(), 3);
        ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
        EXPECT_EQ(log.values(), (std::vector<int>{4, first, 1, 2 - first, 3})) << schedule;
    }
}

TEST_F(StreamTest, a_destroyed_stream_finishes_its_work) {
    ManagedArray<int> out(1);
    cudaStream_t stream;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    set_kernel<<<1, 1, 0, stream>>>(out.data(), 6);
    ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0], 6);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    set_kernel<<<1, 1, 0, stream>>>(out.data(), 6);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

TEST_F(StreamTest, a_full_queue_runs_its_oldest_work) {
    ManagedArray<int> log(3001);
    for (int i = 0; i < 3000; ++i) append_kernel<<<1, 1>>>(log.data(), i);
    EXPECT_GE(log[0], 3000 - 1100);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < 3000; ++i) ASSERT_EQ(log[1 + i], i);
}

TEST_F(StreamTest, each_host_thread_has_its_stream_and_its_last_error) {
    ManagedArray<int> out(2);
    set_kernel<<<1, 1, 0, cudaStreamPerThread>>>(out.data(), 1);
    std::thread other([&] {
        set_kernel<<<1, 1, 0, cudaStreamPerThread>>>(out.data() + 1, 2);
        EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
        EXPECT_EQ(out[0], 0);
        EXPECT_EQ(out[1], 2);
        set_kernel<<<0, 1>>>(out.data(), 1);
        EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
    });
    other.join();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
    EXPECT_EQ(out[0], 1);
}

TEST_F(StreamTest, priorities_and_flags_are_kept) {
    int least = 1, greatest = 1;
    ASSERT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
    EXPECT_EQ(least, 0);
    EXPECT_EQ(greatest, -5);
    cudaStream_t stream;
    ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100), cudaSuccess);
    int priority = 0;
    unsigned flags = 0;
    EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
    EXPECT_EQ(priority, -5);
    EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
    EXPECT_EQ(flags, static_cast<unsigned>(cudaStreamNonBlocking));
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, 8), cudaErrorInvalidValue);
    cudaGetLastError();
}

// The program waits for its own function, not for the stream.
TEST_F(StreamTest, a_function_of_the_host_runs_without_a_call_that_waits) {
    struct Signal {
        std::mutex mutex;
        std::condition_variable changed;
        int seen = 0;
    };
    ManagedArray<int> out(1, 1);
    const auto wait_for = [&](Signal& signal, int value) {
        std::unique_lock lock(signal.mutex);
        return signal.changed.wait_for(lock, std::chrono::seconds(20),
                                       [&] { return signal.seen == value; });
    };
    const auto give = [](void* data) {
        auto& signal = *static_cast<Signal*>(data);
        const std::lock_guard lock(signal.mutex);
        ++signal.seen;
        signal.changed.notify_all();
    };
    Signal signal;
    set_kernel<<<1, 1>>>(out.data(), 5);
    ASSERT_EQ(cudaLaunchHostFunc(nullptr, give, &signal), cudaSuccess);
    EXPECT_TRUE(wait_for(signal, 1));
    EXPECT_EQ(out[0], 5);
    set_kernel<<<1, 1>>>(out.data(), 6);
    ASSERT_EQ(cudaStreamAddCallback(
                  nullptr,
                  [](cudaStream_t, cudaError_t, void* data) {
                      auto& one = *static_cast<Signal*>(data);
                      const std::lock_guard lock(one.mutex);
                      ++one.seen;
                      one.changed.notify_all();
                  },
                  &signal, 0),
              cudaSuccess);
    EXPECT_TRUE(wait_for(signal, 2));
    EXPECT_EQ(out[0], 6);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(StreamTest, an_event_takes_its_flags_by_either_name) {
    cudaEvent_t timed, untimed;
    ASSERT_EQ(cudaEventCreate(&timed, cudaEventDefault), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&untimed, cudaEventDisableTiming), cudaSuccess);
    for (cudaEvent_t event : {timed, untimed}) EXPECT_EQ(cudaEventRecord(event), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    float milliseconds = 0;
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, timed, timed), cudaSuccess);
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, timed, untimed), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

}  // namespace
