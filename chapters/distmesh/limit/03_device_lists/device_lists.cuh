// SPDX-License-Identifier: MIT
// The triangulation on the device: its bars, the list of each point's bars, and the iterations.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "01_global_atomics/iteration.cuh"
#include "limit/01_gather/block_sums.cuh"
#include "limit/01_gather/gather.cuh"
#include "limit/02_resident/resident.cuh"
#include "limit/03_device_lists/half_edges.cuh"

namespace distmesh {

// The half-edges on the device, as in HalfEdges.
struct Triangulation {
    int *corners, *twins, *edges;
    int* leaving;  // of each point: one half-edge that leaves it
};

__device__ __forceinline__ int next(int h) { return h % 3 == 2 ? h - 2 : h + 1; }

__device__ __forceinline__ Point point_at(const DeviceMesh& mesh, int i) {
    const double2 point = mesh.points[i];
    return {point.x, point.y};
}

// Whether the triangle of three corners is one of the mesh.
__device__ __forceinline__ bool is_inside(const DeviceMesh& mesh, int a, int b, int c) {
    if (a == kGhost || b == kGhost || c == kGhost) return false;
    return is_inside(mesh.domain, mesh.h0, point_at(mesh, a), point_at(mesh, b), point_at(mesh, c));
}

// One thread per half-edge. An edge is a bar if a triangle of the mesh lies on a side of it.
__global__ void find_bars_kernel(DeviceMesh mesh, Triangulation triangles) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i >= 2 * mesh.bar_count) return;
    const int h = static_cast<int>(i), g = triangles.twins[h];
    const int a = triangles.corners[h], b = triangles.corners[next(h)];
    if (a != kGhost) atomicMin(&triangles.leaving[a], h);
    if (h > g) return;
    const bool is_bar = is_inside(mesh, a, b, triangles.corners[previous(h)]) ||
                        is_inside(mesh, b, a, triangles.corners[previous(g)]);
    mesh.bars[triangles.edges[h]] = is_bar ? make_int2(a, b) : make_int2(-1, -1);
}

// Where in the list the bars of point i lie depends on the order of the threads, but their own
// order does not: it is that round the point.
__device__ __forceinline__ void list_bars(const DeviceMesh& mesh, const Triangulation& triangles,
                                          const BarLists& bars, int* listed, std::int64_t i) {
    int own = 0;
    go_round(triangles.twins, triangles.leaving[i],
             [&](int h) { own += mesh.bars[triangles.edges[h]].x >= 0 ? 1 : 0; });
    int place = atomicAdd(listed, own);
    bars.begins[i] = place;
    go_round(triangles.twins, triangles.leaving[i], [&](int h) {
        const int bar = triangles.edges[h];
        if (mesh.bars[bar].x >= 0) bars.list[place++] = h < triangles.twins[h] ? bar : ~bar;
    });
    bars.ends[i] = place;
}

__global__ void list_bars_kernel(DeviceMesh mesh, Triangulation triangles, BarLists bars,
                                 int* listed) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i < mesh.count) list_bars(mesh, triangles, bars, listed, i);
}

__global__ void iterate_kernel(DeviceMesh mesh, BarLists bars, Loop loop) {
    __shared__ Sums s_sums[kBlockSize];
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const std::int64_t first = grid.thread_rank(), stride = grid.size();
    for (std::int64_t iteration = 1;; ++iteration) {
        Status* status = &loop.progress->statuses[iteration % 2];
        Sums own = {0, 0};
        for (std::int64_t i = first; i < mesh.bar_count; i += stride) {
            if (mesh.bars[i].x >= 0) own = add(own, measure_bar(mesh, i));
        }
        own = sum_block(own, s_sums);
        if (threadIdx.x == 0) loop.sums[blockIdx.x] = own;
        grid.sync();
        // No thread reads the other status any more.
        if (first == 0) loop.progress->statuses[(iteration + 1) % 2] = {0, 0, 0};
        own = sum_blocks(loop.sums, gridDim.x, s_sums);
        const bool density = (loop.first + iteration) % distmesh::kDensityInterval == 0;
        for (std::int64_t i = first; i < mesh.bar_count; i += stride) {
            if (mesh.bars[i].x >= 0) compute_force(mesh, i, own, density, status);
        }
        grid.sync();
        for (std::int64_t i = first; i < mesh.count && status->crowded == 0; i += stride) {
            if (i >= mesh.fixed) move_point(mesh, i, gather_force(bars, mesh.pushes, i), status);
        }
        grid.sync();
        if (is_over(*status) || iteration == loop.most) {
            if (first == 0) loop.progress->iterations = iteration;
            return;
        }
    }
}

}  // namespace distmesh
