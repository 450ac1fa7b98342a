// SPDX-License-Identifier: MIT
// Distmesh, stage 02: shared atomics.
// Idea: the threads of a block first add to sums of their own in shared memory. Then one thread
// adds these to the sums over all bars.
// Compared with 01_global_atomics: sum_lengths_kernel, with its shared sums and two barriers that
// every thread of a block reaches. What a bar and a point do is in iteration.cuh, unchanged.
// Limit now: an atomic addition of a point's force for each end of a bar, and the host: it launches
// four kernels per iteration and waits for the status.
// Not of the thesis but of Gaudiani 2012, 2.3.2, table I, version 2.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "01_global_atomics/iteration.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/distmesh.hpp"

using course::cuda_check, course::DeviceBuffer;
using distmesh::compute_force, distmesh::measure_bar, distmesh::move_point;
using distmesh::DeviceMesh, distmesh::Domain, distmesh::Point, distmesh::Status, distmesh::Sums;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

using distmesh::kBlockSize;

__global__ void sum_lengths_kernel(DeviceMesh mesh, Sums* sums) {
    __shared__ Sums s_sums;
    if (threadIdx.x == 0) s_sums = {0, 0};
    __syncthreads();
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i < mesh.bar_count) {
        const Sums own = measure_bar(mesh, i);
        atomicAdd(&s_sums.lengths, own.lengths);
        atomicAdd(&s_sums.wanted, own.wanted);
    }
    __syncthreads();  // outside the branch: threads without a bar must reach it, too
    if (threadIdx.x == 0) {
        atomicAdd(&sums->lengths, s_sums.lengths);
        atomicAdd(&sums->wanted, s_sums.wanted);
    }
}

__global__ void compute_forces_kernel(DeviceMesh mesh, const Sums* sums, bool density,
                                      Status* status) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i < mesh.bar_count) compute_force(mesh, i, *sums, density, status);
}

__global__ void add_forces_kernel(DeviceMesh mesh, double2* forces) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i >= mesh.bar_count) return;
    const int2 bar = mesh.bars[i];
    const double2 push = mesh.pushes[i];
    atomicAdd(&forces[bar.x].x, push.x);
    atomicAdd(&forces[bar.x].y, push.y);
    atomicAdd(&forces[bar.y].x, -push.x);
    atomicAdd(&forces[bar.y].y, -push.y);
}

// Fixed points come first. No point moves where bars are crowded.
__global__ void move_points_kernel(DeviceMesh mesh, const double2* forces, Status* status) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i < mesh.fixed || i >= mesh.count || status->crowded != 0) return;
    move_point(mesh, i, forces[i], status);
}

void generate_mesh(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    Mesh mesh(input);
    const std::int64_t most_bars = 3 * input.count();
    DeviceBuffer<double2> d_points(input.count()), d_triangulated(input.count());
    DeviceBuffer<double2> d_forces(input.count()), d_pushes(most_bars);
    DeviceBuffer<Point> d_vertices(static_cast<std::int64_t>(input.vertices.size()));
    DeviceBuffer<int2> d_bars(most_bars);
    DeviceBuffer<double> d_lengths(most_bars), d_wanted(most_bars);
    DeviceBuffer<int> d_crowded(input.count());
    DeviceBuffer<Sums> d_sums(1);
    DeviceBuffer<Status> d_status(1);
    std::vector<std::int32_t> crowded(input.count());
    Domain domain = input.domain;
    domain.vertices = d_vertices.data();
    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_vertices.data(), input.vertices.data(), d_vertices.bytes(),
                          cudaMemcpyHostToDevice));
    timer.end();
    while (mesh.triangulate()) {
        timer.begin(Phase::kCopyIn);
        const std::int64_t count = mesh.count(), bar_count = mesh.bar_count();
        cuda_check(cudaMemcpy(d_points.data(), mesh.points.data(), count * sizeof(Point),
                              cudaMemcpyHostToDevice));
        cuda_check(cudaMemcpy(d_triangulated.data(), mesh.points.data(), count * sizeof(Point),
                              cudaMemcpyHostToDevice));
        cuda_check(cudaMemcpy(d_bars.data(), mesh.bars.data(), bar_count * sizeof(int2),
                              cudaMemcpyHostToDevice));
        cuda_check(cudaMemset(d_crowded.data(), 0, count * sizeof(int)));
        DeviceMesh d_mesh = {
            d_points.data(), d_triangulated.data(), d_bars.data(),    d_lengths.data(),
            d_wanted.data(), d_pushes.data(),       d_crowded.data(), count,
            bar_count,       input.fixed,           domain,           input.h0};

        timer.begin(Phase::kKernels);
        const std::int64_t bar_blocks = (bar_count + kBlockSize - 1) / kBlockSize;
        const std::int64_t point_blocks = (count + kBlockSize - 1) / kBlockSize;
        Status status;
        do {
            cuda_check(cudaMemsetAsync(d_sums.data(), 0, d_sums.bytes()));
            cuda_check(cudaMemsetAsync(d_forces.data(), 0, count * sizeof(double2)));
            cuda_check(cudaMemsetAsync(d_status.data(), 0, d_status.bytes()));
            sum_lengths_kernel<<<bar_blocks, kBlockSize>>>(d_mesh, d_sums.data());
            cuda_check(cudaGetLastError());
            compute_forces_kernel<<<bar_blocks, kBlockSize>>>(
                d_mesh, d_sums.data(), mesh.controls_density(), d_status.data());
            cuda_check(cudaGetLastError());
            add_forces_kernel<<<bar_blocks, kBlockSize>>>(d_mesh, d_forces.data());
            cuda_check(cudaGetLastError());
            move_points_kernel<<<point_blocks, kBlockSize>>>(d_mesh, d_forces.data(),
                                                             d_status.data());
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
