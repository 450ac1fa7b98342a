// SPDX-License-Identifier: MIT
// Races between the nodes of a graph, between a graph and streams, between devices, and memory that
// is allocated and freed in the order of a stream. Only edges, events and waiting make an order.
#include <cuda_runtime.h>

#include "checks_test.hpp"
#include "common/emulator/counting/checks/checks.hpp"
#include "common/emulator/process/settings.hpp"

namespace {

constexpr int kCount = 64;
constexpr std::size_t kBytes = kCount * sizeof(int);

NEXT_LINE(kAddLine);
__global__ void add_kernel(int* values) { values[threadIdx.x] += 1; }

NEXT_LINE(kReadLine);
__global__ void read_kernel(const int* values, int* out) { out[threadIdx.x] = values[threadIdx.x]; }

__device__ int device_value;
__global__ void set_value_kernel() { device_value = 1; }

struct Setting {
    Setting() {
        cudaMallocHost(&host, kBytes);
        cudaMallocHost(&total, sizeof(int));
        cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
        cudaEventCreate(&event);
        cudaEventCreate(&joined);
        cudaGraphCreate(&graph, 0);
        cudaDeviceSynchronize();
    }
    cudaGraphNode_t add(std::vector<cudaGraphNode_t> after = {}) {
        void* arguments[] = {&values};
        return kernel((void*)add_kernel, arguments, after);
    }
    cudaGraphNode_t read(std::vector<cudaGraphNode_t> after = {}) {
        void* arguments[] = {&values, &out};
        return kernel((void*)read_kernel, arguments, after);
    }
    cudaGraphNode_t kernel(void* function, void** arguments, std::vector<cudaGraphNode_t> after) {
        const cudaKernelNodeParams parameters = {function, dim3(1),   dim3(kCount),
                                                 0,        arguments, nullptr};
        cudaGraphNode_t node = nullptr;
        EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters),
                  cudaSuccess);
        return node;
    }
    cudaGraphNode_t copy(void* to, const void* from, std::vector<cudaGraphNode_t> after = {}) {
        cudaGraphNode_t node = nullptr;
        EXPECT_EQ(cudaGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), to, from,
                                           kBytes, cudaMemcpyDefault),
                  cudaSuccess);
        return node;
    }
    cudaGraphNode_t set(std::vector<cudaGraphNode_t> after = {}) {
        const cudaMemsetParams parameters = {values, 0, 0, 4, kCount, 1};
        cudaGraphNode_t node = nullptr;
        EXPECT_EQ(cudaGraphAddMemsetNode(&node, graph, after.data(), after.size(), &parameters),
                  cudaSuccess);
        return node;
    }
    // The host sums what was copied to it.
    cudaGraphNode_t sum(std::vector<cudaGraphNode_t> after = {}) {
        const cudaHostNodeParams parameters = {[](void* data) {
                                                   auto& s = *static_cast<Setting*>(data);
                                                   *s.total = 0;
                                                   for (int i = 0; i < kCount; ++i) {
                                                       *s.total += s.host[i];
                                                   }
                                               },
                                               this};
        cudaGraphNode_t node = nullptr;
        EXPECT_EQ(cudaGraphAddHostNode(&node, graph, after.data(), after.size(), &parameters),
                  cudaSuccess);
        return node;
    }
    cudaGraphExec_t instantiate() {
        cudaGraphExec_t exec = nullptr;
        EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
        return exec;
    }
    void launch() { EXPECT_EQ(cudaGraphLaunch(instantiate(), first), cudaSuccess); }
    void wait(cudaStream_t waiting, cudaStream_t other, cudaEvent_t through) {
        cudaEventRecord(through, other);
        cudaStreamWaitEvent(waiting, through, 0);
    }

    int* values = device_array<int>(kCount);
    int* out = device_array<int>(kCount);
    int* host = nullptr;
    int* total = nullptr;
    cudaStream_t first = nullptr;
    cudaStream_t second = nullptr;
    cudaEvent_t event = nullptr;
    cudaEvent_t joined = nullptr;
    cudaGraph_t graph = nullptr;
};

