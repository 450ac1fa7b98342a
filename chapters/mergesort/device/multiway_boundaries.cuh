// SPDX-License-Identifier: MIT
// Where up to 16 sorted runs are cut, so that a given number of keys of their merge lies before the
// cuts. From stage 14 on. Only comparisons by <: keys of any type. Equal keys are taken in the
// order of their runs, so the merge is stable.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "problem/mergesort.hpp"
#include "problem/multiway.hpp"

namespace mergesort {

// The lanes that work on one boundary: kWays neighbours, one per run.
template <int kWays>
struct Lanes {
    int lane;
    unsigned mask;

    __device__ Lanes()
        : lane(static_cast<int>(threadIdx.x % kWays)),
          mask(((1u << kWays) - 1) << (threadIdx.x % 32 / kWays * kWays)) {}

    __device__ std::int64_t sum(std::int64_t value) const {
        for (int distance = 1; distance < kWays; distance *= 2) {
            value += __shfl_xor_sync(mask, value, distance);
        }
        return value;
    }

    __device__ std::int64_t most(std::int64_t value) const {
        for (int distance = 1; distance < kWays; distance *= 2) {
            value = max(value, __shfl_xor_sync(mask, value, distance));
        }
        return value;
    }

    // The sum over the lanes before this one.
    __device__ std::int64_t sum_before(std::int64_t value) const {
        std::int64_t sum = 0;
        for (int other = 0; other < kWays; ++other) {
            const std::int64_t its = __shfl_sync(mask, value, other, kWays);
            if (other < lane) sum += its;
        }
        return sum;
    }
};

// The first place in keys[low, high) whose key is not less than the pivot.
__device__ __forceinline__ std::int64_t lower_bound(const Key* keys, std::int64_t low,
                                                    std::int64_t high, Key pivot) {
    while (low < high) {
        const std::int64_t middle = (low + high) >> 1;
        if (keys[middle] < pivot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The same for low < high, in few steps if it is near `guess`, which lies in the range: steps that
// double.
__device__ __forceinline__ std::int64_t lower_bound_near(const Key* keys, std::int64_t low,
                                                         std::int64_t high, std::int64_t guess,
                                                         Key pivot) {
    std::int64_t step = 1;
    if (keys[guess] < pivot) {
        low = guess + 1;
        for (; low < high; step *= 2) {
            const std::int64_t last = min(low + step, high) - 1;
            if (!(keys[last] < pivot)) {
                high = last;
                break;
            }
            low = last + 1;
        }
    } else {
        high = guess;
        for (; low < high; step *= 2) {
            const std::int64_t first = max(high - step, low);
            if (keys[first] < pivot) {
                low = first + 1;
                break;
            }
            high = first;
        }
    }
    return lower_bound(keys, low, high, pivot);
}

// The first place in keys[low, high) whose key is greater than the pivot. Most often it is `low`,
// so the search begins there, with steps that double.
__device__ __forceinline__ std::int64_t upper_bound(const Key* keys, std::int64_t low,
                                                    std::int64_t high, Key pivot) {
    for (std::int64_t step = 1; low < high; step *= 2) {
        const std::int64_t last = min(low + step, high) - 1;
        if (pivot < keys[last]) {
            high = last;
            break;
        }
        low = last + 1;
    }
    while (low < high) {
        const std::int64_t middle = (low + high) >> 1;
        if (pivot < keys[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

// Where a bracket of `width` keys, at least one, is cut in a round, if `left` of the `open` keys in
// all brackets come before the boundary. If the runs are alike, that is their share of the bracket,
// and the answer is near. But then only one end of the bracket moves. So the next round cuts
// beyond the share, and moves the other end. Every third round takes the middle: in any list the
// longest bracket is halved.
__device__ __forceinline__ std::int64_t place_of_cut(std::int64_t width, std::int64_t left,
                                                     std::int64_t open, int round) {
    if (round % 3 == 2) return width / 2;
    if (round % 3 == 1) {
        const std::int64_t beyond = min(2 * min(left, open - left) + 16, open / 2);
        left = left <= open / 2 ? beyond : open - beyond;
    }
    const float share = static_cast<float>(left) / static_cast<float>(open);
    return min(static_cast<std::int64_t>(static_cast<float>(width) * share), width - 1);
}

// How many keys of the lane's run, from[begin, begin + length), are among the first `rank` keys of
// the merge. All lanes keep a bracket, in which their answer lies. In each round the longest
// bracket is cut at a key, the pivot, and the others at the first key that is not less.
template <int kWays>
__device__ std::int64_t cut_run(const Lanes<kWays>& lanes, const Key* from, std::int64_t begin,
                                std::int64_t length, std::int64_t rank) {
    std::int64_t low = 0, high = length;
    for (int round = 0;; ++round) {
        const std::int64_t open = lanes.sum(high - low), left = rank - lanes.sum(low);
        if (left == 0 || left == open) return left == 0 ? low : high;
        // The longest bracket and, of equal ones, the last. kWays is a power of two.
        const std::int64_t longest = lanes.most((high - low) * kWays + lanes.lane);
        const int owner = static_cast<int>(longest % kWays);
        const std::int64_t guess =
            low < high ? low + place_of_cut(high - low, left, open, round) : low;
        const Key pivot = from[__shfl_sync(lanes.mask, begin + guess, owner, kWays)];
        std::int64_t less =
            low < high ? lower_bound_near(from + begin, low, high, guess, pivot) : low;
        // This changes nothing in a sorted run. In others the loop must end, too.
        if (lanes.lane == owner) less = min(less, guess);
        const std::int64_t all_less = lanes.sum(less);
        if (rank <= all_less) {
            high = less;
            continue;
        }
        std::int64_t not_greater = upper_bound(from + begin, less, high, pivot);
        if (lanes.lane == owner) not_greater = max(not_greater, guess + 1);
        if (rank > lanes.sum(not_greater)) {
            low = not_greater;
        } else {  // the rank lies among keys that equal the pivot: the first runs give theirs
            const std::int64_t equal = not_greater - less;
            const std::int64_t rest = rank - all_less - lanes.sum_before(equal);
            return less + min(max(rest, std::int64_t{0}), equal);
        }
    }
}

// pass.ways is kWays. kWays threads per tile: boundaries[kWays * tile + j] becomes the number of
// keys of run j of its group that come before the tile.
template <int kWays>
__global__ void find_cuts_kernel(const Key* __restrict__ from, Pass pass,
                                 std::int64_t* __restrict__ boundaries) {
    const Lanes<kWays> lanes;
    const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::int64_t tile = thread / kWays;
    if (tile >= pass.tiles) return;
    const std::int64_t group = tile / pass.tiles_per_group * kWays * pass.run;
    const std::int64_t begin = group + lanes.lane * pass.run;
    const std::int64_t length = min(max(pass.count - begin, std::int64_t{0}), pass.run);
    const std::int64_t rank = tile % pass.tiles_per_group * pass.capacity;
    boundaries[thread] = rank == 0 ? 0 : cut_run(lanes, from, begin, length, rank);
}

}  // namespace mergesort
