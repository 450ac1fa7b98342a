// SPDX-License-Identifier: MIT
// Distmesh, stage 08: device lists.
// Idea: the device itself finds which edges are bars and lists the bars of each point: one way
// round each point per triangulation, in place of one per iteration. A point reserves its part of
// the list with an atomic addition.
// Compared with 07_half_edges: find_bars_kernel and list_bars(); gather_force() of 04_gather.
// Limit now: the triangulations on the host.
// Not of the thesis nor of Gaudiani 2012.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "device/block_sums.cuh"
#include "device/gather.cuh"
#include "device/half_edges.cuh"
#include "device/iteration.cuh"
#include "device/resident.cuh"
#include "problem/distmesh.hpp"

using course::cuda_check, course::DeviceBuffer;
using distmesh::compute_force, distmesh::measure_bar, distmesh::move_point;
using distmesh::DeviceMesh, distmesh::Domain, distmesh::Point, distmesh::Status, distmesh::Sums;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

using distmesh::BarLists, distmesh::gather_force;
using distmesh::go_round, distmesh::HalfEdges, distmesh::kGhost, distmesh::previous;
using distmesh::is_over, distmesh::Loop, distmesh::Progress;
using distmesh::kBlockSize, distmesh::sum_block, distmesh::sum_blocks;

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

void generate_mesh(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    Mesh mesh(input);
    const std::int64_t most_bars = 6 * input.count();  // and edges to ghosts
    DeviceBuffer<double2> d_points(input.count()), d_triangulated(input.count());
    DeviceBuffer<double2> d_pushes(most_bars);
    DeviceBuffer<Point> d_vertices(static_cast<std::int64_t>(input.vertices.size()));
    DeviceBuffer<int2> d_bars(most_bars);
    DeviceBuffer<double> d_lengths(most_bars), d_wanted(most_bars);
    DeviceBuffer<int> d_crowded(input.count()), d_leaving(input.count()), d_listed(1);
    DeviceBuffer<int> d_begins(input.count()), d_ends(input.count()), d_list(2 * most_bars);
    DeviceBuffer<int> d_twins(2 * most_bars), d_edges(2 * most_bars), d_corners(2 * most_bars);
    const std::int64_t most_blocks = course::resident_blocks(iterate_kernel, kBlockSize);
    DeviceBuffer<Sums> d_sums(most_blocks);
    DeviceBuffer<Progress> d_progress(1);
    std::vector<std::int32_t> crowded(input.count());
    Domain domain = input.domain;
    domain.vertices = d_vertices.data();
    const auto copy = [](auto* to, const auto* from, std::int64_t count, cudaMemcpyKind kind) {
        cuda_check(cudaMemcpy(to, from, count * sizeof(*to), kind));
    };

    timer.begin(Phase::kCopyIn);
    copy(d_vertices.data(), input.vertices.data(), d_vertices.count(), cudaMemcpyHostToDevice);
    timer.end();
    while (mesh.triangulate()) {
        const HalfEdges half_edges = with_ghosts(mesh.points, mesh.triangles);
        timer.begin(Phase::kCopyIn);
        const std::int64_t count = mesh.count(), bar_count = half_edges.edge_count();
        copy(d_points.data(), mesh.points.data(), count, cudaMemcpyHostToDevice);
        copy(d_triangulated.data(), mesh.points.data(), count, cudaMemcpyHostToDevice);
        copy(d_corners.data(), half_edges.corners.data(), 2 * bar_count, cudaMemcpyHostToDevice);
        copy(d_twins.data(), half_edges.twins.data(), 2 * bar_count, cudaMemcpyHostToDevice);
        copy(d_edges.data(), half_edges.edges.data(), 2 * bar_count, cudaMemcpyHostToDevice);
        cuda_check(cudaMemset(d_leaving.data(), 0x7f, count * sizeof(int)));  // kNoHalfEdge
        cuda_check(cudaMemset(d_listed.data(), 0, d_listed.bytes()));
        cuda_check(cudaMemset(d_crowded.data(), 0, count * sizeof(int)));
        DeviceMesh d_mesh = {
            d_points.data(), d_triangulated.data(), d_bars.data(),    d_lengths.data(),
            d_wanted.data(), d_pushes.data(),       d_crowded.data(), count,
            bar_count,       input.fixed,           domain,           input.h0};
        Triangulation d_triangles = {d_corners.data(), d_twins.data(), d_edges.data(),
                                     d_leaving.data()};
        BarLists d_bar_lists = {d_begins.data(), d_ends.data(), d_list.data()};

        timer.begin(Phase::kKernels);
        const std::int64_t bar_blocks = (bar_count + kBlockSize - 1) / kBlockSize;
        find_bars_kernel<<<2 * bar_blocks, kBlockSize>>>(d_mesh, d_triangles);
        cuda_check(cudaGetLastError());
        list_bars_kernel<<<(count + kBlockSize - 1) / kBlockSize, kBlockSize>>>(
            d_mesh, d_triangles, d_bar_lists, d_listed.data());
        cuda_check(cudaGetLastError());
        const dim3 blocks = static_cast<unsigned>(std::min(bar_blocks, most_blocks));
        Loop loop = {d_sums.data(), d_progress.data(), mesh.iterations(), mesh.iterations_left()};
        void* arguments[] = {&d_mesh, &d_bar_lists, &loop};
        cuda_check(cudaMemsetAsync(d_progress.data(), 0, d_progress.bytes()));
        cuda_check(cudaLaunchCooperativeKernel(iterate_kernel, blocks, kBlockSize, arguments));

        timer.begin(Phase::kCopyOut);
        Progress progress;
        copy(&progress, d_progress.data(), 1, cudaMemcpyDeviceToHost);
        mesh.end_iterations(progress.statuses[progress.iterations % 2], progress.iterations);
        copy(mesh.points.data(), d_points.data(), count, cudaMemcpyDeviceToHost);
        copy(crowded.data(), d_crowded.data(), count, cudaMemcpyDeviceToHost);
        timer.end();
        if (mesh.is_crowded()) mesh.drop(crowded);
    }
    mesh.finish(output, timer);
    timer.note_grid(most_blocks, kBlockSize);
    timer.declare_work(mesh.work());
}

int main(int argc, char** argv) {
    return distmesh::run_stage(argc, argv, STAGE_NAME, generate_mesh);
}
