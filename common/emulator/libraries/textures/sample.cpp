// SPDX-License-Identifier: MIT
// Texture fetches: addressing, filtering and the choice of a level, as in "Texture Fetching" of the
// CUDA C++ Programming Guide. What the guide leaves open was measured on an H200
// (tests/common/emulator/data/texture_vectors.txt).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include "common/emulator/device/texture_hooks.hpp"
#include "common/emulator/libraries/textures/cube.hpp"
#include "common/emulator/libraries/textures/filter.hpp"
#include "common/emulator/libraries/textures/texel.hpp"
#include "common/emulator/libraries/textures/texture.hpp"

namespace emulator {
namespace {

// No texture is as wide: coordinates beyond it, and infinities, count as this.
constexpr double kFar = 1e8;

// Where a coordinate lies on its axis: two neighbours for linear filtering, and the weight of the
// second one in 1/256.
struct Position {
    int index[2];
    bool inside[2];
    int fraction;
    int nearest;
};

int mirrored(int index, int size) {
    const int period = 2 * size;
    const int place = ((index % period) + period) % period;
    return place < size ? place : period - 1 - place;
}

void resolve(int& index, bool& inside, int size, cudaTextureAddressMode mode) {
    inside = true;
    switch (mode) {
        case cudaAddressModeWrap:
            index = ((index % size) + size) % size;
            return;
        case cudaAddressModeMirror:
            index = mirrored(index, size);
            return;
        case cudaAddressModeBorder:
            inside = index >= 0 && index < size;
            [[fallthrough]];
        case cudaAddressModeClamp:
            index = std::clamp(index, 0, size - 1);
            return;
    }
}

// std::floor() is a call of the C library on processors without an instruction for it.
std::int64_t floor_of(double value) {
    const auto whole = static_cast<std::int64_t>(value);
    return whole - (static_cast<double>(whole) > value);
}

// A coordinate in texels, and the address mode that counts for it.
double place_on_axis(float coordinate, int size, bool normalised, cudaTextureAddressMode& mode) {
    // Wrapping and mirroring are defined for normalised coordinates only.
    if (!normalised && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) {
        mode = cudaAddressModeClamp;
    }
    double place = coordinate;
    if (normalised) {
        if (!(std::fabs(place) < 1e12)) {
            // An even number, or none: wrapped or mirrored it is 0.
            if (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror) return 0;
            return place > 0 ? kFar : place < 0 ? -kFar : 0;
        }
        if (mode == cudaAddressModeWrap) place -= static_cast<double>(floor_of(place));
        if (mode == cudaAddressModeMirror) place -= 2 * static_cast<double>(floor_of(place / 2));
        // The hardware keeps 21 bits of the fraction.
        constexpr double kUnit = 1 << 21;
        place = static_cast<double>(floor_of(place * kUnit)) / kUnit * size;
    }
    if (!(std::fabs(place) < kFar)) return place > 0 ? kFar : place < 0 ? -kFar : 0;
    return place;
}

// Without filtering.
int point_of(float coordinate, int size, bool normalised, cudaTextureAddressMode mode,
             bool& inside) {
    const double place = place_on_axis(coordinate, size, normalised, mode);
    auto index = static_cast<int>(floor_of(place));
    inside = true;
    if (index < 0 || index >= size) resolve(index, inside, size, mode);
    return index;
}

Position position_of(float coordinate, int size, bool normalised, bool linear,
                     cudaTextureAddressMode mode) {
    const double place = place_on_axis(coordinate, size, normalised, mode);
    Position position{};
    if (linear) {
        const std::int64_t fixed = floor_of(place * kFractions + 0.5) - kFractions / 2;
        position.index[0] = static_cast<int>(fixed >> kFractionBits);
        position.fraction = static_cast<int>(fixed & (kFractions - 1));
    } else {
        position.index[0] = static_cast<int>(floor_of(place));
    }
    position.index[1] = position.index[0] + 1;
    resolve(position.index[0], position.inside[0], size, mode);
    resolve(position.index[1], position.inside[1], size, mode);
    // Where both are one texel, the axis has no part in the weights.
    if (position.index[0] == position.index[1] && position.inside[0] && position.inside[1]) {
        position.fraction = 0;
    }
    position.nearest = position.index[position.fraction >= kFractions / 2 ? 1 : 0];
    return position;
}

struct TexelPlace {
    Position x{{0, 0}, {true, true}, 0, 0};
    Position y = x;
    int z = 0;  // of layers
    Position depth = x;
};

void note_access(const TextureObject& texture, const TextureLevel& level, const TexelPlace& place,
                 const void* code) {
    if (texture_hooks.access == nullptr) return;
    const int z = texture.shape == TextureShape::volume ? place.depth.nearest : place.z;
    texture_hooks.access(texel_at(texture, level, place.x.nearest, place.y.nearest, z),
                         texture.texel_bytes, false, code);
}

int dimensions_of(TextureShape shape) {
    switch (shape) {
        case TextureShape::linear:
        case TextureShape::line:
        case TextureShape::lines:
            return 1;
        case TextureShape::volume:
            return 3;
        default:
            return 2;
    }
}

// A negative layer counts as a large number.
int clamped_layer(int layer, int count) {
    return layer < 0 ? count - 1 : std::min(layer, count - 1);
}

TexelPlace place_of(const TextureObject& texture, const TextureLevel& level,
                    const TextureFetch& fetch, bool linear) {
    TexelPlace place;
    const int dimensions = dimensions_of(texture.shape);
    place.x = position_of(fetch.x, level.width, texture.normalised, linear, texture.address[0]);
    if (dimensions > 1) {
        place.y =
            position_of(fetch.y, level.height, texture.normalised, linear, texture.address[1]);
    }
    if (dimensions > 2) {
        place.depth =
            position_of(fetch.z, level.depth, texture.normalised, linear, texture.address[2]);
    }
    place.z = texture.first_layer + clamped_layer(fetch.layer, texture.layer_count);
    return place;
}

Color corner(const TextureObject& texture, const TextureLevel& level, const TexelPlace& place,
             int i, int j, int k) {
    if (!place.x.inside[i] || !place.y.inside[j] || !place.depth.inside[k]) {
        return border_of(texture);
    }
    const int z = texture.shape == TextureShape::volume ? place.depth.index[k] : place.z;
    return color_of(texture, texel_at(texture, level, place.x.index[i], place.y.index[j], z));
}

// Of the volume's weights, those of x and z are found first, then each is split by y.
void add_slice(WeightedColors& sum, const TextureObject& texture, const TextureLevel& level,
               const TexelPlace& place, int k, const int (&weights)[2]) {
    const int y = place.y.fraction;
    for (int i = 0; i < 2; ++i) {
        // Ties go up for the second texel of a row in the first slice, else down.
        const int half = i == 1 && k == 0 ? kFractions / 2 : kFractions / 2 - 1;
        const int upper = (weights[i] * y + half) >> kFractionBits;
        sum.add(corner(texture, level, place, i, 0, k), weights[i] - upper);
        sum.add(corner(texture, level, place, i, 1, k), upper);
    }
}

Color filtered(const TextureObject& texture, const TextureLevel& level, const TexelPlace& place) {
    const bool has_reals = texture.format == TexelFormat::f32 || texture.format == TexelFormat::f16;
    const int x = place.x.fraction;
    if (has_reals && (x | place.y.fraction | place.depth.fraction) == 0) {
        // The sum of one number: itself, but zero has no sign.
        Color color = corner(texture, level, place, 0, 0, 0);
        for (float& component : color.component) component += 0.0f;
        return color;
    }
    WeightedColors sum(texture);
    if (texture.shape == TextureShape::volume) {
        const PlaneWeights weights(x, place.depth.fraction);
        for (int k = 0; k < 2; ++k) add_slice(sum, texture, level, place, k, weights.weight[k]);
        return sum.sum();
    }
    const PlaneWeights weights(x, place.y.fraction);
    for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < 2; ++i) {
            sum.add(corner(texture, level, place, i, j, 0), weights.weight[j][i]);
        }
    }
    return sum.sum();
}

