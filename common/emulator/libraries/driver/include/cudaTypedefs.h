// SPDX-License-Identifier: MIT
// Types of pointers to functions of the driver API, for those that cudaGetDriverEntryPoint() finds.
#pragma once

#include <cuda.h>

#define EMULATOR_FUNCTION_POINTER(function, version)        \
    typedef decltype(&function) PFN_##function##_##version; \
    typedef PFN_##function##_##version PFN_##function

EMULATOR_FUNCTION_POINTER(cuInit, v2000);
EMULATOR_FUNCTION_POINTER(cuDriverGetVersion, v2020);
EMULATOR_FUNCTION_POINTER(cuDeviceGetCount, v2000);
EMULATOR_FUNCTION_POINTER(cuDeviceGet, v2000);
EMULATOR_FUNCTION_POINTER(cuDeviceGetAttribute, v2000);
EMULATOR_FUNCTION_POINTER(cuDeviceGetName, v2000);
EMULATOR_FUNCTION_POINTER(cuGetErrorName, v6000);
EMULATOR_FUNCTION_POINTER(cuGetErrorString, v6000);
EMULATOR_FUNCTION_POINTER(cuTensorMapEncodeTiled, v12000);
EMULATOR_FUNCTION_POINTER(cuTensorMapReplaceAddress, v12000);

#undef EMULATOR_FUNCTION_POINTER
