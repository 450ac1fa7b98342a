// SPDX-License-Identifier: MIT
// The host and queued work: when the host must wait, and when it need not.
#include <cuda_runtime.h>

#include <chrono>
#include <cstring>
#include <ctime>

#include "checks_test.hpp"
#include "common/emulator/counting/checks/clocks.hpp"

namespace {

constexpr int kCount = 64;

__global__ void double_kernel(int* values) { values[threadIdx.x] *= 2; }

int* pinned_array() {
    int* data = nullptr;
    EXPECT_EQ(cudaMallocHost(&data, kCount * sizeof(int)), cudaSuccess);
    std::memset(data, 0, kCount * sizeof(int));
    return data;
}

int* managed_array() {
    int* data = nullptr;
    EXPECT_EQ(cudaMallocManaged(&data, kCount * sizeof(int)), cudaSuccess);
    std::memset(data, 0, kCount * sizeof(int));
    return data;
}

TEST(HostChecks, device_memory_is_not_the_hosts) {
    int line = 0;
    const auto found = findings_of([&] {
        int* data = device_array<int>(kCount);
        line = __LINE__ + 1;
        data[3] = 1;
    });
    EXPECT_TRUE(has(found, FindingKind::device_pointer_on_host, line));
    // The compiler does not know the size, so this is a call.
    volatile std::size_t bytes = kCount * sizeof(int);
    EXPECT_TRUE(has(findings_of([&] { std::memset(device_array<int>(kCount), 0, bytes); }),
                    FindingKind::device_pointer_on_host, 0));
}

TEST(HostChecks, asynchronous_copies_are_waited_for) {
    const auto run = [](bool wait, int* line) {
        return findings_of([&] {
            int* host = pinned_array();
            int* device = device_array<int>(kCount);
            cudaStream_t stream;
            cudaStreamCreate(&stream);
            cudaMemcpyAsync(host, device, kCount * 4, cudaMemcpyDeviceToHost, stream);
            if (wait) cudaStreamSynchronize(stream);
            *line = __LINE__ + 1;
            EXPECT_EQ(host[5], 0);
        });
    };
    int line = 0;
    EXPECT_TRUE(is_silent(run(true, &line)));
    EXPECT_TRUE(has(run(false, &line), FindingKind::missing_synchronisation, 0));
}

TEST(HostChecks, the_source_of_a_queued_copy_stays) {
    const auto run = [](bool wait) {
        return findings_of([&] {
            int* host = pinned_array();
            int* device = device_array<int>(kCount);
            cudaMemcpyAsync(device, host, kCount * 4, cudaMemcpyHostToDevice);
            if (wait) cudaDeviceSynchronize();
            host[0] = 1;
        });
    };
    EXPECT_TRUE(is_silent(run(true)));
    EXPECT_TRUE(has(run(false), FindingKind::missing_synchronisation, 0));
}

TEST(HostChecks, managed_memory_of_a_kernel_that_has_not_run) {
    const auto run = [](bool wait, int* line) {
        return findings_of([&] {
            int* data = managed_array();
            double_kernel<<<1, kCount>>>(data);
            if (wait) cudaDeviceSynchronize();
            *line = __LINE__ + 1;
            volatile int first = data[0];
            static_cast<void>(first);
        });
    };
    int line = 0;
    EXPECT_TRUE(is_silent(run(true, &line)));
    EXPECT_TRUE(has(run(false, &line), FindingKind::missing_synchronisation, line));
}

TEST(HostChecks, other_memory_may_be_used_meanwhile) {
    EXPECT_TRUE(is_silent(findings_of([] {
        int* busy = managed_array();
        int* idle = managed_array();
        int* pinned = pinned_array();
        double_kernel<<<1, kCount>>>(busy);
        for (int i = 0; i < kCount; ++i) idle[i] = pinned[i] + i;
        // It is launched after the host's writes, and therefore ordered after them.
        double_kernel<<<1, kCount>>>(idle);
        cudaDeviceSynchronize();
        EXPECT_EQ(idle[3], 6);
    })));
}

TEST(HostChecks, streams_and_events_in_order) {
    EXPECT_TRUE(is_silent(findings_of([] {
        int* host = pinned_array();
        int* device = device_array<int>(kCount);
        cudaStream_t first;
        cudaStream_t second;
        cudaEvent_t done;
        cudaStreamCreate(&first);
        cudaStreamCreate(&second);
        cudaEventCreate(&done);
        cudaMemcpyAsync(device, host, kCount * 4, cudaMemcpyHostToDevice, first);
        double_kernel<<<1, kCount, 0, first>>>(device);
        cudaEventRecord(done, first);
        cudaStreamWaitEvent(second, done, 0);
        cudaMemcpyAsync(host, device, kCount * 4, cudaMemcpyDeviceToHost, second);
        cudaLaunchHostFunc(
            second, [](void* data) { static_cast<int*>(data)[0] += 1; }, host);
        cudaStreamSynchronize(second);
        EXPECT_EQ(host[0], 1);
    })));
}

// GoogleTest runs suites of this name first, before the engine has threads. The copy of a process
// lacks them, and may wait for ever for what they have locked.
TEST(HostChecksDeathTest, work_that_nobody_waits_for) {
    // This is reported at the end of the program: here, of a child process.
    const auto run = [](bool wait) {
        double_kernel<<<1, kCount>>>(device_array<int>(kCount));
        if (wait) cudaDeviceSynchronize();
        std::exit(0);
    };
    EXPECT_EXIT(run(true), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(run(false), testing::ExitedWithCode(1), "never synchronised: kernel double_kernel");
}

__global__ void poll_kernel(volatile int* flag, int* out) {
    for (int i = 0; i < 1000 && *flag == 0; ++i) {
    }
    *out = *flag;
}
__global__ void read_kernel(const int* flag, int* out) { *out = *flag; }

TEST(HostChecks, a_kernel_may_poll_what_the_host_writes) {
    const auto run = [](bool polls) {
        return findings_of([&] {
            int* flag = pinned_array();
            int* out = managed_array();
            if (polls) {
                poll_kernel<<<1, 1>>>(flag, out);
            } else {
                read_kernel<<<1, 1>>>(flag, out);
            }
            *static_cast<volatile int*>(flag) = 1;
            cudaDeviceSynchronize();
        });
    };
    EXPECT_TRUE(is_silent(run(true)));
    EXPECT_TRUE(has(run(false), FindingKind::missing_synchronisation, 0));
}

// The findings of host code that reads the clock, whose tests are named after what it measures.
template <class Function>
std::vector<Finding> findings_of_clocks(Function run) {
    return findings_of([&] {
        run(device_array<int>(kCount));
        cudaDeviceSynchronize();
        counting::report_early_clock();
    });
}

auto now() { return std::chrono::steady_clock::now(); }

TEST(HostChecks, a_clock_that_is_read_before_the_kernel_has_run) {
    int line = 0;
    const auto found = findings_of_clocks([&](int* data) {
        const auto begin = std::chrono::system_clock::now();
        double_kernel<<<1, kCount>>>(data);
        line = __LINE__ + 1;
        EXPECT_LE(begin, std::chrono::system_clock::now());
    });
    EXPECT_TRUE(has(found, FindingKind::early_clock, line));
    EXPECT_FALSE(counting::has_errors());
    // In each round of a loop, where a copy waits before the next round, and by a function.
    EXPECT_TRUE(has(findings_of_clocks([](int* data) {
                        for (int round = 0; round < 3; ++round) {
                            const auto begin = now();
                            double_kernel<<<1, kCount>>>(data);
                            EXPECT_LE(begin, now());
                            int value = 0;
                            cudaMemcpy(&value, data, 4, cudaMemcpyDeviceToHost);
                        }
                    }),
                    FindingKind::early_clock, 0));
    // One kernel after the other, with the same mistake.
    EXPECT_TRUE(has(findings_of_clocks([](int* data) {
                        for (const int rounds : {1, 2}) {
                            timespec begin{};
                            timespec end{};
                            clock_gettime(CLOCK_MONOTONIC, &begin);
                            for (int i = 0; i < rounds; ++i) double_kernel<<<1, kCount>>>(data);
                            clock_gettime(CLOCK_MONOTONIC, &end);
                            cudaDeviceSynchronize();
                        }
                    }),
                    FindingKind::early_clock, 0));
}

TEST(HostChecks, clocks_that_are_read_at_the_right_time) {
    EXPECT_TRUE(is_silent(findings_of_clocks([](int* data) {
        const auto begin = now();
        double_kernel<<<1, kCount>>>(data);
        cudaDeviceSynchronize();
        EXPECT_LE(begin, now());
    })));
    // How long the host takes to launch, and how long all of it takes.
    EXPECT_TRUE(is_silent(findings_of_clocks([](int* data) {
        for (int round = 0; round < 3; ++round) {
            const auto begin = now();
            double_kernel<<<1, kCount>>>(data);
            const auto launched = now();
            cudaDeviceSynchronize();
            EXPECT_LE(launched - begin, now() - begin);
        }
    })));
    // From frame to frame: the clock is read once in each.
    EXPECT_TRUE(is_silent(findings_of_clocks([](int* data) {
        auto before = std::chrono::steady_clock::time_point();
        for (int frame = 0; frame < 4; ++frame) {
            const auto time = now();
            EXPECT_LE(before, time);
            before = time;
            double_kernel<<<1, kCount>>>(data);
        }
    })));
    EXPECT_TRUE(is_silent(findings_of_clocks([](int* data) {
        double_kernel<<<1, kCount>>>(data);
        EXPECT_GE(clock(), 0);
    })));
}

}  // namespace
