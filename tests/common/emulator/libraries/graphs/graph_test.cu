// SPDX-License-Identifier: MIT
// Graphs: what captures and calls build, in which order a launch runs it, and how instances change.
#include <cuda_runtime.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engine_test.hpp"

namespace {

// Appends a number to a list: the list tells the order in which kernels ran.
__global__ void append_kernel(int* list, int value) {
    if (threadIdx.x == 0) list[++list[0]] = value;
}
__global__ void add_kernel(int* values, int amount) { values[threadIdx.x] += amount; }
__global__ void scale_kernel(float* values, double factor, std::size_t count) {
    if (threadIdx.x < count) values[threadIdx.x] *= static_cast<float>(factor);
}
__global__ void count_down_kernel(int* left, cudaGraphConditionalHandle handle) {
    cudaGraphSetConditional(handle, --*left > 0 ? 1u : 0u);
}
__global__ void choose_kernel(cudaGraphConditionalHandle handle, unsigned value) {
    cudaGraphSetConditional(handle, value);
}

class GraphTest : public EngineTest {
  protected:
    void SetUp() override {
        EngineTest::SetUp();
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
        cudaEventCreate(&event);
        cudaEventCreate(&second);
        cudaGraphCreate(&graph, 0);
    }
    cudaGraphExec_t instantiate(cudaGraph_t of) {
        cudaGraphExec_t exec = nullptr;
        EXPECT_EQ(cudaGraphInstantiate(&exec, of, 0), cudaSuccess);
        return exec;
    }
    void run(cudaGraph_t of) {
        EXPECT_EQ(cudaGraphLaunch(instantiate(of), stream), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    }
    // A node that appends `value` to the list.
    cudaGraphNode_t add(int* list, int value, std::vector<cudaGraphNode_t> after = {}) {
        void* arguments[] = {&list, &value};
        const cudaKernelNodeParams parameters = {
            (void*)append_kernel, dim3(1), dim3(32), 0, arguments, nullptr};
        cudaGraphNode_t node = nullptr;
        EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters),
                  cudaSuccess);
        return node;
    }
    static std::size_t node_count(cudaGraph_t of) {
        std::size_t count = 0;
        EXPECT_EQ(cudaGraphGetNodes(of, nullptr, &count), cudaSuccess);
        return count;
    }
    static std::size_t edge_count(cudaGraph_t of) {
        std::size_t count = 0;
        EXPECT_EQ(cudaGraphGetEdges(of, nullptr, nullptr, nullptr, &count), cudaSuccess);
        return count;
    }

    cudaStream_t stream = nullptr;
    cudaStream_t other = nullptr;
    cudaEvent_t event = nullptr;
    cudaEvent_t second = nullptr;
    cudaGraph_t graph = nullptr;
};

TEST_F(GraphTest, captured_work_runs_at_each_launch_and_not_before) {
    ManagedArray<int> values(32, 0);
    cudaGraph_t captured = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    add_kernel<<<1, 32, 0, stream>>>(values.data(), 1);
    add_kernel<<<1, 32, 0, stream>>>(values.data(), 2);
    ASSERT_EQ(cudaStreamEndCapture(stream, &captured), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(values[0], 0);
    cudaGraphExec_t exec = instantiate(captured);
    EXPECT_EQ(cudaGraphDestroy(captured), cudaSuccess);
    for (int launch = 1; launch <= 3; ++launch) {
        EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        EXPECT_EQ(values[31], 3 * launch);
    }
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);  // what is queued still runs
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(values[0], 12);
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
}

TEST_F(GraphTest, captures_copies_sets_and_host_functions) {
    int* device = nullptr;
    int* host = nullptr;
    cudaMalloc(&device, 64);
    cudaMallocHost(&host, 64);
    static int calls = 0;
    calls = 0;
    cudaGraph_t captured = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    cudaMemsetAsync(device, 0, 64, stream);
    cudaMemcpyAsync(device + 4, host, 16, cudaMemcpyHostToDevice, stream);
    add_kernel<<<1, 16, 0, stream>>>(device, 1);
    cudaMemcpyAsync(host + 8, device, 32, cudaMemcpyDeviceToHost, stream);
    cudaLaunchHostFunc(
        stream, [](void* data) { ++*static_cast<int*>(data); }, &calls);
    ASSERT_EQ(cudaStreamEndCapture(stream, &captured), cudaSuccess);
    EXPECT_EQ(node_count(captured), 5u);
    EXPECT_EQ(edge_count(captured), 4u);
    cudaGraphExec_t exec = instantiate(captured);
    for (int launch = 0; launch < 2; ++launch) {
        for (int i = 0; i < 4; ++i) host[i] = 10 * launch + i;  // read at the launch
        EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        EXPECT_EQ(host[8], 1);
        EXPECT_EQ(host[8 + 4 + 3], 10 * launch + 4);
        EXPECT_EQ(calls, launch + 1);
    }
}