Color mix(const TextureObject& texture, const Color& a, const Color& b, int fraction) {
    WeightedColors sum(texture);
    sum.add(a, kFractions - fraction);
    sum.add(b, fraction);
    return sum.sum();
}

bool gives_floats(const TextureObject& texture) {
    return texture.reads_normalised || texture.format == TexelFormat::f16 ||
           texture.format == TexelFormat::f32;
}

Color fetch_level(const TextureObject& texture, int number, const TextureFetch& fetch,
                  const void* code, bool is_noted) {
    const TextureLevel& level = texture.levels[static_cast<std::size_t>(number)];
    const TexelPlace place = place_of(texture, level, fetch, texture.linear);
    if (is_noted) note_access(texture, level, place, code);
    return texture.linear ? filtered(texture, level, place)
                          : corner(texture, level, place, 0, 0, 0);
}

Texel texel_of(const Color& color) {
    Texel texel;
    for (int i = 0; i < 4; ++i) {
        texel.words[i] = std::bit_cast<std::uint32_t>(color.component[i]);
    }
    return texel;
}

// The binary logarithm of the longer axis of the ellipse that the gradients span, in texels of
// level 0. (Measured on an H200: it is not the longer gradient.)
float level_of_gradients(const TextureObject& texture, const TextureFetch& fetch) {
    const TextureLevel& base = texture.levels[0];
    const int sizes[] = {base.width, base.height, base.depth};
    float xx = 0;
    float yy = 0;
    float xy = 0;
    for (int i = 0; i < dimensions_of(texture.shape); ++i) {
        const float dx = fetch.dx[i] * static_cast<float>(sizes[i]);
        const float dy = fetch.dy[i] * static_cast<float>(sizes[i]);
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    const float square = (xx + yy) / 2 + std::hypot((xx - yy) / 2, xy);
    return 0.5f * std::log2(square);
}

// The levels to fetch from, and the weight of the second one in 1/256.
struct Levels {
    int first = 0;
    int second = 0;
    int fraction = 0;
};

Levels levels_of(const TextureObject& texture, const TextureFetch& fetch) {
    Levels levels;
    if (texture.level_count == 1) return levels;
    // Without gradients the texels are infinitely large.
    float level = -std::numeric_limits<float>::infinity();
    if (fetch.choice == LevelChoice::given) level = fetch.level;
    if (fetch.choice == LevelChoice::gradients) level = level_of_gradients(texture, fetch);
    level = std::clamp(level + texture.level_bias, texture.least_level, texture.largest_level);
    level = std::clamp(level, 0.0f, static_cast<float>(texture.level_count - 1));
    if (!texture.levels_linear) {
        levels.first = levels.second = static_cast<int>(std::floor(level + 0.5f));
        return levels;
    }
    const int fixed = static_cast<int>(level * kFractions);
    levels.first = fixed >> kFractionBits;
    levels.fraction = fixed & (kFractions - 1);
    levels.second = std::min(levels.first + 1, texture.level_count - 1);
    return levels;
}

const TextureObject& texture_of(cudaTextureObject_t number, TextureShape shape, const void* code) {
    const TextureObject* const texture = find_object(number);
    if (texture == nullptr) {
        fail_access(cudaErrorInvalidResourceHandle,
                    "fetches by a texture object that does not exist or was destroyed", code);
    }
    // fail_access() does not return.
    // cppcheck-suppress nullPointerRedundantCheck
    if (texture->is_surface) {
        fail_access(cudaErrorInvalidResourceHandle, "fetches by a surface object", code);
    }
    if (texture->shape != shape) {
        char message[160];
        std::snprintf(message, sizeof message, "fetches from %s by a texture object of %s",
                      describe(shape), describe(texture->shape));
        fail_access(cudaErrorInvalidTexture, message, code);
    }
    return *texture;
}

// An element of linear memory; 0 outside of it.
Texel fetch_element(const TextureObject& texture, int index, const void* code) {
    const TextureLevel& level = texture.levels[0];
    const bool inside = index >= 0 && index < level.width;
    const char* const memory = texel_at(texture, level, inside ? index : 0, 0, 0);
    if (texture_hooks.access != nullptr) {
        texture_hooks.access(memory, texture.texel_bytes, false, code);
    }
    if (!inside) return {};
    return texture.reads_normalised ? texel_of(color_of(texture, memory))
                                    : raw_texel(texture, memory);
}

// One texel, not filtered, of the only level.
Texel fetch_point(const TextureObject& texture, const TextureFetch& fetch, const void* code) {
    const TextureLevel& level = texture.levels[0];
    const int dimensions = dimensions_of(texture.shape);
    const auto index = [&](int axis, float coordinate, int size, bool& inside) {
        return axis >= dimensions
                   ? 0
                   : point_of(coordinate, size, texture.normalised, texture.address[axis], inside);
    };
    bool x_inside = true;
    bool y_inside = true;
    bool z_inside = true;
    const int x = index(0, fetch.x, level.width, x_inside);
    const int y = index(1, fetch.y, level.height, y_inside);
    const int z = dimensions == 3
                      ? index(2, fetch.z, level.depth, z_inside)
                      : texture.first_layer + clamped_layer(fetch.layer, texture.layer_count);
    const char* const memory = texel_at(texture, level, x, y, z);
    if (texture_hooks.access != nullptr) {
        texture_hooks.access(memory, texture.texel_bytes, false, code);
    }
    if (!x_inside || !y_inside || !z_inside) {
        return gives_floats(texture) ? texel_of(border_of(texture)) : raw_border_of(texture);
    }
    return texture.reads_normalised ? texel_of(color_of(texture, memory))
                                    : raw_texel(texture, memory);
}

// A fetch from a cubemap, as one from the layer of its face.
TextureFetch fetch_of_face(const TextureObject& texture, const TextureFetch& given) {
    TextureFetch fetch = given;
    const FacePoint point = face_point(given.x, given.y, given.z);
    const int cubes = texture.layer_count / 6;
    fetch.x = point.x;
    fetch.y = point.y;
    fetch.layer = clamped_layer(given.layer, cubes) * 6 + point.face;
    if (!texture.normalised) {
        fetch.x *= static_cast<float>(texture.levels[0].width);
        fetch.y *= static_cast<float>(texture.levels[0].height);
    }
    return fetch;
}

// A fetch from anything but linear memory.
Texel fetch_plane(const TextureObject& texture, const TextureFetch& fetch, const void* code) {
    if (!texture.linear && texture.level_count == 1) return fetch_point(texture, fetch, code);
    const Levels levels = levels_of(texture, fetch);
    if (!gives_floats(texture)) {
        const TextureLevel& level = texture.levels[static_cast<std::size_t>(levels.first)];
        const TexelPlace place = place_of(texture, level, fetch, false);
        note_access(texture, level, place, code);
        if (!place.x.inside[0] || !place.y.inside[0] || !place.depth.inside[0]) {
            return raw_border_of(texture);
        }
        const int z = texture.shape == TextureShape::volume ? place.depth.index[0] : place.z;
        return raw_texel(texture, texel_at(texture, level, place.x.index[0], place.y.index[0], z));
    }
    Color color = fetch_level(texture, levels.first, fetch, code, true);
    if (levels.fraction != 0) {
        color = mix(texture, color, fetch_level(texture, levels.second, fetch, code, false),
                    levels.fraction);
    }
    return texel_of(color);
}

}  // namespace

