// SPDX-License-Identifier: MIT
// Distmesh, stage 07: half-edges.
// Idea: an edge is two half-edges, one per side, each in its own triangle. From one half-edge that
// leaves a point, twins lead round the point to all others: no lists of bars are needed.
// Compared with 06_resident: the triangulation goes to the device as half-edges, with ghost
// triangles beyond its boundary; gather_force() goes round a point. Edges to a ghost are no bars.
// Limit now: a way round a point is a chain of loads, each of which needs the one before; and, as
// before, the triangulations on the host, which now also make half-edges.
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
#include "device/iteration.cuh"
#include "problem/distmesh.hpp"

using course::cuda_check, course::DeviceBuffer;
using distmesh::compute_force, distmesh::measure_bar, distmesh::move_point;
using distmesh::DeviceMesh, distmesh::Domain, distmesh::Point, distmesh::Status, distmesh::Sums;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

using distmesh::HalfEdges, distmesh::kNoHalfEdge;
using distmesh::kBlockSize, distmesh::sum_block, distmesh::sum_blocks;

// Whether an iteration with this status is the last one.
__device__ __forceinline__ bool is_over(const Status& status) {
    return status.moving == 0 || status.drifted != 0 || status.crowded != 0;
}

// The half-edges on the device, as in HalfEdges.
struct Triangulation {
    int *twins, *edges;
    int* leaving;  // of each point: one half-edge that leaves it
};

__device__ __forceinline__ int previous(int h) { return h % 3 == 0 ? h + 2 : h - 1; }

// Calls `visit` with every half-edge that leaves a point, in turn round it.
template <typename Visit>
__device__ __forceinline__ void go_round(const int* twins, int leaving, Visit visit) {
    if (leaving == kNoHalfEdge) return;
    int h = leaving;
    do {
        visit(h);
        h = twins[previous(h)];
    } while (h != leaving);
}

// The force on point i: the sum over its bars.
__device__ __forceinline__ double2 gather_force(const Triangulation& triangles,
                                                const DeviceMesh& mesh, std::int64_t i) {
    double2 force = make_double2(0, 0);
    go_round(triangles.twins, triangles.leaving[i], [&](int h) {
        const int bar = triangles.edges[h];
        if (mesh.bars[bar].x < 0) return;
        const double2 push = mesh.pushes[bar];
        const double sign = h < triangles.twins[h] ? 1 : -1;
        force = make_double2(force.x + sign * push.x, force.y + sign * push.y);
    });
    return force;
}

// How far a launch came. Iteration i has status i % 2: one is cleared while the other is used.
struct Progress {
    Status statuses[2];
    std::int64_t iterations;
};

struct Loop {
    Sums* sums;  // of each block
    Progress* progress;
    std::int64_t first, most;  // iterations done before, and still to do
};

__global__ void iterate_kernel(DeviceMesh mesh, Triangulation triangles, Loop loop) {
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
            if (i >= mesh.fixed) move_point(mesh, i, gather_force(triangles, mesh, i), status);
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
    DeviceBuffer<int> d_crowded(input.count()), d_leaving(input.count());
    DeviceBuffer<int> d_twins(2 * most_bars), d_edges(2 * most_bars);
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
        copy(d_bars.data(), half_edges.bars.data(), bar_count, cudaMemcpyHostToDevice);
        copy(d_twins.data(), half_edges.twins.data(), 2 * bar_count, cudaMemcpyHostToDevice);
        copy(d_edges.data(), half_edges.edges.data(), 2 * bar_count, cudaMemcpyHostToDevice);
        copy(d_leaving.data(), half_edges.leaving.data(), count, cudaMemcpyHostToDevice);
        cuda_check(cudaMemset(d_crowded.data(), 0, count * sizeof(int)));
        DeviceMesh d_mesh = {
            d_points.data(), d_triangulated.data(), d_bars.data(),    d_lengths.data(),
            d_wanted.data(), d_pushes.data(),       d_crowded.data(), count,
            bar_count,       input.fixed,           domain,           input.h0};
        Triangulation d_triangles = {d_twins.data(), d_edges.data(), d_leaving.data()};

        timer.begin(Phase::kKernels);
        const std::int64_t bar_blocks = (bar_count + kBlockSize - 1) / kBlockSize;
        const dim3 blocks = static_cast<unsigned>(std::min(bar_blocks, most_blocks));
        Loop loop = {d_sums.data(), d_progress.data(), mesh.iterations(), mesh.iterations_left()};
        void* arguments[] = {&d_mesh, &d_triangles, &loop};
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
