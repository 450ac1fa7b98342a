// SPDX-License-Identifier: MIT
// Where up to 16 sorted runs are cut, so that a given number of keys of their merge lies before the
// cuts. From stage 14 on. Only comparisons by <: keys of any type. Equal keys are taken in the
// order of their runs, so the merge is stable.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

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

    // The value of another lane: a number, or a key, of any type.
    template <typename Value>
    __device__ Value value_of(const Value& value, int other) const {
        constexpr int kWords = sizeof(Value) / sizeof(int);
        int words[kWords];
        memcpy(words, &value, sizeof(Value));
#pragma unroll
        for (int i = 0; i < kWords; ++i) words[i] = __shfl_sync(mask, words[i], other, kWays);
        Value its;
        memcpy(&its, words, sizeof(Value));
        return its;
    }

    // The sum over the lanes before this one.
    __device__ std::int64_t sum_before(std::int64_t value) const {
        std::int64_t sum = 0;
        for (int other = 0; other < kWays; ++other) {
            const std::int64_t its = value_of(value, other);
            if (other < lane) sum += its;
        }
        return sum;
    }
};

// Whether a key comes before a cut at the pivot. kEqual: keys that equal the pivot do, too.
template <bool kEqual>
__device__ __forceinline__ bool is_before(Key key, Key pivot) {
    return kEqual ? !(pivot < key) : key < pivot;
}

// The first place in keys[low, high), which is not empty, whose key is not before a cut at the
// pivot. A step loads three keys that do not wait for each other: first 1, 4 and 16 places from
// `guess`, whose key is its_key, then 64, 256 and 1024, and so on; then at the quarters of what is
// left.
template <bool kEqual>
__device__ __forceinline__ std::int64_t find_cut(const Key* keys, std::int64_t low,
                                                 std::int64_t high, std::int64_t guess, Key its_key,
                                                 Key pivot) {
    const bool up = is_before<kEqual>(its_key, pivot);
    if (up) {
        low = guess + 1;
    } else {
        high = guess;
    }
    int passed = 3;  // keys of the step that lie between the guess and the cut
    for (std::int64_t step = 1; passed == 3 && low < high; step *= 64) {
        const std::int64_t first = low, end = high;
        const auto place = [=](int i) {
            const std::int64_t distance = step << 2 * i;
            return up ? min(first + distance, end) - 1 : max(end - distance, first);
        };
        passed = 0;
#pragma unroll
        for (int i = 0; i < 3; ++i) passed += is_before<kEqual>(keys[place(i)], pivot) == up;
        if (passed < 3) (up ? high : low) = place(passed) + (up ? 0 : 1);
        if (passed > 0) (up ? low : high) = place(passed - 1) + (up ? 1 : 0);
    }
    while (low < high) {
        const std::int64_t first = low, width = high - low;
        const auto place = [=](int i) { return first + (width * (i + 1) >> 2); };
        passed = 0;
#pragma unroll
        for (int i = 0; i < 3; ++i) passed += is_before<kEqual>(keys[place(i)], pivot);
        if (passed < 3) high = place(passed);
        if (passed > 0) low = place(passed - 1) + 1;
    }
    return low;
}

// What a run offers as the pivot of a round.
struct Candidate {
    std::int64_t place;  // in the run's bracket
    std::int64_t weight;  // 0: it has none
    std::int64_t aim;  // the pivot is the candidate before or in whose weight so many others lie
};

// The brackets have `open` keys, of which `left` come before the boundary; this lane's has `width`.
// If the runs are alike, their share of each bracket comes before it. So round 0 of three cuts
// there, and the answer is near; but only one end of each bracket has moved. To move the other end,
// round 1 cuts beyond the share. If the boundary is further from the end than chance explains, the
// runs are not alike. Perhaps they do not overlap: then the boundary is exactly so far from the end
// of one bracket. In any list the middle, in round 2, cuts a quarter of all keys off.
template <int kWays>
__device__ __forceinline__ Candidate find_candidate(const Lanes<kWays>& lanes, std::int64_t width,
                                                    std::int64_t left, std::int64_t open,
                                                    int round) {
    const bool low_end = left <= open / 2;
    const std::int64_t off = min(left, open - left);
    const float all = static_cast<float>(open), from_end = static_cast<float>(off);
    std::int64_t aim = left;
    if (round % 3 == 1) {
        // The longest bracket has more keys than are off.
        if (from_end * from_end > 4 * all && off * kWays < open) {
            const std::int64_t weight = width > off ? 1 : 0;
            return {weight == 0 ? 0
                    : low_end   ? off
                                : width - 1 - off,
                    weight, low_end ? 0 : lanes.sum(weight) - 1};
        }
        const std::int64_t beyond = min(2 * off + 16, open / 2);
        aim = low_end ? beyond : open - beyond;
    } else if (round % 3 == 2) {
        aim = open / 2;
    }
    const float share = static_cast<float>(aim) / all;
    const auto place = static_cast<std::int64_t>(static_cast<float>(width) * share);
    return {max(min(place, width - 1), std::int64_t{0}), width, aim};
}

// The lane whose candidate is the pivot. key: that of the lane's candidate.
template <int kWays>
__device__ __forceinline__ int find_owner(const Lanes<kWays>& lanes, Key key,
                                          const Candidate& own) {
    std::int64_t before = 0;
#pragma unroll
    for (int other = 0; other < kWays; ++other) {
        const Key its = lanes.value_of(key, other);
        const std::int64_t its_weight = lanes.value_of(own.weight, other);
        const bool is_first = other < lanes.lane ? !(key < its) : its < key;
        if (is_first) before += its_weight;
    }
    const bool is_owner = before <= own.aim && own.aim < before + own.weight;
    const unsigned owners = __ballot_sync(lanes.mask, is_owner) & lanes.mask;
    return (__ffs(static_cast<int>(owners)) - 1) % kWays;
}

// How many keys of the lane's run, from[begin, begin + length), are among the first `rank` keys of
// the merge. All lanes keep a bracket, in which their answer lies. In each round all brackets are
// cut at the first key that is not less than a pivot, or after the last key that equals it.
template <int kWays>
__device__ std::int64_t cut_run(const Lanes<kWays>& lanes, const Key* from, std::int64_t begin,
                                std::int64_t length, std::int64_t rank) {
    const Key* const keys = from + begin;
    std::int64_t low = 0, high = length;
    for (int round = 0;; ++round) {
        const std::int64_t open = lanes.sum(high - low), left = rank - lanes.sum(low);
        if (left == 0 || left == open) return left == 0 ? low : high;
        const Candidate own = find_candidate(lanes, high - low, left, open, round);
        const std::int64_t guess = low + own.place;
        Key key = {};
        if (low < high) key = keys[guess];
        const int owner = find_owner(lanes, key, own);
        const Key pivot = lanes.value_of(key, owner);
        std::int64_t less = low < high ? find_cut<false>(keys, low, high, guess, key, pivot) : low;
        // This changes nothing in a sorted run. In others the loop must end, too.
        if (lanes.lane == owner) less = min(less, guess);
        const std::int64_t all_less = lanes.sum(less);
        if (rank <= all_less) {
            high = less;
            continue;
        }
        std::int64_t not_greater =
            less < high ? find_cut<true>(keys, less, high, less, keys[less], pivot) : less;
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
