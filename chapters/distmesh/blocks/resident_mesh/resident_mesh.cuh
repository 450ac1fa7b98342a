// SPDX-License-Identifier: MIT
// A mesh that stays on the device: what generate_mesh() of stage limit/05_claims does after the
// first triangulation, in parts. Two things differ: the host copies the marks of crowded points
// only where there are any, and it learns the number of bars.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "limit/05_claims/claims.cuh"
#include "problem/distmesh.hpp"

namespace distmesh {

using course::cuda_check, course::DeviceBuffer, course::resident_blocks;

struct Iterate {
    void (*kernel)(DeviceMesh, BarLists, Loop);
    std::int64_t blocks;  // that the device holds at once
    int threads_per_bar = 1;
};

class ResidentMesh {
  public:
    // Copies the points at the start and the polygons to the device.
    ResidentMesh(const Input& input, const Iterate& iterate, PhaseTimer& timer);

    // The points and the triangulation. A stage that makes the first triangulation fills
    // 2 bar_count half-edges.
    DeviceMesh mesh{};
    Triangulation triangles{};

    // Flips edges until none is wrong in a triangulation of the domain. Returns whether the
    // triangulation is right then.
    bool mend(const Domain& domain);
    // All iterations. `kept`: the device has a triangulation; else the host makes the first one.
    void come_to_rest(Mesh& host, bool kept);

  protected:
    void copy_triangulation(const Mesh& host);
    void copy_mesh(Mesh& host);
    void copy_points(Mesh& host);
    Progress iterate(Mesh& host);

    PhaseTimer& timer_;
    Iterate iterate_;
    std::int64_t most_bars_;  // and edges to ghosts
    int multiprocessors_ = 0;
    DeviceBuffer<double2> points_, triangulated_, pushes_;
    DeviceBuffer<Point> vertices_;
    DeviceBuffer<int2> bars_;
    DeviceBuffer<double> lengths_, wanted_;
    DeviceBuffer<int> crowded_, leaving_, begins_, ends_, list_, listed_;
    DeviceBuffer<int> corners_, twins_, edges_;
    DeviceBuffer<int> failed_, wished_, wishes_;
    DeviceBuffer<unsigned long long> claims_;
    DeviceBuffer<Sums> sums_;
    DeviceBuffer<Progress> progress_;
};

template <typename To, typename From>
void copy(To* to, const From* from, std::int64_t count, cudaMemcpyKind kind) {
    static_assert(sizeof(To) == sizeof(From));
    cuda_check(cudaMemcpy(to, from, count * sizeof(To), kind));
}

inline unsigned blocks_for(std::int64_t threads) {
    return static_cast<unsigned>((threads + kBlockSize - 1) / kBlockSize);
}

inline ResidentMesh::ResidentMesh(const Input& input, const Iterate& iterate, PhaseTimer& timer)
    : timer_(timer),
      iterate_(iterate),
      most_bars_(6 * input.count()),
      points_(input.count()),
      triangulated_(input.count()),
      pushes_(most_bars_),
      vertices_(static_cast<std::int64_t>(input.vertices.size())),
      bars_(most_bars_),
      lengths_(most_bars_),
      wanted_(most_bars_),
      crowded_(input.count()),
      leaving_(input.count()),
      begins_(input.count()),
      ends_(input.count()),
      list_(2 * most_bars_),
      listed_(1),
      corners_(2 * most_bars_),
      twins_(2 * most_bars_),
      edges_(2 * most_bars_),
      failed_(1),
      wished_(2),
      wishes_(most_bars_),
      claims_(2 * most_bars_ / 3),
      sums_(iterate.blocks),
      progress_(1) {
    int device = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device));
    mesh = {points_.data(),    triangulated_.data(), bars_.data(),    lengths_.data(),
            wanted_.data(),    pushes_.data(),       crowded_.data(), input.count(),
            3 * input.count(), input.fixed,          input.domain,    input.h0};
    mesh.domain.vertices = vertices_.data();
    triangles = {corners_.data(), twins_.data(), edges_.data(), leaving_.data()};
    timer.begin(Phase::kCopyIn);
    copy(vertices_.data(), input.vertices.data(), vertices_.count(), cudaMemcpyHostToDevice);
    copy(points_.data(), input.points.data(), input.count(), cudaMemcpyHostToDevice);
    timer.end();
}

inline bool ResidentMesh::mend(const Domain& domain) {
    timer_.begin(Phase::kKernels);
    cuda_check(cudaMemsetAsync(claims_.data(), 0xff, claims_.bytes()));
    cuda_check(cudaMemsetAsync(wished_.data(), 0, wished_.bytes()));
    cuda_check(cudaMemsetAsync(failed_.data(), 0, failed_.bytes()));
    DeviceMesh mended = mesh;
    mended.domain = domain;
    Repair repair = {claims_.data(), wishes_.data(), wished_.data()};
    void* arguments[] = {&mended, &triangles, &repair};
    const unsigned blocks = blocks_for(2 * mesh.bar_count);
    const dim3 grid(std::min(blocks, static_cast<unsigned>(multiprocessors_)));
    cuda_check(cudaLaunchCooperativeKernel(repair_kernel, grid, kBlockSize, arguments));
    check_kernel<<<blocks, kBlockSize>>>(mended, triangles, failed_.data());
    cuda_check(cudaGetLastError());
    timer_.begin(Phase::kCopyOut);
    int failed = 0;
    copy(&failed, failed_.data(), 1, cudaMemcpyDeviceToHost);
    timer_.end();
    return failed == 0;
}

