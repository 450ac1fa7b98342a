// SPDX-License-Identifier: MIT
// The instructions of this path: matrices from shared memory into registers, and their products.
// PTX ISA, sections "Warp-level Matrix Load Instruction: ldmatrix" and "Matrix Fragments for
// mma.m16n8k16 with floating point type".
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace matmul {

using Number = __nv_bfloat16;

constexpr int kGroup = 8;  // numbers in 16 bytes, a row of the matrices that ldmatrix loads

// 16 x 16 numbers of A. Lane l has those of rows l / 4 and l / 4 + 8, two neighbours each, in
// columns 2 (l % 4) and 2 (l % 4) + 8.
struct RowsFragment {
    std::uint32_t pairs[4];
};

// 16 x 8 numbers of B. Lane l has two neighbours of column l / 4, in rows 2 (l % 4) and
// 2 (l % 4) + 8.
struct ColumnsFragment {
    std::uint32_t pairs[2];
};

// 16 x 8 sums. Lane l has those of rows l / 4 and l / 4 + 8, in columns 2 (l % 4) and the next.
struct Sums {
    float cells[4];
};

__device__ inline std::uint32_t shared_address(const void* s_pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(s_pointer));
}

// Lane l names row l % 16 of the left half (l < 16) or the right half of the 16 x 16 numbers.
__device__ inline void load_rows(RowsFragment& fragment, const Number* s_group) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fragment.pairs[0]), "=r"(fragment.pairs[1]), "=r"(fragment.pairs[2]),
                   "=r"(fragment.pairs[3])
                 : "r"(shared_address(s_group)));
}

// Two fragments of B, side by side: 16 x 16 numbers, which are transposed on the way. Lane l names
// row l % 16 of the left fragment (l < 16) or the right one.
__device__ inline void load_columns(ColumnsFragment& left, ColumnsFragment& right,
                                    const Number* s_group) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(left.pairs[0]), "=r"(left.pairs[1]), "=r"(right.pairs[0]),
                   "=r"(right.pairs[1])
                 : "r"(shared_address(s_group)));
}

// sums += rows * columns, by all lanes of the warp.
__device__ inline void add_product(Sums& sums, const RowsFragment& rows,
                                   const ColumnsFragment& columns) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums.cells[0]), "+f"(sums.cells[1]), "+f"(sums.cells[2]), "+f"(sums.cells[3])
        : "r"(rows.pairs[0]), "r"(rows.pairs[1]), "r"(rows.pairs[2]), "r"(rows.pairs[3]),
          "r"(columns.pairs[0]), "r"(columns.pairs[1]));
}

}  // namespace matmul