TEST_F(GraphTest, other_streams_join_through_events) {
    ManagedArray<int> list(8, 0);
    cudaGraph_t captured = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    append_kernel<<<1, 1, 0, stream>>>(list.data(), 1);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(other, event, 0);
    append_kernel<<<1, 1, 0, other>>>(list.data(), 2);
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    cudaGraph_t into = nullptr;
    const cudaGraphNode_t* last = nullptr;
    std::size_t count = 0;
    EXPECT_EQ(cudaStreamGetCaptureInfo(other, &status, &id, &into, &last, nullptr, &count),
              cudaSuccess);
    EXPECT_EQ(status, cudaStreamCaptureStatusActive);
    EXPECT_NE(id, 0u);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(node_count(into), 2u);
    cudaEventRecord(second, other);
    cudaStreamWaitEvent(stream, second, 0);
    append_kernel<<<1, 1, 0, stream>>>(list.data(), 3);
    ASSERT_EQ(cudaStreamEndCapture(stream, &captured), cudaSuccess);
    EXPECT_EQ(edge_count(captured), 3u);  // 1 to 2, 1 to 3, 2 to 3
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        list[0] = 0;
        run(captured);
        EXPECT_EQ(list.values(), (std::vector<int>{3, 1, 2, 3, 0, 0, 0, 0})) << schedule;
    }
}

TEST_F(GraphTest, the_schedule_chooses_among_nodes_without_an_order) {
    ManagedArray<int> list(8, 0);
    const cudaGraphNode_t first = add(list.data(), 1);
    std::vector<cudaGraphNode_t> middle;
    for (int value = 2; value <= 5; ++value) middle.push_back(add(list.data(), value, {first}));
    add(list.data(), 6, middle);
    bool differs = false;
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        list[0] = 0;
        run(graph);
        EXPECT_EQ(list[1], 1);
        EXPECT_EQ(list[6], 6);
        const bool is_shuffled = std::string(schedule).starts_with("shuffled");
        if (!is_shuffled) {
            EXPECT_EQ(list[2], std::string(schedule) == "in-order" ? 2 : 5);
        }
        differs |= is_shuffled && list[2] != 2;
    }
    EXPECT_TRUE(differs);
}

TEST_F(GraphTest, launches_of_one_instance_are_ordered_in_any_stream) {
    ManagedArray<int> list(8, 0);
    add(list.data(), 1, {add(list.data(), 2)});
    cudaGraphExec_t exec = instantiate(graph);
    use_schedule("reversed");
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    append_kernel<<<1, 1, 0, stream>>>(list.data(), 3);
    EXPECT_EQ(cudaGraphLaunch(exec, other), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess);
    EXPECT_EQ(list[0], 4);  // the first launch ran, the kernel after it did not
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(list.values(), (std::vector<int>{5, 2, 1, 2, 1, 3, 0, 0}));
}