template <class Function>
std::vector<Finding> findings_with(Function run) {
    return findings_of([&] {
        Setting setting;
        run(setting);
        cudaDeviceSynchronize();
    });
}

// Races between streams and nothing else. `x += 1` may be two of them: a read and a write.
testing::AssertionResult is_race(const std::vector<Finding>& found) {
    for (const Finding& finding : found) {
        if (finding.kind != FindingKind::race_between_streams) {
            return testing::AssertionFailure() << text_of(found);
        }
    }
    if (found.empty()) return testing::AssertionFailure() << "no finding";
    return testing::AssertionSuccess();
}

TEST(GraphRaces, two_kernels_without_an_edge) {
    const auto found = findings_with([](Setting& s) {
        s.add();
        s.read();
        s.launch();
    });
    ASSERT_TRUE(is_race(found));
    EXPECT_EQ(found[0].actors[0].line.line + found[0].actors[1].line.line, kAddLine + kReadLine);
    EXPECT_NE(found[0].actors[1].name.find("_kernel in node "), std::string::npos);
    EXPECT_NE(found[0].advice.find("add a dependency"), std::string::npos);
    EXPECT_TRUE(is_silent(findings_with([](Setting& s) {
        s.read({s.add()});
        s.launch();
    })));
}

TEST(GraphRaces, an_order_through_other_nodes) {
    EXPECT_TRUE(is_silent(findings_with([](Setting& s) {
        cudaGraphNode_t empty = nullptr;
        const cudaGraphNode_t before = s.add();
        cudaGraphAddEmptyNode(&empty, s.graph, &before, 1);
        s.read({empty});
        s.launch();
    })));
    // Both come after the same node, but not one after the other.
    EXPECT_TRUE(is_race(findings_with([](Setting& s) {
        const cudaGraphNode_t before = s.set();
        s.add({before});
        s.read({before});
        s.launch();
    })));
}

TEST(GraphRaces, copies_sets_and_host_functions) {
    EXPECT_TRUE(is_race(findings_with([](Setting& s) {
        s.add();
        s.copy(s.host, s.values);
        s.launch();
    })));
    EXPECT_TRUE(is_race(findings_with([](Setting& s) {
        s.set();
        s.copy(s.host, s.values);
        s.launch();
    })));
    EXPECT_TRUE(is_race(findings_with([](Setting& s) {
        s.copy(s.host, s.values);
        s.sum();
        s.launch();
    })));
    EXPECT_TRUE(is_silent(findings_with([](Setting& s) {
        s.sum({s.copy(s.host, s.values, {s.add({s.set()})})});
        s.launch();
    })));
}

TEST(GraphRaces, launches_and_streams) {
    const auto build = [](Setting& s) {
        s.add();
        return s.instantiate();
    };
    // Launches of one instance are ordered, those of two instances are not.
    EXPECT_TRUE(is_silent(findings_with([&](Setting& s) {
        cudaGraphExec_t exec = build(s);
        cudaGraphLaunch(exec, s.first);
        cudaGraphLaunch(exec, s.second);
    })));
    const auto instances = findings_with([&](Setting& s) {
        cudaGraphExec_t exec = build(s);
        cudaGraphLaunch(exec, s.first);
        cudaGraphLaunch(s.instantiate(), s.second);
    });
    ASSERT_TRUE(is_race(instances));
    EXPECT_NE(instances[0].what.find("two instances of graph"), std::string::npos);
    EXPECT_TRUE(is_race(findings_with([&](Setting& s) {
        cudaGraphLaunch(build(s), s.first);
        read_kernel<<<1, kCount, 0, s.second>>>(s.values, s.out);
    })));
    EXPECT_TRUE(is_silent(findings_with([&](Setting& s) {
        add_kernel<<<1, kCount, 0, s.second>>>(s.values);
        s.wait(s.first, s.second, s.event);
        cudaGraphLaunch(build(s), s.first);
        s.wait(s.second, s.first, s.joined);
        read_kernel<<<1, kCount, 0, s.second>>>(s.values, s.out);
    })));
    EXPECT_TRUE(is_silent(findings_with([&](Setting& s) {
        cudaGraphLaunch(build(s), s.first);
        cudaStreamSynchronize(s.first);
        read_kernel<<<1, kCount, 0, s.second>>>(s.values, s.out);
    })));
}

