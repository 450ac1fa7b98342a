// SPDX-License-Identifier: MIT
// Distmesh, stage 04: resident.
// Idea: one launch a triangulation: as many blocks as the GPU holds at once stay there, walk over
// all bars and points in strides, and wait for each other between the steps of an iteration; they
// see for themselves which one is the last.
// Compared with 03_gather: iterate_kernel, whose steps are 03's kernels, as functions in
// gather.cuh, and whose grid barriers are its launches; the status is in two slots, one of which is
// cleared while the other is used.
// Limit now: three grid barriers an iteration, each behind a pass over all bars or points; and the
// triangulations on the host, which take nearly all of a run's time.
// Not of the thesis but of seed 004 2.3.1.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/gather.cuh"
#include "problem/distmesh.hpp"

using course::cuda_check, course::DeviceBuffer;
using distmesh::add_forces, distmesh::compute_force, distmesh::measure_bar, distmesh::move_point;
using distmesh::Domain, distmesh::Point, distmesh::Status;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

using distmesh::kBlockSize, distmesh::Loop, distmesh::Progress, distmesh::sum_block, distmesh::Sums;

__global__ void iterate_kernel(Loop loop) {
    __shared__ Sums s_sums[kBlockSize];
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kBlockSize;
    for (std::int64_t iteration = 1;; ++iteration) {
        Status* status = &loop.statuses[iteration % 2];
        Sums own = {0, 0};
        for (std::int64_t i = first; i < loop.bar_count; i += stride) {
            const Sums bar = measure_bar(loop, i);
            own = {own.lengths + bar.lengths, own.wanted + bar.wanted};
        }
        own = sum_block(own, s_sums);
        if (threadIdx.x == 0) loop.sums[blockIdx.x] = own;
        grid.sync();
        // Nobody reads the other slot any more.
        if (first == 0) loop.statuses[(iteration + 1) % 2] = {0, 0, 0};
        own = {0, 0};
        for (unsigned block = threadIdx.x; block < gridDim.x; block += kBlockSize) {
            own = {own.lengths + loop.sums[block].lengths, own.wanted + loop.sums[block].wanted};
        }
        own = sum_block(own, s_sums);
        const bool density = (loop.first + iteration) % distmesh::kDensityInterval == 0;
        for (std::int64_t i = first; i < loop.bar_count; i += stride) {
            compute_force(loop, i, own, density, status);
        }
        grid.sync();
        if (status->crowded == 0) {
            for (std::int64_t i = first; i < loop.count; i += stride) {
                if (i < loop.fixed) continue;
                move_point(loop.points, loop.triangulated, add_forces(loop, i), i, loop.domain,
                           loop.h0, status);
            }
        }
        grid.sync();
        const Status now = *status;
        if (now.crowded != 0 || now.moving == 0 || now.drifted != 0 || iteration == loop.most) {
            if (first == 0) *loop.progress = {now, iteration};
            return;
        }
    }
}

// How many blocks of iterate_kernel the device holds at once: no more may wait for each other.
std::int64_t resident_blocks() {
    int device = 0, multiprocessors = 0, blocks = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    cuda_check(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, iterate_kernel, kBlockSize, 0));
    return std::int64_t{multiprocessors} * blocks;
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
    const std::int64_t most_blocks =
        std::min((most_bars + kBlockSize - 1) / kBlockSize, resident_blocks());
    DeviceBuffer<Sums> d_sums(most_blocks);
    DeviceBuffer<Status> d_statuses(2);
    DeviceBuffer<Progress> d_progress(1);
    std::vector<std::int32_t> crowded(input.count()), offsets, list;
    Domain domain = input.domain;
    domain.vertices = d_vertices.data();

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_vertices.data(), input.vertices.data(), d_vertices.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaMemset(d_progress.data(), 0, d_progress.bytes()));  // its padding, too
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

        timer.begin(Phase::kKernels);
        const std::int64_t blocks =
            std::min((bar_count + kBlockSize - 1) / kBlockSize, most_blocks);
        Loop loop = {.points = d_points.data(),
                     .triangulated = d_triangulated.data(),
                     .bars = d_bars.data(),
                     .offsets = d_offsets.data(),
                     .list = d_list.data(),
                     .lengths = d_lengths.data(),
                     .wanted = d_wanted.data(),
                     .pushes = d_pushes.data(),
                     .crowded = d_crowded.data(),
                     .sums = d_sums.data(),
                     .statuses = d_statuses.data(),
                     .progress = d_progress.data(),
                     .count = count,
                     .bar_count = bar_count,
                     .fixed = input.fixed,
                     .first = mesh.iterations(),
                     .most = mesh.iterations_left(),
                     .domain = domain,
                     .h0 = input.h0};
        void* arguments[] = {&loop};
        cuda_check(cudaMemsetAsync(d_statuses.data(), 0, d_statuses.bytes()));
        cuda_check(cudaLaunchCooperativeKernel(iterate_kernel, dim3(static_cast<unsigned>(blocks)),
                                               dim3(kBlockSize), arguments));

        timer.begin(Phase::kCopyOut);
        Progress progress;
        cuda_check(
            cudaMemcpy(&progress, d_progress.data(), d_progress.bytes(), cudaMemcpyDeviceToHost));
        mesh.goes_on(progress.status, progress.iterations);
        cuda_check(cudaMemcpy(mesh.points.data(), d_points.data(), count * sizeof(Point),
                              cudaMemcpyDeviceToHost));
        cuda_check(cudaMemcpy(crowded.data(), d_crowded.data(), count * sizeof(int),
                              cudaMemcpyDeviceToHost));
        timer.end();
        if (progress.status.crowded != 0) mesh.drop(crowded);
    }
    mesh.finish(output);
    timer.note_grid(most_blocks, kBlockSize);
    timer.declare_work(mesh.work());
}

int main(int argc, char** argv) {
    return distmesh::run_stage(argc, argv, STAGE_NAME, generate_mesh);
}