TEST_F(GraphTest, a_launch_has_the_arguments_of_its_time) {
    ManagedArray<int> list(4, 0);
    const cudaGraphNode_t node = add(list.data(), 1);
    cudaGraphExec_t exec = instantiate(graph);
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    int* pointer = list.data();
    int value = 7;
    void* arguments[] = {&pointer, &value};
    cudaKernelNodeParams parameters = {
        (void*)append_kernel, dim3(1), dim3(1), 0, arguments, nullptr};
    EXPECT_EQ(cudaGraphExecKernelNodeSetParams(exec, node, &parameters), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(list.values(), (std::vector<int>{2, 1, 7, 0}));
    // The graph itself has not changed.
    cudaKernelNodeParams kept = {};
    EXPECT_EQ(cudaGraphKernelNodeGetParams(node, &kept), cudaSuccess);
    EXPECT_EQ(*static_cast<int*>(kept.kernelParams[1]), 1);
    EXPECT_EQ(kept.blockDim.x, 32u);
    EXPECT_EQ(kept.func, (void*)append_kernel);
}

TEST_F(GraphTest, a_captured_kernel_tells_its_parameters) {
    ManagedArray<float> values(4, 1.0f);
    cudaGraph_t captured = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    scale_kernel<<<1, 32, 0, stream>>>(values.data(), 3, 2);  // ints become double and size_t
    ASSERT_EQ(cudaStreamEndCapture(stream, &captured), cudaSuccess);
    std::size_t count = 1;
    cudaGraphNode_t node = nullptr;
    ASSERT_EQ(cudaGraphGetNodes(captured, &node, &count), cudaSuccess);
    cudaKernelNodeParams parameters = {};
    ASSERT_EQ(cudaGraphKernelNodeGetParams(node, &parameters), cudaSuccess);
    EXPECT_EQ(*static_cast<double*>(parameters.kernelParams[1]), 3.0);
    EXPECT_EQ(*static_cast<std::size_t*>(parameters.kernelParams[2]), 2u);
    double factor = 5.0;
    parameters.kernelParams[1] = &factor;
    parameters.func = (void*)scale_kernel;
    EXPECT_EQ(cudaGraphKernelNodeSetParams(node, &parameters), cudaSuccess);
    run(captured);
    EXPECT_EQ(values.values(), (std::vector<float>{5, 5, 1, 1}));
}

TEST_F(GraphTest, an_unknown_kernel_pointer_is_named) {
    int value = 0;
    void* arguments[] = {&value};
    const cudaKernelNodeParams parameters = {&value, dim3(1), dim3(1), 0, arguments, nullptr};
    cudaGraphNode_t node = nullptr;
    EXPECT_TRUE(contains(
        messages_of([&] { cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters); }),
        "write (void*)kernel, with the kernel's name"));
}

TEST_F(GraphTest, nodes_of_every_kind) {
    ManagedArray<int> list(64, 0);
    int* pitched = nullptr;
    cudaMalloc(&pitched, 4 * 256);
    const cudaMemsetParams set = {pitched, 256, 0x01020304, 4, 3, 4};
    cudaGraphNode_t set_node = nullptr;
    ASSERT_EQ(cudaGraphAddMemsetNode(&set_node, graph, nullptr, 0, &set), cudaSuccess);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(pitched, 256, 12, 4);
    copy.dstPtr = make_cudaPitchedPtr(list.data(), 16, 12, 4);
    copy.extent = make_cudaExtent(12, 2, 2);
    copy.srcPtr.ysize = 2;
    copy.dstPtr.ysize = 2;
    copy.kind = cudaMemcpyDefault;
    cudaGraphNode_t copy_node = nullptr;
    ASSERT_EQ(cudaGraphAddMemcpyNode(&copy_node, graph, &set_node, 1, &copy), cudaSuccess);
    cudaGraphNode_t empty = nullptr;
    ASSERT_EQ(cudaGraphAddEmptyNode(&empty, graph, &copy_node, 1), cudaSuccess);
    static int calls = 0;
    calls = 0;
    const cudaHostNodeParams host = {[](void* data) { ++*static_cast<int*>(data); }, &calls};
    cudaGraphNode_t host_node = nullptr;
    ASSERT_EQ(cudaGraphAddHostNode(&host_node, graph, &empty, 1, &host), cudaSuccess);
    cudaGraph_t child = nullptr;
    cudaGraphCreate(&child, 0);
    std::swap(graph, child);
    add(list.data() + 32, 4, {add(list.data() + 32, 3)});
    std::swap(graph, child);
    cudaGraphNode_t child_node = nullptr;
    ASSERT_EQ(cudaGraphAddChildGraphNode(&child_node, graph, &host_node, 1, child), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(child), cudaSuccess);  // the node has a copy
    add(list.data() + 32, 5, {child_node});
    cudaGraphNodeType type;
    EXPECT_EQ(cudaGraphNodeGetType(child_node, &type), cudaSuccess);
    EXPECT_EQ(type, cudaGraphNodeTypeGraph);
    use_schedule("reversed");
    run(graph);
    EXPECT_EQ(calls, 1);
    for (int row = 0; row < 4; ++row) {
        EXPECT_EQ(list[4 * row + 2], 0x01020304);
        EXPECT_EQ(list[4 * row + 3], 0);
    }
    EXPECT_EQ(list[32], 3);
    EXPECT_EQ(list[33], 3);
    EXPECT_EQ(list[34], 4);
    EXPECT_EQ(list[35], 5);
    cudaGraph_t clone = nullptr;
    cudaGraphNode_t found = nullptr;
    EXPECT_EQ(cudaGraphClone(&clone, graph), cudaSuccess);
    EXPECT_EQ(cudaGraphNodeFindInClone(&found, host_node, clone), cudaSuccess);
    EXPECT_NE(found, host_node);
    EXPECT_EQ(edge_count(clone), edge_count(graph));
    const std::string path = testing::TempDir() + "graph.dot";
    EXPECT_EQ(cudaGraphDebugDotPrint(graph, path.c_str(), 0), cudaSuccess);
    std::ifstream file(path);
    const std::string dot{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(contains(dot, "append_kernel"));
    EXPECT_TRUE(contains(dot, " -> "));
    std::remove(path.c_str());
}

TEST_F(GraphTest, events_order_a_launch_and_streams) {
    ManagedArray<int> list(8, 0);
    cudaGraphNode_t wait = nullptr;
    cudaGraphNode_t record = nullptr;
    ASSERT_EQ(cudaGraphAddEventWaitNode(&wait, graph, nullptr, 0, event), cudaSuccess);
    const cudaGraphNode_t node = add(list.data(), 2, {wait});
    ASSERT_EQ(cudaGraphAddEventRecordNode(&record, graph, &node, 1, second), cudaSuccess);
    cudaGraphExec_t exec = instantiate(graph);
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        list[0] = 0;
        append_kernel<<<1, 1, 0, other>>>(list.data(), 1);
        cudaEventRecord(event, other);
        EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
        cudaStreamWaitEvent(other, second, 0);
        append_kernel<<<1, 1, 0, other>>>(list.data(), 3);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(list[1], 1) << schedule;
        EXPECT_EQ(list[2], 2) << schedule;
        EXPECT_EQ(list[3], 3) << schedule;
    }
}

