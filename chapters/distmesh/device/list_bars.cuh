// SPDX-License-Identifier: MIT
// The bars of a triangulation on the device: what Mesh::triangulate() and list_bars_of_points()
// make on the host.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <climits>
#include <cstdint>

#include "device/edge_flips.cuh"

namespace distmesh {

// The sum of the block's threads up to this one.
__device__ __forceinline__ int sum_up_to(int own, int* s_sums) {
    s_sums[threadIdx.x] = own;
    __syncthreads();
    for (unsigned before = 1; before < kBlockSize; before *= 2) {
        const int other = threadIdx.x >= before ? s_sums[threadIdx.x - before] : 0;
        __syncthreads();
        s_sums[threadIdx.x] += other;
        __syncthreads();
    }
    return s_sums[threadIdx.x];
}

// The bars: edges with a triangle of the mesh on one side or both; the others get -1. And of each
// point the places of its bars, as Mesh::list_bars_of_points() has them.
__global__ void list_bars_kernel(Triangulation mesh, Loop loop) {
    __shared__ int s_sums[kBlockSize];
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kBlockSize;
    for (std::int64_t t = first; t < mesh.triangle_count; t += stride) {
        const int* corners = &mesh.corners[3 * t];
        mesh.inside[t] = is_inside(loop, corners[0], corners[1], corners[2]) ? 1 : 0;
    }
    for (std::int64_t i = first; i < loop.count; i += stride) mesh.leaving[i] = INT_MAX;
    grid.sync();
    for (std::int64_t i = first; i < 3 * mesh.triangle_count; i += stride) {
        const int h = static_cast<int>(i), g = mesh.twins[h], from = mesh.corners[h];
        if (from != kGhost) atomicMin(&mesh.leaving[from], h);
        if (h > g) continue;
        const bool is_bar = mesh.inside[h / 3] != 0 || mesh.inside[g / 3] != 0;
        mesh.bars[mesh.edges[h]] = is_bar ? make_int2(from, mesh.corners[g]) : make_int2(-1, -1);
    }
    grid.sync();
    // A block has its points in a row.
    const std::int64_t rows = (loop.count + stride - 1) / stride * kBlockSize;
    const std::int64_t begin = blockIdx.x * rows;
    const std::int64_t end = begin + rows < loop.count ? begin + rows : loop.count;
    int total = 0;
    for (std::int64_t i = begin + threadIdx.x; i < end; i += kBlockSize) {
        int count = 0;
        go_round(mesh, mesh.leaving[i], [&](int h) { count += mesh.bars[mesh.edges[h]].x >= 0; });
        mesh.offsets[i] = count;
        total += count;
    }
    total = sum_up_to(total, s_sums);
    if (threadIdx.x == kBlockSize - 1) mesh.totals[blockIdx.x] = total;
    grid.sync();
    int before = 0;
    for (unsigned block = threadIdx.x; block < blockIdx.x; block += kBlockSize) {
        before += mesh.totals[block];
    }
    sum_up_to(before, s_sums);
    before = s_sums[kBlockSize - 1];
    for (std::int64_t row = begin; row < end; row += kBlockSize) {
        const std::int64_t i = row + threadIdx.x;
        const int count = i < end ? mesh.offsets[i] : 0;
        __syncthreads();
        int place = before + sum_up_to(count, s_sums) - count;
        before += s_sums[kBlockSize - 1];
        if (i >= end) continue;
        mesh.offsets[i] = place;
        go_round(mesh, mesh.leaving[i], [&](int h) {
            const int bar = mesh.edges[h];
            if (mesh.bars[bar].x >= 0) mesh.list[place++] = h < mesh.twins[h] ? bar : ~bar;
        });
        if (i == loop.count - 1) mesh.offsets[loop.count] = mesh.answer->listed = place;
    }
}

}  // namespace distmesh
