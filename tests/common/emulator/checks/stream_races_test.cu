// SPDX-License-Identifier: MIT
// Races between tasks of different streams, and everything that orders such tasks.
#include <cuda_runtime.h>

#include "checks_test.hpp"
#include "common/emulator/counting/checks/checks.hpp"

namespace {

constexpr int kCount = 64;

NEXT_LINE(kAddBegin);
__global__ void add_kernel(int* values) { values[threadIdx.x] += 1; }

NEXT_LINE(kReadBegin);
__global__ void read_kernel(const int* values, int* out) { out[threadIdx.x] = values[threadIdx.x]; }

__global__ void launching_kernel(int* values) {
    if (threadIdx.x == 0) add_kernel<<<1, kCount>>>(values);
}

// Two streams, an event, and memory that no earlier work uses any more.
struct Setting {
    explicit Setting(unsigned flags_of_first = cudaStreamNonBlocking,
                     unsigned flags_of_second = cudaStreamNonBlocking)
        : values(device_array<int>(kCount)),
          other(device_array<int>(kCount)),
          out(device_array<int>(kCount)) {
        cudaMallocHost(&host, kCount * sizeof(int));
        cudaStreamCreateWithFlags(&first, flags_of_first);
        cudaStreamCreateWithFlags(&second, flags_of_second);
        cudaEventCreate(&event);
        cudaDeviceSynchronize();
    }
    void add(cudaStream_t stream) const { add_kernel<<<1, kCount, 0, stream>>>(values); }
    void read(cudaStream_t stream) const { read_kernel<<<1, kCount, 0, stream>>>(values, out); }
    void copy_in(cudaStream_t stream) const {
        cudaMemcpyAsync(values, host, kBytes, cudaMemcpyHostToDevice, stream);
    }
    void copy_out(cudaStream_t stream) const {
        cudaMemcpyAsync(host, values, kBytes, cudaMemcpyDeviceToHost, stream);
    }

    static constexpr std::size_t kBytes = kCount * sizeof(int);
    int* values;
    int* other;
    int* out;
    int* host = nullptr;
    cudaStream_t first = nullptr;
    cudaStream_t second = nullptr;
    cudaEvent_t event = nullptr;
};

template <class Function>
std::vector<Finding> findings_with(Function run, unsigned flags_of_first = cudaStreamNonBlocking,
                                   unsigned flags_of_second = cudaStreamNonBlocking) {
    return findings_of([&] { run(Setting(flags_of_first, flags_of_second)); });
}

TEST(StreamRaces, two_kernels) {
    const auto found = findings_with([](const Setting& s) {
        s.add(s.first);
        s.read(s.second);
    });
    ASSERT_EQ(found.size(), 1u) << text_of(found);
    EXPECT_EQ(found[0].kind, FindingKind::race_between_streams);
    EXPECT_EQ(found[0].actors[0].line.line + found[0].actors[1].line.line, kAddBegin + kReadBegin);
    EXPECT_NE(found[0].actors[1].name.find("_kernel on stream "), std::string::npos);
    // Both tasks write.
    EXPECT_TRUE(has(findings_with([](const Setting& s) {
                        s.add(s.first);
                        s.add(s.second);
                    }),
                    FindingKind::race_between_streams, kAddBegin, kAddBegin));
}

TEST(StreamRaces, what_only_reads_or_is_elsewhere) {
    EXPECT_TRUE(is_silent(findings_with([](const Setting& s) {
        read_kernel<<<1, kCount, 0, s.first>>>(s.values, s.other);
        s.read(s.second);
        s.copy_out(s.first);
    })));
    EXPECT_TRUE(is_silent(findings_with([](const Setting& s) {
        s.add(s.first);
        add_kernel<<<1, kCount, 0, s.second>>>(s.other);
        cudaMemsetAsync(s.out, 0, Setting::kBytes, s.second);
    })));
}

TEST(StreamRaces, one_stream) {
    EXPECT_TRUE(is_silent(findings_with([](const Setting& s) {
        s.copy_in(s.first);
        s.add(s.first);
        launching_kernel<<<1, 32, 0, s.first>>>(s.values);
        s.read(s.first);
        s.copy_out(s.first);
    })));
}

TEST(StreamRaces, events) {
    const auto run = [](bool record, bool wait) {
        return findings_with([=](const Setting& s) {
            s.add(s.first);
            if (record) cudaEventRecord(s.event, s.first);
            if (wait) cudaStreamWaitEvent(s.second, s.event, 0);
            s.read(s.second);
        });
    };
    EXPECT_TRUE(is_silent(run(true, true)));
    EXPECT_TRUE(has(run(true, false), FindingKind::race_between_streams, 0));
    EXPECT_TRUE(has(run(false, true), FindingKind::race_between_streams, 0));
    // The event does not cover work that is queued after it.
    EXPECT_TRUE(has(findings_with([](const Setting& s) {
                        cudaEventRecord(s.event, s.first);
                        s.add(s.first);
                        cudaStreamWaitEvent(s.second, s.event, 0);
                        s.read(s.second);
                    }),
                    FindingKind::race_between_streams, 0));
    // Through a third stream.
    EXPECT_TRUE(is_silent(findings_with([](const Setting& s) {
        cudaStream_t third = nullptr;
        cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking);
        s.add(s.first);
        cudaEventRecord(s.event, s.first);
        cudaStreamWaitEvent(third, s.event, 0);
        cudaEventRecord(s.event, third);
        cudaStreamWaitEvent(s.second, s.event, 0);
        s.read(s.second);
    })));
}

