// SPDX-License-Identifier: MIT
// How a warp sums its part of the particles by steps.
#pragma once

#include <cuda_runtime.h>

#include "limit/09_split_particles/split.cuh"
#include "limit/10_step_functions/steps.cuh"

namespace storms {

constexpr int kMostSteps = 24;  // of a particle on a tile; one with more is added cell by cell

// As BoundSums, but of a far particle only its steps are added.
struct StepSums {
    using Scratch = Steps;
    template <typename Load>
    static __device__ __forceinline__ void sum(Part& part, const int (&bases)[kTile], float first,
                                               int existing, float2 particle, Steps& s_steps,
                                               const Load& load_next) {
        load_next();
        const int lane = threadIdx.x % 32;
        float low[kNeighbours], high[kNeighbours];
        int units[kNeighbours] = {}, lowest = kInfinity, highest = 0;
        for (int j = 0; j < kNeighbours; ++j) {
            const int base = bases[32 * j + lane];
            low[j] = high[j] = __int_as_float(base);
            lowest = min(lowest, base);
            highest = max(highest, base < kInfinity ? base : 0);
        }
        lowest = __reduce_min_sync(~0u, lowest);
        highest = __reduce_max_sync(~0u, highest);
        const RelativeParticle own =
            relative_to_tile<kTile, kMostSteps>(particle, lane < existing, first, lowest, highest);
        unsigned open = 0;  // cells of this lane that need exact energies
        const bool some_far = __any_sync(~0u, own.is_far);
        // The units of two binades are not the same, so each has its own steps.
#pragma unroll 1
        for (int base = lowest; some_far && base <= highest; base += kBinade) {
            for (int j = 0; j < kNeighbours; ++j) part.words[32 * j + lane] = 0;
            s_steps.ties[lane] = 0;
            const int at_first =
                add_steps<32, kNeighbours>(part.words, s_steps.ties, s_steps.particles, base, own);
            __syncwarp();  // all steps have been added
            int steps[kNeighbours], sum = 0;
            for (int j = 0; j < kNeighbours; ++j) steps[j] = sum += part.words[32 * j + lane];
            const int before = at_first + sum_below(sum);
            for (int j = 0; j < kNeighbours; ++j) {
                if (__float_as_int(low[j]) != base) continue;
                units[j] = before + steps[j];
                open |= s_steps.ties[lane] & 1u << j;
            }
        }
        // All other particles, cell by cell: by the sums of two bounds, from the same base on.
        const bool is_near = lane < existing && !own.is_far;
        add_each_near(low, high, first + kNeighbours * lane, particle, is_near);
        for (int j = 0; j < kNeighbours; ++j) {
            units[j] += __float_as_int(low[j]) - bases[32 * j + lane];
            part.words[32 * j + lane] = units[j];
            if (low[j] < high[j]) open |= 1u << j;
            if (units[j] >= kBinade) open &= ~(1u << j);
        }
        correct_words(part, bases, first, particle, open);
    }
};

}  // namespace storms
