// SPDX-License-Identifier: MIT
// Distmesh, stage 13: lanes.
// Idea: two lanes of a warp take the bars of one point, four bars at once, and add up the forces by
// a shuffle. Each end of a bar computes its force, so no force is stored, and an iteration needs
// two barriers of the grid, not three. Points move from list to list: neighbours need old places.
// Compared with 12_rows: iterate_kernel. The merge of rows is in device/rows.cuh.
// Limit now: before a point is loaded, its list, the entry in it and the bar must have come.
// Not of the thesis nor of Gaudiani 2012.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "device/rows.cuh"

using distmesh::BarLists, distmesh::DeviceMesh, distmesh::Loop, distmesh::Status, distmesh::Sums;
using distmesh::Input, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;
using distmesh::kBlockSize, distmesh::sum_block, distmesh::sum_blocks;
using distmesh::Mesh, distmesh::ResidentMesh, distmesh::Rows;

constexpr int kLanes = 2, kTogether = 4;  // of a point; bars of a lane
constexpr int kMoving = 1, kDrifted = 2;

// The bars of a block's points, as the kernels before listed them.
struct Lists {
    const DeviceMesh& mesh;
    const BarLists& bars;
    int first, count;  // the points, the same ones in all iterations

    // Calls `visit` with the bars of point first + k that are this lane's: with the other end, and
    // the bar, or ~bar where the point is its second end. No load is behind a branch, so those of
    // kTogether bars are on their way at once. The last bar may be loaded more than once.
    __device__ __forceinline__ void visit_bars(const double2* points, int k,
                                               const auto& visit) const {
        const int end = bars.ends[first + k];
        int place = bars.begins[first + k] + static_cast<int>(threadIdx.x) % kLanes;
        for (; place < end; place += kTogether * kLanes) {
            int entries[kTogether];
            double2 others[kTogether];
#pragma unroll
            for (int n = 0; n < kTogether; ++n) {
                const int entry = bars.list[min(place + n * kLanes, end - 1)];
                const int2 ends = mesh.bars[entry < 0 ? ~entry : entry];
                entries[n] = entry;
                others[n] = points[entry < 0 ? ends.x : ends.y];
            }
#pragma unroll
            for (int n = 0; n < kTogether; ++n) {
                if (place + n * kLanes < end) visit(others[n], entries[n]);
            }
        }
    }
};

// The sums over this thread's bars whose first end is a point of the block.
__device__ __forceinline__ Sums measure_bars(const DeviceMesh& mesh, const auto& lists,
                                             const double2* points) {
    Sums sums = {0, 0};
    const int thread = static_cast<int>(threadIdx.x);
    for (int k = thread / kLanes; k < lists.count; k += kBlockSize / kLanes) {
        const double2 a = points[lists.first + k];
        lists.visit_bars(points, k, [&](double2 b, int bar) {
            if (bar < 0) return;
            const double dx = a.x - b.x, dy = a.y - b.y;
            double wanted = 1;
            if (mesh.domain.grading != 0) {
                wanted = wanted_length(mesh.domain, (a.x + b.x) / 2, (a.y + b.y) / 2);
                mesh.wanted[bar] = wanted;
            }
            sums = add(sums, {dx * dx + dy * dy, wanted * wanted});
        });
    }
    return sums;
}

// The force on point k from this lane's bars. Is one of them much too short?
__device__ __forceinline__ double2 push_point(const DeviceMesh& mesh, const auto& lists,
                                              const double2* points, double rest, int k,
                                              bool& crowded) {
    const double2 a = points[lists.first + k];
    double2 force = make_double2(0, 0);
    lists.visit_bars(points, k, [&](double2 b, int bar) {
        const double dx = a.x - b.x, dy = a.y - b.y;
        const double wanted = mesh.domain.grading == 0 ? 1 : mesh.wanted[bar < 0 ? ~bar : bar];
        const double ratio = rest * wanted * rsqrt(dx * dx + dy * dy);  // to the length
        const double push = std::fmax(ratio - 1, 0.0);
        force = make_double2(force.x + push * dx, force.y + push * dy);
        crowded = crowded || ratio > distmesh::kCrowded;
    });
    return force;
}

// Like move_point() of 01, but from list to list, with squares in place of roots, and returns what
// the status should say.
__device__ __forceinline__ int move_point(const DeviceMesh& mesh, const double2* points,
                                          double2* moved, int i, double2 force) {
    const double h0 = mesh.h0, step = distmesh::kGradientStep * h0;
    const double stop = distmesh::kStopTolerance * h0, drift = distmesh::kTriangulateTolerance * h0;
    const double2 start = mesh.triangulated[i];
    const double dx = distmesh::kTimeStep * force.x, dy = distmesh::kTimeStep * force.y;
    double2 point = make_double2(points[i].x + dx, points[i].y + dy);
    const double outside = distance(mesh.domain, point.x, point.y);
    int found = 0;
    if (outside > 0) {
        const double gx = (distance(mesh.domain, point.x + step, point.y) - outside) / step;
        const double gy = (distance(mesh.domain, point.x, point.y + step) - outside) / step;
        const double back = outside / (gx * gx + gy * gy);
        point = make_double2(point.x - back * gx, point.y - back * gy);
    } else if (outside < -distmesh::kInsideTolerance * h0 && dx * dx + dy * dy >= stop * stop) {
        found = kMoving;
    }
    moved[i] = point;
    const double x = point.x - start.x, y = point.y - start.y;
    return x * x + y * y > drift * drift ? found | kDrifted : found;
}

