// SPDX-License-Identifier: MIT
// Distmesh, stage 03: gather.
// Idea: a thread a point adds up the forces of its bars, which an index list names; blocks leave
// their sums side by side for the next kernel. No sum is atomic, each is made in the same order
// every time: the result is the same in every run, to the last bit.
// Compared with 02_shared_atomics: sum_block in place of atomics, add_forces_kernel by point, the
// index list. move_points_kernel is in move_points.cuh, as it was.
// Limit now: four launches and a wait for the host an iteration.
// Not of the thesis but of seed 004 2.3.1.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/move_points.cuh"
#include "problem/distmesh.hpp"

using course::cuda_check, course::DeviceBuffer;
using distmesh::Domain, distmesh::Point, distmesh::Status;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;
using distmesh::kBlockSize, distmesh::move_points_kernel;

// Over all bars: the squares of the lengths that they have and that they shall have.
struct Sums {
    double lengths, wanted;
};

// The sums of a block's threads, always added up in the same order; every thread gets them.
__device__ __forceinline__ Sums sum_block(Sums own, Sums* s_sums) {
    s_sums[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = kBlockSize / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            s_sums[threadIdx.x].lengths += s_sums[threadIdx.x + half].lengths;
            s_sums[threadIdx.x].wanted += s_sums[threadIdx.x + half].wanted;
        }
        __syncthreads();
    }
    return s_sums[0];
}

__global__ void sum_lengths_kernel(const double2* __restrict__ points,
                                   const int2* __restrict__ bars, std::int64_t bar_count,
                                   Domain domain, double* __restrict__ lengths,
                                   double* __restrict__ wanted, Sums* __restrict__ sums) {
    __shared__ Sums s_sums[kBlockSize];
    Sums own = {0, 0};
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i < bar_count) {
        const int2 bar = bars[i];
        const double2 a = points[bar.x], b = points[bar.y];
        const double dx = a.x - b.x, dy = a.y - b.y;
        const double square = dx * dx + dy * dy;
        const double target = wanted_length(domain, (a.x + b.x) / 2, (a.y + b.y) / 2);
        lengths[i] = std::sqrt(square);
        wanted[i] = target;
        own = {square, target * target};
    }
    own = sum_block(own, s_sums);
    if (threadIdx.x == 0) sums[blockIdx.x] = own;
}

// The force at each bar's first end; the other's is its opposite. With `density`, marks the ends of
// bars much too short.
__global__ void compute_forces_kernel(const double2* __restrict__ points,
                                      const int2* __restrict__ bars, std::int64_t bar_count,
                                      const Sums* __restrict__ sums,
                                      const double* __restrict__ lengths,
                                      const double* __restrict__ wanted, bool density,
                                      double2* __restrict__ pushes, int* __restrict__ crowded,
                                      Status* __restrict__ status) {
    __shared__ Sums s_sums[kBlockSize];
    Sums own = {0, 0};
    for (unsigned block = threadIdx.x; block < gridDim.x; block += kBlockSize) {
        own = {own.lengths + sums[block].lengths, own.wanted + sums[block].wanted};
    }
    own = sum_block(own, s_sums);
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i >= bar_count) return;
    const int2 bar = bars[i];
    const double2 a = points[bar.x], b = points[bar.y];
    const double length = lengths[i];
    const double rest = wanted[i] * distmesh::kPressure * std::sqrt(own.lengths / own.wanted);
    const double force = std::fmax(rest - length, 0.0) / length;
    pushes[i] = make_double2(force * (a.x - b.x), force * (a.y - b.y));
    if (density && rest > distmesh::kCrowded * length) {
        atomicOr(&crowded[bar.x], 1);
        atomicOr(&crowded[bar.y], 1);
        atomicOr(&status->crowded, 1);
    }
}

// `list` has the bars of point i from offsets[i] on: bar, or ~bar where i is the second end.
__global__ void add_forces_kernel(const int* __restrict__ offsets, const int* __restrict__ list,
                                  const double2* __restrict__ pushes, double2* __restrict__ forces,
                                  std::int64_t count) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i >= count) return;
    double2 force = make_double2(0, 0);
    for (int place = offsets[i]; place < offsets[i + 1]; ++place) {
        const int bar = list[place];
        const double2 push = pushes[bar < 0 ? ~bar : bar];
        const double sign = bar < 0 ? -1 : 1;
        force = make_double2(force.x + sign * push.x, force.y + sign * push.y);
    }
    forces[i] = force;
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

        timer.begin(Phase::kKernels);
        const std::int64_t bar_blocks = (bar_count + kBlockSize - 1) / kBlockSize;
        const std::int64_t point_blocks = (count + kBlockSize - 1) / kBlockSize;
        Status status;
        do {
            cuda_check(cudaMemsetAsync(d_status.data(), 0, d_status.bytes()));
            sum_lengths_kernel<<<bar_blocks, kBlockSize>>>(d_points.data(), d_bars.data(),
                                                           bar_count, domain, d_lengths.data(),
                                                           d_wanted.data(), d_sums.data());
            cuda_check(cudaGetLastError());
            compute_forces_kernel<<<bar_blocks, kBlockSize>>>(
                d_points.data(), d_bars.data(), bar_count, d_sums.data(), d_lengths.data(),
                d_wanted.data(), mesh.controls_density(), d_pushes.data(), d_crowded.data(),
                d_status.data());
            cuda_check(cudaGetLastError());
            add_forces_kernel<<<point_blocks, kBlockSize>>>(
                d_offsets.data(), d_list.data(), d_pushes.data(), d_forces.data(), count);
            cuda_check(cudaGetLastError());
            move_points_kernel<<<point_blocks, kBlockSize>>>(d_points.data(), d_triangulated.data(),
                                                             d_forces.data(), input.fixed, count,
                                                             domain, input.h0, d_status.data());
            cuda_check(cudaGetLastError());
            cuda_check(
                cudaMemcpy(&status, d_status.data(), sizeof(Status), cudaMemcpyDeviceToHost));
        } while (mesh.goes_on(status));

        timer.begin(Phase::kCopyOut);
        cuda_check(cudaMemcpy(mesh.points.data(), d_points.data(), count * sizeof(Point),
                              cudaMemcpyDeviceToHost));
        cuda_check(cudaMemcpy(crowded.data(), d_crowded.data(), count * sizeof(int),
                              cudaMemcpyDeviceToHost));
        timer.end();
        if (status.crowded != 0) mesh.drop(crowded);
    }
    mesh.finish(output);
    timer.note_grid((3 * mesh.count() + kBlockSize - 1) / kBlockSize, kBlockSize);
    timer.declare_work(mesh.work());
}

int main(int argc, char** argv) {
    return distmesh::run_stage(argc, argv, STAGE_NAME, generate_mesh);
}
