// SPDX-License-Identifier: MIT
// The API of CUDA arrays: making and freeing them.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "common/emulator/device/memory.hpp"
#include "common/emulator/libraries/textures/array.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {
namespace {

constexpr unsigned kKnownFlags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;

cudaError_t check(const char* function, const cudaChannelFormatDesc* format,
                  const cudaExtent& extent, unsigned flags) {
    if (format == nullptr) return cudaErrorInvalidValue;
    if (!is_valid(*format)) {
        explain(
            "%s: an array's texels have one, two or four components of 8, 16 or 32 bits; the "
            "engine has no other formats",
            function);
        return cudaErrorInvalidChannelDescriptor;
    }
    if ((flags & ~kKnownFlags) != 0) {
        explain("%s: the engine has no sparse arrays, and none for graphics", function);
        return cudaErrorNotSupported;
    }
    if (!fits_device(extent, flags)) {
        explain("%s: the device has no array of %zu x %zu x %zu texels with these flags", function,
                extent.width, extent.height, extent.depth);
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t allocate(const char* function, cudaArray_t* array, const cudaChannelFormatDesc* format,
                     const cudaExtent& extent, unsigned flags) {
    return host_call(function, [&] {
        if (array == nullptr) return cudaErrorInvalidValue;
        std::unique_ptr<cudaArray> made;
        cudaError_t error = check(function, format, extent, flags);
        if (error == cudaSuccess) error = make_array(*format, extent, flags, made);
        if (error != cudaSuccess) return error;
        *array = made.get();
        keep_array(std::move(made));
        return cudaSuccess;
    });
}

std::size_t extent_of_level(std::size_t extent, unsigned level) {
    if (extent == 0) return 0;
    return extent >> level > 0 ? extent >> level : 1;
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                            std::size_t width, std::size_t height, unsigned flags) {
    return allocate("cudaMallocArray", array, format, {width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags) {
    return allocate("cudaMalloc3DArray", array, format, extent, flags);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array,
                                     const cudaChannelFormatDesc* format, cudaExtent extent,
                                     unsigned levels, unsigned flags) {
    return host_call("cudaMallocMipmappedArray", [&] {
        if (array == nullptr) return cudaErrorInvalidValue;
        cudaError_t error = check("cudaMallocMipmappedArray", format, extent, flags);
        if (error != cudaSuccess) return error;
        const bool has_layers = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
        const auto level_extent = [&](unsigned level) {
            return cudaExtent{extent_of_level(extent.width, level),
                              extent_of_level(extent.height, level),
                              has_layers ? extent.depth : extent_of_level(extent.depth, level)};
        };
        // CUDA takes no more levels than there are, down to one texel.
        unsigned most = 1;
        for (std::size_t size = std::max(
                 {extent.width, extent.height, has_layers ? std::size_t{0} : extent.depth});
             size > 1; size /= 2) {
            ++most;
        }
        if (levels == 0) return cudaErrorInvalidValue;
        auto made = std::make_unique<cudaMipmappedArray>();
        for (unsigned level = 0; level < std::min(levels, most); ++level) {
            made->levels.emplace_back();
            error = make_array(*format, level_extent(level), flags, made->levels.back());
            if (error != cudaSuccess) {
                made->levels.pop_back();
                for (const auto& earlier : made->levels) remove_memory(earlier->memory);
                return error;
            }
            made->levels.back()->is_level = true;
        }
        *array = made.get();
        keep_array(std::move(made));
        return cudaSuccess;
    });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level_array, cudaMipmappedArray_const_t array,
                                       unsigned level) {
    return host_call("cudaGetMipmappedArrayLevel", [&] {
        if (level_array == nullptr || !is_array(array) || level >= array->levels.size()) {
            return cudaErrorInvalidValue;
        }
        *level_array = array->levels[level].get();
        return cudaSuccess;
    });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    return host_call("cudaFreeArray", [&] {
        if (array == nullptr) return cudaSuccess;
        if (!is_array(array)) {
            explain("cudaFreeArray: %p is no array, or was freed", static_cast<void*>(array));
            return cudaErrorInvalidValue;
        }
        if (array->is_level) {
            explain("cudaFreeArray: a level belongs to its mipmapped array");
            return cudaErrorInvalidValue;
        }
        // Queued work may still use it.
        const cudaError_t error = run_everything();
        free_array(array);
        return error;
    });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
    return host_call("cudaFreeMipmappedArray", [&] {
        if (array == nullptr) return cudaSuccess;
        if (!is_array(array)) return cudaErrorInvalidValue;
        const cudaError_t error = run_everything();
        free_array(array);
        return error;
    });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
    return host_call("cudaArrayGetInfo", [&] {
        if (!is_array(array)) return cudaErrorInvalidResourceHandle;
        if (format != nullptr) *format = array->format;
        if (extent != nullptr) *extent = array->extent;
        if (flags != nullptr) *flags = array->flags;
        return cudaSuccess;
    });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
    return host_call("cudaGetChannelDesc", [&] {
        if (format == nullptr || !is_array(array)) return cudaErrorInvalidValue;
        *format = array->format;
        return cudaSuccess;
    });
}
