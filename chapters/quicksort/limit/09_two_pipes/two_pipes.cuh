// SPDX-License-Identifier: MIT
// The exchange of keys between lanes on two pipes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "limit/03_register_network/register_network.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

struct TwoPipes : Exchange {
    // The larger of both keys for `upper` threads, the smaller for the others.
    static __device__ __forceinline__ std::int32_t keep(std::int32_t key, std::int32_t other,
                                                        bool upper) {
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

}  // namespace quicksort
