// SPDX-License-Identifier: MIT
// Distmesh, stage limit/05: claims.
// Idea: many edges are flipped at once. Each wrong edge claims, by atomicMin, the four triangles
// that its flip writes to. Only an edge that got all four is flipped; the others try again in the
// next round. There is no lock, and the result does not depend on the order of the threads.
// Compared with limit/04_edge_flips: claim() and got_all() in claims.cuh; a list of wrong edges.
// Limit now: the first triangulation, on the host; then the grid barriers of iterations and rounds.
// Not of the thesis nor of Gaudiani 2012.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "limit/05_claims/claims.cuh"
#include "problem/distmesh.hpp"

using course::cuda_check, course::DeviceBuffer;
using distmesh::DeviceMesh, distmesh::Domain, distmesh::Point, distmesh::Status, distmesh::Sums;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

using distmesh::BarLists, distmesh::HalfEdges, distmesh::Repair, distmesh::Triangulation;
using distmesh::check_kernel, distmesh::find_bars_kernel, distmesh::iterate_kernel,
    distmesh::list_bars_kernel, distmesh::repair_kernel;
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
    DeviceBuffer<int> d_crowded(input.count()), d_leaving(input.count()), d_listed(1), d_failed(1),
        d_wished(2), d_wishes(most_bars);
    DeviceBuffer<unsigned long long> d_claims(2 * most_bars / 3);
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
            cuda_check(cudaMemsetAsync(d_claims.data(), 0xff, d_claims.bytes()));
            cuda_check(cudaMemsetAsync(d_wished.data(), 0, d_wished.bytes()));
            Repair repair = {d_claims.data(), d_wishes.data(), d_wished.data()};
            void* repair_args[] = {&d_mesh, &d_triangles, &repair};
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
