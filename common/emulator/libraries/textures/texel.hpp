// SPDX-License-Identifier: MIT
// Texels: their formats, and where they lie.
#pragma once

#include "common/emulator/libraries/textures/texture.hpp"

namespace emulator {

// A texel as floats, where it is filtered or normalised.
struct Color {
    float component[4];
};

// The memory of a texel that exists.
inline const char* texel_at(const TextureObject& texture, const TextureLevel& level, int x, int y,
                            int z) {
    return level.memory + static_cast<std::size_t>(z) * level.slice_pitch +
           static_cast<std::size_t>(y) * level.pitch +
           static_cast<std::size_t>(x) * texture.texel_bytes;
}

// The texel's components as 32 bits each: integers extended, halves converted to float. Missing
// components are 0.
Texel raw_texel(const TextureObject& texture, const char* memory);
// The same as floats, normalised and converted from sRGB if the texture asks for it.
Color color_of(const TextureObject& texture, const char* memory);
// What a fetch outside of a texture with address mode border gives.
Color border_of(const TextureObject& texture);
Texel raw_border_of(const TextureObject& texture);

}  // namespace emulator
