// SPDX-License-Identifier: MIT
// Surface accesses: surf2Dread<T>() and its relatives. x is in bytes, y and z in elements. T has 1,
// 2, 4, 8 or 16 bytes.
#pragma once

#include <emulator/texture_fetches.hpp>

namespace emulator {

struct SurfaceAccess {
    TextureShape shape;
    int x = 0, y = 0, z = 0;  // of a cubemap, z is the face
    int layer = 0;
    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap;
};

void read_surface(cudaSurfaceObject_t surface, const SurfaceAccess& access, void* value,
                  unsigned bytes, const void* code);
void write_surface(cudaSurfaceObject_t surface, const SurfaceAccess& access, const void* value,
                   unsigned bytes, const void* code);

template <class T>
constexpr bool kIsSurfaceElement = sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0;

}  // namespace emulator

#define EMULATOR_PARAMETERS(...) __VA_ARGS__
#define EMULATOR_SURFACE(name, parameters, arguments, ...)                                        \
    template <class T>                                                                            \
    EMULATOR_UNRECORDED T name##read(cudaSurfaceObject_t surface, EMULATOR_PARAMETERS parameters, \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {       \
        static_assert(emulator::kIsSurfaceElement<T>,                                             \
                      "a surface's element has 1, 2, 4, 8 or 16 bytes");                          \
        T value;                                                                                  \
        emulator::read_surface(surface, {__VA_ARGS__, .mode = mode}, &value, sizeof(T),           \
                               EMULATOR_PLACE);                                                   \
        return value;                                                                             \
    }                                                                                             \
    template <class T>                                                                            \
    __forceinline__ void name##read(T* result, cudaSurfaceObject_t surface,                       \
                                    EMULATOR_PARAMETERS parameters,                               \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {        \
        *result = name##read<T>(surface, EMULATOR_PARAMETERS arguments, mode);                    \
    }                                                                                             \
    template <class T>                                                                            \
    EMULATOR_UNRECORDED void name##write(T value, cudaSurfaceObject_t surface,                    \
                                         EMULATOR_PARAMETERS parameters,                          \
                                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {   \
        static_assert(emulator::kIsSurfaceElement<T>,                                             \
                      "a surface's element has 1, 2, 4, 8 or 16 bytes");                          \
        emulator::write_surface(surface, {__VA_ARGS__, .mode = mode}, &value, sizeof(T),          \
                                EMULATOR_PLACE);                                                  \
    }

#define EMULATOR_SHAPE(name) .shape = emulator::TextureShape::name
// clang-format off
EMULATOR_SURFACE(surf1D, (int x), (x), EMULATOR_SHAPE(line), .x = x)
EMULATOR_SURFACE(surf2D, (int x, int y), (x, y), EMULATOR_SHAPE(plane), .x = x, .y = y)
EMULATOR_SURFACE(surf3D, (int x, int y, int z), (x, y, z),
                 EMULATOR_SHAPE(volume), .x = x, .y = y, .z = z)
EMULATOR_SURFACE(surf1DLayered, (int x, int layer), (x, layer),
                 EMULATOR_SHAPE(lines), .x = x, .layer = layer)
EMULATOR_SURFACE(surf2DLayered, (int x, int y, int layer), (x, y, layer),
                 EMULATOR_SHAPE(planes), .x = x, .y = y, .layer = layer)
EMULATOR_SURFACE(surfCubemap, (int x, int y, int face), (x, y, face),
                 EMULATOR_SHAPE(cube), .x = x, .y = y, .layer = face)
EMULATOR_SURFACE(surfCubemapLayered, (int x, int y, int layer_face), (x, y, layer_face),
                 EMULATOR_SHAPE(cubes), .x = x, .y = y, .layer = layer_face)
// clang-format on
#undef EMULATOR_SURFACE
#undef EMULATOR_SHAPE
#undef EMULATOR_PARAMETERS
#undef EMULATOR_PLACE
