// SPDX-License-Identifier: MIT
// bfloat16 for the CPU engine: all functions of the toolkit's header. Arithmetic and conversions
// equal a GPU's to the bit; mathematical functions may differ in the last one.
#pragma once

#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__

#include <cuda_fp16.h>

EMULATOR_SMALL_TYPES(__nv_bfloat16, __nv_bfloat162, emulator::BfloatFormat)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

EMULATOR_SMALL_FUNCTIONS(bfloat16, __nv_bfloat16, __nv_bfloat162)

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
