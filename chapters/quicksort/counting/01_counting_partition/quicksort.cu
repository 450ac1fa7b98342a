// SPDX-License-Identifier: MIT
// Quicksort, stage counting/01: one partition by counting, the rest on the CPU.
// Idea: no atomics. Each thread counts the smaller and the greater keys in its own share of the
// list. Scans give each thread the place of its first key on either side; the pivots go in between.
// The CPU sorts the two parts. Any number of threads and blocks.
// Compared with 00_cpu: the first partition runs on the GPU, out of place, into three parts.
// Limit now: the CPU's sorts; in the kernels, neighbours' shares lie far apart: one sector per key.
// Not of the thesis: Gimeno and Velasco 2024, with their faults corrected (see the reference).
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/input/random.hpp"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer, course::PinnedBuffer;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;

constexpr int kScanThreads = 1024;

// For each side of the pivot: how many keys, or the place of the next key.
struct Counts {
    std::int64_t less, greater;
};

__device__ Counts operator+(Counts a, Counts b) { return {a.less + b.less, a.greater + b.greater}; }

// Returns the sum of `value` over the threads before this one; `total` is the sum over the block
// (Hillis and Steele). Two buffers take turns: no thread overwrites a sum that is still to be read.
__device__ __forceinline__ Counts scan_over_block(Counts value, Counts& total) {
    extern __shared__ Counts s_sums[];
    const int thread = threadIdx.x, threads = blockDim.x;
    Counts* sums = s_sums;
    Counts* next = s_sums + threads;
    sums[thread] = value;
    __syncthreads();
    for (int distance = 1; distance < threads; distance *= 2) {
        next[thread] = thread >= distance ? sums[thread - distance] + sums[thread] : sums[thread];
        __syncthreads();
        Counts* read = sums;
        sums = next;
        next = read;
    }
    total = sums[threads - 1];
    return thread > 0 ? sums[thread - 1] : Counts{0, 0};
}

__device__ std::int64_t global_thread() { return 1ll * blockIdx.x * blockDim.x + threadIdx.x; }

// thread_offsets: one per thread, counted within its block. block_sums: one per block.
__global__ void count_sides_kernel(const Key* __restrict__ keys, std::int64_t count,
                                   std::int64_t share, Key pivot,
                                   Counts* __restrict__ thread_offsets,
                                   Counts* __restrict__ block_sums) {
    const std::int64_t begin = global_thread() * share;
    const std::int64_t end = min(begin + share, count);
    Counts sides = {0, 0};
    for (std::int64_t i = begin; i < end; ++i) {
        sides.less += keys[i] < pivot;
        sides.greater += keys[i] > pivot;
    }
    Counts total;
    thread_offsets[global_thread()] = scan_over_block(sides, total);
    if (threadIdx.x == 0) block_sums[blockIdx.x] = total;
}

// One block turns the sums of all blocks into the sums over the blocks before each. This is a
// separate kernel, because a block cannot wait until the others have counted. The last entry is the
// total.
__global__ void scan_blocks_kernel(Counts* block_sums, int blocks) {
    const int share = (blocks - 1) / blockDim.x + 1;
    const std::int64_t begin = static_cast<std::int64_t>(threadIdx.x) * share;
    const std::int64_t end = min(begin + share, static_cast<std::int64_t>(blocks));
    Counts sum = {0, 0};
    for (std::int64_t i = begin; i < end; ++i) sum = sum + block_sums[i];
    Counts total;
    Counts offset = scan_over_block(sum, total);
    for (std::int64_t i = begin; i < end; ++i) {
        const Counts own = block_sums[i];
        block_sums[i] = offset;
        offset = offset + own;
    }
    if (threadIdx.x == 0) block_sums[blocks] = total;
}

__global__ void scatter_sides_kernel(const Key* __restrict__ keys, Key* __restrict__ parts,
                                     std::int64_t count, std::int64_t share, Key pivot,
                                     const Counts* __restrict__ thread_offsets,
                                     const Counts* __restrict__ block_offsets) {
    const std::int64_t begin = global_thread() * share;
    const std::int64_t end = min(begin + share, count);
    const Counts total = block_offsets[gridDim.x];
    const std::int64_t first_greater = count - total.greater;
    Counts next = block_offsets[blockIdx.x] + thread_offsets[global_thread()];
    next.greater += first_greater;
    for (std::int64_t i = begin; i < end; ++i) {
        const Key key = keys[i];
        if (key < pivot) parts[next.less++] = key;
        if (key > pivot) parts[next.greater++] = key;
        if (total.less <= i && i < first_greater) parts[i] = pivot;  // the places between the parts
    }
}

