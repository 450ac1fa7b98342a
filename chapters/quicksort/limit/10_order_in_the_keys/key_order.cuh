// SPDX-License-Identifier: MIT
// Whether a list is in order already: found by the blocks beside the one that samples it.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "blocks/levels/level_memory.cuh"
#include "blocks/levels/level_sort.cuh"
#include "blocks/levels/reverse.cuh"
#include "blocks/networks/wide_access.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "limit/04_stratified_sample/sample.cuh"
#include "limit/07_one_pass/level_regions.cuh"
#include "limit/07_one_pass/levels.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// Words that say what the keys are not, for the device and for the host: `turn`, the number of the
// sort, if they are not. So no word need be cleared before the next sort.
struct KeyOrder {
    unsigned* falls;  // some key is less than the one before it
    unsigned* rises;  // some key is greater than the one before it
    unsigned *h_falls, *h_rises;  // the same in host memory
    unsigned turn;

    // Whether nothing falls, or nothing rises.
    __device__ __forceinline__ bool in_order() const { return *falls != turn || *rises != turn; }
};

inline constexpr int kLookKeys = 16;  // of a thread at a time

// The block looks at the pairs of neighbours that begin in [begin, end), until it has found a pair
// that rises and one that falls.
__device__ inline void look_at_keys(const Key* keys, std::int64_t begin, std::int64_t end,
                                    std::int64_t count, const KeyOrder& order) {
    bool falls = false, rises = false;
    for (std::int64_t step = begin; step < end; step += std::int64_t{kLookKeys} * blockDim.x) {
#pragma unroll
        for (int k = 0; k < kLookKeys; k += 4) {
            const std::int64_t i = step + std::int64_t{k} * blockDim.x + 4 * threadIdx.x;
            Key own[5];
            if (i + 4 < count) {
                load_four(keys + i, own);
            } else {
#pragma unroll
                for (int j = 0; j < 4; ++j) own[j] = keys[min(i + j, count - 1)];
            }
            own[4] = __shfl_down_sync(0xffffffff, own[0], 1);  // the next lane's first key
            if (threadIdx.x % 32 == 31) own[4] = keys[min(i + 4, count - 1)];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                falls |= own[j + 1] < own[j];
                rises |= own[j] < own[j + 1];
            }
        }
        falls = __syncthreads_or(falls);
        rises = __syncthreads_or(rises);
        if (falls && rises) break;
    }
    if (threadIdx.x > 0) return;
    // The first block that has seen it tells the host.
    if (falls && atomicExch(order.falls, order.turn) != order.turn) *order.h_falls = order.turn;
    if (rises && atomicExch(order.rises, order.turn) != order.turn) *order.h_rises = order.turn;
}

// Block 0 samples the list, as choose_regions_kernel does. Meanwhile the others look at the keys,
// and clear the memory of the levels.
template <int kSlots, int kBlock, int kKeys>
static __global__ void __launch_bounds__(kBlock)
    sample_and_look_kernel(Level level, LevelSource source, int keys_per_part, std::uint64_t seed,
                           Cleared cleared, KeyOrder order) {
    extern __shared__ Key s_samples[];
    if (blockIdx.x == 0) {
        LevelList& list = prepare_list(level, source);
        const int samples =
            sort_samples<kBlock, kKeys>(level.from, List{0, source.count, 0}, s_samples, seed);
        choose_regions<kSlots>(level, list, s_samples, samples, keys_per_part);
        return;
    }
    const std::int64_t block = blockIdx.x - 1, blocks = gridDim.x - 1;
    for (std::int64_t i = block * blockDim.x + threadIdx.x; i < cleared.count;
         i += blocks * blockDim.x) {
        cleared.words[i] = 0;
    }
    const std::int64_t share = (source.count / blocks / 4 + 1) * 4;  // whole fours
    const std::int64_t begin = block * share, end = min(begin + share, source.count);
    look_at_keys(level.from, begin, end, source.count, order);
}

// How a sort begins that looks at the keys first. See FirstSample.
class FirstLook {
  public:
    FirstLook() : d_words_(2), h_words_(2) {
        course::cuda_check(cudaMemset(d_words_.data(), 0, d_words_.bytes()));
        course::cuda_check(cudaGetDevice(&device_));
        course::cuda_check(
            cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device_));
    }

    KeyOrder order() {
        return {d_words_.data(), d_words_.data() + 1, h_words_.data(), h_words_.data() + 1, turn_};
    }

    template <int kBits, bool kFew>
    void begin(LevelMemory& memory, const Level& level, const LevelSource& source,
               int keys_per_part, std::uint64_t seed) {
        using Sample = RegionSample<kBits, kFew>;
        ++turn_;
        h_words_.data()[0] = h_words_.data()[1] = 0;
        const auto launch = [&](auto kernel, int threads, int bytes) {
            const std::int64_t most = (source.count - 1) / (threads * kLookKeys) + 1;
            const std::int64_t resident = std::int64_t{processors_} * (2048 / threads) - 1;
            const auto blocks =
                static_cast<unsigned>(std::min(most, std::max(resident, std::int64_t{1})));
            allow_shared_bytes(kernel, bytes);
            kernel<<<1 + blocks, threads, bytes>>>(level, source, keys_per_part, seed,
                                                   memory.cleared(), order());
            course::cuda_check(cudaGetLastError());
        };
        if (Sample::kAlwaysFits || shared_bytes_of_block() >= Sample::kWanted) {
            launch(sample_and_look_kernel<Sample::kParts, Sample::kBlock, Sample::kKeys>,
                   Sample::kBlock, Sample::kBytes);
        } else if constexpr (!Sample::kAlwaysFits) {
            launch(sample_and_look_kernel<Sample::kParts, kThreads, kKeysPerThread>, kThreads,
                   Sample::kFewerBytes);
        }
        looked_.record();
    }

    // The first partition of a shorter list ends before the host has its answer.
    static constexpr std::int64_t kLongList = std::int64_t{1} << 23;
    bool asks_early(std::int64_t count) const { return count >= kLongList; }

    bool in_order() const { return h_words_.data()[0] != turn_ || h_words_.data()[1] != turn_; }
    const Key* found(const Key* keys, Key* to, std::int64_t count) {
        looked_.synchronize();
        if (!in_order()) return nullptr;
        if (h_words_.data()[0] != turn_) return keys;
        launch_reverse(keys, to, count);
        return to;
    }

  private:
    course::DeviceBuffer<unsigned> d_words_;
    course::PinnedBuffer<unsigned> h_words_;
    course::Event looked_;
    unsigned turn_ = 0;
    int device_ = 0, processors_ = 0;
};

}  // namespace quicksort
