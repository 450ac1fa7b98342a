// SPDX-License-Identifier: MIT
// What the instructions mma.sync, ldmatrix and stmatrix of inline PTX become. PTX ISA, "Warp Level
// Matrix Multiply-Accumulate Instructions". A fragment is one lane's registers of 32 bits.
#pragma once

#include <cstdint>
#include <emulator/tensor_cores.hpp>

namespace emulator {

// D = A B + C for 16 x k times k x 8 elements. Row r of A and column c of B belong to the four
// lanes 4 (r % 8) and 4 c onwards.
struct FragmentProduct : WarpTask {
    int k;  // 16 or 8 for elements of 16 bits, 8 or 4 for tf32
    MatrixElement element;  // f16, bf16 or tf32
    MatrixSum sum;  // of C and D: f32, or f16 for elements f16
    std::uint32_t* d;  // C before, D after
    const std::uint32_t* a;
    const std::uint32_t* b;
};
// Sets `run`.
void prepare(FragmentProduct& product) noexcept;

constexpr int kRowBytes = 16;  // of a matrix of 8 x 8 elements of 16 bits

// One lane's part in a load or store of up to four matrices.
struct MatrixRows : WarpTask {
    int count;  // 1, 2 or 4 matrices
    bool is_transposed;
    std::uint32_t* registers;  // one for each matrix
    // Lane l has row l % 8 of matrix l / 8, if there is such a matrix.
    std::uint32_t row[kRowBytes / sizeof(std::uint32_t)];
};
// Reads the lane's row, and sets `run`: the registers get their elements when all lanes have met.
// A row is in shared memory, at a multiple of 16 bytes.
void prepare_load(MatrixRows& rows, const void* address) noexcept;
// Sets `run`. When all lanes have met, finish_store() writes the lane's row.
void prepare_store(MatrixRows& rows) noexcept;
void finish_store(const MatrixRows& rows, void* address) noexcept;

namespace ptx {

// The functions are inlined, so that the return addresses of what they call lie in the kernel.
template <int kElementsOfK, MatrixElement kElement, MatrixSum kSum>
__forceinline__ void multiply_fragments(std::uint32_t* d, const std::uint32_t* a,
                                        const std::uint32_t* b) {
    FragmentProduct product{{nullptr}, kElementsOfK, kElement, kSum, d, a, b};
    prepare(product);
    meet(product);
}

template <int kCount, bool kIsTransposed>
__forceinline__ void load_matrices(std::uint32_t (&registers)[kCount], const char* address) {
    MatrixRows rows{{nullptr}, kCount, kIsTransposed, registers, {}};
    prepare_load(rows, address);
    meet(rows);
}

template <int kCount, bool kIsTransposed>
__forceinline__ void store_matrices(char* address, std::uint32_t (&registers)[kCount]) {
    MatrixRows rows{{nullptr}, kCount, kIsTransposed, registers, {}};
    prepare_store(rows);
    meet(rows);
    finish_store(rows, address);
}

}  // namespace ptx
}  // namespace emulator
