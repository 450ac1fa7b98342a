// SPDX-License-Identifier: MIT
// Distmesh, stage limit/04: edge flips.
// Idea: points moved only a tenth of h0, so nearly all triangles are still Delaunay's. The device
// tests each edge. Where one is wrong, it is flipped to the other diagonal of its two triangles,
// until none is wrong (Lawson 1977). All threads look for wrong edges; one thread flips the first
// of them, as flips of neighbours would spoil each other.
// Compared with limit/03_device_lists: is_wrong(), flip() and repair_kernel, then check_kernel; the
// host triangulates at the start, and where flips do not mend a triangulation.
// Limit now: one flip per two grid barriers and a pass over all edges.
// Not of the thesis but of Lawson, Software for C1 surface interpolation, 1977.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "limit/04_edge_flips/flip.cuh"
#include "limit/04_edge_flips/wrong_edges.cuh"
#include "problem/distmesh.hpp"

using course::cuda_check, course::DeviceBuffer;
using distmesh::DeviceMesh, distmesh::Domain, distmesh::Point, distmesh::Status, distmesh::Sums;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

using distmesh::BarLists, distmesh::HalfEdges, distmesh::Triangulation;
using distmesh::check_kernel, distmesh::find_bars_kernel, distmesh::iterate_kernel,
    distmesh::list_bars_kernel;
using distmesh::kBlockSize, distmesh::kNoHalfEdge, distmesh::Loop, distmesh::next,
    distmesh::previous, distmesh::Progress;

constexpr int kMostRounds = 1000;

// One flip per round, of the first wrong edge; one of `wrong` is cleared while the other is used.
__global__ void repair_kernel(DeviceMesh mesh, Triangulation triangles, int* wrong) {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const std::int64_t first = grid.thread_rank(), stride = grid.size();
    for (int round = 0; round < kMostRounds; ++round) {
        for (std::int64_t i = first; i < 2 * mesh.bar_count; i += stride) {
            const int h = static_cast<int>(i), g = triangles.twins[h];
            if (h < g && is_wrong(mesh, triangles, h, g)) {
                atomicMin(&wrong[round % 2], h);
            }
        }
        grid.sync();
        if (wrong[round % 2] == kNoHalfEdge) return;
        if (first == 0) {
            flip(triangles, wrong[round % 2]);
            wrong[(round + 1) % 2] = kNoHalfEdge;
        }
        grid.sync();
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
    DeviceBuffer<int> d_crowded(input.count()), d_leaving(input.count()), d_listed(1), d_failed(1),
        d_wrong(2);
    DeviceBuffer<int> d_begins(input.count()), d_ends(input.count()), d_list(2 * most_bars);
    DeviceBuffer<int> d_twins(2 * most_bars), d_edges(2 * most_bars), d_corners(2 * most_bars);
    int device = 0, multiprocessors = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
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
            mesh.triangles.resize(2 * bar_count / 3);
            copy(mesh.triangles.data(), d_corners.data(), 2 * bar_count / 3,
                 cudaMemcpyDeviceToHost);
            copy(mesh.triangulated.data(), d_triangulated.data(), count, cudaMemcpyDeviceToHost);
            mesh.leave_out_others();
        }
        kept = mesh.begin_repair();
        if (kept) {
            timer.begin(Phase::kKernels);
            cuda_check(cudaMemsetAsync(d_wrong.data(), 0x7f, d_wrong.bytes()));  // kNoHalfEdge
            int* wrong = d_wrong.data();
            void* repair_args[] = {&d_mesh, &d_triangles, &wrong};
            const dim3 grid(std::min<unsigned>(2 * bar_blocks, multiprocessors));
            cuda_check(cudaLaunchCooperativeKernel(repair_kernel, grid, kBlockSize, repair_args));
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