TEST_F(GraphTest, update_from_another_graph) {
    ManagedArray<int> list(8, 0);
    add(list.data(), 1, {add(list.data(), 2)});
    cudaGraphExec_t exec = instantiate(graph);
    cudaGraphCreate(&graph, 0);
    add(list.data(), 3, {add(list.data(), 4)});
    cudaGraphExecUpdateResultInfo information = {};
    EXPECT_EQ(cudaGraphExecUpdate(exec, graph, &information), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(list[1], 4);
    EXPECT_EQ(list[2], 3);
    add(list.data(), 5);
    EXPECT_EQ(cudaGraphExecUpdate(exec, graph, &information), cudaErrorGraphExecUpdateFailure);
    EXPECT_EQ(information.result, cudaGraphExecUpdateErrorTopologyChanged);
}

TEST_F(GraphTest, memory_nodes) {
    ManagedArray<int> out(32, 0);
    cudaGraph_t captured = nullptr;
    int* memory = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    ASSERT_EQ(cudaMallocAsync(&memory, 128, stream), cudaSuccess);
    ASSERT_NE(memory, nullptr);
    cudaMemsetAsync(memory, 0, 128, stream);
    add_kernel<<<1, 32, 0, stream>>>(memory, 5);
    cudaMemcpyAsync(out.data(), memory, 128, cudaMemcpyDeviceToDevice, stream);
    ASSERT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamEndCapture(stream, &captured), cudaSuccess);
    cudaGraphExec_t exec = instantiate(captured);
    for (int launch = 0; launch < 3; ++launch) {
        out[31] = 0;
        EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        EXPECT_EQ(out[31], 5);
    }
}

