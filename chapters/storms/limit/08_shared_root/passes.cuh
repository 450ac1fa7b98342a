// SPDX-License-Identifier: MIT
// All waves of an input in passes over the layer, each by the kernel that its particles allow. A
// later stage may have another kernel for many cells.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/06_waves_in_one_pass/copies.cuh"
#include "limit/08_shared_root/neighbours.cuh"
#include "problem/storms.hpp"

namespace storms {

// From so many cells on, ten cells per thread leave at least 200 blocks.
constexpr std::int64_t kManyCells = std::int64_t{1} << 18;
constexpr std::int64_t kMostWaves = 8;  // per pass

struct Passes {
    Passes(std::int64_t size, std::int64_t waves)
        : many(size >= kManyCells),
          count((waves + kMostWaves - 1) / kMostWaves),
          halo(static_cast<int>(std::min(waves, kMostWaves)) + 1),
          cells((many ? kMostCells : 1) * kUpdateBlock - 2 * halo),
          blocks((size + cells - 1) / cells) {}
    bool many;
    std::int64_t count;
    int halo;
    std::int64_t cells;  // of a block
    std::int64_t blocks;
};

using PassKernel = decltype(bombard_neighbours_kernel);

// Whether no sum ever falls.
inline bool is_positive(std::span<const Wave> waves) {
    return std::ranges::all_of(waves, [](const Wave& wave) {
        return std::ranges::all_of(wave.values, [](int value) { return value > 0; });
    });
}

// `layer` has the cells after the last wave, and a key per wave the maxima. With one pass, `layer`
// may be empty before. positions, values, begins: see copy_particles(). positive_kernel: for many
// cells and short distances, if all values of a pass are positive; nullptr: there is none.
inline void bombard_in_passes(const Input& input, const Passes& passes,
                              course::DeviceBuffer<float>& layer,
                              course::DeviceBuffer<float>& relaxed_layer,
                              const std::int64_t* positions, const int* values,
                              const std::int64_t* begins, Key* keys,
                              PassKernel* positive_kernel = nullptr) {
    const std::int64_t size = input.size, waves = std::ssize(input.waves);
    for (std::int64_t w = 0; w < waves; w += kMostWaves) {
        const std::span<const Wave> pass(&input.waves[w], std::min(kMostWaves, waves - w));
        const auto launch = [&](auto kernel) {
            kernel<<<passes.blocks, kUpdateBlock>>>(
                w > 0 ? layer.data() : nullptr, relaxed_layer.data(), size, positions, values,
                begins + w, std::ssize(pass), passes.halo, keys + w);
            course::cuda_check(cudaGetLastError());
        };
        if (is_proven(pass, size, kShort)) {
            const bool positive = positive_kernel != nullptr && is_positive(pass);
            PassKernel* const many_kernel = positive ? positive_kernel : bombard_neighbours_kernel;
            launch(passes.many ? many_kernel : bombard_short_kernel<1>);
        } else if (is_proven(pass, size, kNear)) {
            launch(passes.many ? bombard_kernel<kMostCells, int> : bombard_kernel<1, int>);
        } else {
            launch(passes.many ? bombard_kernel<kMostCells, std::int64_t>
                               : bombard_kernel<1, std::int64_t>);
        }
        std::swap(layer, relaxed_layer);
    }
}

}  // namespace storms
