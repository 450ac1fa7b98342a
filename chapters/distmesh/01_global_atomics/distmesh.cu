// SPDX-License-Identifier: MIT
// Distmesh, stage 01: global atomics.
// Idea: a thread a bar for the lengths and the forces, a thread a point for the movement; what
// several threads add to, the sums over all bars and each point's force, is added to atomically.
// Compared with 00_cpu: its loops as four kernels; the host triangulates and learns after each
// iteration how it went on.
// Limit now: all bars add to the same two sums, one after the other.
// Not of the thesis but of seed 004 2.3, table I, version 1.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/distmesh.hpp"

using course::cuda_check, course::DeviceBuffer;
using distmesh::Domain, distmesh::Point, distmesh::Status;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

constexpr int kBlockSize = 256;

// Over all bars: the squares of the lengths that they have and that they shall have.
struct Sums {
    double lengths, wanted;
};

__global__ void sum_lengths_kernel(const double2* __restrict__ points,
                                   const int2* __restrict__ bars, std::int64_t bar_count,
                                   Domain domain, double* __restrict__ lengths,
                                   double* __restrict__ wanted, Sums* __restrict__ sums) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i >= bar_count) return;
    const int2 bar = bars[i];
    const double2 a = points[bar.x], b = points[bar.y];
    const double dx = a.x - b.x, dy = a.y - b.y;
    const double square = dx * dx + dy * dy;
    const double target = wanted_length(domain, (a.x + b.x) / 2, (a.y + b.y) / 2);
    lengths[i] = std::sqrt(square);
    wanted[i] = target;
    atomicAdd(&sums->lengths, square);
    atomicAdd(&sums->wanted, target * target);
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
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i >= bar_count) return;
    const int2 bar = bars[i];
    const double2 a = points[bar.x], b = points[bar.y];
    const double length = lengths[i];
    const double rest = wanted[i] * distmesh::kPressure * std::sqrt(sums->lengths / sums->wanted);
    const double force = std::fmax(rest - length, 0.0) / length;
    pushes[i] = make_double2(force * (a.x - b.x), force * (a.y - b.y));
    if (density && rest > distmesh::kCrowded * length) {
        atomicOr(&crowded[bar.x], 1);
        atomicOr(&crowded[bar.y], 1);
        atomicOr(&status->crowded, 1);
    }
}

__global__ void add_forces_kernel(const int2* __restrict__ bars, std::int64_t bar_count,
                                  const double2* __restrict__ pushes,
                                  double2* __restrict__ forces) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i >= bar_count) return;
    const int2 bar = bars[i];
    const double2 push = pushes[i];
    atomicAdd(&forces[bar.x].x, push.x);
    atomicAdd(&forces[bar.x].y, push.y);
    atomicAdd(&forces[bar.y].x, -push.x);
    atomicAdd(&forces[bar.y].y, -push.y);
}

// Moves every point but the fixed ones, and those that left the domain back to its boundary.
__global__ void move_points_kernel(double2* __restrict__ points,
                                   const double2* __restrict__ triangulated,
                                   const double2* __restrict__ forces, std::int64_t fixed,
                                   std::int64_t count, Domain domain, double h0,
                                   Status* __restrict__ status) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i < fixed || i >= count || status->crowded != 0) return;
    const double step = distmesh::kGradientStep * h0;
    const double2 force = forces[i], start = triangulated[i];
    const double dx = distmesh::kTimeStep * force.x, dy = distmesh::kTimeStep * force.y;
    double2 point = points[i];
    point = make_double2(point.x + dx, point.y + dy);
    const double outside = distance(domain, point.x, point.y);
    if (outside > 0) {
        const double gx = (distance(domain, point.x + step, point.y) - outside) / step;
        const double gy = (distance(domain, point.x, point.y + step) - outside) / step;
        const double back = outside / (gx * gx + gy * gy);
        point = make_double2(point.x - back * gx, point.y - back * gy);
    } else if (outside < -distmesh::kInsideTolerance * h0 &&
               std::sqrt(dx * dx + dy * dy) >= distmesh::kStopTolerance * h0) {
        atomicOr(&status->moving, 1);
    }
    const double drift_x = point.x - start.x, drift_y = point.y - start.y;
    if (std::sqrt(drift_x * drift_x + drift_y * drift_y) > distmesh::kTriangulateTolerance * h0) {
        atomicOr(&status->drifted, 1);
    }
    points[i] = point;
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

        timer.begin(Phase::kKernels);
        const std::int64_t bar_blocks = (bar_count + kBlockSize - 1) / kBlockSize;
        const std::int64_t point_blocks = (count + kBlockSize - 1) / kBlockSize;
        Status status;
        do {
            cuda_check(cudaMemsetAsync(d_sums.data(), 0, d_sums.bytes()));
            cuda_check(cudaMemsetAsync(d_forces.data(), 0, count * sizeof(double2)));
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
            add_forces_kernel<<<bar_blocks, kBlockSize>>>(d_bars.data(), bar_count, d_pushes.data(),
                                                          d_forces.data());
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
