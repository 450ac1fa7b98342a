// SPDX-License-Identifier: MIT
// CUDA C++ for the CPU engine, found before the toolkit's header of this name.
#pragma once

#include <cuda_runtime_api.h>
#include <vector_functions.h>

// The include guards of the toolkit's headers that this one brings; see toolkit_macros.hpp.
#define __CUDA_RUNTIME_H__
#define __VECTOR_FUNCTIONS_H__
#define __COMMON_FUNCTIONS_H__
#define __MATH_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_H__
#define __DEVICE_ATOMIC_FUNCTIONS_H__
#define __DEVICE_DOUBLE_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __SM_20_ATOMIC_FUNCTIONS_H__
#define __SM_20_INTRINSICS_H__
#define __SM_30_INTRINSICS_H__
#define __SM_32_ATOMIC_FUNCTIONS_H__
#define __SM_32_INTRINSICS_H__
#define __SM_35_ATOMIC_FUNCTIONS_H__
#define __SM_35_INTRINSICS_H__
#define __SM_60_ATOMIC_FUNCTIONS_H__
#define __SM_61_INTRINSICS_H__

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <emulator/launch.hpp>
#include <emulator/qualifiers.hpp>
#include <emulator/thread.hpp>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

// A .cpp file gets no device functions, as under nvcc: it may define max() and others itself.
#ifndef EMULATOR_HOST_SOURCE
#include <emulator/atomics.hpp>
#include <emulator/device_functions.hpp>
#include <emulator/dynamic_shared.hpp>
#include <emulator/nv_atomics.hpp>
#endif

struct cudaLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    std::size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};

namespace emulator {

// Reads the attributes into `configuration`; one that the engine does not know is an error.
cudaError_t apply_launch_attributes(LaunchConfiguration& configuration,
                                    const cudaLaunchAttribute* attributes, unsigned count);

// The translation unit's denormal mode is a template argument so that two units that launch kernels
// of one type, one of them with EMULATOR_FLUSH_DENORMALS, do not share an instance.
template <class Mode, class... Parameters>
cudaError_t launch_by_address(const LaunchConfiguration& configuration,
                              void (*kernel)(Parameters...),
                              std::tuple<std::decay_t<Parameters>...> arguments) {
    using Known = KnownKernel<void (*)(Parameters...), Parameters...>;
    std::unique_ptr<KernelCall> call = std::apply(
        [&](auto&&... values) {
            return std::make_unique<BoundKernelCall<Mode, typename Known::Body>>(
                typename Known::Caller(kernel), std::move(values)...);
        },
        std::move(arguments));
    return static_cast<cudaError_t>(
        launch_kernel(configuration, KernelIdentity{nullptr, reinterpret_cast<const void*>(kernel)},
                      std::move(call)));
}

template <class Mode, class... Parameters, std::size_t... Indices>
KernelCall* make_call(const void* address, [[maybe_unused]] void** arguments,
                      std::index_sequence<Indices...>) {
    using Function = void (*)(Parameters...);
    using Known = KnownKernel<Function, Parameters...>;
    const auto function = reinterpret_cast<Function>(const_cast<void*>(address));
    return new BoundKernelCall<Mode, typename Known::Body>(
        typename Known::Caller(function),
        *static_cast<const std::decay_t<Parameters>*>(arguments[Indices])...);
}

template <class Mode, class... Parameters>
cudaError_t launch_with_pointers(const LaunchConfiguration& configuration,
                                 void (*kernel)(Parameters...), void** arguments) {
    const void* const address = reinterpret_cast<const void*>(kernel);
    std::unique_ptr<KernelCall> call(make_call<Mode, Parameters...>(
        address, arguments, std::index_sequence_for<Parameters...>()));
    return static_cast<cudaError_t>(
        launch_kernel(configuration, KernelIdentity{nullptr, address}, std::move(call)));
}

// `(void*)kernel` loses the kernel's type, which the engine needs when a graph's node or
// cudaLaunchKernel() names it by that pointer. The translator makes it a call of this function.
template <class Mode = DenormalMode, class... Parameters>
EMULATOR_UNRECORDED void* kernel_pointer(void (*kernel)(Parameters...)) {
    void* const address = reinterpret_cast<void*>(kernel);
    register_kernel(address, {[](const void* pointer, void** arguments) {
                                  return make_call<Mode, Parameters...>(
                                      pointer, arguments, std::index_sequence_for<Parameters...>());
                              },
                              sizeof...(Parameters)});
    return address;
}
// The name is also that of something else.
template <class T>
EMULATOR_UNRECORDED void* kernel_pointer(T&& value) {
    return (void*)value;
}

// Each device has its own values of a __device__ or __constant__ variable. The translator calls
// this behind the variable's declaration. A constant has the same value on all devices.
void register_device_variable(const void* address, std::size_t bytes);
template <class T>
EMULATOR_UNRECORDED bool register_variable(T& variable) {
    if constexpr (!std::is_const_v<std::remove_all_extents_t<T>>) {
        register_device_variable(&variable, sizeof variable);
    }
    return true;
}

// Launches a kernel that kernel_pointer() has registered.
cudaError_t launch_registered(const char* function, const LaunchConfiguration& configuration,
                              const void* kernel, void** arguments);

template <class T>
Symbol symbol_of(const T& variable) {
    return {reinterpret_cast<const char*>(&variable), sizeof(T)};
}

}  // namespace emulator