// As many blocks as the device can run at once, but no more than give each thread a key.
int default_blocks(std::int64_t count, int threads) {
    int device = 0;
    cudaDeviceProp properties;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaGetDeviceProperties(&properties, device));
    const std::int64_t blocks =
        properties.multiProcessorCount * (properties.maxThreadsPerMultiProcessor / threads);
    return static_cast<int>(std::min(blocks, (count + threads - 1) / threads));
}

Key choose_pivot(const Input& input) {
    const std::string& way = input.options.choice("--pivot");
    const std::int64_t count = input.count();
    if (way == "random") return input.keys[course::Random(input.seed).below(count)];
    Key keys[] = {input.keys[0], input.keys[count / 2], input.keys[count - 1]};
    if (way == "median-of-3") std::nth_element(keys, keys + 1, keys + 3);
    return keys[way == "median-of-3" ? 1 : 0];
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int threads = static_cast<int>(input.options.integer("--threads"));
    const int asked = static_cast<int>(input.options.integer("--blocks"));
    const int blocks = asked > 0 ? asked : default_blocks(count, threads);
    const std::int64_t all_threads = static_cast<std::int64_t>(blocks) * threads;
    const std::int64_t share = (count - 1) / all_threads + 1;
    // The list lies in the memory that --memory names; copying it there is not part of the sort.
    const bool pinned = input.options.choice("--memory") == "pinned";
    PinnedBuffer<Key> pinned_keys(pinned ? count : 0);
    std::vector<Key> pageable_keys(pinned ? 0 : count);
    Key* h_keys = pinned ? pinned_keys.data() : pageable_keys.data();
    std::copy(input.keys.begin(), input.keys.end(), h_keys);

    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_keys(count), d_parts(count);
    DeviceBuffer<Counts> d_thread_offsets(all_threads), d_sums(blocks + 1ll);
    const Key pivot = choose_pivot(input);

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_keys.data(), h_keys, d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    count_sides_kernel<<<blocks, threads, 2 * threads * sizeof(Counts)>>>(
        d_keys.data(), count, share, pivot, d_thread_offsets.data(), d_sums.data());
    cuda_check(cudaGetLastError());
    scan_blocks_kernel<<<1, kScanThreads, 2 * kScanThreads * sizeof(Counts)>>>(d_sums.data(),
                                                                               blocks);
    cuda_check(cudaGetLastError());
    scatter_sides_kernel<<<blocks, threads>>>(d_keys.data(), d_parts.data(), count, share, pivot,
                                              d_thread_offsets.data(), d_sums.data());
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    Counts total;
    cuda_check(cudaMemcpy(&total, d_sums.data() + blocks, sizeof total, cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(h_keys, d_parts.data(), d_parts.bytes(), cudaMemcpyDeviceToHost));

    timer.begin(Phase::kHost);
    std::sort(h_keys, h_keys + total.less);
    std::sort(h_keys + count - total.greater, h_keys + count);
    timer.end();
    std::copy_n(h_keys, count, output.keys.begin());
    timer.note_grid(blocks, threads);
    timer.declare_work({.bytes = 12.0 * count});  // read twice, written once
    std::copy(input.keys.begin(), input.keys.end(), h_keys);
    PhaseTimer serial(timer.backend());
    serial.begin(Phase::kHost);
    std::sort(h_keys, h_keys + count);
    serial.end();
    output.report = {{"global_ms", timer.times().total_ms},
                     {"kernel_ms", timer.times().kernels_ms},
                     {"cpu_sort_ms", timer.times().host_ms},
                     {"serial_sort_ms", serial.times().host_ms},
                     {"host_to_device_ms", timer.times().copy_in_ms},
                     {"device_to_host_ms", timer.times().copy_out_ms},
                     {"pinned", pinned ? 1 : 0},
                     {"elements", count},
                     {"threads", threads},
                     {"blocks", blocks},
                     {"pivot", pivot}};
}

int main(int argc, char** argv) {
    return quicksort::run_stage(
        argc, argv, STAGE_NAME, sort_keys, nullptr,
        {{"--threads", "threads per block", 256, 1, 1024},
         {"--blocks", "number of blocks; 0: as many as the device runs at once", 0, 0,
          (1ll << 31) - 1},
         {"--memory", "memory of the host's list", 0, 0, 0, {"pinned", "pageable"}},
         {"--pivot", "how the pivot is chosen", 0, 0, 0, {"first", "random", "median-of-3"}}});
}
