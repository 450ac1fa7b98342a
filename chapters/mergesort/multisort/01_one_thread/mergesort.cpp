// SPDX-License-Identifier: MIT
// Merge sort, stage multisort/01: multisort on one thread of the CPU.
// Idea: recursive calls halve the list until a part has size_i keys or fewer; insertion sort sorts
// that part. Below some size its simple loop is faster than further merges. Any n and any size_i.
// Compared with 00_cpu: the same sort by recursion, with the length of the insertion sorts as a
// flag.
// Limit now: one core; for random keys the branch of each merge, predicted wrongly half the time.
// Not of the thesis: Herrero and Troiani 2024, 2.2 and 3.2, figures 2 and 3.
#include "problem/mergesort.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "problem/multisort.hpp"

using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;

void insertion_sort(Key* keys, std::int64_t count) {
    for (std::int64_t i = 1; i < count; ++i) {
        const Key key = keys[i];
        std::int64_t place = i;
        for (; place > 0 && keys[place - 1] > key; --place) keys[place] = keys[place - 1];
        keys[place] = key;
    }
}

// Merges keys[0, middle) and keys[middle, count), both sorted. Only the left run is copied to the
// auxiliary list: no key of the right run is overwritten before it is merged. Equal keys keep their
// order: the left one goes first.
void merge_runs(Key* keys, Key* auxiliary, std::int64_t middle, std::int64_t count) {
    std::copy(keys, keys + middle, auxiliary);
    std::int64_t left = 0;
    std::int64_t right = middle;
    std::int64_t out = 0;
    while (left < middle && right < count) {
        keys[out++] = auxiliary[left] <= keys[right] ? auxiliary[left++] : keys[right++];
    }
    std::copy(auxiliary + left, auxiliary + middle, keys + out);
}

void multisort(Key* keys, Key* auxiliary, std::int64_t count, std::int64_t size_i) {
    if (count <= size_i) {
        insertion_sort(keys, count);
        return;
    }
    const std::int64_t middle = count / 2;
    multisort(keys, auxiliary, middle, size_i);
    multisort(keys + middle, auxiliary, count - middle, size_i);
    merge_runs(keys, auxiliary, middle, count);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    std::vector<Key> auxiliary(count / 2);

    timer.begin(Phase::kCopyIn);
    std::copy(input.keys.begin(), input.keys.end(), output.keys.begin());

    timer.begin(Phase::kKernels);
    multisort(output.keys.data(), auxiliary.data(), count, input.options.integer("--size-i"));
    timer.end();
    timer.note_grid(1, 1);
    timer.declare_work(
        {.bytes = 8.0 * count});  // each key read and written once; caches do the rest
}

int main(int argc, char** argv) {
    return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                {mergesort::size_i_option(32)});
}
