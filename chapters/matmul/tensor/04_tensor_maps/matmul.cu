// SPDX-License-Identifier: MIT
// Matmul, stage tensor/04: tensor maps.
// Idea: the host describes A and B once, in two tensor maps. One thread then names a box of a map,
// and the hardware computes all addresses, swizzles the rows, writes zeros past the edges, and
// counts the bytes at a barrier in shared memory. No other thread computes an address of A or B.
// Compared with tensor/03_async_ring: fetch_chunk in place of copy_chunk, chunks of twice the
// length, and a barrier per chunk that threads wait at.
// Limit now: the instructions that bring fragments into registers, and the registers themselves.
// Not of the thesis.
#include <cuda_runtime.h>

#include "common/cuda/shared_memory.hpp"
#include "problem/on_device.cuh"
#include "problem/padding.cuh"
#include "tensor/04_tensor_maps/boxes.cuh"
#include "tensor/04_tensor_maps/tensor_map.hpp"

using matmul::Input, matmul::kBlockSize, matmul::kBox, matmul::kGroup, matmul::kTile,
    matmul::Number, matmul::Output, matmul::PhaseTimer, matmul::Sums;

constexpr int kRing = 3;  // chunks in shared memory: two blocks of them fit into a multiprocessor
using Ring = matmul::BoxRing<kRing>;

// C has n cells per row. k is the padded one, which the maps have, too.
__global__ void __launch_bounds__(kBlockSize, 2)
    multiply_kernel(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                    Number* __restrict__ c, int m, int n, int k) {
    extern __shared__ Ring s_ring[];  // one
    Ring& s = s_ring[0];
    const int tile_row = blockIdx.y * kTile, tile_column = blockIdx.x * kTile;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int warp_row = warp / matmul::kWarpsAcross * matmul::kWarpRows;
    const int warp_column = warp % matmul::kWarpsAcross * matmul::kWarpColumns;
    const int chunks = (k + kBox - 1) / kBox;
    const auto fetch = [&](int chunk) {
        if (chunk < chunks) {
            matmul::fetch_chunk(a, b, tile_row, tile_column, chunk * kBox, s.chunks[chunk % kRing],
                                s.arrived[chunk % kRing]);
        }
    };
    if (threadIdx.x == 0) {
        for (auto& arrived : s.arrived) init(&arrived, 1);
        cuda::device::experimental::fence_proxy_async_shared_cta();  // the copies must see them
        for (int ahead = 0; ahead < kRing - 1; ++ahead) fetch(ahead);
    }
    __syncthreads();  // nobody may wait at a barrier that is not there yet

    Sums sums[matmul::kFragmentsDown][matmul::kFragmentsAcross] = {};
    for (int chunk = 0; chunk < chunks; ++chunk) {
        s.arrived[chunk % kRing].wait_parity(chunk / kRing % 2 != 0);
        __syncthreads();  // all warps have left the chunk that is overwritten next
        if (threadIdx.x == 0) fetch(chunk + kRing - 1);
        matmul::multiply_chunk(s.chunks[chunk % kRing], warp_row, warp_column, sums);
    }
    matmul::store_sums(sums, c, m, n, tile_row + warp_row, tile_column + warp_column);
}

void multiply(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(matmul::Phase::kSetup);
    // Rows of a map begin at multiples of 16 bytes.
    matmul::Padding<Number> padding(input.m, input.n, input.k, kGroup, kGroup);
    course::allow_dynamic_shared(multiply_kernel, sizeof(Ring));
    const dim3 blocks((input.n + kTile - 1) / kTile, (input.m + kTile - 1) / kTile);
    const auto launch = [&](const Number* a, const Number* b, Number* c) {
        const CUtensorMap map_a = matmul::tensor_map(padding.pad_a(a), input.m, padding.k(), kTile);
        const CUtensorMap map_b =
            matmul::tensor_map(padding.pad_b(b), padding.k(), padding.n(), kBox);
        multiply_kernel<<<blocks, kBlockSize, sizeof(Ring)>>>(map_a, map_b, c, input.m, input.n,
                                                              padding.k());
    };
    matmul::multiply_on_device<Number>(input, output, timer, blocks, kBlockSize, launch);
}

int main(int argc, char** argv) {
    return matmul::run_stage(argc, argv, STAGE_NAME, multiply, matmul::Format::kBfloat16);
}
