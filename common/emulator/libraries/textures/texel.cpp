// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/textures/texel.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <emulator/small_float.hpp>

namespace emulator {
namespace {

template <class T>
T read(const char* memory, int channel) {
    T value;
    std::memcpy(&value, memory + static_cast<std::size_t>(channel) * sizeof(T), sizeof(T));
    return value;
}

// A NaN keeps its sign and its bits, and becomes a quiet one.
std::uint32_t float_bits_of_half(std::uint16_t half) {
    const std::uint32_t bits = half;
    if ((bits & 0x7fffu) > HalfFormat::kInfinity) {
        return (bits & 0x8000u) << 16 | 0x7fc00000u | (bits & 0x3ffu) << 13;
    }
    return std::bit_cast<std::uint32_t>(float_from_small<HalfFormat>(half));
}

std::uint32_t raw_channel(const TextureObject& texture, const char* memory, int channel) {
    switch (texture.format) {
        case TexelFormat::u8:
            return read<std::uint8_t>(memory, channel);
        case TexelFormat::u16:
            return read<std::uint16_t>(memory, channel);
        case TexelFormat::s8:
            return static_cast<std::uint32_t>(std::int32_t{read<std::int8_t>(memory, channel)});
        case TexelFormat::s16:
            return static_cast<std::uint32_t>(std::int32_t{read<std::int16_t>(memory, channel)});
        case TexelFormat::f16:
            return float_bits_of_half(read<std::uint16_t>(memory, channel));
        case TexelFormat::u32:
        case TexelFormat::s32:
        case TexelFormat::f32:
            break;
    }
    return read<std::uint32_t>(memory, channel);
}

// IEC 61966-2-1, rounded to 8 significant bits, as an H200 does it.
float linear_of_srgb(float value) {
    const double exact = value <= 0.04045f
                             ? static_cast<double>(value) / 12.92
                             : std::pow((static_cast<double>(value) + 0.055) / 1.055, 2.4);
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(exact));
    return std::bit_cast<float>((bits + 0x8000u) & 0xffff0000u);
}

float channel_of(const TextureObject& texture, const char* memory, int channel) {
    const std::uint32_t word = raw_channel(texture, memory, channel);
    const auto number = static_cast<std::int32_t>(word);
    switch (texture.format) {
        case TexelFormat::u8: {
            const float value = static_cast<float>(word) / 255.0f;
            return texture.srgb && channel < 3 ? linear_of_srgb(value) : value;
        }
        case TexelFormat::u16:
            return static_cast<float>(word) / 65535.0f;
        case TexelFormat::s8:
            return std::fmax(static_cast<float>(number) / 127.0f, -1.0f);
        case TexelFormat::s16:
            return std::fmax(static_cast<float>(number) / 32767.0f, -1.0f);
        default:
            return std::bit_cast<float>(word);
    }
}

}  // namespace

Texel raw_texel(const TextureObject& texture, const char* memory) {
    Texel texel{};
    if (texture.texel_bytes == 4 && texture.channels == 1) {
        texel.words[0] = read<std::uint32_t>(memory, 0);
        return texel;
    }
    for (int channel = 0; channel < texture.channels; ++channel) {
        texel.words[channel] = raw_channel(texture, memory, channel);
    }
    return texel;
}

Color color_of(const TextureObject& texture, const char* memory) {
    Color color{};
    for (int channel = 0; channel < texture.channels; ++channel) {
        color.component[channel] = channel_of(texture, memory, channel);
    }
    return color;
}

Color border_of(const TextureObject& texture) {
    Color color{};
    for (int channel = 0; channel < texture.channels; ++channel) {
        color.component[channel] = texture.border[channel];
    }
    return color;
}

Texel raw_border_of(const TextureObject& texture) {
    Texel texel{};
    for (int channel = 0; channel < texture.channels; ++channel) {
        texel.words[channel] = std::bit_cast<std::uint32_t>(texture.border[channel]);
    }
    return texel;
}

}  // namespace emulator
