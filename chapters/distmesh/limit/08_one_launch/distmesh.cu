// SPDX-License-Identifier: MIT
// Distmesh, stage limit/08: one launch.
// Idea: iterations, repairs and the test whether the mesh is ready are one launch. Between two
// triangulations stands a barrier of the grid, where the host waited for three copies, started a
// dozen kernels and clearings, and in the end looked at every triangle.
// Compared with limit/07_own_lists: generate_kernel, and the test for rest in rest.cuh.
// Limit now: two grid barriers per iteration, and two per round of flips.
// Not of the thesis nor of Gaudiani 2012.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "blocks/resident_mesh/resident_mesh.cuh"
#include "limit/05_claims/claims.cuh"
#include "limit/06_rows/rows.cuh"
#include "limit/07_own_lists/lanes.cuh"
#include "limit/07_own_lists/own_lists.cuh"
#include "limit/08_one_launch/rest.cuh"
#include "problem/distmesh.hpp"

using course::cuda_check, course::DeviceBuffer;
using distmesh::BarLists, distmesh::DeviceMesh, distmesh::Loop;
using distmesh::copy, distmesh::Mesh, distmesh::Rows;
using distmesh::Input, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;
using distmesh::kBlockSize, distmesh::kGhost, distmesh::kNoHalfEdge;
using distmesh::kToMend, distmesh::next, distmesh::previous;
using distmesh::Launched, distmesh::Repair, distmesh::Status, distmesh::Triangulation;

// What the launch uses besides the mesh and its triangulation.
struct LaunchState {
    double2* triangulated;  // as in the mesh, to be written
    int *listed, *failed, *rest;  // rest: why a mesh at rest is not ready
    Launched* launched;
    bool can_repair;
};

// Forgets the last triangulation. Another barrier must follow.
__device__ __forceinline__ void begin(const DeviceMesh& mesh, const Triangulation& triangles,
                                      const Repair& repair, const LaunchState& state) {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const std::int64_t first = grid.thread_rank(), stride = grid.size();
    for (std::int64_t i = first; i < mesh.count; i += stride) {
        triangles.leaving[i] = kNoHalfEdge;
        state.triangulated[i] = mesh.points[i];
    }
    for (std::int64_t i = first; i < 2 * mesh.bar_count / 3; i += stride) repair.claims[i] = ~0ull;
    if (first == 0) repair.wished[0] = repair.wished[1] = *state.listed = 0;
}

// find_bars_kernel of limit/03, with the rest of check_kernel: is a triangle turned over, or is a
// triangle of the boundary not inside?
__device__ __forceinline__ void find_bars(const DeviceMesh& mesh, const Triangulation& triangles,
                                          int* failed) {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (std::int64_t i = grid.thread_rank(); i < 2 * mesh.bar_count; i += grid.size()) {
        const int h = static_cast<int>(i), g = triangles.twins[h], *corners = triangles.corners;
        const int a = corners[h], b = corners[next(h)], c = corners[previous(h)];
        const int d = corners[previous(g)];
        if (a != kGhost) atomicMin(&triangles.leaving[a], h);
        if (h % 3 == 0 && is_turned_over(mesh, &corners[h])) atomicOr(failed, 1);
        if (h > g) continue;
        const bool left = is_inside(mesh, a, b, c), right = is_inside(mesh, b, a, d);
        mesh.bars[triangles.edges[h]] = left || right ? make_int2(a, b) : make_int2(-1, -1);
        const bool outside = a != kGhost && b != kGhost && (c == kGhost) != (d == kGhost);
        if (outside && !left && !right) atomicOr(failed, 1);
    }
}

__device__ __forceinline__ void note(Launched& launched, const Status& ended,
                                     std::int64_t iterations, bool repairs, int bars) {
    launched.status = ended;
    launched.iterations += iterations;
    launched.iterations_here = iterations;
    launched.repairs += repairs ? 1 : 0;
    launched.bars += iterations * bars;
}