// Moves the points of the block. With `density`, it only marks those that are crowded.
__device__ __forceinline__ void move_points(const DeviceMesh& mesh, const auto& lists,
                                            const double2* points, double2* moved, double rest,
                                            bool density, Status* status) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % kLanes;
    int found = 0;
    for (int base = 0; base < lists.count; base += kBlockSize / kLanes) {
        const int k = base + thread / kLanes, i = lists.first + k;
        const bool exists = k < lists.count;
        double2 force = make_double2(0, 0);
        bool crowded = false;
        if (exists) force = push_point(mesh, lists, points, rest, k, crowded);
        if (density && crowded) atomicOr(&mesh.crowded[i], 1);
        if (density && crowded) atomicOr(&status->crowded, 1);
        force.x += __shfl_xor_sync(0xffffffff, force.x, 1);  // of the other lane
        force.y += __shfl_xor_sync(0xffffffff, force.y, 1);
        if (density || !exists || lane > 0) continue;
        if (i < mesh.fixed) moved[i] = points[i];
        if (i >= mesh.fixed) found |= move_point(mesh, points, moved, i, force);
    }
    if (__syncthreads_or(found & kMoving) && thread == 0) atomicOr(&status->moving, 1);
    if (__syncthreads_or(found & kDrifted) && thread == 0) atomicOr(&status->drifted, 1);
}

__device__ __forceinline__ void iterate(const DeviceMesh& mesh, const auto& lists, Loop loop) {
    __shared__ Sums s_sums[kBlockSize];
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    double2 *points = mesh.points, *moved = mesh.pushes;  // has room for all points
    for (std::int64_t iteration = 0;; ++iteration) {
        const Status ended = loop.progress->statuses[iteration % 2];
        Sums sums = sum_block(measure_bars(mesh, lists, points), s_sums);
        if (iteration > 0 && (is_over(ended) || iteration == loop.most)) {
            if (grid.thread_rank() == 0) loop.progress->iterations = iteration;
            break;
        }
        Status* status = &loop.progress->statuses[(iteration + 1) % 2];
        if (threadIdx.x == 0) loop.sums[blockIdx.x] = sums;
        grid.sync();
        // No thread reads the last status any more.
        if (grid.thread_rank() == 0) loop.progress->statuses[iteration % 2] = {0, 0, 0};
        sums = sum_blocks(loop.sums, gridDim.x, s_sums);
        const double rest = distmesh::kPressure * std::sqrt(sums.lengths / sums.wanted);
        bool density = (loop.first + iteration + 1) % distmesh::kDensityInterval == 0;
        for (;; density = false) {
            const bool moves = density || status->crowded == 0;
            if (moves) move_points(mesh, lists, points, moved, rest, density, status);
            grid.sync();
            if (!density) break;
        }
        if (status->crowded == 0) {
            double2* const before = points;
            points = moved;
            moved = before;
        }
    }
    if (points == mesh.points) return;
    for (int k = static_cast<int>(threadIdx.x); k < lists.count; k += kBlockSize) {
        mesh.points[lists.first + k] = points[lists.first + k];
    }
}

__global__ void __launch_bounds__(kBlockSize, 2)
    iterate_kernel(DeviceMesh mesh, BarLists bars, Loop loop) {
    const int count = static_cast<int>(mesh.count), block = blockIdx.x, blocks = gridDim.x;
    const int each = (count - 1) / blocks + 1, first = min(block * each, count);
    iterate(mesh, Lists{mesh, bars, first, min(each, count - first)}, loop);
}

void generate_mesh(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    Mesh mesh(input);
    const Rows rows = rows_of(input);
    const int blocks = distmesh::resident_blocks(iterate_kernel, kBlockSize);
    ResidentMesh resident(input, {iterate_kernel, blocks, 2}, timer);
    bool kept = rows.loose.empty() && rows.count() > 1 && mesh.begin_on_device();
    if (kept) kept = mesh.end_repair(triangulate_rows(rows, resident, timer));
    resident.come_to_rest(mesh, kept);
    mesh.finish(output, timer);
}

int main(int argc, char** argv) {
    return distmesh::run_stage(argc, argv, STAGE_NAME, generate_mesh);
}
