// SPDX-License-Identifier: MIT
// Where up to 16 sorted runs are cut, so that a given number of keys of their merge lies before the
// cuts. Only comparisons by <: keys of any type. Equal keys are taken in the order of their runs,
// so the merge is stable. A Place is an integer in which 64 times the keys of all brackets can be
// counted.
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

    template <typename Place>
    __device__ Place sum(Place value) const {
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
    template <typename Place>
    __device__ Place sum_before(Place value) const {
        Place sum = 0;
        for (int other = 0; other < kWays; ++other) {
            const Place its = value_of(value, other);
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
template <bool kEqual, typename Place>
__device__ __forceinline__ Place find_cut(const Key* keys, Place low, Place high, Place guess,
                                          Key its_key, Key pivot) {
    const bool up = is_before<kEqual>(its_key, pivot);
    if (up) {
        low = guess + 1;
    } else {
        high = guess;
    }
    int passed = 3;  // keys of the step that lie between the guess and the cut
    for (Place step = 1; passed == 3 && low < high; step *= 64) {
        const Place first = low, end = high;
        const auto place = [=](int i) {
            const Place distance = step << 2 * i;
            return up ? min(first + distance, end) - 1 : max(end - distance, first);
        };
        passed = 0;
#pragma unroll
        for (int i = 0; i < 3; ++i) passed += is_before<kEqual>(keys[place(i)], pivot) == up;
        if (passed < 3) (up ? high : low) = place(passed) + (up ? 0 : 1);
        if (passed > 0) (up ? low : high) = place(passed - 1) + (up ? 1 : 0);
    }
    while (low < high) {
        const Place first = low, width = high - low;
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
template <typename Place>
struct Candidate {
    Place place;  // in the run's bracket
    Place weight;  // 0: it has none
    Place aim;  // the pivot is the candidate before or in whose weight so many others lie
};

// The brackets have `open` keys, of which `left` come before the boundary; this lane's has `width`.
// If the runs are alike, their share of each bracket comes before it. So round 0 of three cuts
// there, and the answer is near; but only one end of each bracket has moved. To move the other end,
// round 1 cuts beyond the share. If the boundary is further from the end than chance explains, the
// runs are not alike. Perhaps they do not overlap: then the boundary is exactly so far from the end
// of one bracket. In any list the middle, in round 2, cuts a quarter of all keys off.
template <int kWays, typename Place>
__device__ __forceinline__ Candidate<Place> find_candidate(const Lanes<kWays>& lanes, Place width,
                                                           Place left, Place open, int round) {
    const bool low_end = left <= open / 2;
    const Place off = min(left, open - left);
    const float all = static_cast<float>(open), from_end = static_cast<float>(off);
    Place aim = left;
    if (round % 3 == 1) {
        // The longest bracket has more keys than are off.
        if (from_end * from_end > 4 * all && off * kWays < open) {
            const Place weight = width > off ? 1 : 0;
            return {weight == 0 ? 0
                    : low_end   ? off
                                : width - 1 - off,
                    weight, low_end ? 0 : lanes.sum(weight) - 1};
        }
        const Place beyond = min(2 * off + 16, open / 2);
        aim = low_end ? beyond : open - beyond;
    } else if (round % 3 == 2) {
        aim = open / 2;
    }
    const float share = static_cast<float>(aim) / all;
    const auto place = static_cast<Place>(static_cast<float>(width) * share);
    return {max(min(place, width - 1), Place{0}), width, aim};
}

// The lane whose candidate is the pivot. key: that of the lane's candidate.
template <int kWays, typename Place>
__device__ __forceinline__ int find_owner(const Lanes<kWays>& lanes, Key key,
                                          const Candidate<Place>& own) {
    Place before = 0;
#pragma unroll
    for (int other = 0; other < kWays; ++other) {
        const Key its = lanes.value_of(key, other);
        const Place its_weight = lanes.value_of(own.weight, other);
        const bool is_first = other < lanes.lane ? !(key < its) : its < key;
        if (is_first) before += its_weight;
    }
    const bool is_owner = before <= own.aim && own.aim < before + own.weight;
    const unsigned owners = __ballot_sync(lanes.mask, is_owner) & lanes.mask;
    return (__ffs(static_cast<int>(owners)) - 1) % kWays;
}

// How many keys of the lane's run are among the first `rank` keys of the merge. All lanes keep a
// bracket, from low to high, in which their answer lies. In each round all brackets are cut at the
// first key that is not less than a pivot, or after the last key that equals it.
template <int kWays, typename Place>
__device__ Place cut_bracket(const Lanes<kWays>& lanes, const Key* keys, Place low, Place high,
                             Place rank) {
    for (int round = 0;; ++round) {
        const Place open = lanes.sum(high - low), left = rank - lanes.sum(low);
        if (left == 0 || left == open) return left == 0 ? low : high;
        const Candidate<Place> own = find_candidate(lanes, high - low, left, open, round);
        const Place guess = low + own.place;
        Key key = {};
        if (low < high) key = keys[guess];
        const int owner = find_owner(lanes, key, own);
        const Key pivot = lanes.value_of(key, owner);
        Place less = low < high ? find_cut<false>(keys, low, high, guess, key, pivot) : low;
        // This changes nothing in a sorted run. In others the loop must end, too.
        if (lanes.lane == owner) less = min(less, guess);
        const Place all_less = lanes.sum(less);
        if (rank <= all_less) {
            high = less;
            continue;
        }
        Place not_greater =
            less < high ? find_cut<true>(keys, less, high, less, keys[less], pivot) : less;
        if (lanes.lane == owner) not_greater = max(not_greater, guess + 1);
        if (rank > lanes.sum(not_greater)) {
            low = not_greater;
        } else {  // the rank lies among keys that equal the pivot: the first runs give theirs
            const Place equal = not_greater - less;
            const Place rest = rank - all_less - lanes.sum_before(equal);
            return less + min(max(rest, Place{0}), equal);
        }
    }
}

// The same for the run from[begin, begin + length), of which nothing is known yet.
template <int kWays>
__device__ std::int64_t cut_run(const Lanes<kWays>& lanes, const Key* from, std::int64_t begin,
                                std::int64_t length, std::int64_t rank) {
    return cut_bracket(lanes, from + begin, std::int64_t{0}, length, rank);
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
