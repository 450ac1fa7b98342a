// SPDX-License-Identifier: MIT
// Quicksort, stage pairs/01: pairs of a key and a value.
// Idea: a pair is one integer of 64 bits, the key in its upper half. Pairs then compare as their
// keys do, so the whole sample sort stays as it is, and a value travels with its key. Pairs of
// equal keys are in the order of their values: where all values differ, no two pairs are equal, and
// the result does not depend on the order of blocks. Everything that has a size in bytes takes half
// as many pairs as keys: tiles, leaves and samples.
// Compared with limit/09_two_pipes: QUICKSORT_PAIRS, and both halves of a pair go through the two
// pipes.
// Limit now: not known. 1.57 times as many instructions as for keys take 2.5 times as long.
// Not of the thesis.
#define QUICKSORT_PAIRS
#include <cuda_runtime.h>

#include "blocks/levels/level_memory.cuh"
#include "blocks/levels/level_sort.cuh"
#include "limit/03_register_network/register_network.cuh"
#include "limit/09_two_pipes/long_tiles.cuh"
#include "limit/09_two_pipes/path_tree.cuh"
#include "problem/quicksort.hpp"

using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::PhaseTimer;

struct PairPipes : quicksort::Exchange {
    // The larger of both keys for `upper` threads, the smaller for the others.
    static __device__ __forceinline__ Key keep(Key key, Key other, bool upper) {
#if defined(CUDA_EMULATOR)
        return (other < key) != upper ? other : key;
#else
        // The compiler would replace a 1 that it knows by a selection. So the factor is the number
        // of rows of the grid, which has one.
        int low = static_cast<int>(key), high = static_cast<int>(key >> 32);
        asm("{.reg .pred up, keeps;\n"
            "setp.ne.u32 up, %6, 0;\n"
            "setp.lt.xor.s64 keeps, %3, %2, up;\n"
            "@keeps mad.lo.s32 %0, %4, %7, 0;\n"
            "@keeps mad.lo.s32 %1, %5, %7, 0;}"
            : "+r"(low), "+r"(high)
            : "l"(key), "l"(other), "r"(static_cast<int>(other)),
              "r"(static_cast<int>(other >> 32)), "r"(static_cast<unsigned>(upper)),
              "r"(gridDim.y));
        return Key{high} << 32 | static_cast<unsigned>(low);
#endif
    }
};

void sort_pairs(const Input& input, Output& output, PhaseTimer& timer) {
    quicksort::with_tiles<quicksort::LongTiles>([&](int keys_per_thread, const auto& partition) {
        quicksort::sort_by_levels<quicksort::PathTree, PairPipes>(input, output, timer,
                                                                  keys_per_thread, partition);
    });
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_pairs, quicksort::kLevelOptions,
                                quicksort::kLevelBytesPerKey);
}