TEST(GraphRaces, event_nodes) {
    // The event comes after the first node only.
    for (const bool after_both : {false, true}) {
        const auto found = findings_with([&](Setting& s) {
            const cudaGraphNode_t before = s.read();
            const cudaGraphNode_t writer = s.add({before});
            const cudaGraphNode_t last = after_both ? writer : before;
            cudaGraphNode_t record = nullptr;
            cudaGraphAddEventRecordNode(&record, s.graph, &last, 1, s.event);
            s.launch();
            cudaStreamWaitEvent(s.second, s.event, 0);
            read_kernel<<<1, kCount, 0, s.second>>>(s.values, s.out + 0);
        });
        if (after_both) {
            EXPECT_TRUE(is_silent(found));
        } else {
            EXPECT_TRUE(is_race(found));
        }
    }
}

TEST(GraphRaces, captured_streams) {
    for (const bool joins : {false, true}) {
        const auto found = findings_with([&](Setting& s) {
            cudaGraph_t captured = nullptr;
            cudaGraphExec_t exec = nullptr;
            cudaStreamBeginCapture(s.first, cudaStreamCaptureModeGlobal);
            s.wait(s.second, s.first, s.event);
            add_kernel<<<1, kCount, 0, s.second>>>(s.values);
            if (joins) s.wait(s.first, s.second, s.joined);
            read_kernel<<<1, kCount, 0, s.first>>>(s.values, s.out);
            if (!joins) s.wait(s.first, s.second, s.joined);
            ASSERT_EQ(cudaStreamEndCapture(s.first, &captured), cudaSuccess);
            cudaGraphInstantiate(&exec, captured, 0);
            for (int launch = 0; launch < 3; ++launch) cudaGraphLaunch(exec, s.first);
        });
        if (joins) {
            EXPECT_TRUE(is_silent(found));
        } else {
            EXPECT_TRUE(is_race(found));
        }
    }
}

TEST(StreamOrder, memory_before_its_allocation) {
    for (const bool waits : {false, true}) {
        const auto found = findings_with([&](Setting& s) {
            int* memory = nullptr;
            cudaMallocAsync(&memory, kBytes, s.first);
            if (waits) s.wait(s.second, s.first, s.event);
            cudaMemsetAsync(memory, 0, kBytes, s.second);
            add_kernel<<<1, kCount, 0, s.second>>>(memory);
            cudaDeviceSynchronize();
            cudaFree(memory);
        });
        if (waits) {
            EXPECT_TRUE(is_silent(found));
        } else {
            ASSERT_FALSE(found.empty());
            EXPECT_EQ(found[0].kind, FindingKind::race_between_streams) << text_of(found);
        }
    }
}

