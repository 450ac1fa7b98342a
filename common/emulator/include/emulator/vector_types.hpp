// SPDX-License-Identifier: MIT
// CUDA's built-in vector types for the CPU engine, with CUDA's names, sizes and alignments.
//
// A vector of two or four components is a union of its named fields and one machine vector. Where
// memory accesses are counted (g++ -fsanitize=thread) it is copied through the machine vector, so
// that a whole-vector copy is one access, as on the GPU: with plain fields g++ copies only the
// components that are used, one by one, and four loads would be counted where the hardware makes
// one. Such vectors are not trivially copyable; elsewhere they are.
//
// Differences from CUDA: no designated initialisers, no structured bindings.
#pragma once

#include <cstddef>

#ifdef __SANITIZE_THREAD__
// A constant expression cannot read a union's other member: it copies the fields.
#define EMULATOR_COPIES(name, copy_fields, copy_vector)  \
    constexpr name(const name& other) { *this = other; } \
    constexpr name& operator=(const name& other) {       \
        if (__builtin_is_constant_evaluated()) {         \
            copy_fields;                                 \
        } else {                                         \
            copy_vector;                                 \
        }                                                \
        return *this;                                    \
    }
#define EMULATOR_FIELDS2 x = other.x, y = other.y
#define EMULATOR_FIELDS4 EMULATOR_FIELDS2, z = other.z, w = other.w
#else
#define EMULATOR_COPIES(name, copy_fields, copy_vector)
#endif

// Components in braces give the whole vector, missing ones are zero, as for CUDA's aggregates. A
// single component converts only explicitly: no function takes a float where it wants a float4.
#define EMULATOR_VECTOR2(name, T)                                                      \
    struct alignas(2 * sizeof(T)) name {                                               \
        typedef T MachineVector __attribute__((vector_size(2 * sizeof(T))));           \
        __extension__ union {                                                          \
            struct {                                                                   \
                T x, y;                                                                \
            };                                                                         \
            MachineVector machine_vector;                                              \
        };                                                                             \
        name() = default;                                                              \
        constexpr explicit name(T x_) : x(x_), y() {}                                  \
        constexpr name(T x_, T y_) : x(x_), y(y_) {}                                   \
        EMULATOR_COPIES(name, EMULATOR_FIELDS2, machine_vector = other.machine_vector) \
    }

#define EMULATOR_VECTOR4(name, T)                                                        \
    struct alignas(4 * sizeof(T)) name {                                                 \
        typedef T MachineVector __attribute__((vector_size(4 * sizeof(T))));             \
        __extension__ union {                                                            \
            struct {                                                                     \
                T x, y, z, w;                                                            \
            };                                                                           \
            MachineVector machine_vector;                                                \
        };                                                                               \
        name() = default;                                                                \
        constexpr explicit name(T x_) : x(x_), y(), z(), w() {}                          \
        constexpr name(T x_, T y_, T z_ = {}, T w_ = {}) : x(x_), y(y_), z(z_), w(w_) {} \
        EMULATOR_COPIES(name, EMULATOR_FIELDS4, machine_vector = other.machine_vector)   \
    }

// Four 8-byte components: 32 bytes, which the hardware moves as two 16-byte accesses.
#define EMULATOR_VECTOR4_WIDE(name, T, alignment)                                              \
    struct alignas(alignment) name {                                                           \
        typedef T MachineVector __attribute__((vector_size(2 * sizeof(T))));                   \
        __extension__ union {                                                                  \
            struct {                                                                           \
                T x, y, z, w;                                                                  \
            };                                                                                 \
            MachineVector machine_vectors[2];                                                  \
        };                                                                                     \
        name() = default;                                                                      \
        constexpr explicit name(T x_) : x(x_), y(), z(), w() {}                                \
        constexpr name(T x_, T y_, T z_ = {}, T w_ = {}) : x(x_), y(y_), z(z_), w(w_) {}       \
        EMULATOR_COPIES(name, EMULATOR_FIELDS4, machine_vectors[0] = other.machine_vectors[0]; \
                        machine_vectors[1] = other.machine_vectors[1])                         \
    }

#define EMULATOR_VECTORS_UP_TO_3(name, T) \
    struct name##1 {                      \
        T x;                              \
    };                                    \
    EMULATOR_VECTOR2(name##2, T);         \
    struct name##3 {                      \
        T x, y, z;                        \
    }

#define EMULATOR_VECTORS(name, T)      \
    EMULATOR_VECTORS_UP_TO_3(name, T); \
    EMULATOR_VECTOR4(name##4, T)

#define EMULATOR_WIDE_VECTORS(name, T)         \
    EMULATOR_VECTORS_UP_TO_3(name, T);         \
    EMULATOR_VECTOR4_WIDE(name##4, T, 16);     \
    EMULATOR_VECTOR4_WIDE(name##4_16a, T, 16); \
    EMULATOR_VECTOR4_WIDE(name##4_32a, T, 32)

EMULATOR_VECTORS(char, signed char);
EMULATOR_VECTORS(uchar, unsigned char);
EMULATOR_VECTORS(short, short);
EMULATOR_VECTORS(ushort, unsigned short);
EMULATOR_VECTORS(int, int);
EMULATOR_VECTORS(uint, unsigned int);
EMULATOR_VECTORS(float, float);
EMULATOR_WIDE_VECTORS(long, long);
EMULATOR_WIDE_VECTORS(ulong, unsigned long);
EMULATOR_WIDE_VECTORS(longlong, long long);
EMULATOR_WIDE_VECTORS(ulonglong, unsigned long long);
EMULATOR_WIDE_VECTORS(double, double);

#undef EMULATOR_WIDE_VECTORS
#undef EMULATOR_VECTORS
#undef EMULATOR_VECTORS_UP_TO_3
#undef EMULATOR_VECTOR4_WIDE
#undef EMULATOR_VECTOR4
#undef EMULATOR_VECTOR2
#undef EMULATOR_COPIES
#ifdef __SANITIZE_THREAD__
#undef EMULATOR_FIELDS2
#undef EMULATOR_FIELDS4
#endif

// A grid's or a block's extent: components left out are one.
struct dim3 {
    unsigned int x, y, z;

    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
        : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 extent) : x(extent.x), y(extent.y), z(extent.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};
