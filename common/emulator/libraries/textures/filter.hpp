// SPDX-License-Identifier: MIT
// The weighted sum of texels that linear filtering computes, as an H200 computes it: found from
// its results (tests/common/emulator/data/texture_vectors.txt), which are reproduced bit by bit.
#pragma once

#include <array>

#include "common/emulator/libraries/textures/texel.hpp"

namespace emulator {

constexpr int kFractionBits = 8;
constexpr int kFractions = 1 << kFractionBits;

// Up to eight texels with weights in 1/256. The weights are whole numbers, and their sum is 256.
struct WeightedColors {
    std::array<Color, 8> color;
    std::array<int, 8> weight;
    int count = 0;
    TexelFormat format;  // of the texture: it determines the arithmetic
    int channels;

    explicit WeightedColors(const TextureObject& texture)
        : format(texture.format), channels(texture.channels) {}
    void add(const Color& texel, int texel_weight) {
        if (texel_weight == 0) return;
        color[static_cast<std::size_t>(count)] = texel;
        weight[static_cast<std::size_t>(count++)] = texel_weight;
    }
    Color sum() const;
};

// The weights of two neighbours on each of two axes, [second axis][first axis]: only the weight
// a b is rounded to 1/256, the others follow from it.
struct PlaneWeights {
    int weight[2][2];
    PlaneWeights(int a, int b);
};

}  // namespace emulator
