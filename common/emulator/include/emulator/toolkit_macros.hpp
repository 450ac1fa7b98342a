// SPDX-License-Identifier: MIT
// The macros by which programs recognise the toolkit: include guards of the headers that
// cuda_runtime_api.h brings, and versions. NVIDIA's helper headers declare functions only where
// they find the guards. The guards also keep the toolkit's own headers out.
#pragma once

#define __CUDA_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __DEVICE_TYPES_H__
#define __VECTOR_TYPES_H__
#define __SURFACE_TYPES_H__
#define __TEXTURE_TYPES_H__
#define __LIBRARY_TYPES_H__
#define __CHANNEL_DESCRIPTOR_H__
#define __DRIVER_FUNCTIONS_H__
#define __HOST_DEFINES_H__
#define __HOST_CONFIG_H__

#define CUDART_VERSION 13000
#define __CUDART_API_VERSION CUDART_VERSION

// nvcc defines these on its command line.
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_API_VER_MAJOR__ 13
#define __CUDA_API_VER_MINOR__ 0
#endif

// What __CUDA_ARCH__ is in device code: the translator puts this name in its place.
#ifndef EMULATOR_CUDA_ARCH
#define EMULATOR_CUDA_ARCH 900
#endif

#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
