// SPDX-License-Identifier: MIT
// 16-bit floating point for the CPU engine: all functions of the toolkit's header. Arithmetic and
// conversions equal a GPU's to the bit; mathematical functions may differ in the last one.
#pragma once

#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__

#include <cuda_runtime.h>

#include <concepts>
#include <emulator/small_float_functions.hpp>

EMULATOR_SMALL_TYPES(__half, __half2, emulator::HalfFormat)

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

EMULATOR_SMALL_FUNCTIONS(half, __half, __half2)

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
