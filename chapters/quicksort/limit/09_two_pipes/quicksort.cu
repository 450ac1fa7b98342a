// SPDX-License-Identifier: MIT
// Quicksort, stage limit/09: the exchange on two pipes.
// Idea: the leaves keep the pipe for integers and logic busy: both the comparison and the selection
// of an exchange between lanes go there. A multiplication by 1 that only some lanes execute
// selects, too, and goes to the pipe for multiplications, which is idle.
// The tree's first decision is the lowest bit of a node's number, so the path of a key through it
// is the address of its part's counter. A key and its place are then two registers, and a thread
// can have 24 keys instead of 16: tiles and runs are longer.
// Compared with limit/08_bulk_copies: TwoPipes, and a partition of its own in device/two_pipes.cuh.
// Limit now: instructions, half of them those of the leaves.
// Not of the thesis.
#include <cuda_runtime.h>

#include "device/level_memory.cuh"
#include "device/level_sort.cuh"
#include "device/sample.cuh"
#include "device/search_trees.cuh"
#include "device/two_pipes.cuh"
#include "problem/quicksort.hpp"

using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::PhaseTimer;

struct TwoPipes : quicksort::Exchange {
    // The larger of both keys for `upper` threads, the smaller for the others.
    static __device__ __forceinline__ Key keep(Key key, Key other, bool upper) {
#if defined(CUDA_EMULATOR)
        return (other < key) != upper ? other : key;
#else
        // The compiler would replace a 1 that it knows by a selection. So the factor is the number
        // of rows of the grid, which has one.
        asm("{.reg .pred up, keeps;\n"
            "setp.ne.u32 up, %2, 0;\n"
            "setp.lt.xor.s32 keeps, %1, %0, up;\n"
            "@keeps mad.lo.s32 %0, %1, %3, 0;}"
            : "+r"(key)
            : "r"(other), "r"(static_cast<unsigned>(upper)), "r"(gridDim.y));
        return key;
#endif
    }
};

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    quicksort::with_long_tiles([&](int keys_per_thread, const auto& partition) {
        quicksort::sort_by_levels<quicksort::PathTree, TwoPipes>(input, output, timer,
                                                                 keys_per_thread, partition);
    });
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                quicksort::kLevelOptions, quicksort::kLevelBytesPerKey);
}