// When the host waits for something else, only chance decides whether this work has ended.
TEST(StreamRaces, work_that_had_ended) {
    EXPECT_TRUE(has(findings_with([](const Setting& s) {
                        s.add(s.first);
                        while (cudaStreamQuery(s.first) == cudaErrorNotReady) {
                        }
                        s.read(s.second);
                        cudaDeviceSynchronize();
                        s.read(s.second);
                        s.add(s.first);
                    }),
                    FindingKind::race_between_streams, 0));
}

TEST(StreamRaces, the_host_waits) {
    const auto run = [](auto wait) {
        return findings_with([=](const Setting& s) {
            s.add(s.first);
            cudaEventRecord(s.event, s.first);
            wait(s);
            s.read(s.second);
            s.copy_out(s.second);
        });
    };
    EXPECT_TRUE(is_silent(run([](const Setting& s) { cudaStreamSynchronize(s.first); })));
    EXPECT_TRUE(is_silent(run([](const Setting& s) { cudaEventSynchronize(s.event); })));
    EXPECT_TRUE(is_silent(run([](const Setting&) { cudaDeviceSynchronize(); })));
    EXPECT_TRUE(is_silent(run([](const Setting& s) { cudaFree(s.other); })));
    EXPECT_TRUE(is_silent(run([](const Setting& s) {
        while (cudaEventQuery(s.event) == cudaErrorNotReady) {
        }
    })));
    EXPECT_TRUE(is_silent(run([](const Setting& s) {
        while (cudaStreamQuery(s.first) == cudaErrorNotReady) {
        }
    })));
    EXPECT_TRUE(has(run([](const Setting& s) { cudaStreamSynchronize(s.second); }),
                    FindingKind::race_between_streams, 0));
}

TEST(StreamRaces, the_default_stream) {
    const auto run = [](unsigned flags) {
        return findings_with(
            [](const Setting& s) {
                s.add(s.first);
                s.add(nullptr);
                s.read(s.second);
            },
            flags, flags);
    };
    EXPECT_TRUE(is_silent(run(cudaStreamDefault)));
    EXPECT_TRUE(has(run(cudaStreamNonBlocking), FindingKind::race_between_streams, 0));
}

TEST(StreamRaces, copies_and_kernels) {
    const auto run = [](bool wait, auto first, auto second) {
        return findings_with([=](const Setting& s) {
            first(s, s.first);
            cudaEventRecord(s.event, s.first);
            if (wait) cudaStreamWaitEvent(s.second, s.event, 0);
            second(s, s.second);
        });
    };
    const auto add = [](const Setting& s, cudaStream_t stream) { s.add(stream); };
    const auto read = [](const Setting& s, cudaStream_t stream) { s.read(stream); };
    const auto in = [](const Setting& s, cudaStream_t stream) { s.copy_in(stream); };
    const auto out = [](const Setting& s, cudaStream_t stream) { s.copy_out(stream); };
    const auto set = [](const Setting& s, cudaStream_t stream) {
        cudaMemsetAsync(s.values, 0, Setting::kBytes, stream);
    };
    EXPECT_TRUE(is_silent(run(true, in, add)));
    EXPECT_TRUE(is_silent(run(true, add, out)));
    EXPECT_TRUE(is_silent(run(true, in, out)));
    EXPECT_TRUE(is_silent(run(false, read, out)));
    constexpr auto kRace = FindingKind::race_between_streams;
    EXPECT_TRUE(has(run(false, in, add), kRace, 0));
    EXPECT_TRUE(has(run(false, in, read), kRace, 0));
    EXPECT_TRUE(has(run(false, read, in), kRace, 0));
    EXPECT_TRUE(has(run(false, read, set), kRace, 0));
    EXPECT_TRUE(has(run(false, add, out), kRace, 0));
    EXPECT_TRUE(has(run(false, set, out), kRace, 0));
    EXPECT_TRUE(has(run(false, in, out), kRace, 0));
}

// Each stream works on its own columns of one matrix.
TEST(StreamRaces, rows_with_gaps) {
    const auto run = [](int shift) {
        return findings_with([=](const Setting& s) {
            constexpr std::size_t kPitch = 8 * sizeof(int);
            cudaMemcpy2DAsync(s.values, kPitch, s.host, kPitch, kPitch / 2, 8,
                              cudaMemcpyHostToDevice, s.first);
            cudaMemcpy2DAsync(s.values + shift, kPitch, s.host, kPitch, kPitch / 2, 7,
                              cudaMemcpyHostToDevice, s.second);
        });
    };
    EXPECT_TRUE(is_silent(run(4)));
    EXPECT_TRUE(has(run(3), FindingKind::race_between_streams, 0));
    EXPECT_TRUE(has(run(5), FindingKind::race_between_streams, 0));
}

TEST(StreamRaces, grids_that_a_kernel_launches) {
    const auto found = findings_with([](const Setting& s) {
        launching_kernel<<<1, 32, 0, s.first>>>(s.values);
        s.read(s.second);
    });
    EXPECT_TRUE(has(found, FindingKind::race_between_streams, 0));
}

TEST(StreamRaces, only_where_races_are_looked_for) {
    counting::set_races(false);
    EXPECT_TRUE(is_silent(findings_with([](const Setting& s) {
        s.copy_in(s.first);
        s.add(s.first);
        s.read(s.second);
    })));
    counting::set_races(true);
}

}  // namespace
