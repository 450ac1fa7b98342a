// SPDX-License-Identifier: MIT
// What <mma.h> calls: products of matrices that a warp holds in fragments.
//
// The sums were found from an H200's results, which they give bit by bit
// (tests/common/emulator/data/wmma_vectors.txt):
// - half and bf16: the 16 products and the accumulator are added at once. All are aligned to the
//   largest exponent (a product's is the sum of its operands'), cut off after 25 binary places and
//   added exactly. The sum is rounded toward zero to a float, or to the nearest half.
// - tf32: the same for four products at a time, k = 0 to 3 first.
// - double: one fused multiplication and addition after the other, k = 0 first.
// - integers: exact, modulo 2 to the power of 32 (or saturated, where the call asks for it).
#pragma once

#include <emulator/qualifiers.hpp>
#include <emulator/thread.hpp>

namespace emulator {

enum class MatrixElement { f16, bf16, tf32, f64, s8, u8 };
enum class MatrixSum { f16, f32, f64, s32 };

// D = A B + C. Element e of lane l is element 32 e + l of its matrix, row by row.
struct MatrixProduct : WarpTask {
    int m, n, k;
    MatrixElement element;
    MatrixSum sum_in, sum_out;
    bool saturates;
    void* d;
    const void* a;
    const void* b;
    const void* c;
};

// Sets `run`. `product` is this lane's.
void prepare(MatrixProduct& product) noexcept;

// A load or store by all lanes. Checks that they agree, and CUDA's rules: the address a multiple of
// 16 bytes (the guide asks for 32), the distance of rows or columns one of 16 bytes for elements of
// 2 or 4 bytes.
struct MatrixAccess : WarpTask {
    const void* memory;
    unsigned leading;
    unsigned element_bytes;
};
void prepare(MatrixAccess& access) noexcept;

// Waits for all lanes of the warp. Inlined: its return address is then the place in the kernel.
__forceinline__ void meet(WarpTask& task) {
    warp_collective(WarpOperation::together, 0xffffffffu, reinterpret_cast<std::uint64_t>(&task), 0,
                    kWarpSize);
}

// A float rounded to tf32's 10 bits of mantissa: to nearest, ties away from zero.
float round_to_tf32(float value);

}  // namespace emulator
