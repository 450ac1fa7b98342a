// SPDX-License-Identifier: MIT
// Storms, stage 00: one thread on the CPU.
// Idea: each particle adds its energy to every cell. Then the layer is relaxed from a copy of
// itself and searched for its maximum.
// Limit now: one core, with a division and a square root for each particle and cell.
// Not of the thesis: Blanco and González 2018, the serial program.
#include "problem/storms.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

using storms::Input, storms::Maximum, storms::Output, storms::Phase, storms::PhaseTimer;
using storms::Wave;

void update_layer(float* layer, std::int64_t size, std::int64_t position, float energy) {
    const float cells = static_cast<float>(size);
    const float threshold = 0.001f / cells;
    for (std::int64_t k = 0; k < size; ++k) {
        const std::int64_t distance = position < k ? k - position : position - k;
        const float attenuation = std::sqrt(static_cast<float>(distance + 1));
        const float e = energy / cells / attenuation;
        if (e >= threshold || e <= -threshold) layer[k] += e;
    }
}

void relax_layer(float* layer, const float* copy, std::int64_t size) {
    for (std::int64_t k = 1; k < size - 1; ++k) {
        layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
    }
}

Maximum find_maximum(const float* layer, std::int64_t size) {
    Maximum maximum{0, 0.0f};
    for (std::int64_t k = 1; k < size - 1; ++k) {
        // Of equal peaks, the first one stays.
        if (layer[k] > layer[k - 1] && layer[k] > layer[k + 1] && layer[k] > maximum.value) {
            maximum = {k, layer[k]};
        }
    }
    return maximum;
}

void bombard_layer(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t size = input.size;
    timer.begin(Phase::kSetup);
    std::vector<float>& layer = output.layer;
    layer.assign(size, 0.0f);
    std::vector<float> copy(size);

    timer.begin(Phase::kKernels);
    for (std::size_t w = 0; w < input.waves.size(); ++w) {
        const Wave& wave = input.waves[w];
        for (std::int64_t i = 0; i < wave.count(); ++i) {
            const float energy = static_cast<float>(wave.values[i]) * 1000;
            update_layer(layer.data(), size, wave.positions[i], energy);
        }
        copy = layer;
        relax_layer(layer.data(), copy.data(), size);
        output.maxima[w] = find_maximum(layer.data(), size);
    }
    timer.end();
    timer.note_grid(1, 1);
    timer.declare_work({.bytes = 0, .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
