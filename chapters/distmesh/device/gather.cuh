// SPDX-License-Identifier: MIT
// The steps of stage 03's kernels as functions, for a kernel that takes all of them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/move_points.cuh"
#include "problem/distmesh.hpp"

namespace distmesh {

// Over all bars: the squares of the lengths that they have and that they shall have.
struct Sums {
    double lengths, wanted;
};

// How far a launch came: the last iteration's status, and how many there were.
struct Progress {
    Status status;
    std::int64_t iterations;
};

// What the iterations of a triangulation need.
struct Loop {
    double2* points;
    const double2* triangulated;
    const int2* bars;
    const int *offsets, *list;
    double *lengths, *wanted;
    double2* pushes;
    int* crowded;
    Sums* sums;
    Status* statuses;  // two, both cleared
    Progress* progress;
    std::int64_t count, bar_count, fixed, first, most;  // iterations done before, and still to do
    Domain domain;
    double h0;
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
    return s_sums[0];  // a grid barrier follows before it is written again
}

__device__ __forceinline__ Sums measure_bar(const Loop& loop, std::int64_t i) {
    const int2 bar = loop.bars[i];
    const double2 a = loop.points[bar.x], b = loop.points[bar.y];
    const double dx = a.x - b.x, dy = a.y - b.y;
    const double square = dx * dx + dy * dy;
    const double target = wanted_length(loop.domain, (a.x + b.x) / 2, (a.y + b.y) / 2);
    loop.lengths[i] = std::sqrt(square);
    loop.wanted[i] = target;
    return {square, target * target};
}

__device__ __forceinline__ void compute_force(const Loop& loop, std::int64_t i, Sums sums,
                                              bool density, Status* status) {
    const int2 bar = loop.bars[i];
    const double2 a = loop.points[bar.x], b = loop.points[bar.y];
    const double length = loop.lengths[i];
    const double rest = loop.wanted[i] * kPressure * std::sqrt(sums.lengths / sums.wanted);
    const double force = std::fmax(rest - length, 0.0) / length;
    loop.pushes[i] = make_double2(force * (a.x - b.x), force * (a.y - b.y));
    if (density && rest > kCrowded * length) {
        atomicOr(&loop.crowded[bar.x], 1);
        atomicOr(&loop.crowded[bar.y], 1);
        atomicOr(&status->crowded, 1);
    }
}

// `list` has the bars of point i from offsets[i] on: bar, or ~bar where i is the second end.
__device__ __forceinline__ double2 add_forces(const Loop& loop, std::int64_t i) {
    double2 force = make_double2(0, 0);
    for (int place = loop.offsets[i]; place < loop.offsets[i + 1]; ++place) {
        const int bar = loop.list[place];
        const double2 push = loop.pushes[bar < 0 ? ~bar : bar];
        const double sign = bar < 0 ? -1 : 1;
        force = make_double2(force.x + sign * push.x, force.y + sign * push.y);
    }
    return force;
}

}  // namespace distmesh
