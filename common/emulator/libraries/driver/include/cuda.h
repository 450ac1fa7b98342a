// SPDX-License-Identifier: MIT
// The driver API's types, enumerations and version, for programs that include it for those. Queries
// of the device work, because the runtime API answers them too, and so do tensor maps. All other
// functions are missing: there are no contexts, no modules and no PTX. emucc names a missing
// function in one line.
#pragma once

#define __cuda_cuda_h__

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <emulator/driver_attributes.hpp>
#include <emulator/driver_enums.hpp>
#include <emulator/driver_results.hpp>
#include <emulator/tensor_maps.hpp>

#define CUDA_VERSION 13000
#define CUDAAPI
#define CUDA_CB
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEMHOSTREGISTER_PORTABLE 0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_DEVICE_CPU ((CUdevice)-1)
#define CU_DEVICE_INVALID ((CUdevice)-2)
#define CU_LAUNCH_PARAM_END ((void*)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void*)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void*)0x02)

typedef int CUdevice_v1;
typedef CUdevice_v1 CUdevice;
typedef unsigned long long CUdeviceptr_v2;
typedef CUdeviceptr_v2 CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUlib_st* CUlibrary;
typedef struct CUkern_st* CUkernel;
typedef struct CUarray_st* CUarray;
typedef struct CUmipmappedArray_st* CUmipmappedArray;
typedef struct CUtexref_st* CUtexref;
typedef struct CUsurfref_st* CUsurfref;
typedef CUstream_st* CUstream;
typedef CUevent_st* CUevent;
typedef struct CUgraphicsResource_st* CUgraphicsResource;
typedef struct CUlinkState_st* CUlinkState;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef void (*CUhostFn)(void* user_data);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void* user_data);
typedef std::size_t (*CUoccupancyB2DSize)(int block_size);

namespace emulator {

// The numbers of both APIs' errors are the same; some names differ.
inline CUresult driver_result(cudaError_t error) {
    cudaGetLastError();  // the driver API does not keep errors that can be corrected
    return static_cast<CUresult>(error);
}

}  // namespace emulator

inline CUresult cuInit(unsigned int flags) {
    return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

inline CUresult cuDriverGetVersion(int* version) {
    return emulator::driver_result(cudaDriverGetVersion(version));
}

inline CUresult cuDeviceGetCount(int* count) {
    return emulator::driver_result(cudaGetDeviceCount(count));
}

inline CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    int count = 0;
    cudaGetDeviceCount(&count);
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (ordinal < 0 || ordinal >= count) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

// Attributes have the numbers of cudaDeviceAttr.
inline CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    return emulator::driver_result(
        cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}

inline CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
    cudaDeviceProp properties{};
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) return emulator::driver_result(error);
    std::strncpy(name, properties.name, static_cast<std::size_t>(length) - 1);
    name[length - 1] = '\0';
    return CUDA_SUCCESS;
}

inline CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
    if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaDeviceProp properties{};
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    *bytes = properties.totalGlobalMem;
    return emulator::driver_result(error);
}

inline CUresult cuDeviceGetUuid(cudaUUID_t* uuid, CUdevice device) {
    if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaDeviceProp properties{};
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    *uuid = properties.uuid;
    return emulator::driver_result(error);
}

inline CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
    return emulator::driver_result(cudaDeviceGetPCIBusId(text, length, device));
}

inline CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    const CUresult result =
        cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    if (result != CUDA_SUCCESS) return result;
    return cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

inline CUresult cuGetErrorName(CUresult error, const char** text) {
    if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *text = nullptr;
    switch (error) {
#define EMULATOR_NAME(name, number) \
    case name:                      \
        *text = #name;              \
        break;
        EMULATOR_DRIVER_RESULTS(EMULATOR_NAME)
#undef EMULATOR_NAME
    }
    return *text != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// The texts are the runtime API's.
inline CUresult cuGetErrorString(CUresult error, const char** text) {
    if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *text = cudaGetErrorString(static_cast<cudaError_t>(error));
    return CUDA_SUCCESS;
}
