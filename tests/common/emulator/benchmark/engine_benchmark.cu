// SPDX-License-Identifier: MIT
// The cost of the CPU engine's own work: a thread, a barrier, a shuffle, a launch. Run with
// EMULATOR_WORKERS=1: the numbers are for one core.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

constexpr int kNever = 5000;  // a thread index that no block has: keeps results alive at no cost
constexpr int kRepeats = 5;

__global__ void empty_kernel(int* out) {
    if (threadIdx.x == kNever) *out = 1;
}

__global__ void saxpy_kernel(const float* x, float* y, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] += 2.0f * x[i];
}

__global__ void barrier_kernel(int* out, int rounds) {
    for (int round = 0; round < rounds; ++round) __syncthreads();
    if (threadIdx.x == kNever) *out = 1;
}

__global__ void shuffle_kernel(int* out, int rounds) {
    int value = threadIdx.x;
    for (int round = 0; round < rounds; ++round) value += __shfl_xor_sync(0xffffffffu, value, 1);
    if (value == kNever) *out = value;
}

__global__ void ballot_kernel(int* out, int rounds) {
    unsigned votes = threadIdx.x;
    for (int round = 0; round < rounds; ++round) votes += __ballot_sync(0xffffffffu, votes & 1);
    if (votes == kNever) *out = 1;
}

__global__ void atomic_kernel(int* out, int rounds) {
    for (int round = 0; round < rounds; ++round) atomicAdd(out, 1);
}

__global__ void recursive_kernel(int depth) {
    if (depth == 0) return;
    recursive_kernel<<<1, 1, 0, cudaStreamFireAndForget>>>(depth - 1);
    recursive_kernel<<<1, 1, 0, cudaStreamFireAndForget>>>(depth - 1);
}

// The best of a few runs: the noise of a shared machine only adds.
template <class Function>
double best_nanoseconds(Function run) {
    double best = 1e30;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        run();
        cudaDeviceSynchronize();
        const std::chrono::duration<double, std::nano> time =
            std::chrono::steady_clock::now() - start;
        best = std::min(best, time.count());
    }
    return best;
}

void print(const char* what, double nanoseconds, const char* aim) {
    std::printf("%-52s %8.2f ns   %s\n", what, nanoseconds, aim);
}

}  // namespace

int main() {
    int* out = nullptr;
    if (cudaMalloc(&out, sizeof(int)) != cudaSuccess) return 1;
    constexpr int kThreadBlocks = 4096;
    print(
        "per thread without a barrier, blocks of 256",
        best_nanoseconds([&] { empty_kernel<<<kThreadBlocks, 256>>>(out); }) / kThreadBlocks / 256,
        "aim: 3");
    constexpr int kElements = 1 << 20;
    float* x = nullptr;
    float* y = nullptr;
    cudaMalloc(&x, kElements * sizeof(float));
    cudaMalloc(&y, kElements * sizeof(float));
    print("per thread of y += 2 x, blocks of 256",
          best_nanoseconds([&] { saxpy_kernel<<<kElements / 256, 256>>>(x, y, kElements); }) /
              kElements,
          "");
    constexpr int kRounds = 1000;
    for (const int threads : {32, 256, 1024}) {
        char what[64];
        std::snprintf(what, sizeof what, "per thread and __syncthreads(), %d threads", threads);
        print(what,
              best_nanoseconds([&] { barrier_kernel<<<4, threads>>>(out, kRounds); }) / 4 /
                  threads / kRounds,
              "aim: 15");
    }
    for (const int threads : {32, 256}) {
        char what[64];
        std::snprintf(what, sizeof what, "per lane and __shfl_xor_sync(), %d threads", threads);
        print(what,
              best_nanoseconds([&] { shuffle_kernel<<<4, threads>>>(out, kRounds); }) / 4 /
                  threads / kRounds,
              "aim: 20");
    }
    print("per lane and __ballot_sync(), 256 threads",
          best_nanoseconds([&] { ballot_kernel<<<4, 256>>>(out, kRounds); }) / 4 / 256 / kRounds,
          "");
    print("per atomicAdd()",
          best_nanoseconds([&] { atomic_kernel<<<64, 256>>>(out, 100); }) / 64 / 256 / 100, "");
    constexpr int kLaunches = 20000;
    for (const int blocks : {1, 16}) {
        char what[64];
        std::snprintf(what, sizeof what, "per launch of %d x 32 threads", blocks);
        print(what, best_nanoseconds([&] {
                        for (int i = 0; i < kLaunches; ++i) empty_kernel<<<blocks, 32>>>(out);
                    }) / kLaunches,
              blocks == 1 ? "aim: 1000" : "");
    }
    constexpr int kDepth = 14;
    cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 1 << kDepth);
    print("per device-side launch of 1 x 1 threads",
          best_nanoseconds([&] { recursive_kernel<<<1, 1>>>(kDepth); }) / ((2 << kDepth) - 1), "");
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
