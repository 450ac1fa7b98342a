// SPDX-License-Identifier: MIT
// How the host describes a matrix to the hardware that copies boxes of it. CUDA Driver API,
// "Tensor Map Object Management".
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <stdexcept>

#include "common/cuda/cuda_check.hpp"

namespace matmul {

// The driver's own function: asking the runtime for it spares a program to link the driver.
inline PFN_cuTensorMapEncodeTiled_v12000 find_encode() {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status{};
    course::cuda_check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                                        cudaEnableDefault, &status));
    if (status != cudaDriverEntryPointSuccess) {
        throw std::runtime_error("the driver has no tensor maps: it is older than CUDA 12.0");
    }
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
}

// Of a matrix of rows x columns numbers that lie row by row; columns is a multiple of 8. Boxes of
// it have box_rows rows of 64 numbers, 128 bytes, which are swizzled: in a box that begins at a
// multiple of 1024 bytes, group g of row r, 16 bytes, lies where group g ^ (r % 8) would. What is
// past the matrix's edges comes as 0. A matrix without numbers has no map: nothing is copied of it.
// Errors: of CUDA (cuda_check.hpp), and std::runtime_error if the driver refuses the map.
inline CUtensorMap tensor_map(const __nv_bfloat16* matrix, int rows, int columns, int box_rows) {
    CUtensorMap map{};
    if (rows == 0 || columns == 0) return map;
    const cuuint64_t extents[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
    const cuuint64_t row_bytes[] = {columns * sizeof(*matrix)};
    const cuuint32_t box[] = {64, static_cast<cuuint32_t>(box_rows)};
    const cuuint32_t every[] = {1, 1};
    const CUresult result = find_encode()(
        &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<__nv_bfloat16*>(matrix), extents,
        row_bytes, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) throw std::runtime_error("the driver refuses a tensor map");
    return map;
}

}  // namespace matmul
