// SPDX-License-Identifier: MIT
// Surface accesses: "Surface Functions" in the CUDA C++ Programming Guide.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "common/emulator/device/texture_hooks.hpp"
#include "common/emulator/libraries/textures/texel.hpp"
#include "common/emulator/libraries/textures/texture.hpp"

namespace emulator {
namespace {

// The bytes of an access, or nullptr where it lies outside and the mode is zero.
char* bytes_at(cudaSurfaceObject_t number, const SurfaceAccess& access, unsigned bytes,
               const void* code) {
    const TextureObject* const surface = find_object(number);
    if (surface == nullptr || !surface->is_surface) {
        fail_access(cudaErrorInvalidResourceHandle,
                    "uses a surface object that does not exist or was destroyed", code);
    }
    if (surface->shape != access.shape) {
        char message[160];
        std::snprintf(message, sizeof message, "accesses %s by a surface object of %s",
                      describe(access.shape), describe(surface->shape));
        fail_access(cudaErrorInvalidSurface, message, code);
    }
    if (access.x % static_cast<int>(bytes) != 0) {
        fail_access(cudaErrorMisalignedAddress,
                    "x is in bytes: it must be a multiple of the element's size", code);
    }
    const TextureLevel& level = surface->levels[0];
    const int row = level.width * static_cast<int>(surface->texel_bytes);
    const bool is_volume = access.shape == TextureShape::volume;
    int z = is_volume ? access.z : access.layer;
    int x = access.x;
    int y = access.y;
    const bool inside = x >= 0 && x + static_cast<int>(bytes) <= row && y >= 0 &&
                        y < level.height && z >= 0 && z < level.depth;
    if (!inside) {
        if (access.mode == cudaBoundaryModeTrap) {
            char message[200];
            std::snprintf(
                message, sizeof message,
                "accesses a surface of %d bytes x %d x %d at x = %d bytes, y = %d, %s = %d", row,
                level.height, level.depth, x, y, is_volume ? "z" : "layer", z);
            fail_access(cudaErrorLaunchFailure, message, code);
        }
        if (access.mode == cudaBoundaryModeZero) return nullptr;
        const int size = static_cast<int>(bytes);
        x = std::clamp(x, 0, std::max(row / size - 1, 0) * size);
        y = std::clamp(y, 0, level.height - 1);
        // A negative layer counts as a large number; a negative z does not (as on an H200).
        z = z < 0 && !is_volume ? level.depth - 1 : std::clamp(z, 0, level.depth - 1);
    }
    return const_cast<char*>(level.memory) + static_cast<std::size_t>(z) * level.slice_pitch +
           static_cast<std::size_t>(y) * level.pitch + static_cast<std::size_t>(x);
}

// Constant sizes: a call of memcpy() would be recorded as the kernel's, where accesses are counted.
void copy_element(void* to, const void* from, unsigned bytes) {
    switch (bytes) {
        case 1:
            std::memcpy(to, from, 1);
            break;
        case 2:
            std::memcpy(to, from, 2);
            break;
        case 4:
            std::memcpy(to, from, 4);
            break;
        case 8:
            std::memcpy(to, from, 8);
            break;
        default:
            std::memcpy(to, from, 16);
            break;
    }
}

}  // namespace

void read_surface(cudaSurfaceObject_t surface, const SurfaceAccess& access, void* value,
                  unsigned bytes, const void* code) {
    const char* const memory = bytes_at(surface, access, bytes, code);
    if (memory == nullptr) {
        constexpr unsigned char kZero[16] = {};
        return copy_element(value, kZero, bytes);
    }
    if (texture_hooks.access != nullptr) texture_hooks.access(memory, bytes, false, code);
    copy_element(value, memory, bytes);
}

void write_surface(cudaSurfaceObject_t surface, const SurfaceAccess& access, const void* value,
                   unsigned bytes, const void* code) {
    char* const memory = bytes_at(surface, access, bytes, code);
    if (memory == nullptr) return;
    if (texture_hooks.access != nullptr) texture_hooks.access(memory, bytes, true, code);
    copy_element(memory, value, bytes);
}

}  // namespace emulator
