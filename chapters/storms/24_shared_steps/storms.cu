// SPDX-License-Identifier: MIT
// Storms, stage 24: shared steps.
// Idea: with many cells, too, only the steps of far particles are added. In a binade, the order is
// free. So all warps of a block add the steps of 128 particles to one tile of 1280 cells, and what
// is done once per particle and tile is done for 1280 cells instead of 256. Cells for which the
// order matters are queued, and each thread adds the particles to one of them in order.
// Compared with 23_step_functions: a kernel for many cells, from device/shared_steps.cuh.
// Limit now: the steps, the cells that are added to in order, and barriers between both.
// Not of the thesis nor of Blanco and González 2018.
#include <cuda_runtime.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/shared_memory.hpp"
#include "device/copies.cuh"
#include "device/parts.cuh"
#include "device/passes.cuh"
#include "device/shared_steps.cuh"
#include "device/split.cuh"
#include "device/steps.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::add_each_near, storms::add_steps, storms::bombard_in_passes, storms::bombard_kernel;
using storms::copy_particles, storms::correct_words, storms::Input, storms::is_split;
using storms::kBinade, storms::Key, storms::kInfinity, storms::kLastPosition;
using storms::kMostWaves, storms::kNeighbours, storms::kTile, storms::kUpdateBlock;
using storms::kWarps, storms::maximum_of, storms::Output, storms::Part, storms::Passes;
using storms::Phase, storms::PhaseTimer, storms::see, storms::Seen, storms::split_particles_kernel;
using storms::SplitTile, storms::Steps, storms::sum_below;

// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);
constexpr int kMostSteps = 24;  // of a particle on a tile; one with more is added cell by cell

// How a warp sums its part of the particles, for split_particles_kernel(). As sum_part() of stage
// 22, but of a far particle only its steps are added.
struct StepSums {
    using Scratch = Steps;
    static __device__ __forceinline__ void sum(Part& part, const int (&bases)[kTile], float first,
                                               int existing, float2 particle, Steps& s_steps) {
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
        const Seen seen = see<kTile, kMostSteps>(particle, lane < existing, first, lowest, highest);
        unsigned open = 0;  // cells of this lane that need exact energies
        const bool some_far = __any_sync(~0u, seen.is_far);
        // The units of two binades are not the same, so each has its own steps.
#pragma unroll 1
        for (int base = lowest; some_far && base <= highest; base += kBinade) {
            for (int j = 0; j < kNeighbours; ++j) part.words[32 * j + lane] = 0;
            s_steps.ties[lane] = 0;
            const int at_first =
                add_steps<32, kNeighbours>(part.words, s_steps.ties, s_steps.particles, base, seen);
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
        const bool is_near = lane < existing && !seen.is_far;
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

void bombard_layer(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t size = input.size;
    if (size > kLastPosition) throw course::UsageError("--n: a key holds positions below 2^33");
    const int block_size = kUpdateBlock;  // the shared lists have this length
    timer.begin(Phase::kSetup);
    std::vector<float>& layer = output.layer;
    const std::int64_t waves = static_cast<std::int64_t>(input.waves.size());
    const bool split = is_split(input);
    const Passes passes(size, split ? 1 : waves);
    const std::int64_t tiles = (size + kTile - 1) / kTile;
    // The first pass reads no layer.
    DeviceBuffer<float> d_layer(split || waves > kMostWaves ? size : 0), d_relaxed_layer(size);
    DeviceBuffer<Key> d_keys(waves);
    std::vector<Key> keys(waves);
    cuda_check(cudaMemset(d_keys.data(), 0, d_keys.bytes()));
    DeviceBuffer<std::int64_t> d_particle_positions(input.particles());
    DeviceBuffer<int> d_particle_values(input.particles());
    DeviceBuffer<std::int64_t> d_begins(waves + 1), d_no_begins(2);
    const auto kernel = split_particles_kernel<StepSums>;
    course::allow_dynamic_shared(kernel, sizeof(SplitTile<StepSums>));
    cuda_check(cudaMemset(d_no_begins.data(), 0, d_no_begins.bytes()));
    if (split) cuda_check(cudaMemset(d_layer.data(), 0, d_layer.bytes()));

    timer.begin(Phase::kCopyIn);
    copy_particles(input, d_particle_positions.data(), d_particle_values.data(), d_begins.data());

    timer.begin(Phase::kKernels);
    std::int64_t begin = 0;  // of the wave's particles
    for (std::int64_t w = 0; split && w < waves; begin += input.waves[w++].count()) {
        kernel<<<tiles, 32 * kWarps, sizeof(SplitTile<StepSums>)>>>(
            d_layer.data(), size, d_particle_positions.data() + begin,
            d_particle_values.data() + begin, static_cast<unsigned>(input.waves[w].count()));
        cuda_check(cudaGetLastError());
        // A wave without particles: the relaxation, and the maximum.
        bombard_kernel<1, int><<<passes.blocks, block_size>>>(
            d_layer.data(), d_relaxed_layer.data(), size, nullptr, nullptr, d_no_begins.data(), 1,
            passes.halo, d_keys.data() + w);
        cuda_check(cudaGetLastError());
        std::swap(d_layer, d_relaxed_layer);
    }
    if (!split) {
        bombard_in_passes(input, passes, d_layer, d_relaxed_layer, d_particle_positions.data(),
                          d_particle_values.data(), d_begins.data(), d_keys.data(),
                          storms::bombard_steps_kernel);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    for (std::int64_t w = 0; w < waves; ++w) output.maxima[w] = maximum_of(keys[w]);
    cuda_check(cudaMemcpy(layer.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(split ? tiles : passes.blocks, split ? 32 * kWarps : block_size);
    const std::int64_t reads = split ? waves : passes.count;
    timer.declare_work({.bytes = kBytesPerCell * static_cast<double>((2 * reads - 1) * size),
                        .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