TEST_F(GraphTest, conditional_nodes) {
    ManagedArray<int> list(32, 0);
    ManagedArray<int> left(1, 4);
    const auto add_conditional = [&](cudaGraphConditionalNodeType type, unsigned size,
                                     cudaGraphConditionalHandle handle,
                                     std::vector<cudaGraphNode_t> after) {
        cudaGraphNodeParams parameters = {};
        parameters.type = cudaGraphNodeTypeConditional;
        parameters.conditional.handle = handle;
        parameters.conditional.type = type;
        parameters.conditional.size = size;
        cudaGraphNode_t node = nullptr;
        EXPECT_EQ(cudaGraphAddNode(&node, graph, after.data(), nullptr, after.size(), &parameters),
                  cudaSuccess);
        return std::pair(node, parameters.conditional.phGraph_out);
    };
    const auto fill = [&](cudaGraph_t body, auto launches) {
        EXPECT_EQ(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                                cudaStreamCaptureModeGlobal),
                  cudaSuccess);
        launches();
        EXPECT_EQ(cudaStreamEndCapture(stream, nullptr), cudaSuccess);
    };
    cudaGraphConditionalHandle repeat, choice, test;
    cudaGraphConditionalHandleCreate(&repeat, graph, 1, cudaGraphCondAssignDefault);
    cudaGraphConditionalHandleCreate(&choice, graph, 0, cudaGraphCondAssignDefault);
    cudaGraphConditionalHandleCreate(&test, graph, 0, cudaGraphCondAssignDefault);
    const auto [loop, loop_body] = add_conditional(cudaGraphCondTypeWhile, 1, repeat, {});
    fill(loop_body[0], [&] {
        append_kernel<<<1, 1, 0, stream>>>(list.data(), 1);
        count_down_kernel<<<1, 1, 0, stream>>>(left.data(), repeat);
    });
    void* arguments[2];
    unsigned two = 2;
    arguments[0] = &choice;
    arguments[1] = &two;
    cudaGraphNodeParams kernel = {};
    kernel.type = cudaGraphNodeTypeKernel;
    kernel.kernel.func = (void*)choose_kernel;
    kernel.kernel.gridDim = dim3(1);
    kernel.kernel.blockDim = dim3(1);
    kernel.kernel.kernelParams = arguments;
    cudaGraphNode_t chooser = nullptr;
    ASSERT_EQ(cudaGraphAddNode(&chooser, graph, &loop, nullptr, 1, &kernel), cudaSuccess);
    const auto [pick, cases] = add_conditional(cudaGraphCondTypeSwitch, 3, choice, {chooser});
    for (int i = 0; i < 3; ++i) {
        fill(cases[i], [&] { append_kernel<<<1, 1, 0, stream>>>(list.data(), 10 + i); });
    }
    const auto [either, branches] = add_conditional(cudaGraphCondTypeIf, 2, test, {pick});
    for (int i = 0; i < 2; ++i) {
        fill(branches[i], [&] { append_kernel<<<1, 1, 0, stream>>>(list.data(), 20 + i); });
    }
    cudaGraphExec_t exec = instantiate(graph);
    for (int launch = 0; launch < 2; ++launch) {
        list[0] = 0;
        left[0] = 4;
        EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        const std::vector<int> all = list.values();
        EXPECT_EQ(std::vector<int>(all.begin(), all.begin() + 7),
                  (std::vector<int>{6, 1, 1, 1, 1, 12, 21}));
    }
}

TEST_F(GraphTest, user_objects_live_as_long_as_graphs) {
    static int destroyed = 0;
    destroyed = 0;
    cudaUserObject_t object = nullptr;
    ASSERT_EQ(cudaUserObjectCreate(
                  &object, &destroyed, [](void* data) { ++*static_cast<int*>(data); }, 1,
                  cudaUserObjectNoDestructorSync),
              cudaSuccess);
    ASSERT_EQ(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove), cudaSuccess);
    cudaGraphExec_t exec = instantiate(graph);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_EQ(destroyed, 0);
    EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    EXPECT_EQ(destroyed, 1);
}

TEST_F(GraphTest, a_kernel_by_its_address) {
    ManagedArray<int> list(4, 0);
    void* const kernels[] = {(void*)append_kernel, (void*)add_kernel};
    int* pointer = list.data();
    int value = 9;
    void* arguments[] = {&pointer, &value};
    EXPECT_EQ(cudaLaunchKernel(kernels[0], dim3(1), dim3(1), arguments, 0, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(list[1], 9);
}

// A graph with memory has one instance at a time. A later graph may lie where one was destroyed.
TEST_F(GraphTest, graphs_with_memory_one_after_the_other) {
    for (int i = 0; i < 8; ++i) {
        cudaGraph_t made = nullptr;
        ASSERT_EQ(cudaGraphCreate(&made, 0), cudaSuccess);
        cudaMemAllocNodeParams memory{};
        memory.poolProps.allocType = cudaMemAllocationTypePinned;
        memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
        memory.bytesize = 256;
        cudaGraphNode_t node = nullptr;
        ASSERT_EQ(cudaGraphAddMemAllocNode(&node, made, nullptr, 0, &memory), cudaSuccess);
        instantiate(made);
        cudaGraphExec_t again = nullptr;
        EXPECT_EQ(cudaGraphInstantiate(&again, made, 0), cudaErrorNotSupported);
        EXPECT_EQ(cudaGraphDestroy(made), cudaSuccess);
    }
    cudaGetLastError();
}

}  // namespace
