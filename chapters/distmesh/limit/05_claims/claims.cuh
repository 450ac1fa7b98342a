// SPDX-License-Identifier: MIT
// Flips of many edges at once, each of claimed triangles.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "limit/04_edge_flips/flip.cuh"
#include "limit/04_edge_flips/wrong_edges.cuh"

namespace distmesh {

constexpr int kMostRounds = 200;  // ten times what was seen: flips that undo each other end here

struct Repair {
    unsigned long long* claims;  // of each triangle: the least of those that edges made
    int* wishes;  // half-edges that should be flipped in this round
    int* wished;  // how many; two, one is cleared while the other is used
};

// Different for each half-edge, as the factor is odd, and mixed: else neighbours in a row would be
// flipped one after the other. Less in later rounds, so that claims need not be cleared.
__device__ __forceinline__ unsigned long long claim_of(int h, int round) {
    const unsigned mixed = (static_cast<unsigned>(h) * 2654435761u) ^ (round * 0x9e3779b9u);
    return static_cast<unsigned long long>(kMostRounds - round) << 32 | mixed;
}

// For two triangles to flip, and two beside them that get new twins.
__device__ __forceinline__ void claim(const Triangulation& triangles, unsigned long long* claims,
                                      int h, int g, int round) {
    const unsigned long long own = claim_of(h, round);
    atomicMin(&claims[h / 3], own);
    atomicMin(&claims[g / 3], own);
    atomicMin(&claims[triangles.twins[next(h)] / 3], own);
    atomicMin(&claims[triangles.twins[next(g)] / 3], own);
}

// Reads no triangle before it is its own: others are being flipped meanwhile.
__device__ __forceinline__ bool got_all(const Triangulation& triangles,
                                        const unsigned long long* claims, int h, int round) {
    const unsigned long long own = claim_of(h, round);
    if (claims[h / 3] != own) return false;
    const int g = triangles.twins[h];
    if (claims[g / 3] != own || claims[triangles.twins[next(h)] / 3] != own) return false;
    return claims[triangles.twins[next(g)] / 3] == own;
}

// All blocks of the grid flip edges. Returns whether none is wrong then.
__device__ __forceinline__ bool flip_wrong(const DeviceMesh& mesh, const Triangulation& triangles,
                                           const Repair& repair) {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const std::int64_t first = grid.thread_rank(), stride = grid.size();
    for (int round = 0; round < kMostRounds; ++round) {
        int* wished = &repair.wished[round % 2];
        for (std::int64_t i = first; i < 2 * mesh.bar_count; i += stride) {
            const int h = static_cast<int>(i), g = triangles.twins[h];
            if (h < g && is_wrong(mesh, triangles, h, g)) {
                repair.wishes[atomicAdd(wished, 1)] = h;
                claim(triangles, repair.claims, h, g, round);
            }
        }
        grid.sync();
        if (*wished == 0) return true;
        if (first == 0) repair.wished[(round + 1) % 2] = 0;
        for (std::int64_t i = first; i < *wished; i += stride) {
            const int h = repair.wishes[i];
            if (got_all(triangles, repair.claims, h, round)) flip(triangles, h);
        }
        grid.sync();
    }
    return false;
}

__global__ void repair_kernel(DeviceMesh mesh, Triangulation triangles, Repair repair) {
    flip_wrong(mesh, triangles, repair);
}

}  // namespace distmesh
