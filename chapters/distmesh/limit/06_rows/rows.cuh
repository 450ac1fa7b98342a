// SPDX-License-Identifier: MIT
// The first triangulation, merged from the rows of the lattice.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "blocks/resident_mesh/resident_mesh.cuh"

namespace distmesh {

// The rows on the device, as in Rows. A place is an index of the list of all rows.
struct DeviceRows {
    const int *points, *begins;  // of each place; of each row
    int count;
    const double2* where;  // of each point
};

struct Row {
    int first, last;  // places
};

__device__ __forceinline__ Row row_at(const DeviceRows& rows, int row) {
    return {rows.begins[row], rows.begins[row + 1] - 1};
}

// Twice the x of the middle between a place and the next one of its row.
__device__ __forceinline__ double middle(const DeviceRows& rows, int place) {
    return rows.where[rows.points[place]].x + rows.where[rows.points[place + 1]].x;
}

// The first place of a row whose middle comes after `key` in the merged order, or its last place.
// If two middles are equal, that of the lower row comes first.
__device__ __forceinline__ int apex_of(const DeviceRows& rows, Row row, double key, bool is_lower) {
    int low = row.first, high = row.last;
    while (low < high) {
        const int probe = (low + high) / 2;
        const double other = middle(rows, probe);
        const bool before = is_lower ? other <= key : other < key;
        (before ? low : high) = before ? probe + 1 : probe;
    }
    return low;
}

// Place i has two triangles, over and under the edge to the next place. Half-edge 0 is that edge;
// then `over` goes on to its right side and `under` to its left side. At the last place of a row
// there is no such edge: the ghosts on the right and on the left side of its band take these names.
__device__ __forceinline__ int over(int place, int k) { return 6 * place + k; }
__device__ __forceinline__ int under(int place, int k) { return 6 * place + 3 + k; }

// The triangle to the right of the edge between places a and b of a lower and an upper row: that
// half-edge of it which is this edge.
__device__ __forceinline__ int right_of(const DeviceRows& rows, Row lower, Row upper, int a,
                                        int b) {
    const bool up = b == upper.last || (a < lower.last && middle(rows, a) <= middle(rows, b));
    return up ? over(a, 2) : under(b, 1);
}

__device__ __forceinline__ int left_of(const DeviceRows& rows, Row lower, Row upper, int a, int b) {
    if (a == lower.first && b == upper.first) return under(upper.last, 2);
    const bool up =
        b == upper.first || (a > lower.first && middle(rows, a - 1) > middle(rows, b - 1));
    return up ? over(a - 1, 1) : under(b - 1, 2);
}

__device__ __forceinline__ void store(int* list, int h, int first, int second, int third) {
    list[h] = first;
    list[h + 1] = second;
    list[h + 2] = third;
}

// One block per row, one thread per place. The bottom and the top row leave their edges to ghosts
// to close_kernel.
__global__ void merge_rows_kernel(DeviceRows rows, Triangulation triangles) {
    const int row = static_cast<int>(blockIdx.x), top = rows.count - 1;
    const Row own = row_at(rows, row);
    const Row lower = row_at(rows, max(row - 1, 0)), upper = row_at(rows, min(row + 1, top));
    int *corners = triangles.corners, *twins = triangles.twins;
    for (int i = own.first + static_cast<int>(threadIdx.x); i <= own.last; i += kBlockSize) {
        const bool has_next = i < own.last;
        const int point = rows.points[i], beside = has_next ? rows.points[i + 1] : kGhost;
        const int h = over(i, 0), g = under(i, 0);
        if (row < top) {
            const int b = apex_of(rows, upper, has_next ? middle(rows, i) : HUGE_VAL, false);
            const int down = row > 0 ? over(lower.last, 1) : kNoHalfEdge;
            const int up = row + 1 < top ? over(upper.last, 0) : kNoHalfEdge;
            store(corners, h, point, beside, rows.points[b]);
            store(twins, h, has_next ? g : down,
                  has_next ? right_of(rows, own, upper, i + 1, b) : up,
                  left_of(rows, own, upper, i, b));
        } else if (has_next) {
            store(corners, h, point, beside, kGhost);
            store(twins, h, g, kNoHalfEdge, kNoHalfEdge);
        } else {  // this triangle and one under the bottom row are no part of the others
            const int unused = under(row_at(rows, 0).last, 0);
            store(corners, h, kGhost, kGhost, kGhost);
            store(corners, unused, kGhost, kGhost, kGhost);
            store(twins, h, unused, unused + 2, unused + 1);
            store(twins, unused, h, h + 2, h + 1);
        }
        if (row > 0) {
            const int a = apex_of(rows, lower, has_next ? middle(rows, i) : -HUGE_VAL, true);
            const int up = row < top ? under(upper.last, 1) : kNoHalfEdge;
            const int down = row > 1 ? under(lower.last, 0) : kNoHalfEdge;
            const int first = rows.points[own.first];
            store(corners, g, has_next ? beside : first, has_next ? point : kGhost, rows.points[a]);
            store(twins, g, has_next ? h : up, has_next ? left_of(rows, lower, own, a, i) : down,
                  right_of(rows, lower, own, a, has_next ? i + 1 : own.first));
        } else if (has_next) {
            store(corners, g, beside, point, kGhost);
            store(twins, g, h, kNoHalfEdge, kNoHalfEdge);
        }
    }
}

// One thread per half-edge: the edges, three per place, and the twins that are still missing. The
// ghost beyond such an edge is found by turning round its point, through the triangles.
__global__ void close_kernel(std::int64_t half_edges, Triangulation triangles) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i >= half_edges) return;
    int *twins = triangles.twins, *corners = triangles.corners;
    const int h = static_cast<int>(i), k = h % 6;
    const bool from_ghost = corners[h] == kGhost, to_ghost = corners[next(h)] == kGhost;
    int g, edge;
    if (from_ghost && to_ghost) {  // of the two triangles that are no part
        g = twins[h];
        if (h > g) return;
        edge = k == 5 ? g / 6 * 3 + 1 : h / 6 * 3 + (k == 3 ? 0 : 2);
    } else if (to_ghost) {
        g = twins[h];
        if (g == kNoHalfEdge) {
            g = twins[previous(h)];
            while (corners[previous(g)] != kGhost) g = twins[previous(g)];
            g = previous(g);
            twins[h] = g;
            twins[g] = h;
        }
        edge = g / 6 * 3 + (g % 6 < 3 ? 1 : g % 6 == 5 ? 2 : 0);
    } else if (!from_ghost && (k == 0 || k == 1 || k == 5)) {
        g = twins[h];
        edge = h / 6 * 3 + min(k, 2);
    } else {
        return;
    }
    triangles.edges[h] = triangles.edges[g] = edge;
}

