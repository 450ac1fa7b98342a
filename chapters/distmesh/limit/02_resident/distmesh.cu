// SPDX-License-Identifier: MIT
// Distmesh, stage limit/02: resident.
// Idea: one launch per triangulation. As many blocks as the GPU holds at once stay there, walk over
// all bars and points in strides, and wait for each other between the steps of an iteration. They
// see for themselves which iteration is the last.
// Compared with limit/01_gather: iterate_kernel in place of three kernels, with a barrier of the
// grid where there was a launch, and no wait for the host after each iteration.
// Limit now: three grid barriers per iteration, each behind a pass over all bars or points; and the
// triangulations on the host, which take nearly all of a run's time.
// Not of the thesis but of Gaudiani 2012, 2.3.1.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "01_global_atomics/iteration.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "limit/01_gather/block_sums.cuh"
#include "limit/01_gather/gather.cuh"
#include "limit/02_resident/resident.cuh"
#include "problem/distmesh.hpp"

using course::cuda_check, course::DeviceBuffer;
using distmesh::compute_force, distmesh::measure_bar, distmesh::move_point;
using distmesh::DeviceMesh, distmesh::Domain, distmesh::Point, distmesh::Status, distmesh::Sums;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

using distmesh::BarLists, distmesh::gather_force;
using distmesh::is_over, distmesh::Loop, distmesh::Progress;
using distmesh::kBlockSize, distmesh::sum_block, distmesh::sum_blocks;

__global__ void iterate_kernel(DeviceMesh mesh, BarLists bars, Loop loop) {
    __shared__ Sums s_sums[kBlockSize];
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const std::int64_t first = grid.thread_rank(), stride = grid.size();
    for (std::int64_t iteration = 1;; ++iteration) {
        Status* status = &loop.progress->statuses[iteration % 2];
        Sums own = {0, 0};
        for (std::int64_t i = first; i < mesh.bar_count; i += stride) {
            own = add(own, measure_bar(mesh, i));
        }
        own = sum_block(own, s_sums);
        if (threadIdx.x == 0) loop.sums[blockIdx.x] = own;
        grid.sync();
        // No thread reads the other status any more.
        if (first == 0) loop.progress->statuses[(iteration + 1) % 2] = {0, 0, 0};
        own = sum_blocks(loop.sums, gridDim.x, s_sums);
        const bool density = (loop.first + iteration) % distmesh::kDensityInterval == 0;
        for (std::int64_t i = first; i < mesh.bar_count; i += stride) {
            compute_force(mesh, i, own, density, status);
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
    const std::int64_t most_bars = 3 * input.count();
    DeviceBuffer<double2> d_points(input.count()), d_triangulated(input.count());
    DeviceBuffer<double2> d_pushes(most_bars);
    DeviceBuffer<Point> d_vertices(static_cast<std::int64_t>(input.vertices.size()));
    DeviceBuffer<int2> d_bars(most_bars);
    DeviceBuffer<double> d_lengths(most_bars), d_wanted(most_bars);
    DeviceBuffer<int> d_crowded(input.count()), d_offsets(input.count() + 1), d_list(2 * most_bars);
    const std::int64_t most_blocks = course::resident_blocks(iterate_kernel, kBlockSize);
    DeviceBuffer<Sums> d_sums(most_blocks);
    DeviceBuffer<Progress> d_progress(1);
    std::vector<std::int32_t> crowded(input.count()), offsets, list;
    Domain domain = input.domain;
    domain.vertices = d_vertices.data();
    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_vertices.data(), input.vertices.data(), d_vertices.bytes(),
                          cudaMemcpyHostToDevice));
    timer.end();
    while (mesh.triangulate()) {
        mesh.list_bars_of_points(offsets, list);
        timer.begin(Phase::kCopyIn);
        const std::int64_t count = mesh.count(), bar_count = mesh.bar_count();
        cuda_check(cudaMemcpy(d_points.data(), mesh.points.data(), count * sizeof(Point),
                              cudaMemcpyHostToDevice));
        cuda_check(cudaMemcpy(d_triangulated.data(), mesh.points.data(), count * sizeof(Point),
                              cudaMemcpyHostToDevice));
        cuda_check(cudaMemcpy(d_bars.data(), mesh.bars.data(), bar_count * sizeof(int2),
                              cudaMemcpyHostToDevice));
        cuda_check(cudaMemcpy(d_offsets.data(), offsets.data(), offsets.size() * sizeof(int),
                              cudaMemcpyHostToDevice));
        cuda_check(cudaMemcpy(d_list.data(), list.data(), list.size() * sizeof(int),
                              cudaMemcpyHostToDevice));
        cuda_check(cudaMemset(d_crowded.data(), 0, count * sizeof(int)));
        DeviceMesh d_mesh = {
            d_points.data(), d_triangulated.data(), d_bars.data(),    d_lengths.data(),
            d_wanted.data(), d_pushes.data(),       d_crowded.data(), count,
            bar_count,       input.fixed,           domain,           input.h0};
        BarLists d_bar_lists = {d_offsets.data(), d_offsets.data() + 1, d_list.data()};

        timer.begin(Phase::kKernels);
        const std::int64_t bar_blocks = (bar_count + kBlockSize - 1) / kBlockSize;
        const dim3 blocks = static_cast<unsigned>(std::min(bar_blocks, most_blocks));
        Loop loop = {d_sums.data(), d_progress.data(), mesh.iterations(), mesh.iterations_left()};
        void* arguments[] = {&d_mesh, &d_bar_lists, &loop};
        cuda_check(cudaMemsetAsync(d_progress.data(), 0, d_progress.bytes()));
        cuda_check(cudaLaunchCooperativeKernel(iterate_kernel, blocks, kBlockSize, arguments));

        timer.begin(Phase::kCopyOut);
        Progress progress;
        cuda_check(
            cudaMemcpy(&progress, d_progress.data(), sizeof(Progress), cudaMemcpyDeviceToHost));
        mesh.end_iterations(progress.statuses[progress.iterations % 2], progress.iterations);
        cuda_check(cudaMemcpy(mesh.points.data(), d_points.data(), count * sizeof(Point),
                              cudaMemcpyDeviceToHost));
        cuda_check(cudaMemcpy(crowded.data(), d_crowded.data(), count * sizeof(int),
                              cudaMemcpyDeviceToHost));
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
