// SPDX-License-Identifier: MIT
// Direction vectors and scramble constants of Sobol' sequences. The plain vectors of the first
// dimensions come from Boost's table of S. Joe and F. Y. Kuo's numbers. All others come from the
// toolkit's libcurand, where that is installed.
#pragma once

#include <curand.h>

#include <cstdint>
#include <vector>

namespace emulator::curand {

constexpr unsigned int kMaxDimensions = 20000;

template <class Bits>
struct SobolTable {
    const Bits* vectors = nullptr;  // sizeof(Bits) * 8 for each dimension; nullptr: not available
    unsigned int dimensions = 0;
    const Bits* constants = nullptr;  // scrambled sequences only
};

SobolTable<unsigned int> sobol_table_32(bool is_scrambled, unsigned int dimensions);
SobolTable<unsigned long long> sobol_table_64(bool is_scrambled, unsigned int dimensions);

}  // namespace emulator::curand
