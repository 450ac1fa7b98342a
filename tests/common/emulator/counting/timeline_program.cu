// SPDX-License-Identifier: MIT
// Two streams copy and add up one after the other, a third one beside them; the kernel launches
// another kernel. Each lane takes a value from the lane before it. An argument says how the program
// ends: "abort", "fork" (a child process ends, too), or "wait" for a signal.
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

__device__ __forceinline__ int from_lane_before(int value) {
    return __shfl_up_sync(0xffffffff, value, 1);
}

__global__ void child_kernel(int* sum) { atomicAdd(sum, 100); }

__global__ void shift_kernel(const int* values, int* sum) {
    const int shifted = from_lane_before(10 * values[threadIdx.x]);
    if (__ballot_sync(0xffffffff, shifted >= 0) != 0xffffffff) return;
    atomicAdd(sum, shifted);
    if (threadIdx.x == 3) child_kernel<<<2, 1>>>(sum);
}

void end_like(const std::string& end) {
    std::fflush(stdout);
    if (end == "abort") std::abort();
    if (end == "wait") ::pause();
    const pid_t child = end == "fork" ? ::fork() : -1;
    if (child == 0) std::exit(0);
    if (child > 0) ::waitpid(child, nullptr, 0);
}

int main(int argc, char** argv) {
    constexpr int kLanes = 32;
    int* h_values = nullptr;
    cudaMallocHost(&h_values, kLanes * sizeof(int));
    for (int i = 0; i < kLanes; ++i) h_values[i] = i;
    int* values = nullptr;
    int* sums = nullptr;
    cudaMalloc(&values, 2 * kLanes * sizeof(int));
    cudaMalloc(&sums, 2 * sizeof(int));
    cudaMemset(sums, 0, 2 * sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t first = nullptr, second = nullptr, beside = nullptr;
    for (cudaStream_t* stream : {&first, &second, &beside}) {
        cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
    }
    cudaEvent_t copied = nullptr;
    cudaEventCreate(&copied);
    cudaMemcpyAsync(values, h_values, kLanes * sizeof(int), cudaMemcpyHostToDevice, first);
    cudaEventRecord(copied, first);
    cudaStreamWaitEvent(second, copied, 0);
    shift_kernel<<<1, kLanes, 0, second>>>(values, sums);
    cudaMemcpyAsync(values + kLanes, h_values, kLanes * sizeof(int), cudaMemcpyHostToDevice,
                    beside);
    shift_kernel<<<1, kLanes, 0, beside>>>(values + kLanes, sums + 1);
    cudaDeviceSynchronize();
    int h_sums[2];
    cudaMemcpy(h_sums, sums, sizeof h_sums, cudaMemcpyDeviceToHost);
    std::printf("%d %d\n", h_sums[0], h_sums[1]);
    cudaEventDestroy(copied);
    for (cudaStream_t stream : {first, second, beside}) cudaStreamDestroy(stream);
    cudaFree(values);
    cudaFree(sums);
    cudaFreeHost(h_values);
    end_like(argc > 1 ? argv[1] : "");
}
