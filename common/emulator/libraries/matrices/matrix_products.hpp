// SPDX-License-Identifier: MIT
// Products of whole matrices, added as a tensor core adds them (emulator/tensor_cores.hpp).
#pragma once

#include <cstdint>
#include <emulator/tensor_cores.hpp>

namespace emulator {

// The value of an operand's bits. Of tf32, the lower 13 bits do not take part.
float value_of_bf16(std::uint16_t bits);
float value_of_tf32(std::uint32_t bits);

// c += a b: m x k times k x n elements, row by row, at most kMaxElements each. As many products as
// the hardware adds at once form a group: 4 of tf32, else 16, or k if that is less. n is a multiple
// of 8, and each matrix has a multiple of 32 elements. `halves`: nullptr, or gets the sums as
// halves; c is then undefined.
void add_products(int m, int n, int k, MatrixElement element, const float* a, const float* b,
                  float* c, std::uint16_t* halves);

}  // namespace emulator
