// SPDX-License-Identifier: MIT
// make_float4 and its like: a function for each of CUDA's vector types.
#pragma once

#include <vector_types.h>

#define EMULATOR_MAKE_UP_TO_3(name, T)                                   \
    constexpr name##1 make_##name##1(T x) { return name##1 {x}; }        \
    constexpr name##2 make_##name##2(T x, T y) { return name##2(x, y); } \
    constexpr name##3 make_##name##3(T x, T y, T z) { return name##3 {x, y, z}; }

#define EMULATOR_MAKE_4(name, T) \
    constexpr name make_##name(T x, T y, T z, T w) { return name(x, y, z, w); }

#define EMULATOR_MAKE(name, T)     \
    EMULATOR_MAKE_UP_TO_3(name, T) \
    EMULATOR_MAKE_4(name##4, T)

#define EMULATOR_MAKE_WIDE(name, T) \
    EMULATOR_MAKE_UP_TO_3(name, T)  \
    EMULATOR_MAKE_4(name##4, T)     \
    EMULATOR_MAKE_4(name##4_16a, T) \
    EMULATOR_MAKE_4(name##4_32a, T)

EMULATOR_MAKE(char, signed char)
EMULATOR_MAKE(uchar, unsigned char)
EMULATOR_MAKE(short, short)
EMULATOR_MAKE(ushort, unsigned short)
EMULATOR_MAKE(int, int)
EMULATOR_MAKE(uint, unsigned int)
EMULATOR_MAKE(float, float)
EMULATOR_MAKE_WIDE(long, long)
EMULATOR_MAKE_WIDE(ulong, unsigned long)
EMULATOR_MAKE_WIDE(longlong, long long)
EMULATOR_MAKE_WIDE(ulonglong, unsigned long long)
EMULATOR_MAKE_WIDE(double, double)

#undef EMULATOR_MAKE_WIDE
#undef EMULATOR_MAKE
#undef EMULATOR_MAKE_4
#undef EMULATOR_MAKE_UP_TO_3
