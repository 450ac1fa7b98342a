// SPDX-License-Identifier: MIT
// Texture fetches: tex1D<T>() and its relatives. The library fetches and filters
// (libraries/textures); these templates convert its result to T, whose components have up to 32
// bits.
#pragma once

#include <bit>
#include <cstdint>
#include <emulator/qualifiers.hpp>
#include <emulator/texture_types.hpp>
#include <emulator/thread.hpp>
#include <type_traits>

namespace emulator {

enum class TextureShape { linear, line, plane, volume, lines, planes, cube, cubes };

// How the level of a mipmapped array is chosen.
enum class LevelChoice { base, given, gradients };

struct TextureFetch {
    TextureShape shape;
    LevelChoice choice = LevelChoice::base;
    float x = 0, y = 0, z = 0;
    int layer = 0;  // or the index in linear memory
    float level = 0;
    float dx[3] = {}, dy[3] = {};
};

// A fetch's four components, 32 bits each.
struct Texel {
    std::uint32_t words[4];
};

// `code`: where in the kernel, or nullptr where accesses are not counted.
Texel fetch_texel(cudaTextureObject_t texture, const TextureFetch& fetch, const void* code);
Texel gather_texels(cudaTextureObject_t texture, float x, float y, int component, const void* code);

template <class T>
EMULATOR_UNRECORDED T word_as(std::uint32_t word) {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(word),
                  "a texture's or surface's elements have components of up to 32 bits");
    if constexpr (sizeof(T) == sizeof(word)) return std::bit_cast<T>(word);
    return static_cast<T>(word);
}

template <class T>
EMULATOR_UNRECORDED T texel_as(const Texel& texel) {
    using Component = typename ComponentOf<T>::type;
    constexpr int kCount = component_count<T>();
    static_assert(kCount != 3, "a texture's elements have one, two or four components");
    T value;
    if constexpr (std::is_arithmetic_v<T>) {
        value = word_as<T>(texel.words[0]);
    } else {
        value.x = word_as<Component>(texel.words[0]);
        if constexpr (kCount > 1) value.y = word_as<Component>(texel.words[1]);
        if constexpr (kCount > 2) value.z = word_as<Component>(texel.words[2]);
        if constexpr (kCount > 3) value.w = word_as<Component>(texel.words[3]);
    }
    return value;
}

}  // namespace emulator

#ifdef __SANITIZE_THREAD__
#define EMULATOR_PLACE __builtin_return_address(0)
#else
#define EMULATOR_PLACE nullptr
#endif

// Each fetch also has the form that stores its result.
#define EMULATOR_PARAMETERS(...) __VA_ARGS__
#define EMULATOR_FETCH(name, parameters, arguments, ...)                                      \
    template <class T>                                                                        \
    EMULATOR_UNRECORDED T name(cudaTextureObject_t texture, EMULATOR_PARAMETERS parameters) { \
        const emulator::TextureFetch fetch{__VA_ARGS__};                                      \
        return emulator::texel_as<T>(emulator::fetch_texel(texture, fetch, EMULATOR_PLACE));  \
    }                                                                                         \
    template <class T>                                                                        \
    EMULATOR_UNRECORDED T name(cudaTextureObject_t texture, EMULATOR_PARAMETERS parameters,   \
                               bool* is_resident) {                                           \
        *is_resident = true;                                                                  \
        const emulator::TextureFetch fetch{__VA_ARGS__};                                      \
        return emulator::texel_as<T>(emulator::fetch_texel(texture, fetch, EMULATOR_PLACE));  \
    }                                                                                         \
    template <class T>                                                                        \
    __forceinline__ void name(T* result, cudaTextureObject_t texture,                         \
                              EMULATOR_PARAMETERS parameters) {                               \
        *result = name<T>(texture, EMULATOR_PARAMETERS arguments);                            \
    }

#define EMULATOR_SHAPE(name) .shape = emulator::TextureShape::name
#define EMULATOR_LEVEL .choice = emulator::LevelChoice::given
#define EMULATOR_GRADIENTS .choice = emulator::LevelChoice::gradients
// clang-format off
EMULATOR_FETCH(tex1Dfetch, (int x), (x), EMULATOR_SHAPE(linear), .layer = x)
EMULATOR_FETCH(tex1D, (float x), (x), EMULATOR_SHAPE(line), .x = x)
EMULATOR_FETCH(tex2D, (float x, float y), (x, y), EMULATOR_SHAPE(plane), .x = x, .y = y)
EMULATOR_FETCH(tex3D, (float x, float y, float z), (x, y, z),
               EMULATOR_SHAPE(volume), .x = x, .y = y, .z = z)
EMULATOR_FETCH(tex1DLayered, (float x, int layer), (x, layer),
               EMULATOR_SHAPE(lines), .x = x, .layer = layer)