inline void ResidentMesh::copy_triangulation(const Mesh& host) {
    const HalfEdges half_edges = with_ghosts(host.points, host.triangles);
    timer_.begin(Phase::kCopyIn);
    mesh.count = host.count();
    mesh.bar_count = half_edges.edge_count();
    const std::int64_t count = 2 * mesh.bar_count;
    copy(points_.data(), host.points.data(), mesh.count, cudaMemcpyHostToDevice);
    copy(corners_.data(), half_edges.corners.data(), count, cudaMemcpyHostToDevice);
    copy(twins_.data(), half_edges.twins.data(), count, cudaMemcpyHostToDevice);
    copy(edges_.data(), half_edges.edges.data(), count, cudaMemcpyHostToDevice);
    timer_.end();
}

// The iterations of one triangulation.
inline Progress ResidentMesh::iterate(Mesh& host) {
    timer_.begin(Phase::kKernels);
    const std::int64_t count = mesh.count;
    copy(triangulated_.data(), points_.data(), count, cudaMemcpyDeviceToDevice);
    cuda_check(cudaMemsetAsync(leaving_.data(), 0x7f, count * sizeof(int)));  // kNoHalfEdge
    cuda_check(cudaMemsetAsync(listed_.data(), 0, listed_.bytes()));
    cuda_check(cudaMemsetAsync(crowded_.data(), 0, count * sizeof(int)));
    cuda_check(cudaMemsetAsync(progress_.data(), 0, progress_.bytes()));
    find_bars_kernel<<<blocks_for(2 * mesh.bar_count), kBlockSize>>>(mesh, triangles);
    cuda_check(cudaGetLastError());
    BarLists lists = {begins_.data(), ends_.data(), list_.data()};
    list_bars_kernel<<<blocks_for(count), kBlockSize>>>(mesh, triangles, lists, listed_.data());
    cuda_check(cudaGetLastError());
    const std::int64_t threads = iterate_.threads_per_bar * mesh.bar_count;
    const dim3 blocks(
        static_cast<unsigned>(std::min<std::int64_t>(blocks_for(threads), iterate_.blocks)));
    Loop loop = {sums_.data(), progress_.data(), host.iterations(), host.iterations_left()};
    void* arguments[] = {&mesh, &lists, &loop};
    cuda_check(cudaLaunchCooperativeKernel(iterate_.kernel, blocks, kBlockSize, arguments));
    timer_.begin(Phase::kCopyOut);
    Progress progress;
    int listed = 0;
    copy(&progress, progress_.data(), 1, cudaMemcpyDeviceToHost);
    copy(&listed, listed_.data(), 1, cudaMemcpyDeviceToHost);
    host.count_bars(listed / 2);  // each is in the lists of two points
    timer_.end();
    return progress;
}

// A mesh at rest, with the triangles that do not belong to it.
inline void ResidentMesh::copy_mesh(Mesh& host) {
    timer_.begin(Phase::kCopyOut);
    const std::int64_t corners = 2 * mesh.bar_count / 3;
    host.triangles.resize(corners);
    host.triangulated.resize(mesh.count);
    copy(host.triangles.data(), reinterpret_cast<const Triangle*>(corners_.data()), corners,
         cudaMemcpyDeviceToHost);
    copy(host.points.data(), points_.data(), mesh.count, cudaMemcpyDeviceToHost);
    copy(host.triangulated.data(), triangulated_.data(), mesh.count, cudaMemcpyDeviceToHost);
    timer_.end();
}

// Points that the host triangulates, without the crowded ones.
inline void ResidentMesh::copy_points(Mesh& host) {
    timer_.begin(Phase::kCopyOut);
    copy(host.points.data(), points_.data(), mesh.count, cudaMemcpyDeviceToHost);
    std::vector<std::int32_t> crowded(host.is_crowded() ? mesh.count : 0);
    copy(crowded.data(), crowded_.data(), static_cast<std::int64_t>(crowded.size()),
         cudaMemcpyDeviceToHost);
    timer_.end();
    if (host.is_crowded()) host.drop(crowded);
}

inline void ResidentMesh::come_to_rest(Mesh& host, bool kept) {
    while (kept || host.triangulate()) {
        if (!kept) copy_triangulation(host);
        const Progress progress = iterate(host);
        host.end_iterations(progress.statuses[progress.iterations % 2], progress.iterations);
        if (host.at_rest()) {
            copy_mesh(host);
            host.leave_out_others();
        }
        kept = host.begin_repair() && host.end_repair(mend(mesh.domain));
        if (!kept) copy_points(host);
    }
    timer_.note_grid(iterate_.blocks, kBlockSize);
    timer_.declare_work(host.work());
}

}  // namespace distmesh
