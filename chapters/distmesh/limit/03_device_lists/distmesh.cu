// SPDX-License-Identifier: MIT
// Distmesh, stage limit/03: device lists.
// Idea: an edge is two half-edges, one per side, each in its own triangle. From one half-edge that
// leaves a point, twins lead round the point to all others. So the device itself finds which edges
// are bars and lists the bars of each point, once per triangulation. A point reserves its part of
// the list with an atomic addition. Half-edges can be changed in place, which the next stages do.
// Compared with limit/02_resident: the triangulation goes to the device as half-edges, with ghost
// triangles beyond its boundary; find_bars_kernel and list_bars(). Edges to a ghost are no bars.
// Limit now: the triangulations on the host.
// Not of the thesis nor of Gaudiani 2012.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "limit/03_device_lists/device_lists.cuh"
#include "problem/distmesh.hpp"

using course::cuda_check, course::DeviceBuffer;
using distmesh::DeviceMesh, distmesh::Domain, distmesh::Point, distmesh::Sums;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

using distmesh::BarLists, distmesh::HalfEdges, distmesh::Triangulation;
using distmesh::find_bars_kernel, distmesh::iterate_kernel, distmesh::list_bars_kernel;
using distmesh::kBlockSize, distmesh::Loop, distmesh::Progress;

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