// Returns whether the device has the triangulation of the domain then.
inline bool triangulate_rows(const Rows& rows, ResidentMesh& resident, PhaseTimer& timer) {
    DeviceBuffer<int> d_points(static_cast<std::int64_t>(rows.points.size()));
    DeviceBuffer<int> d_begins(static_cast<std::int64_t>(rows.begins.size()));
    timer.begin(Phase::kCopyIn);
    copy(d_points.data(), rows.points.data(), d_points.count(), cudaMemcpyHostToDevice);
    copy(d_begins.data(), rows.begins.data(), d_begins.count(), cudaMemcpyHostToDevice);
    timer.begin(Phase::kKernels);
    const DeviceRows d_rows = {d_points.data(), d_begins.data(), static_cast<int>(rows.count()),
                               resident.mesh.points};
    merge_rows_kernel<<<d_rows.count, kBlockSize>>>(d_rows, resident.triangles);
    cuda_check(cudaGetLastError());
    const std::int64_t half_edges = 2 * resident.mesh.bar_count;
    const auto blocks = static_cast<unsigned>((half_edges + kBlockSize - 1) / kBlockSize);
    close_kernel<<<blocks, kBlockSize>>>(half_edges, resident.triangles);
    cuda_check(cudaGetLastError());
    timer.end();
    // The first flips fill the convex hull. The next ones empty what is outside the domain.
    Domain plane{};
    plane.shapes[plane.count++].a = HUGE_VAL;  // a circle of this radius
    resident.mend(plane);
    return resident.mend(resident.mesh.domain);
}

}  // namespace distmesh
