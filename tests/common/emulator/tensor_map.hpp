// SPDX-License-Identifier: MIT
// Tensor maps for the tests.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstddef>

// Of a matrix of rows x columns elements, which lie row by row. Past its edges are zeros.
inline CUtensorMap tensor_map(CUtensorMapDataType type, std::size_t element_bytes, void* matrix,
                              unsigned rows, unsigned columns, unsigned box_rows,
                              unsigned box_columns, CUtensorMapSwizzle swizzle) {
    const cuuint64_t extents[] = {columns, rows};
    const cuuint64_t strides[] = {columns * element_bytes};
    const cuuint32_t box[] = {box_columns, box_rows};
    const cuuint32_t steps[] = {1, 1};
    CUtensorMap map{};
    EXPECT_EQ(
        cuTensorMapEncodeTiled(&map, type, 2, matrix, extents, strides, box, steps,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        CUDA_SUCCESS);
    return map;
}