template <class Mode = emulator::DenormalMode, class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
    return emulator::launch_with_pointers<Mode>(
        emulator::LaunchConfiguration(grid, block, shared_bytes, stream), kernel, arguments);
}

template <class Mode = emulator::DenormalMode, class... Parameters>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes = 0,
                                        cudaStream_t stream = nullptr) {
    emulator::LaunchConfiguration configuration(grid, block, shared_bytes, stream);
    configuration.cooperative = true;
    return emulator::launch_with_pointers<Mode>(configuration, kernel, arguments);
}

// By an address that was made with `(void*)kernel`.
inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
    return emulator::launch_registered(
        "cudaLaunchKernel", emulator::LaunchConfiguration(grid, block, shared_bytes, stream),
        kernel, arguments);
}

inline cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block,
                                               void** arguments, std::size_t shared_bytes = 0,
                                               cudaStream_t stream = nullptr) {
    emulator::LaunchConfiguration configuration(grid, block, shared_bytes, stream);
    configuration.cooperative = true;
    return emulator::launch_registered("cudaLaunchCooperativeKernel", configuration, kernel,
                                       arguments);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments);

// In device code: sets the value that a conditional node of a graph tests.
void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);

template <class Mode = emulator::DenormalMode, class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
    emulator::LaunchConfiguration configuration(config->gridDim, config->blockDim,
                                                config->dynamicSmemBytes, config->stream);
    const cudaError_t error =
        emulator::apply_launch_attributes(configuration, config->attrs, config->numAttrs);
    if (error != cudaSuccess) return error;
    return emulator::launch_by_address<Mode>(
        configuration, kernel,
        std::tuple<std::decay_t<Parameters>...>(std::forward<Arguments>(arguments)...));
}

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
    return emulator::set_function_attribute(emulator::kernel_address(kernel), attribute, value);
}

template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* kernel) {
    return emulator::get_function_attributes(attributes, emulator::kernel_address(kernel));
}

template <class Kernel>
cudaError_t cudaFuncGetName(const char** name, Kernel* kernel) {
    return emulator::get_function_name(name, emulator::kernel_address(kernel));
}

// How much dynamic shared memory a block may have so that `blocks` of them fit on a multiprocessor.
template <class Kernel>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, Kernel* kernel,
                                                      int blocks, int threads) {
    return emulator::available_shared_bytes(bytes, emulator::kernel_address(kernel), blocks,
                                            threads);
}

template <class Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel*, cudaSharedMemConfig config) {
    return cudaDeviceSetSharedMemConfig(config);
}

// A hint about the L1 cache, which the engine does not have.
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache preference) {
    return cudaDeviceSetCacheConfig(preference);
}

// Occupancy counts threads, blocks and dynamic shared memory against the named GPU's limits.
// Registers and static shared memory are unknown here and are taken not to limit.
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int threads,
                                                          std::size_t shared_bytes) {
    return emulator::max_active_blocks(blocks, emulator::kernel_address(kernel), threads,
                                       shared_bytes);
}

template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel,
                                                                   int threads,
                                                                   std::size_t shared_bytes,
                                                                   unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared_bytes);
}

template <class Kernel, class SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* min_grid_size, int* block_size,
                                                           Kernel* kernel,
                                                           SharedBytes shared_bytes_of,
                                                           int block_size_limit = 0) {
    int processors = 0;
    cudaError_t error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (block_size_limit <= 0 || block_size_limit > emulator::kMaxThreadsPerBlock) {
        block_size_limit = emulator::kMaxThreadsPerBlock;
    }
    int most_threads = 0;
    *block_size = 0;
    *min_grid_size = 0;
    for (int size = block_size_limit; size > 0 && error == cudaSuccess;
         size = (size - 1) / warpSize * warpSize) {
        int blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size,
                                                              shared_bytes_of(size));
        if (blocks * size > most_threads) {
            most_threads = blocks * size;
            *block_size = size;
            *min_grid_size = blocks * processors;
        }
    }
    return error;
}

template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid_size, int* block_size, Kernel* kernel,
                                               std::size_t shared_bytes = 0,
                                               int block_size_limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        min_grid_size, block_size, kernel, [=](int) { return shared_bytes; }, block_size_limit);
}

template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* source, std::size_t bytes,
                               std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return emulator::copy_to_symbol(emulator::symbol_of(symbol), source, bytes, offset, kind);
}

template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* source, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream = nullptr) {
    return emulator::copy_to_symbol_async(emulator::symbol_of(symbol), source, bytes, offset, kind,
                                          stream);
}

template <class T>
cudaError_t cudaMemcpyFromSymbol(void* destination, const T& symbol, std::size_t bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return emulator::copy_from_symbol(destination, emulator::symbol_of(symbol), bytes, offset,
                                      kind);
}

template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const T& symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = nullptr) {
    return emulator::copy_from_symbol_async(destination, emulator::symbol_of(symbol), bytes, offset,
                                            kind, stream);
}

template <class T>
cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
    return emulator::get_symbol_address(pointer, emulator::symbol_of(symbol));
}
template <class Pointer, class T>
cudaError_t cudaGetSymbolAddress(Pointer** pointer, const T& symbol) {
    return emulator::get_symbol_address(reinterpret_cast<void**>(pointer),
                                        emulator::symbol_of(symbol));
}

template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const T&) {
    *bytes = sizeof(T);
    return cudaSuccess;
}

// What only other people's programs call: common/emulator/libraries.
#include <emulator/surface_accesses.hpp>
#include <emulator/texture_fetches.hpp>
