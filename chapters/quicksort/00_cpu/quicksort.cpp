// SPDX-License-Identifier: MIT
// Quicksort, stage 00: one thread on the CPU.
// Idea: Hoare's partition with the first key as the pivot. A recursive call sorts the shorter part,
// the loop continues with the longer one. After 2 log2 n levels the pivots are bad (sorted input,
// for example), and heapsort takes over: O(n log n) on any input.
// Limit now: one core, and on it the branch on each key, which is predicted wrongly half the time.
// Thesis 3.1; Gimeno and Velasco 2024.
#include "problem/quicksort.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;

// Moves the keys that are at most the pivot to the front and returns how many went there: at least
// one and at most count - 1, for count >= 2. The scans stop at keys equal to the pivot. This makes
// some needless exchanges, but splits a list of equal keys in half; scans that passed over equal
// keys would split off one key at a time.
std::int64_t partition(Key* keys, std::int64_t count) {
    const Key pivot = keys[0];
    std::int64_t left = -1;
    std::int64_t right = count;
    for (;;) {
        do {
            ++left;
        } while (keys[left] < pivot);
        do {
            --right;
        } while (keys[right] > pivot);
        if (left >= right) return right + 1;
        std::swap(keys[left], keys[right]);
    }
}

void quicksort_range(Key* keys, std::int64_t count, int depth) {
    while (count > 1) {
        if (depth == 0) {
            std::make_heap(keys, keys + count);
            std::sort_heap(keys, keys + count);
            return;
        }
        --depth;
        const std::int64_t left = partition(keys, count);
        const std::int64_t right = count - left;
        // The call takes the shorter part, so at most log2 n calls are active at a time.
        if (left < right) {
            quicksort_range(keys, left, depth);
            keys += left;
            count = right;
        } else {
            quicksort_range(keys + left, right, depth);
            count = left;
        }
    }
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kCopyIn);
    std::copy(input.keys.begin(), input.keys.end(), output.keys.begin());

    timer.begin(Phase::kKernels);
    quicksort_range(output.keys.data(), count,
                    2 * std::bit_width(static_cast<std::uint64_t>(count)));
    timer.end();
    timer.note_grid(1, 1);
    timer.declare_work({.bytes = 8.0 * count});  // each key read and written once
}

int main(int argc, char** argv) { return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
