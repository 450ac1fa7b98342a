// SPDX-License-Identifier: MIT
// Texture and surface objects: what cudaCreateTextureObject() keeps for the fetches, and the table
// of objects.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <emulator/surface_accesses.hpp>
#include <vector>

namespace emulator {

// One level of a mipmapped array, or the whole of other memory.
struct TextureLevel {
    const char* memory = nullptr;
    int width = 1, height = 1;
    int depth = 1;  // or layers; of cubemaps six times the number of cubes
    std::size_t pitch = 0;  // bytes from row to row
    std::size_t slice_pitch = 0;
};

enum class TexelFormat : std::uint8_t { u8, u16, u32, s8, s16, s32, f16, f32 };

constexpr int kMaxLevels = 18;  // of a texture of 131072 texels

struct TextureObject {
    bool is_surface = false;
    TextureShape shape = TextureShape::plane;
    TexelFormat format = TexelFormat::f32;
    int channels = 1;
    unsigned texel_bytes = 4;
    bool normalised = false;  // the coordinates
    bool reads_normalised = false;  // integers become floats in [0, 1] or [-1, 1]
    bool linear = false;
    bool srgb = false;
    bool levels_linear = false;
    bool gathers = false;
    cudaTextureAddressMode address[3] = {};
    float border[4] = {};
    float level_bias = 0, least_level = 0, largest_level = 0;
    int level_count = 1;
    int first_layer = 0, layer_count = 1;
    std::array<TextureLevel, kMaxLevels> levels{};

    // As given, for cudaGetTextureObjectResourceDesc() and its like.
    cudaResourceDesc resource{};
    cudaTextureDesc description{};
    cudaResourceViewDesc view{};
    bool has_view = false;
};

// Objects have numbers from 1 on, which are not used again: a fetch by an object that was destroyed
// is found. Under the runtime's lock.
cudaTextureObject_t keep_object(const TextureObject& object);
// nullptr if there is no such object (any more). Kernels may call it.
const TextureObject* find_object(unsigned long long number);
void remove_object(unsigned long long number);

// "a 2D texture"
const char* describe(TextureShape shape);

// A fetch that cannot be: ends the kernel with a message. `code`: where in the kernel.
[[noreturn]] void fail_access(cudaError_t error, const char* message, const void* code);

}  // namespace emulator
