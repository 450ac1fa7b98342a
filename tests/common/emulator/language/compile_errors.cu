// SPDX-License-Identifier: MIT
// What must not compile on the CPU engine; each part is compiled by itself
// (test_compile_errors.py), and each marked line must give the error that its mark names.
#include <cuda_runtime.h>

// clang-format off
#if defined(REMOVED_WARP_FUNCTIONS)
__global__ void kernel(int* out) {
    out[0] = __shfl(1, 2);  // expect: __shfl was removed: use __shfl_sync
    out[1] = __shfl_up(1, 2);  // expect: __shfl_up was removed: use __shfl_up_sync
    out[2] = __shfl_down(1, 2, 16);  // expect: __shfl_down was removed: use __shfl_down_sync
    out[3] = __shfl_xor(1, 2);  // expect: __shfl_xor was removed: use __shfl_xor_sync
    out[4] = __ballot(1);  // expect: __ballot was removed: use __ballot_sync
    out[5] = __any(1);  // expect: __any was removed: use __any_sync
    out[6] = __all(1);  // expect: __all was removed: use __all_sync
}
#elif defined(TYPES)
#include <cooperative_groups.h>
struct Initialised {
    Initialised() { value = 3; }
    int value;
};
__global__ void kernel(unsigned long* counter) {
    atomicAdd(counter, 1ul);  // expect: invalid conversion from .long unsigned int
    __shared__ Initialised s_value;  // expect: does not have a constant initializer
    float4 v = 1.0f;  // expect: conversion from 'float' to non-scalar type 'float4'
    counter[0] = static_cast<unsigned long>(s_value.value + v.x);
    cooperative_groups::this_cluster();  // expect: 'this_cluster' is not a member
}
__global__ void tile_kernel() {
    auto block = cooperative_groups::this_thread_block();
    cooperative_groups::tiled_partition<48>(block).sync();  // expect: the size of a tile is a power of two
}
#elif defined(HEADERS)
#include <cufft.h>  // expect: cuFFT is not available on the CPU engine
#include <cublasLt.h>  // expect: cuBLASLt is not available on the CPU engine
#include <cusparse.h>  // expect: cuSPARSE is not available on the CPU engine
#endif
// clang-format on