TEST(StreamOrder, memory_after_its_release) {
    for (const bool waits : {false, true}) {
        const auto found = findings_with([&](Setting& s) {
            int* memory = nullptr;
            cudaMallocAsync(&memory, kBytes, s.first);
            cudaMemsetAsync(memory, 0, kBytes, s.first);
            s.wait(s.second, s.first, s.event);
            add_kernel<<<1, kCount, 0, s.second>>>(memory);
            if (waits) s.wait(s.first, s.second, s.joined);
            cudaFreeAsync(memory, s.first);
        });
        if (waits) {
            EXPECT_TRUE(is_silent(found));
        } else {
            ASSERT_TRUE(is_race(found));
            EXPECT_TRUE(found[0].actors[0].line.line == kAddLine ||
                        found[0].actors[1].line.line == kAddLine);
        }
    }
    // In the same stream there is an order: the memory is gone.
    EXPECT_TRUE(has(findings_with([](Setting& s) {
                        int* memory = nullptr;
                        cudaMallocAsync(&memory, kBytes, s.first);
                        cudaFreeAsync(memory, s.first);
                        add_kernel<<<1, kCount, 0, s.first>>>(memory);
                    }),
                    FindingKind::use_after_free, kAddLine));
}

// Two devices for one test.
class TwoDevices : public testing::Test {
  protected:
    void SetUp() override { set_devices(2); }
    void TearDown() override {
        cudaSetDevice(1);
        cudaDeviceReset();
        cudaSetDevice(0);
        cudaDeviceReset();
        set_devices(1);
    }
    static void set_devices(int count) {
        emulator::Settings settings = emulator::settings();
        settings.devices = count;
        emulator::configure(settings);
    }
    static int* array_of(int device) {
        cudaSetDevice(device);
        int* data = device_array<int>(kCount);
        cudaDeviceSynchronize();
        cudaSetDevice(0);
        return data;
    }
    static void synchronize_all() {
        for (int device = 1; device >= 0; --device) {
            cudaSetDevice(device);
            static_cast<void>(cudaDeviceSynchronize());
        }
    }
};

TEST_F(TwoDevices, memory_of_the_other_device) {
    for (const bool enabled : {false, true}) {
        const auto found = findings_of([&] {
            int* far = array_of(1);
            if (enabled) {
                EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
            }
            add_kernel<<<1, kCount>>>(far);
            EXPECT_EQ(cudaDeviceSynchronize(), enabled ? cudaSuccess : cudaErrorIllegalAddress);
        });
        if (enabled) {
            EXPECT_TRUE(is_silent(found));
        } else {
            EXPECT_TRUE(has(found, FindingKind::no_peer_access, kAddLine));
            EXPECT_NE(found[0].advice.find("cudaDeviceEnablePeerAccess(1, 0)"), std::string::npos);
        }
    }
}

TEST_F(TwoDevices, default_streams_of_two_devices_have_no_order) {
    for (const bool waits : {false, true}) {
        const auto found = findings_of([&] {
            int* shared = array_of(0);
            cudaEvent_t done = nullptr;
            cudaEventCreate(&done);
            add_kernel<<<1, kCount>>>(shared);
            cudaEventRecord(done);
            cudaSetDevice(1);
            cudaDeviceEnablePeerAccess(0, 0);
            if (waits) cudaStreamWaitEvent(nullptr, done, 0);
            add_kernel<<<1, kCount>>>(shared);
            synchronize_all();
        });
        if (waits) {
            EXPECT_TRUE(is_silent(found));
        } else {
            ASSERT_TRUE(is_race(found));
            EXPECT_NE(found[0].what.find("of device"), std::string::npos) << found[0].what;
        }
    }
}

TEST_F(TwoDevices, waiting_for_one_device_is_no_order_with_the_other) {
    EXPECT_TRUE(is_race(findings_of([&] {
        int* far = array_of(1);
        int* near = array_of(0);
        cudaMemcpyPeerAsync(near, 0, far, 1, kBytes, nullptr);  // in device 0's default stream
        cudaSetDevice(1);
        cudaDeviceSynchronize();
        add_kernel<<<1, kCount>>>(far);
        synchronize_all();
    })));
}

TEST_F(TwoDevices, variables_of_two_devices_are_different_memory) {
    EXPECT_TRUE(is_silent(findings_of([&] {
        set_value_kernel<<<1, 1>>>();
        cudaSetDevice(1);
        set_value_kernel<<<1, 1>>>();
        synchronize_all();
    })));
}

}  // namespace