EMULATOR_FETCH(tex2DLayered, (float x, float y, int layer), (x, y, layer),
               EMULATOR_SHAPE(planes), .x = x, .y = y, .layer = layer)
EMULATOR_FETCH(texCubemap, (float x, float y, float z), (x, y, z),
               EMULATOR_SHAPE(cube), .x = x, .y = y, .z = z)
EMULATOR_FETCH(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer),
               EMULATOR_SHAPE(cubes), .x = x, .y = y, .z = z, .layer = layer)
EMULATOR_FETCH(tex1DLod, (float x, float level), (x, level),
               EMULATOR_SHAPE(line), EMULATOR_LEVEL, .x = x, .level = level)
EMULATOR_FETCH(tex2DLod, (float x, float y, float level), (x, y, level),
               EMULATOR_SHAPE(plane), EMULATOR_LEVEL, .x = x, .y = y, .level = level)
EMULATOR_FETCH(tex3DLod, (float x, float y, float z, float level), (x, y, z, level),
               EMULATOR_SHAPE(volume), EMULATOR_LEVEL, .x = x, .y = y, .z = z, .level = level)
EMULATOR_FETCH(tex1DLayeredLod, (float x, int layer, float level), (x, layer, level),
               EMULATOR_SHAPE(lines), EMULATOR_LEVEL, .x = x, .layer = layer, .level = level)
EMULATOR_FETCH(tex2DLayeredLod, (float x, float y, int layer, float level), (x, y, layer, level),
               EMULATOR_SHAPE(planes), EMULATOR_LEVEL, .x = x, .y = y, .layer = layer,
               .level = level)
EMULATOR_FETCH(texCubemapLod, (float x, float y, float z, float level), (x, y, z, level),
               EMULATOR_SHAPE(cube), EMULATOR_LEVEL, .x = x, .y = y, .z = z, .level = level)
EMULATOR_FETCH(texCubemapLayeredLod, (float x, float y, float z, int layer, float level),
               (x, y, z, layer, level),
               EMULATOR_SHAPE(cubes), EMULATOR_LEVEL, .x = x, .y = y, .z = z, .layer = layer,
               .level = level)
EMULATOR_FETCH(tex1DGrad, (float x, float dx, float dy), (x, dx, dy),
               EMULATOR_SHAPE(line), EMULATOR_GRADIENTS, .x = x, .dx = {dx}, .dy = {dy})
EMULATOR_FETCH(tex2DGrad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy),
               EMULATOR_SHAPE(plane), EMULATOR_GRADIENTS, .x = x, .y = y, .dx = {dx.x, dx.y},
               .dy = {dy.x, dy.y})
EMULATOR_FETCH(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy),
               EMULATOR_SHAPE(volume), EMULATOR_GRADIENTS, .x = x, .y = y, .z = z,
               .dx = {dx.x, dx.y, dx.z}, .dy = {dy.x, dy.y, dy.z})
EMULATOR_FETCH(tex1DLayeredGrad, (float x, int layer, float dx, float dy), (x, layer, dx, dy),
               EMULATOR_SHAPE(lines), EMULATOR_GRADIENTS, .x = x, .layer = layer, .dx = {dx},
               .dy = {dy})
EMULATOR_FETCH(tex2DLayeredGrad, (float x, float y, int layer, float2 dx, float2 dy),
               (x, y, layer, dx, dy),
               EMULATOR_SHAPE(planes), EMULATOR_GRADIENTS, .x = x, .y = y, .layer = layer,
               .dx = {dx.x, dx.y}, .dy = {dy.x, dy.y})
// clang-format on
#undef EMULATOR_FETCH
#undef EMULATOR_SHAPE
#undef EMULATOR_LEVEL
#undef EMULATOR_GRADIENTS
#undef EMULATOR_PARAMETERS

// One component of the four texels that a bilinear fetch would read: the lower left, lower right,
// upper right and upper left one, as w, z, y, x ("Texture Gather" in the CUDA C++ Programming
// Guide; the order was measured on an H200).
template <class T>
EMULATOR_UNRECORDED T tex2Dgather(cudaTextureObject_t texture, float x, float y,
                                  int component = 0) {
    return emulator::texel_as<T>(emulator::gather_texels(texture, x, y, component, EMULATOR_PLACE));
}
template <class T>
EMULATOR_UNRECORDED T tex2Dgather(cudaTextureObject_t texture, float x, float y, bool* is_resident,
                                  int component = 0) {
    *is_resident = true;
    return emulator::texel_as<T>(emulator::gather_texels(texture, x, y, component, EMULATOR_PLACE));
}
template <class T>
__forceinline__ void tex2Dgather(T* result, cudaTextureObject_t texture, float x, float y,
                                 int component = 0) {
    *result = tex2Dgather<T>(texture, x, y, component);
}
