// SPDX-License-Identifier: MIT
// Merge sort, stage 00: one thread on the CPU.
// Idea: insertion sort puts segments of kSegment keys in order. Then runs of one, two, four ...
// segments are merged in pairs, from one list into the other and back. It works from the bottom up,
// without recursion, as the GPU stages do. Equal keys keep their order.
// Limit now: one core, and on it the branch on each key, which is predicted wrongly half the time.
// Thesis 4.1, figure 4.3.
#include "problem/mergesort.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;

constexpr std::int64_t kSegment = 32;  // slightly the fastest of 8 to 128

void insertion_sort(Key* keys, std::int64_t count) {
    for (std::int64_t i = 1; i < count; ++i) {
        const Key key = keys[i];
        std::int64_t place = i;
        for (; place > 0 && key < keys[place - 1]; --place) keys[place] = keys[place - 1];
        keys[place] = key;
    }
}

// Merges from[0, left) and from[left, count), both sorted, into `to`.
void merge_runs(const Key* from, Key* to, std::int64_t left, std::int64_t count) {
    std::int64_t i = 0;
    std::int64_t j = left;
    // Of two equal keys the left one goes first: it came first.
    while (i < left && j < count) *to++ = from[j] < from[i] ? from[j++] : from[i++];
    to = std::copy(from + i, from + left, to);
    std::copy(from + j, from + count, to);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    std::vector<Key> buffer(count);

    timer.begin(Phase::kCopyIn);
    std::copy(input.keys.begin(), input.keys.end(), output.keys.begin());

    timer.begin(Phase::kKernels);
    Key* from = output.keys.data();
    Key* to = buffer.data();
    for (std::int64_t begin = 0; begin < count; begin += kSegment) {
        insertion_sort(from + begin, std::min(kSegment, count - begin));
    }
    int passes = 0;
    for (std::int64_t run = kSegment; run < count; run *= 2) {
        for (std::int64_t begin = 0; begin < count; begin += 2 * run) {
            const std::int64_t rest = count - begin;
            // A last run without a partner is merged with an empty run.
            merge_runs(from + begin, to + begin, std::min(run, rest), std::min(2 * run, rest));
        }
        std::swap(from, to);
        ++passes;
    }

    timer.begin(Phase::kCopyOut);
    if (from != output.keys.data()) std::copy(buffer.begin(), buffer.end(), output.keys.begin());
    timer.end();
    timer.note_grid(1, 1);
    timer.declare_work({.bytes = 8.0 * count * passes});  // each key read and written in each pass
}

int main(int argc, char** argv) { return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
