// SPDX-License-Identifier: MIT
// Distmesh, stage 09: kept triangulation.
// Idea: points moved only a tenth of h0, and sometimes the triangulation is still Delaunay's. The
// device tests each edge. If no edge is wrong, the iterations go on without the host.
// Compared with 08_device_lists: is_wrong(), is_turned_over() and check_kernel; points and
// half-edges are copied to the device only after a new triangulation.
// Limit now: one wrong edge, and the host triangulates all points.
// Not of the thesis nor of Gaudiani 2012.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "device/device_lists.cuh"
#include "problem/distmesh.hpp"

using course::cuda_check, course::DeviceBuffer;
using distmesh::DeviceMesh, distmesh::Domain, distmesh::Point, distmesh::Status, distmesh::Sums;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

using distmesh::BarLists, distmesh::HalfEdges, distmesh::Triangulation;
using distmesh::find_bars_kernel, distmesh::iterate_kernel, distmesh::list_bars_kernel;
using distmesh::kBlockSize, distmesh::kGhost, distmesh::Loop, distmesh::next, distmesh::previous,
    distmesh::Progress;

// Half-edge h goes from a to b with c across, its twin g from b to a with d across. Whether the
// edge is wrong in a Delaunay triangulation of the domain, and could go from c to d instead.
__device__ __forceinline__ bool is_wrong(const DeviceMesh& mesh, const Triangulation& triangles,
                                         int h, int g) {
    if (triangles.twins[previous(h)] / 3 == triangles.twins[next(g)] / 3) return false;
    if (triangles.twins[next(h)] / 3 == triangles.twins[previous(g)] / 3) return false;
    const int a = triangles.corners[h], b = triangles.corners[g];
    const int c = triangles.corners[previous(h)], d = triangles.corners[previous(g)];
    if (c == d) return false;
    // The boundary gives away a triangle that is not inside any more, and takes in one that is now.
    if (c == kGhost) return !is_inside(mesh, b, a, d);
    if (d == kGhost) return !is_inside(mesh, a, b, c);
    if (a == kGhost) return is_inside(mesh, b, c, d);
    if (b == kGhost) return is_inside(mesh, a, d, c);
    return is_wrong_diagonal(mesh.h0, point_at(mesh, a), point_at(mesh, b), point_at(mesh, c),
                             point_at(mesh, d));
}

// Whether a triangle is turned over: a point has passed over one of its edges.
__device__ __forceinline__ bool is_turned_over(const DeviceMesh& mesh, const int* corners) {
    const int a = corners[0], b = corners[1], c = corners[2];
    if (a == kGhost || b == kGhost || c == kGhost) return false;
    const Point p = point_at(mesh, a), q = point_at(mesh, b), r = point_at(mesh, c);
    return twice_area(p, q, r) < -flat_area(mesh.h0, p, q, r);
}

__global__ void check_kernel(DeviceMesh mesh, Triangulation triangles, int* failed) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i >= 2 * mesh.bar_count) return;
    const int h = static_cast<int>(i), g = triangles.twins[h], *corners = triangles.corners;
    const bool turned = h % 3 == 0 && is_turned_over(mesh, &corners[h]);
    const bool outside = corners[previous(h)] == kGhost && corners[previous(g)] != kGhost &&
                         !is_inside(mesh, corners[g], corners[h], corners[previous(g)]);
    if (turned || outside || (h < g && is_wrong(mesh, triangles, h, g))) atomicOr(failed, 1);
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
    DeviceBuffer<int> d_crowded(input.count()), d_leaving(input.count()), d_listed(1), d_failed(1);
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
    HalfEdges half_edges;
    for (bool kept = false; kept || mesh.triangulate();) {
        if (!kept) half_edges = with_ghosts(mesh.points, mesh.triangles);
        timer.begin(Phase::kCopyIn);
        const std::int64_t count = mesh.count(), bar_count = half_edges.edge_count();
        if (!kept) {
            copy(d_points.data(), mesh.points.data(), count, cudaMemcpyHostToDevice);
            copy(d_corners.data(), half_edges.corners.data(), 2 * bar_count,
                 cudaMemcpyHostToDevice);
            copy(d_twins.data(), half_edges.twins.data(), 2 * bar_count, cudaMemcpyHostToDevice);
            copy(d_edges.data(), half_edges.edges.data(), 2 * bar_count, cudaMemcpyHostToDevice);
        }
        copy(d_triangulated.data(), d_points.data(), count, cudaMemcpyDeviceToDevice);
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
        if (mesh.at_rest()) {
            copy(mesh.points.data(), d_points.data(), count, cudaMemcpyDeviceToHost);
            copy(mesh.triangulated.data(), d_triangulated.data(), count, cudaMemcpyDeviceToHost);
        }
        kept = mesh.begin_repair();
        if (kept) {
            timer.begin(Phase::kKernels);
            cuda_check(cudaMemsetAsync(d_failed.data(), 0, d_failed.bytes()));
            check_kernel<<<2 * bar_blocks, kBlockSize>>>(d_mesh, d_triangles, d_failed.data());
            cuda_check(cudaGetLastError());
            timer.begin(Phase::kCopyOut);
            int failed = 0;
            copy(&failed, d_failed.data(), 1, cudaMemcpyDeviceToHost);
            kept = mesh.end_repair(failed == 0);
        }
        if (!kept) copy(mesh.points.data(), d_points.data(), count, cudaMemcpyDeviceToHost);
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
