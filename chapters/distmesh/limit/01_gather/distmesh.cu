// SPDX-License-Identifier: MIT
// Distmesh, stage limit/01: gather.
// Idea: a block adds up its sums by halves in shared memory, and the next kernel adds up those of
// all blocks. The thread of a point adds up the forces of its bars, which a list names, and moves
// the point at once. No addition is atomic any more, and every sum has one order: the result is the
// same in every run, to the last bit.
// Compared with 02_shared_atomics: sum_block() and sum_blocks() in place of atomics on sums;
// gather_force() in place of add_forces_kernel; the host lists the bars of each point.
// Limit now: three launches per iteration, and a wait for the host.
// Not of the thesis but of Gaudiani 2012, 2.3.1.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "01_global_atomics/iteration.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_gather/block_sums.cuh"
#include "limit/01_gather/gather.cuh"
#include "problem/distmesh.hpp"

using course::cuda_check, course::DeviceBuffer;
using distmesh::compute_force, distmesh::measure_bar, distmesh::move_point;
using distmesh::DeviceMesh, distmesh::Domain, distmesh::Point, distmesh::Status, distmesh::Sums;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

using distmesh::BarLists, distmesh::gather_force;
using distmesh::kBlockSize, distmesh::sum_block, distmesh::sum_blocks;

__global__ void sum_lengths_kernel(DeviceMesh mesh, Sums* sums) {
    __shared__ Sums s_sums[kBlockSize];
    Sums own = {0, 0};
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i < mesh.bar_count) own = measure_bar(mesh, i);
    own = sum_block(own, s_sums);
    if (threadIdx.x == 0) sums[blockIdx.x] = own;
}

__global__ void compute_forces_kernel(DeviceMesh mesh, const Sums* sums, bool density,
                                      Status* status) {
    __shared__ Sums s_sums[kBlockSize];
    const Sums own = sum_blocks(sums, gridDim.x, s_sums);
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i < mesh.bar_count) compute_force(mesh, i, own, density, status);
}

// Fixed points come first. No point moves where bars are crowded.
__global__ void move_points_kernel(DeviceMesh mesh, BarLists bars, Status* status) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i < mesh.fixed || i >= mesh.count || status->crowded != 0) return;
    move_point(mesh, i, gather_force(bars, mesh.pushes, i), status);
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
    DeviceBuffer<Sums> d_sums(most_bars / kBlockSize + 1);
    DeviceBuffer<Status> d_status(1);
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
        const std::int64_t point_blocks = (count + kBlockSize - 1) / kBlockSize;
        Status status;
        do {
            cuda_check(cudaMemsetAsync(d_status.data(), 0, d_status.bytes()));
            sum_lengths_kernel<<<bar_blocks, kBlockSize>>>(d_mesh, d_sums.data());
            cuda_check(cudaGetLastError());
            compute_forces_kernel<<<bar_blocks, kBlockSize>>>(
                d_mesh, d_sums.data(), mesh.controls_density(), d_status.data());
            cuda_check(cudaGetLastError());
            move_points_kernel<<<point_blocks, kBlockSize>>>(d_mesh, d_bar_lists, d_status.data());
            cuda_check(cudaGetLastError());
            cuda_check(
                cudaMemcpy(&status, d_status.data(), sizeof(Status), cudaMemcpyDeviceToHost));
            mesh.end_iterations(status);
        } while (mesh.goes_on());

        timer.begin(Phase::kCopyOut);
        cuda_check(cudaMemcpy(mesh.points.data(), d_points.data(), count * sizeof(Point),
                              cudaMemcpyDeviceToHost));
        cuda_check(cudaMemcpy(crowded.data(), d_crowded.data(), count * sizeof(int),
                              cudaMemcpyDeviceToHost));
        timer.end();
        if (mesh.is_crowded()) mesh.drop(crowded);
    }
    mesh.finish(output, timer);
    timer.note_grid((3 * mesh.count() + kBlockSize - 1) / kBlockSize, kBlockSize);
    timer.declare_work(mesh.work());
}

int main(int argc, char** argv) {
    return distmesh::run_stage(argc, argv, STAGE_NAME, generate_mesh);
}
