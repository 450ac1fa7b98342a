// SPDX-License-Identifier: MIT
// Storms, stage peers/cpu_cores: all cores of the CPU, with SIMD.
// Idea: a core adds all particles of a wave to a block of cells that stays in its first cache. A
// table has the inverse root of each distance as a double. The share of a particle times this
// inverse, rounded to float, is exactly the quotient: a quotient of two floats is at least 2^-49 of
// its size away from where rounding changes, and the product at most 2^-51 away from the quotient.
// Compared with 00_cpu: threads, blocks, vectors, the table.
// Limit now: arithmetic for many particles, memory for few.
// Not of the thesis.
#include "problem/storms.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "common/cores/aligned_list.hpp"
#include "common/cores/every_cpu.hpp"

using storms::Input, storms::Maximum, storms::Output, storms::Phase, storms::PhaseTimer;
using storms::Wave;

constexpr std::int64_t kLeastBlock = 256, kMostBlock = 4096;  // cells
// With fewer particles, or for more cells, the table would take longer than it saves.
constexpr std::int64_t kLeastParticles = 32, kMostTableCells = 1 << 21;

float root_of(std::int64_t distance) { return std::sqrt(static_cast<float>(distance + 1)); }

// Adds the energies of a particle to `count` cells. inverses[k] belongs to cell k.
EVERY_CPU void add_by_table(float* __restrict__ cells, const double* __restrict__ inverses,
                            std::int64_t count, float share, float threshold) {
    for (std::int64_t k = 0; k < count; ++k) {
        const auto e = static_cast<float>(share * inverses[k]);
        cells[k] = std::fabs(e) >= threshold ? cells[k] + e : cells[k];
    }
}

// The same without a table. The first cell is `offset` cells after the particle, and no distance
// needs more than 31 bits.
EVERY_CPU void add_by_roots(float* __restrict__ cells, std::int32_t offset, std::int32_t count,
                            float share, float threshold) {
    for (std::int32_t k = 0; k < count; ++k) {
        const float e = share / std::sqrt(static_cast<float>(std::abs(offset + k) + 1));
        cells[k] = std::fabs(e) >= threshold ? cells[k] + e : cells[k];
    }
}

void add_from_afar(float* cells, std::int64_t offset, std::int64_t count, float share,
                   float threshold) {
    for (std::int64_t k = 0; k < count; ++k) {
        const float e = share / root_of(std::abs(offset + k));
        if (std::fabs(e) >= threshold) cells[k] += e;
    }
}

// Adds all particles of a wave to the cells [begin, end) of a layer. middle: of the table, where
// the distance is 0; nullptr: there is no table.
void add_wave(const Wave& wave, std::int64_t size, const double* middle, std::int64_t begin,
              std::int64_t end, float* layer) {
    const float cells = static_cast<float>(size), threshold = 0.001f / cells;
    for (std::int64_t i = 0; i < wave.count(); ++i) {
        const float share = static_cast<float>(wave.values[i]) * 1000 / cells;
        const std::int64_t first = begin - wave.positions[i], last = end - 1 - wave.positions[i];
        const std::int64_t farthest = std::max(std::abs(first), std::abs(last));
        const std::int64_t nearest =
            first <= 0 && last >= 0 ? 0 : std::min(std::abs(first), std::abs(last));
        // The energy never grows with the distance.
        if (!(std::fabs(share / root_of(nearest)) >= threshold)) continue;
        if (middle != nullptr && farthest < size) {
            add_by_table(layer + begin, middle + first, end - begin, share, threshold);
        } else if (farthest < 1 << 30) {
            add_by_roots(layer + begin, static_cast<std::int32_t>(first),
                         static_cast<std::int32_t>(end - begin), share, threshold);
        } else {
            add_from_afar(layer + begin, first, end - begin, share, threshold);
        }
    }
}

EVERY_CPU void relax_cells(const float* __restrict__ from, float* __restrict__ to,
                           std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) to[k] = (from[k - 1] + from[k] + from[k + 1]) / 3;
}

// The greatest peak of the cells [begin, end), or 0. The cells beside them count, too.
EVERY_CPU float highest_peak(const float* cells, std::int64_t begin, std::int64_t end) {
    float highest = 0.0f;
#pragma omp simd reduction(max : highest)
    for (std::int64_t k = begin; k < end; ++k) {
        const bool is_peak = cells[k] > cells[k - 1] && cells[k] > cells[k + 1];
        const float value = is_peak ? cells[k] : 0.0f;
        highest = highest < value ? value : highest;
    }
    return highest;
}

// Looks for the greatest peak of the cells [begin, end). Of equal peaks, the first one stays.
void find_peak(const float* layer, std::int64_t begin, std::int64_t end, Maximum& maximum) {
    const float highest = highest_peak(layer, begin, end);
    if (highest < maximum.value || highest == 0.0f) return;
    std::int64_t k = begin;
    while (!(layer[k] == highest && layer[k] > layer[k - 1] && layer[k] > layer[k + 1])) ++k;
    if (highest > maximum.value || k < maximum.position) maximum = {k, highest};
}

// The inverse roots of all distances, to the left and to the right of the middle.
void fill_table(double* middle, std::int64_t size) {
#pragma omp parallel for schedule(static)
    for (std::int64_t distance = 0; distance < size; ++distance) {
        middle[distance] = middle[-distance] = 1 / static_cast<double>(root_of(distance));
    }
}

void bombard_layer(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t size = input.size;
    const std::int64_t block =
        std::clamp(size / (4 * omp_get_max_threads()) / 16 * 16, kLeastBlock, kMostBlock);
    const bool has_table = input.particles() >= kLeastParticles && size <= kMostTableCells;
    timer.begin(Phase::kSetup);
    course::AlignedList<float> layer(size), relaxed(size);
    course::AlignedList<double> table(has_table ? 2 * size : 0);
    double* const middle = has_table ? table.data() + size : nullptr;
    float *from = layer.data(), *to = relaxed.data();

    timer.begin(Phase::kKernels);
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < size; ++k) from[k] = 0.0f;
    if (has_table) fill_table(middle, size);
    for (std::size_t w = 0; w < input.waves.size(); ++w) {
        Maximum maximum{0, 0.0f};
#pragma omp parallel
        {
#pragma omp for schedule(dynamic)
            for (std::int64_t begin = 0; begin < size; begin += block) {
                add_wave(input.waves[w], size, middle, begin, std::min(begin + block, size), from);
            }
#pragma omp for schedule(static)
            for (std::int64_t begin = 0; begin < size; begin += block) {
                relax_cells(from, to, std::max<std::int64_t>(begin, 1),
                            std::min(begin + block, size - 1));
            }
#pragma omp single
            {
                to[0] = from[0];
                to[size - 1] = from[size - 1];
            }
            Maximum own{0, 0.0f};
#pragma omp for schedule(static)
            for (std::int64_t begin = 0; begin < size; begin += block) {
                find_peak(to, std::max<std::int64_t>(begin, 1), std::min(begin + block, size - 1),
                          own);
            }
#pragma omp critical
            if (own.value > maximum.value ||
                (own.value == maximum.value && own.position < maximum.position)) {
                maximum = own;
            }
        }
        output.maxima[w] = maximum;
        std::swap(from, to);
    }

    timer.begin(Phase::kCopyOut);
    std::copy_n(from, size, output.layer.data());
    timer.end();
    timer.note_grid(1, omp_get_max_threads());
    timer.declare_work({.bytes = 0, .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
