// SPDX-License-Identifier: MIT
// Prints the error codes of launches that no device can run, by every call that launches. The same
// source runs on a GPU, which wrote data/launch_codes.txt, and on the CPU engine.
#include <cuda_runtime.h>

#include <cstdio>

namespace {

__global__ void empty_kernel(int* unused) { (void)unused; }

struct Case {
    const char* name;
    dim3 grid;
    dim3 block;
    unsigned shared;
};

constexpr unsigned kTooLarge = 1u << 20;  // bytes of dynamic shared memory

const Case kCases[] = {
    {"right", 1, 1, 0},
    {"block of 1025", 1, 1025, 0},
    {"block of 33 x 32", 1, dim3(33, 32), 0},
    {"block of 65 in z", 1, dim3(1, 1, 65), 0},
    {"block of 65536 x 65536", 1, dim3(65536, 65536), 0},
    {"block of 0 in x", 1, dim3(0, 1, 1), 0},
    {"block of 0 in y", 1, dim3(1, 0, 1), 0},
    {"block of 0 in z", 1, dim3(1, 1, 0), 0},
    {"grid of 0 in x", dim3(0, 1, 1), 1, 0},
    {"grid of 0 in y", dim3(1, 0, 1), 1, 0},
    {"grid of 0 in z", dim3(1, 1, 0), 1, 0},
    {"grid of 2^31 in x", dim3(0x80000000u, 1, 1), 1, 0},
    {"grid of 65536 in y", dim3(1, 65536, 1), 1, 0},
    {"grid of 65536 in z", dim3(1, 1, 65536), 1, 0},
    {"48 KB and 1 byte", 1, 1, 48 * 1024 + 1},
    {"1 MB of shared memory", 1, 1, kTooLarge},
    {"block of 1025 and 1 MB", 1, 1025, kTooLarge},
    {"grid of 0 and 1 MB", 0, 1, kTooLarge},
    {"block of 1025 and grid of 0", 0, 1025, 0},
};

// The returned code, and those that cudaGetLastError() returns then.
void show(const char* call, const Case& one, cudaError_t returned) {
    const cudaError_t last = cudaGetLastError();
    std::printf("%s, %s: %d %d %d\n", call, one.name, static_cast<int>(returned),
                static_cast<int>(last), static_cast<int>(cudaGetLastError()));
}

void launch_all(cudaStream_t stream) {
    int* unused = nullptr;
    void* arguments[] = {&unused};
    const auto kernel = reinterpret_cast<const void*>(empty_kernel);
    for (const Case& one : kCases) {
        empty_kernel<<<one.grid, one.block, one.shared, stream>>>(unused);
        show("<<<>>>", one, cudaSuccess);
        show("cudaLaunchKernel", one,
             cudaLaunchKernel(kernel, one.grid, one.block, arguments, one.shared, stream));
        cudaLaunchConfig_t config{};
        config.gridDim = one.grid;
        config.blockDim = one.block;
        config.dynamicSmemBytes = one.shared;
        config.stream = stream;
        show("cudaLaunchKernelExC", one, cudaLaunchKernelExC(&config, kernel, arguments));
        show("cudaLaunchCooperativeKernel", one,
             cudaLaunchCooperativeKernel(kernel, one.grid, one.block, arguments, one.shared,
                                         stream));
    }
    std::printf("then: %d\n", static_cast<int>(cudaStreamSynchronize(stream)));
}

void capture_all() {
    int* unused = nullptr;
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (const Case& one : kCases) {
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        empty_kernel<<<one.grid, one.block, one.shared, stream>>>(unused);
        show("captured", one, cudaSuccess);
        cudaGraph_t graph = nullptr;
        show("end of the capture", one, cudaStreamEndCapture(stream, &graph));
        if (graph != nullptr) cudaGraphDestroy(graph);
        static_cast<void>(cudaGetLastError());
    }
    cudaStreamDestroy(stream);
}

void add_all_nodes() {
    int* unused = nullptr;
    void* arguments[] = {&unused};
    for (const Case& one : kCases) {
        cudaGraph_t graph = nullptr;
        cudaGraphCreate(&graph, 0);
        cudaKernelNodeParams node{};
        node.func = reinterpret_cast<void*>(empty_kernel);
        node.gridDim = one.grid;
        node.blockDim = one.block;
        node.sharedMemBytes = one.shared;
        node.kernelParams = arguments;
        cudaGraphNode_t added = nullptr;
        const cudaError_t error = cudaGraphAddKernelNode(&added, graph, nullptr, 0, &node);
        show("cudaGraphAddKernelNode", one, error);
        if (error == cudaSuccess) {
            cudaGraphExec_t exec = nullptr;
            const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
            show("cudaGraphInstantiate", one, made);
            if (made == cudaSuccess) {
                show("cudaGraphLaunch", one, cudaGraphLaunch(exec, nullptr));
                show("cudaStreamSynchronize", one, cudaStreamSynchronize(nullptr));
                cudaGraphExecDestroy(exec);
            }
        }
        cudaGraphDestroy(graph);
        static_cast<void>(cudaGetLastError());
    }
}

// ---- Launches by device code

__global__ void launch_kernel(dim3 grid, dim3 block, unsigned shared, int* errors) {
    empty_kernel<<<grid, block, shared>>>(errors);
    errors[0] = cudaPeekAtLastError();
    errors[1] = cudaGetLastError();
    errors[2] = cudaGetLastError();
}

void launch_on_device() {
    int* errors = nullptr;
    cudaMallocManaged(&errors, 3 * sizeof(int));
    for (const Case& one : kCases) {
        launch_kernel<<<1, 1>>>(one.grid, one.block, one.shared, errors);
        const cudaError_t ended = cudaDeviceSynchronize();
        std::printf("device code, %s: %d %d %d, then %d\n", one.name, errors[0], errors[1],
                    errors[2], static_cast<int>(ended));
        static_cast<void>(cudaGetLastError());
    }
    cudaFree(errors);
}

}  // namespace

int main() {
    launch_all(nullptr);
    capture_all();
    add_all_nodes();
    launch_on_device();
    return 0;
}
