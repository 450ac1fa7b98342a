// SPDX-License-Identifier: MIT
// Prints the error codes of unusual and illegal calls: graphs, memory pools, streams, peer access
// with one device. The same source runs on a GPU, which wrote data/graph_codes.txt, and on the CPU
// engine.
#include <cuda_runtime.h>

#include <cstdio>
#include <string>

namespace {

__global__ void add_kernel(int* values, int amount) { values[threadIdx.x] += amount; }
__global__ void set_kernel(int* values) { values[threadIdx.x] = 1; }

void show(const char* what, cudaError_t error) {
    std::printf("%s: %d\n", what, static_cast<int>(error));
    static_cast<void>(cudaGetLastError());
}

void show_number(const char* what, long long number) { std::printf("%s = %lld\n", what, number); }

struct Setting {
    explicit Setting(const char* name) {
        std::printf("[%s]\n", name);
        cudaMalloc(&values, 1024);
        cudaMallocHost(&host, 1024);
        cudaStreamCreate(&stream);
        cudaGraphCreate(&graph, 0);
        kernel.func = (void*)add_kernel;
        kernel.gridDim = dim3(1);
        kernel.blockDim = dim3(32);
        kernel.kernelParams = arguments;
        set = {values, 0, 0, 4, 32, 1};
    }
    ~Setting() {
        show("synchronize", cudaDeviceSynchronize());
        cudaGraphDestroy(graph);
        cudaStreamDestroy(stream);
        cudaFree(values);
        cudaFreeHost(host);
        static_cast<void>(cudaGetLastError());
    }
    cudaGraphNode_t add(cudaGraphNode_t after = nullptr) {
        cudaGraphNode_t node = nullptr;
        show("add kernel", cudaGraphAddKernelNode(&node, graph, after == nullptr ? nullptr : &after,
                                                  after == nullptr ? 0 : 1, &kernel));
        return node;
    }
    cudaGraphExec_t instantiate() {
        cudaGraphExec_t exec = nullptr;
        show("instantiate", cudaGraphInstantiate(&exec, graph, 0));
        return exec;
    }
    int* values = nullptr;
    int* host = nullptr;
    int amount = 1;
    void* arguments[2] = {&values, &amount};
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaKernelNodeParams kernel = {};
    cudaMemsetParams set = {};
};

void building() {
    {
        Setting s("kernel nodes");
        cudaGraphNode_t node = nullptr;
        show("no parameters", cudaGraphAddKernelNode(&node, s.graph, nullptr, 0, nullptr));
        show("no graph", cudaGraphAddKernelNode(&node, nullptr, nullptr, 0, &s.kernel));
        show("no node", cudaGraphAddKernelNode(nullptr, s.graph, nullptr, 0, &s.kernel));
        s.kernel.blockDim = dim3(4096);
        show("large block", cudaGraphAddKernelNode(&node, s.graph, nullptr, 0, &s.kernel));
        s.kernel.blockDim = dim3(0);
        show("empty block", cudaGraphAddKernelNode(&node, s.graph, nullptr, 0, &s.kernel));
        s.kernel.blockDim = dim3(32);
        s.kernel.sharedMemBytes = 64 * 1024;
        show("shared", cudaGraphAddKernelNode(&node, s.graph, nullptr, 0, &s.kernel));
        s.kernel.sharedMemBytes = 0;
        s.kernel.func = nullptr;
        show("no function", cudaGraphAddKernelNode(&node, s.graph, nullptr, 0, &s.kernel));
        s.kernel.func = &s;
        show("not a function", cudaGraphAddKernelNode(&node, s.graph, nullptr, 0, &s.kernel));
        cudaGraph_t none = nullptr;
        show("create, flags 1", cudaGraphCreate(&none, 1));
        show("create, nullptr", cudaGraphCreate(nullptr, 0));
    }
    {
        Setting s("edges");
        cudaGraphNode_t a = s.add(), b = s.add();
        show("edge", cudaGraphAddDependencies(s.graph, &a, &b, nullptr, 1));
        show("edge again", cudaGraphAddDependencies(s.graph, &a, &b, nullptr, 1));
        show("to itself", cudaGraphAddDependencies(s.graph, &a, &a, nullptr, 1));
        show("circle", cudaGraphAddDependencies(s.graph, &b, &a, nullptr, 1));
        cudaGraphExec_t exec = nullptr;
        show("instantiate", cudaGraphInstantiate(&exec, s.graph, 0));
        show("remove", cudaGraphRemoveDependencies(s.graph, &b, &a, nullptr, 1));
        show("remove again", cudaGraphRemoveDependencies(s.graph, &b, &a, nullptr, 1));
        cudaGraph_t other = nullptr;
        cudaGraphCreate(&other, 0);
        cudaGraphNode_t c = nullptr, d = nullptr;
        show("other graph's node", cudaGraphAddEmptyNode(&c, other, &a, 1));
        show("empty", cudaGraphAddEmptyNode(&c, other, nullptr, 0));
        show("edge between graphs", cudaGraphAddDependencies(s.graph, &a, &c, nullptr, 1));
        cudaGraphNode_t twice[2] = {a, a};
        show("dependency twice", cudaGraphAddEmptyNode(&d, s.graph, twice, 2));
        show("dependencies nullptr", cudaGraphAddEmptyNode(&d, s.graph, nullptr, 1));
        std::size_t count = 1;
        cudaGraphNode_t few[4] = {};
        show("get nodes of 1", cudaGraphGetNodes(s.graph, few, &count));
        show_number("  count", static_cast<long long>(count));
        count = 4;
        show("get nodes of 4", cudaGraphGetNodes(s.graph, few, &count));
        show_number("  count", static_cast<long long>(count));
        show_number("  rest", few[3] == nullptr);
        show("get nodes, no count", cudaGraphGetNodes(s.graph, few, nullptr));
        show("destroy node", cudaGraphDestroyNode(a));
        cudaGraphGetEdges(s.graph, nullptr, nullptr, nullptr, &count);
        show_number("  edges", static_cast<long long>(count));
        cudaGraphNodeType type;
        show("type", cudaGraphNodeGetType(b, &type));
        cudaKernelNodeParams got;
        show("kernel params of an empty node", cudaGraphKernelNodeGetParams(c, &got));
        show("destroy", cudaGraphDestroy(other));
        show("destroy nullptr", cudaGraphDestroy(nullptr));
    }
    {
        Setting s("other nodes");
        cudaGraphNode_t node = nullptr;
        const std::size_t bytes = 128;
        show("memcpy 1D", cudaGraphAddMemcpyNode1D(&node, s.graph, nullptr, 0, s.values, s.host,
                                                   bytes, cudaMemcpyHostToDevice));
        show("wrong direction", cudaGraphAddMemcpyNode1D(&node, s.graph, nullptr, 0, s.values,
                                                         s.host, bytes, cudaMemcpyDeviceToHost));
        show("no bytes", cudaGraphAddMemcpyNode1D(&node, s.graph, nullptr, 0, s.values, s.host, 0,
                                                  cudaMemcpyHostToDevice));
        show("too long", cudaGraphAddMemcpyNode1D(&node, s.graph, nullptr, 0, s.values, s.host,
                                                  8 << 20, cudaMemcpyHostToDevice));
        show("memset", cudaGraphAddMemsetNode(&node, s.graph, nullptr, 0, &s.set));
        s.set.elementSize = 3;
        show("element of 3", cudaGraphAddMemsetNode(&node, s.graph, nullptr, 0, &s.set));
        s.set.elementSize = 4;
        s.set.dst = s.host;
        show("memset of pinned memory", cudaGraphAddMemsetNode(&node, s.graph, nullptr, 0, &s.set));
        s.set.dst = nullptr;
        show("memset of nullptr", cudaGraphAddMemsetNode(&node, s.graph, nullptr, 0, &s.set));
        cudaHostNodeParams host = {nullptr, nullptr};
        show("host, no function", cudaGraphAddHostNode(&node, s.graph, nullptr, 0, &host));
        cudaEvent_t event = nullptr;
        cudaEventCreate(&event);
        show("record", cudaGraphAddEventRecordNode(&node, s.graph, nullptr, 0, event));
        show("wait", cudaGraphAddEventWaitNode(&node, s.graph, nullptr, 0, event));
        show("wait, no event", cudaGraphAddEventWaitNode(&node, s.graph, nullptr, 0, nullptr));
        show("child, none", cudaGraphAddChildGraphNode(&node, s.graph, nullptr, 0, nullptr));
        cudaGraphExec_t exec = s.instantiate();
        show("launch", cudaGraphLaunch(exec, s.stream));
        show("launch in legacy", cudaGraphLaunch(exec, nullptr));
        show("launch nothing", cudaGraphLaunch(nullptr, s.stream));
        show("upload", cudaGraphUpload(exec, s.stream));
        show("destroy at once", cudaGraphExecDestroy(exec));
        show("destroy nullptr", cudaGraphExecDestroy(nullptr));
        show("instantiate flags 64", cudaGraphInstantiate(&exec, s.graph, 64));
    }
}

void updating() {
    {
        Setting s("node updates");
        cudaGraphNode_t node = s.add();
        cudaGraphNode_t set = nullptr;
        cudaGraphAddMemsetNode(&set, s.graph, nullptr, 0, &s.set);
        cudaGraphNode_t copy = nullptr;
        cudaGraphAddMemcpyNode1D(&copy, s.graph, nullptr, 0, s.values + 64, s.host, 128,
                                 cudaMemcpyHostToDevice);
        cudaGraphExec_t exec = s.instantiate();
        s.amount = 5;
        show("kernel", cudaGraphExecKernelNodeSetParams(exec, node, &s.kernel));
        void* one[] = {&s.values};
        s.kernel.func = (void*)set_kernel;
        s.kernel.kernelParams = one;
        show("another function", cudaGraphExecKernelNodeSetParams(exec, node, &s.kernel));
        s.kernel.blockDim = dim3(2048);
        show("large block", cudaGraphExecKernelNodeSetParams(exec, node, &s.kernel));
        show("in the graph", cudaGraphKernelNodeSetParams(node, &s.kernel));
        show("wrong kind", cudaGraphExecKernelNodeSetParams(exec, set, &s.kernel));
        show("memset", cudaGraphExecMemsetNodeSetParams(exec, set, &s.set));
        s.set.width = 16;
        show("memset narrower", cudaGraphExecMemsetNodeSetParams(exec, set, &s.set));
        s.set.height = 2;
        s.set.pitch = 64;
        show("memset 2D", cudaGraphExecMemsetNodeSetParams(exec, set, &s.set));
        show("memcpy", cudaGraphExecMemcpyNodeSetParams1D(exec, copy, s.values + 64, s.host + 1, 64,
                                                          cudaMemcpyHostToDevice));
        show("memcpy turned", cudaGraphExecMemcpyNodeSetParams1D(exec, copy, s.host, s.values + 64,
                                                                 64, cudaMemcpyDeviceToHost));
        show("disable", cudaGraphNodeSetEnabled(exec, node, 0));
        unsigned enabled = 7;
        show("enabled", cudaGraphNodeGetEnabled(exec, node, &enabled));
        show_number("  enabled", enabled);
        show("launch", cudaGraphLaunch(exec, s.stream));
        cudaGraphExecDestroy(exec);
    }
    const auto update = [](const char* name, auto change) {
        Setting s(name);
        cudaGraphNode_t first = s.add();
        s.add(first);
        cudaGraphExec_t exec = s.instantiate();
        change(s, first);
        cudaGraphExecUpdateResultInfo information = {};
        show("update", cudaGraphExecUpdate(exec, s.graph, &information));
        show_number("  result", information.result);
        show_number("  node", information.errorNode != nullptr);
        show_number("  from", information.errorFromNode != nullptr);
        show("launch", cudaGraphLaunch(exec, s.stream));
        cudaGraphExecDestroy(exec);
    };
    update("update by the same", [](Setting&, cudaGraphNode_t) {});
    update("update, one more node", [](Setting& s, cudaGraphNode_t) { s.add(); });
    update("update, one node fewer", [](Setting&, cudaGraphNode_t n) { cudaGraphDestroyNode(n); });
    update("update, another type", [](Setting& s, cudaGraphNode_t) {
        cudaGraphDestroy(s.graph);
        cudaGraphCreate(&s.graph, 0);
        cudaGraphNode_t node = nullptr;
        cudaGraphAddMemsetNode(&node, s.graph, nullptr, 0, &s.set);
        s.add(node);
    });
    update("update, no edge", [](Setting& s, cudaGraphNode_t) {
        cudaGraphDestroy(s.graph);
        cudaGraphCreate(&s.graph, 0);
        s.add();
        s.add();
    });
    update("update, another function", [](Setting& s, cudaGraphNode_t first) {
        void* one[] = {&s.values};
        s.kernel.func = (void*)set_kernel;
        s.kernel.kernelParams = one;
        show("set", cudaGraphKernelNodeSetParams(first, &s.kernel));
    });
}

void memory() {
    {
        Setting s("memory nodes");
        cudaMemAllocNodeParams params = {};
        params.poolProps.allocType = cudaMemAllocationTypePinned;
        params.poolProps.location = {cudaMemLocationTypeDevice, 0};
        params.bytesize = 1024;
        cudaGraphNode_t node = nullptr, last = nullptr, again = nullptr;
        show("alloc", cudaGraphAddMemAllocNode(&node, s.graph, nullptr, 0, &params));
        show("free of other memory", cudaGraphAddMemFreeNode(&last, s.graph, nullptr, 0, s.values));
        cudaGraphExec_t exec = s.instantiate(), second = nullptr;
        show("second instance", cudaGraphInstantiate(&second, s.graph, 0));
        show("launch", cudaGraphLaunch(exec, s.stream));
        show("launch again", cudaGraphLaunch(exec, s.stream));
        show("free", cudaFree(params.dptr));
        show("launch again", cudaGraphLaunch(exec, s.stream));
        show("free async", cudaFreeAsync(params.dptr, s.stream));
        cudaGraph_t clone = nullptr;
        show("clone", cudaGraphClone(&clone, s.graph));
        show("as child", cudaGraphAddChildGraphNode(&again, s.graph, nullptr, 0, s.graph));
        show("destroy node", cudaGraphDestroyNode(node));
        show("edge", cudaGraphAddEmptyNode(&again, s.graph, &node, 1));
        cudaGraphExecDestroy(exec);
        show("after",
             cudaGraphInstantiate(&exec, s.graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
        show("launch", cudaGraphLaunch(exec, s.stream));
        show("launch again", cudaGraphLaunch(exec, s.stream));
        cudaGraphExecDestroy(exec);
        unsigned long long used = 0;
        show("sync", cudaDeviceSynchronize());
        show("attribute", cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
        show_number("  used", static_cast<long long>(used));
        show("free", cudaFree(params.dptr));
        show("trim", cudaDeviceGraphMemTrim(0));
    }
    {
        Setting s("freed in the graph");
        cudaMemAllocNodeParams params = {};
        params.poolProps.allocType = cudaMemAllocationTypePinned;
        params.poolProps.location = {cudaMemLocationTypeDevice, 0};
        params.bytesize = 1024;
        cudaGraphNode_t node = nullptr, last = nullptr, again = nullptr;
        show("alloc", cudaGraphAddMemAllocNode(&node, s.graph, nullptr, 0, &params));
        show("free", cudaGraphAddMemFreeNode(&last, s.graph, &node, 1, params.dptr));
        show("free twice", cudaGraphAddMemFreeNode(&again, s.graph, &node, 1, params.dptr));
        cudaGraphExec_t exec = s.instantiate();
        show("launch", cudaGraphLaunch(exec, s.stream));
        show("launch again", cudaGraphLaunch(exec, s.stream));
        cudaGraphExecDestroy(exec);
    }
    {
        Setting s("pools");
        cudaMemPool_t pool = nullptr, first = nullptr, none = nullptr;
        show("default", cudaDeviceGetDefaultMemPool(&first, 0));
        show("default of 1", cudaDeviceGetDefaultMemPool(&pool, 1));
        show("get", cudaDeviceGetMemPool(&pool, 0));
        show_number("  same", pool == first);
        show("destroy the default", cudaMemPoolDestroy(first));
        cudaMemPoolProps props = {};
        show("empty props", cudaMemPoolCreate(&pool, &props));
        props.allocType = cudaMemAllocationTypePinned;
        props.location = {cudaMemLocationTypeDevice, 3};
        show("device 3", cudaMemPoolCreate(&pool, &props));
        props.location.id = 0;
        show("create", cudaMemPoolCreate(&pool, &props));
        show("set none", cudaDeviceSetMemPool(0, none));
        show("set", cudaDeviceSetMemPool(0, pool));
        unsigned long long value = 0;
        for (int i = 0; i <= 9; ++i) {
            value = 99;
            const bool is_small = i >= 1 && i <= 3;
            show("attribute", cudaMemPoolGetAttribute(pool, cudaMemPoolAttr(i), &value));
            show_number("  value",
                        is_small ? static_cast<int>(value) : static_cast<long long>(value));
        }
        value = 0;
        show("set reserved",
             cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &value));
        show("set high", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
        value = 1;
        show("set high 1", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
        int* memory = nullptr;
        show("malloc", cudaMallocAsync(&memory, 1000, s.stream));
        const auto used = [&](const char* what) {
            show("synchronize", cudaStreamSynchronize(s.stream));
            for (int i = 5; i <= 8; ++i) {
                cudaMemPoolGetAttribute(pool, cudaMemPoolAttr(i), &value);
                show_number(what, static_cast<long long>(value));
            }
        };
        used("after malloc");
        show("free", cudaFreeAsync(memory, s.stream));
        used("after free");
        show("free again", cudaFreeAsync(memory, s.stream));
        show("free nullptr", cudaFreeAsync(nullptr, s.stream));
        show("malloc 0", cudaMallocAsync(&memory, 0, s.stream));
        show_number("  null", memory == nullptr);
        show("from none", cudaMallocFromPoolAsync(&memory, 4, none, s.stream));
        value = ~0ull;
        show("threshold", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
        show("malloc", cudaMallocFromPoolAsync(&memory, 5 << 20, pool, s.stream));
        show("free", cudaFreeAsync(memory, s.stream));
        used("kept");
        show("trim", cudaMemPoolTrimTo(pool, 0));
        used("trimmed");
        show("malloc", cudaMallocAsync(&memory, 4, s.stream));
        show("plain free", cudaFree(memory));
        int* plain = nullptr;
        cudaMalloc(&plain, 4);
        show("async free of plain memory", cudaFreeAsync(plain, s.stream));
        cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtNone};
        show("access of the owner", cudaMemPoolSetAccess(pool, &access, 1));
        access.location.id = 1;
        access.flags = cudaMemAccessFlagsProtReadWrite;
        show("access of device 1", cudaMemPoolSetAccess(pool, &access, 1));
        cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
        access.location.id = 0;
        show("get access", cudaMemPoolGetAccess(&flags, pool, &access.location));
        show_number("  flags", flags);
        int handle = 0;
        show("export", cudaMemPoolExportToShareableHandle(&handle, pool,
                                                          cudaMemHandleTypePosixFileDescriptor, 0));
        show("destroy", cudaMemPoolDestroy(pool));
        show("malloc after", cudaMallocAsync(&memory, 4, s.stream));
        show("huge", cudaMallocAsync(&memory, std::size_t{1} << 50, s.stream));
    }
}

void devices_and_streams() {
    Setting s("devices");
    int number = 7;
    show("can access itself", cudaDeviceCanAccessPeer(&number, 0, 0));
    show_number("  value", number);
    show("can access 1", cudaDeviceCanAccessPeer(&number, 0, 1));
    show("enable itself", cudaDeviceEnablePeerAccess(0, 0));
    show("enable 1", cudaDeviceEnablePeerAccess(1, 0));
    show("disable itself", cudaDeviceDisablePeerAccess(0));
    show("disable 1", cudaDeviceDisablePeerAccess(1));
    show("set device 1", cudaSetDevice(1));
    show("set device -1", cudaSetDevice(-1));
    show("peer copy to itself", cudaMemcpyPeer(s.values, 0, s.values + 32, 0, 64));
    show("peer copy to 1", cudaMemcpyPeer(s.values, 1, s.values + 32, 0, 64));
    show("attribute", cudaDeviceGetP2PAttribute(&number, cudaDevP2PAttrAccessSupported, 0, 0));
    show("attribute of 1", cudaDeviceGetP2PAttribute(&number, cudaDevP2PAttrAccessSupported, 0, 1));
    cudaPointerAttributes attributes;
    show("pointer", cudaPointerGetAttributes(&attributes, nullptr));
    show_number("  type", attributes.type);
    show_number("  device", attributes.device);
    show("host pointer", cudaPointerGetAttributes(&attributes, s.host));
    show_number("  type", attributes.type);
    show_number("  device", attributes.device);
    int local = 0;
    show("pageable", cudaPointerGetAttributes(&attributes, &local));
    show_number("  type", attributes.type);
    show_number("  device", attributes.device);
    show_number("  pointers",
                (attributes.devicePointer != nullptr) + 2 * (attributes.hostPointer != nullptr));
    int least = 0, greatest = 0;
    show("priorities", cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t stream = nullptr;
    show("priority -100", cudaStreamCreateWithPriority(&stream, 0, -100));
    cudaStreamGetPriority(stream, &number);
    show_number("  priority", number - greatest);
    unsigned long long first = 0, second = 0;
    show("id", cudaStreamGetId(stream, &first));
    show("id of legacy", cudaStreamGetId(nullptr, &second));
    show_number("  differ", first != second);
    show("callback, flags 1", cudaStreamAddCallback(
                                  stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 1));
    show("callback, none", cudaStreamAddCallback(stream, nullptr, nullptr, 0));
    show("flags of an event", cudaEventCreateWithFlags(nullptr, 0));
    cudaEvent_t event = nullptr;
    show("interprocess with timing", cudaEventCreateWithFlags(&event, cudaEventInterprocess));
    show("event flags 64", cudaEventCreateWithFlags(&event, 64));
    show("record, flags 4", cudaEventRecordWithFlags(event, stream, 4));
    show("copy attributes", cudaStreamCopyAttributes(stream, s.stream));
    show("attach", cudaStreamAttachMemAsync(stream, s.values, 0, cudaMemAttachSingle));
    show("flags 8", cudaStreamCreateWithFlags(&stream, 8));
    unsigned flags = 9;
    show("host flags", cudaHostGetFlags(&flags, s.host));
    show_number("  flags", flags);
    int* managed = nullptr;
    cudaMallocManaged(&managed, 1 << 16);
    const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    show("advise", cudaMemAdvise(managed, 1 << 16, cudaMemAdviseSetReadMostly, here));
    show("advise device memory", cudaMemAdvise(s.values, 64, cudaMemAdviseSetReadMostly, here));
    show("advise device 9", cudaMemAdvise(managed, 64, cudaMemAdviseSetPreferredLocation,
                                          {cudaMemLocationTypeDevice, 9}));
    int data = 5;
    show("range", cudaMemRangeGetAttribute(&data, 4, cudaMemRangeAttributeReadMostly, managed, 64));
    show_number("  value", data);
    show("preferred",
         cudaMemRangeGetAttribute(&data, 4, cudaMemRangeAttributePreferredLocation, managed, 64));
    show_number("  value", data);
    show("prefetch", cudaMemPrefetchAsync(managed, 64, here, 0, s.stream));
    show("prefetch to the host",
         cudaMemPrefetchAsync(managed, 64, {cudaMemLocationTypeHost, 0}, 0, s.stream));
    show("prefetch device memory", cudaMemPrefetchAsync(s.values, 64, here, 0, s.stream));
    show("last", cudaMemRangeGetAttribute(&data, 4, cudaMemRangeAttributeLastPrefetchLocation,
                                          managed, 64));
    show_number("  value", data);
    show("size 3",
         cudaMemRangeGetAttribute(&data, 3, cudaMemRangeAttributeReadMostly, managed, 64));
    show("attach managed", cudaStreamAttachMemAsync(s.stream, managed, 0, cudaMemAttachSingle));
    cudaFree(managed);
}

}  // namespace

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const std::string part = argc > 1 ? argv[1] : "";
    if (part.empty() || part == "building") building();
    if (part.empty() || part == "updating") updating();
    if (part.empty() || part == "memory") memory();
    if (part.empty() || part == "devices") devices_and_streams();
    std::printf("[end]\n");
    show("device", cudaDeviceSynchronize());
    return 0;
}