Texel fetch_texel(cudaTextureObject_t number, const TextureFetch& given, const void* code) {
    const TextureObject& texture = texture_of(number, given.shape, code);
    if (given.shape == TextureShape::linear) return fetch_element(texture, given.layer, code);
    if (given.shape == TextureShape::cube || given.shape == TextureShape::cubes) {
        return fetch_plane(texture, fetch_of_face(texture, given), code);
    }
    return fetch_plane(texture, given, code);
}

Texel gather_texels(cudaTextureObject_t number, float x, float y, int component, const void* code) {
    const TextureObject& texture = texture_of(number, TextureShape::plane, code);
    if (!texture.gathers) {
        fail_access(cudaErrorInvalidTexture,
                    "tex2Dgather() needs an array that was made with cudaArrayTextureGather", code);
    }
    TextureFetch fetch{.shape = TextureShape::plane, .x = x, .y = y};
    const TextureLevel& level = texture.levels[0];
    const TexelPlace place = place_of(texture, level, fetch, true);
    note_access(texture, level, place, code);
    constexpr int kOrder[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    Texel result;
    for (int i = 0; i < 4; ++i) {
        const Color color = corner(texture, level, place, kOrder[i][0], kOrder[i][1], 0);
        result.words[i] = std::bit_cast<std::uint32_t>(color.component[component & 3]);
    }
    return result;
}

void fail_access(cudaError_t error, const char* message, const void* code) {
    if (texture_hooks.failed != nullptr) texture_hooks.failed(message, code);
    fail_kernel(error, message);
}

}  // namespace emulator
