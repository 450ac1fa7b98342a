// SPDX-License-Identifier: MIT
// What the host proves of waves, and the particles' way to the device.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "problem/storms.hpp"

namespace storms {

// Whether no particle has the value 0, and all cells and particles lie within `limit` of 0.
inline bool is_proven(std::span<const Wave> waves, std::int64_t size, std::int64_t limit) {
    return size <= limit && std::ranges::all_of(waves, [&](const Wave& wave) {
               return !wave.has_zeros() && wave.is_nearer_than(limit);
           });
}

// Copies the particles of all waves to the device, and where each wave begins in their lists;
// begins[waves] is where the last one ends.
inline void copy_particles(const Input& input, std::int64_t* positions, int* values,
                           std::int64_t* begins) {
    std::vector<std::int64_t> firsts = {0};
    for (const Wave& wave : input.waves) {
        const std::int64_t first = firsts.back();
        course::cuda_check(cudaMemcpy(positions + first, wave.positions.data(),
                                      wave.count() * sizeof(std::int64_t), cudaMemcpyHostToDevice));
        course::cuda_check(cudaMemcpy(values + first, wave.values.data(),
                                      wave.count() * sizeof(int), cudaMemcpyHostToDevice));
        firsts.push_back(first + wave.count());
    }
    course::cuda_check(cudaMemcpy(begins, firsts.data(), firsts.size() * sizeof(std::int64_t),
                                  cudaMemcpyHostToDevice));
}

}  // namespace storms
