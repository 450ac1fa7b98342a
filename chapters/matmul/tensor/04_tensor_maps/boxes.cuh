// SPDX-License-Identifier: MIT
// Chunks that arrive as boxes of tensor maps.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cuda/barrier>

#include "tensor/02_mma_sync/swizzled_tiles.cuh"

namespace matmul {

using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kBox = 64;  // numbers in a row of a box: the 128 bytes of the widest swizzle

// One box of A, and B in boxes side by side. The hardware has swizzled their rows.
struct alignas(1024) BoxChunk {
    static constexpr int kLength = kBox;
    Number a[kTile][kBox], b[kTile / kBox][kBox][kBox];
};

__device__ inline Number* place_in_a(BoxChunk& s_chunk, int row, int group) {
    return &s_chunk.a[row][(group ^ (row % 8)) * kGroup];
}
__device__ inline Number* place_in_b(BoxChunk& s_chunk, int row, int group) {
    constexpr int kGroups = kBox / kGroup;
    return &s_chunk.b[group / kGroups][row][(group % kGroups ^ (row % 8)) * kGroup];
}

// A ring of chunks, and for each a barrier that opens when all its bytes have come.
template <int kRing>
struct BoxRing {
    BoxChunk chunks[kRing];
    Barrier arrived[kRing];
};

// One thread calls. It starts the copies of a chunk, whose bytes the barrier counts, and does not
// wait.
__device__ inline void fetch_chunk(const CUtensorMap& a, const CUtensorMap& b, int tile_row,
                                   int tile_column, int from, BoxChunk& s_chunk,
                                   Barrier& s_arrived) {
    namespace tma = cuda::device::experimental;
    // One arrival, this thread's; the phase also waits for so many bytes.
    static_cast<void>(cuda::device::barrier_arrive_tx(s_arrived, 1, sizeof(BoxChunk)));
    tma::cp_async_bulk_tensor_2d_global_to_shared(s_chunk.a, &a, from, tile_row, s_arrived);
    for (int i = 0; i < kTile / kBox; ++i) {
        tma::cp_async_bulk_tensor_2d_global_to_shared(s_chunk.b[i], &b, tile_column + i * kBox,
                                                      from, s_arrived);
    }
}

}  // namespace matmul