__global__ void __launch_bounds__(kBlockSize, 2)
    generate_kernel(DeviceMesh mesh, Triangulation triangles, BarLists bars, Repair repair,
                    Loop loop, LaunchState state) {
    __shared__ distmesh::SharedLists s_lists;
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const bool leads = grid.thread_rank() == 0;
    Launched* launched = state.launched;  // only the first thread reads and writes it
    bool is_mesh = false;
    for (bool repairs = false;; repairs = true) {
        begin(mesh, triangles, repair, state);
        grid.sync();
        if (leads) *loop.progress = {};
        if (leads) *state.rest = 0;
        const bool is_right = !repairs || flip_wrong(mesh, triangles, repair);
        find_bars(mesh, triangles, state.failed);
        grid.sync();
        if (repairs && (!is_right || *state.failed != 0)) {
            if (leads) launched->status.moving = 1;  // the mesh is not at rest any more
            break;
        }
        for (std::int64_t i = grid.thread_rank(); i < mesh.count; i += grid.size()) {
            list_bars(mesh, triangles, bars, state.listed, i);
        }
        grid.sync();
        iterate(mesh, own_lists(mesh, bars, s_lists), loop);
        grid.sync();
        const std::int64_t iterations = loop.progress->iterations;
        const Status ended = loop.progress->statuses[iterations % 2];
        loop.first += iterations;
        loop.most -= iterations;
        if (leads) note(*launched, ended, iterations, repairs, *state.listed / 2);
        if (ended.crowded != 0) break;
        if (ended.moving == 0 && iterations == 1) {
            find_unrest(mesh, triangles, state.rest);
            grid.sync();
            const int rest = *state.rest;
            is_mesh = rest == 0 || (rest == kToMend && loop.most == 0);
            if (is_mesh || rest == kToMend) break;
        }
        if (loop.most == 0 || !state.can_repair) break;
    }
    if (!is_mesh) return;
    if (leads) launched->is_mesh = 1;
    for (std::int64_t i = grid.thread_rank(); i < 2 * mesh.bar_count / 3; i += grid.size()) {
        const int h = 3 * static_cast<int>(i);
        if (!was_inside(mesh, triangles, h)) triangles.corners[h] = kGhost;  // for the host
    }
}

class OneLaunch : public distmesh::ResidentMesh {
  public:
    using ResidentMesh::ResidentMesh;

    void come_to_rest(Mesh& host, bool kept) {
        for (bool is_mesh = false; !is_mesh && (kept || host.triangulate()); kept = false) {
            if (!kept) copy_triangulation(host);
            is_mesh = launch(host).is_mesh != 0;
            if (host.at_rest()) copy_mesh(host);
            if (is_mesh) {
                timer_.begin(Phase::kHost);
                std::erase_if(host.triangles, [](auto& triangle) { return triangle.a == kGhost; });
            } else {
                if (host.at_rest()) host.leave_out_others();
                copy_points(host);
            }
        }
        timer_.note_grid(iterate_.blocks, kBlockSize);
        timer_.declare_work(host.work());
    }

  private:
    Launched launch(Mesh& host) {
        timer_.begin(Phase::kKernels);
        cuda_check(cudaMemsetAsync(crowded_.data(), 0, crowded_.bytes()));
        cuda_check(cudaMemsetAsync(failed_.data(), 0, failed_.bytes()));
        cuda_check(cudaMemsetAsync(launched_.data(), 0, launched_.bytes()));
        BarLists bars = {begins_.data(), ends_.data(), list_.data()};
        Repair repair = {claims_.data(), wishes_.data(), wished_.data()};
        Loop loop = {sums_.data(), progress_.data(), host.iterations(), host.iterations_left()};
        LaunchState state = {triangulated_.data(), listed_.data(),   failed_.data(),
                             rest_.data(),         launched_.data(), host.can_repair()};
        void* arguments[] = {&mesh, &triangles, &bars, &repair, &loop, &state};
        const unsigned blocks = distmesh::blocks_for(2 * mesh.bar_count);
        cuda_check(cudaLaunchCooperativeKernel(
            generate_kernel, std::min(blocks, static_cast<unsigned>(iterate_.blocks)), kBlockSize,
            arguments));
        timer_.begin(Phase::kCopyOut);
        Launched launched;
        copy(&launched, launched_.data(), 1, cudaMemcpyDeviceToHost);
        timer_.end();
        host.end_launch(launched);
        return launched;
    }

    DeviceBuffer<int> rest_{1};
    DeviceBuffer<Launched> launched_{1};
};

void generate_mesh(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    Mesh mesh(input);
    const Rows rows = rows_of(input);
    OneLaunch resident(input, {nullptr, distmesh::resident_blocks(generate_kernel, kBlockSize)},
                       timer);
    bool kept = rows.loose.empty() && rows.count() > 1 && mesh.begin_on_device();
    if (kept) kept = mesh.end_repair(triangulate_rows(rows, resident, timer));
    resident.come_to_rest(mesh, kept);
    mesh.finish(output, timer);
}

int main(int argc, char** argv) {
    return distmesh::run_stage(argc, argv, STAGE_NAME, generate_mesh);
}
