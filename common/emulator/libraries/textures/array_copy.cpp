// SPDX-License-Identifier: MIT
// Copies and sets of arrays and of pitched memory in three dimensions.
#include "common/emulator/libraries/textures/array_copy.hpp"

#include <algorithm>

#include "common/emulator/device/memory.hpp"
#include "common/emulator/libraries/textures/array.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/copy.hpp"

namespace emulator {
namespace {

// One end of a copy: its first byte, and the bytes from row to row and from slice to slice.
struct End {
    char* begin = nullptr;
    std::size_t pitch = 0;
    std::size_t slice_pitch = 0;
};

// Part of an array. x and width are in bytes.
bool find_end(const char* function, cudaArray_const_t array, const cudaPos& position,
              const cudaExtent& extent, End& end) {
    if (!is_array(array)) {
        explain("%s: %p is no array, or was freed", function, static_cast<const void*>(array));
        return false;
    }
    if (position.x + extent.width > array->pitch() || position.y + extent.height > array->rows() ||
        position.z + extent.depth > array->slices()) {
        explain(
            "%s: %zu bytes x %zu x %zu at %zu, %zu, %zu do not lie in the array of %zu bytes x "
            "%zu x %zu",
            function, extent.width, extent.height, extent.depth, position.x, position.y, position.z,
            array->pitch(), array->rows(), array->slices());
        return false;
    }
    end = {array->memory + position.z * array->slice_pitch() + position.y * array->pitch() +
               position.x,
           array->pitch(), array->slice_pitch()};
    return true;
}

End end_of(const cudaPitchedPtr& memory, const cudaPos& position) {
    const std::size_t slice_pitch = memory.pitch * memory.ysize;
    return {static_cast<char*>(memory.ptr) + position.z * slice_pitch + position.y * memory.pitch +
                position.x,
            memory.pitch, slice_pitch};
}

// Slices without gaps at both ends are one copy; others are copied one by one.
cudaError_t copy_slices(const char* function, const End& to, const End& from, cudaExtent extent,
                        cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous) {
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return cudaSuccess;
    if (to.slice_pitch == to.pitch * extent.height &&
        from.slice_pitch == from.pitch * extent.height) {
        extent.height *= extent.depth;
        extent.depth = 1;
    }
    cudaError_t error = cudaSuccess;
    for (std::size_t slice = 0; slice < extent.depth && error == cudaSuccess; ++slice) {
        const Copy copy{to.begin + slice * to.slice_pitch,
                        from.begin + slice * from.slice_pitch,
                        to.pitch,
                        from.pitch,
                        extent.width,
                        extent.height};
        error = copy_memory(function, copy, kind, stream, asynchronous);
    }
    return error;
}

cudaError_t copy_array(const char* function, cudaArray_const_t array, const cudaPos& position,
                       char* other, std::size_t pitch, const cudaExtent& extent,
                       cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous, bool to_array) {
    return host_call(function, [&] {
        End end;
        if (!find_end(function, array, position, extent, end)) return cudaErrorInvalidValue;
        const End memory{other, pitch, pitch * extent.height};
        return copy_slices(function, to_array ? end : memory, to_array ? memory : end, extent, kind,
                           stream, asynchronous);
    });
}

char* bytes_of(const void* pointer) { return static_cast<char*>(const_cast<void*>(pointer)); }

// `bytes` from a place on, row after row: rows have no gaps.
cudaError_t copy_linear(const char* function, cudaArray_const_t array, std::size_t x, std::size_t y,
                        char* other, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                        bool asynchronous, bool to_array) {
    return host_call(function, [&] {
        if (!is_array(array)) return cudaErrorInvalidValue;
        const std::size_t offset = y * array->pitch() + x;
        if (x >= array->pitch() || offset + bytes > array->slice_pitch()) {
            explain("%s: %zu bytes at %zu, %zu do not lie in the array of %zu bytes x %zu",
                    function, bytes, x, y, array->pitch(), array->rows());
            return cudaErrorInvalidValue;
        }
        char* const inside = array->memory + offset;
        return copy_memory(
            function,
            to_array ? linear_copy(inside, other, bytes) : linear_copy(other, inside, bytes), kind,
            stream, asynchronous);
    });
}

cudaError_t set_rows(const char* function, const cudaPitchedPtr& memory, int value,
                     const cudaExtent& extent, cudaStream_t stream) {
    return host_call(function, [&] {
        if (extent.width > memory.pitch && extent.height * extent.depth > 1) {
            return cudaErrorInvalidPitchValue;
        }
        const End end = end_of(memory, {0, 0, 0});
        cudaError_t error = cudaSuccess;
        for (std::size_t slice = 0; slice < extent.depth; ++slice) {
            for (std::size_t row = 0; row < extent.height && error == cudaSuccess; ++row) {
                error = set_memory(function, end.begin + slice * end.slice_pitch + row * end.pitch,
                                   value, extent.width, stream, true);
            }
        }
        return error;
    });
}

}  // namespace

cudaError_t copy_3d(const char* function, const cudaMemcpy3DParms& parameters, cudaStream_t stream,
                    bool asynchronous) {
    return host_call(function, [&] {
        const auto& [source_array, source_at, source, array, at, destination, given, kind] =
            parameters;
        if ((source_array == nullptr) == (source.ptr == nullptr) ||
            (array == nullptr) == (destination.ptr == nullptr)) {
            explain("%s: each end of the copy is either an array or a pointer", function);
            return cudaErrorInvalidValue;
        }
        // Positions in arrays are in elements; so is the width, if an array takes part.
        cudaExtent extent = given;
        if (array != nullptr || source_array != nullptr) {
            const cudaArray* const known = array != nullptr ? array : source_array;
            if (!is_array(known)) return cudaErrorInvalidValue;
            extent.width *= known->texel_bytes();
        }
        const auto find = [&](cudaArray_const_t array_end, const cudaPitchedPtr& memory,
                              cudaPos position, End& end) {
            if (array_end == nullptr) {
                end = end_of(memory, position);
                return true;
            }
            if (is_array(array_end)) position.x *= array_end->texel_bytes();
            return find_end(function, array_end, position, extent, end);
        };
        End to;
        End from;
        if (!find(array, destination, at, to) || !find(source_array, source, source_at, from)) {
            return cudaErrorInvalidValue;
        }
        return copy_slices(function, to, from, extent, kind, stream, asynchronous);
    });
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaMemcpyToArray(cudaArray_t destination, std::size_t x, std::size_t y,
                              const void* source, std::size_t bytes, cudaMemcpyKind kind) {
    return copy_linear("cudaMemcpyToArray", destination, x, y, bytes_of(source), bytes, kind,
                       nullptr, false, true);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t destination, std::size_t x, std::size_t y,
                                   const void* source, std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
    return copy_linear("cudaMemcpyToArrayAsync", destination, x, y, bytes_of(source), bytes, kind,
                       stream, true, true);
}

cudaError_t cudaMemcpyFromArray(void* destination, cudaArray_const_t source, std::size_t x,
                                std::size_t y, std::size_t bytes, cudaMemcpyKind kind) {
    return copy_linear("cudaMemcpyFromArray", source, x, y, bytes_of(destination), bytes, kind,
                       nullptr, false, false);
}

cudaError_t cudaMemcpyFromArrayAsync(void* destination, cudaArray_const_t source, std::size_t x,
                                     std::size_t y, std::size_t bytes, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
    return copy_linear("cudaMemcpyFromArrayAsync", source, x, y, bytes_of(destination), bytes, kind,
                       stream, true, false);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t destination, std::size_t destination_x,
                                   std::size_t destination_y, cudaArray_const_t source,
                                   std::size_t source_x, std::size_t source_y, std::size_t bytes,
                                   cudaMemcpyKind kind) {
    return host_call("cudaMemcpyArrayToArray", [&] {
        if (!is_array(source) || !is_array(destination)) return cudaErrorInvalidValue;
        const std::size_t offset = source_y * source->pitch() + source_x;
        if (source_x >= source->pitch() || offset + bytes > source->slice_pitch()) {
            return cudaErrorInvalidValue;
        }
        return copy_linear("cudaMemcpyArrayToArray", destination, destination_x, destination_y,
                           source->memory + offset, bytes, kind, nullptr, false, true);
    });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t destination, std::size_t x, std::size_t y,
                                const void* source, std::size_t pitch, std::size_t width,
                                std::size_t height, cudaMemcpyKind kind) {
    return copy_array("cudaMemcpy2DToArray", destination, {x, y, 0}, bytes_of(source), pitch,
                      {width, height, 1}, kind, nullptr, false, true);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t destination, std::size_t x, std::size_t y,
                                     const void* source, std::size_t pitch, std::size_t width,
                                     std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_array("cudaMemcpy2DToArrayAsync", destination, {x, y, 0}, bytes_of(source), pitch,
                      {width, height, 1}, kind, stream, true, true);
}

cudaError_t cudaMemcpy2DFromArray(void* destination, std::size_t pitch, cudaArray_const_t source,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
    return copy_array("cudaMemcpy2DFromArray", source, {x, y, 0}, bytes_of(destination), pitch,
                      {width, height, 1}, kind, nullptr, false, false);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* destination, std::size_t pitch,
                                       cudaArray_const_t source, std::size_t x, std::size_t y,
                                       std::size_t width, std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
    return copy_array("cudaMemcpy2DFromArrayAsync", source, {x, y, 0}, bytes_of(destination), pitch,
                      {width, height, 1}, kind, stream, true, false);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t destination, std::size_t destination_x,
                                     std::size_t destination_y, cudaArray_const_t source,
                                     std::size_t source_x, std::size_t source_y, std::size_t width,
                                     std::size_t height, cudaMemcpyKind kind) {
    return host_call("cudaMemcpy2DArrayToArray", [&] {
        End from;
        if (!find_end("cudaMemcpy2DArrayToArray", source, {source_x, source_y, 0},
                      {width, height, 1}, from)) {
            return cudaErrorInvalidValue;
        }
        return copy_array("cudaMemcpy2DArrayToArray", destination,
                          {destination_x, destination_y, 0}, from.begin, from.pitch,
                          {width, height, 1}, kind, nullptr, false, true);
    });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
    return host_call("cudaMalloc3D", [&] {
        if (memory == nullptr) return cudaErrorInvalidValue;
        void* pointer = nullptr;
        std::size_t pitch = 0;
        const cudaError_t error = cudaMallocPitch(
            &pointer, &pitch, extent.width,
            std::max<std::size_t>(extent.height, 1) * std::max<std::size_t>(extent.depth, 1));
        *memory = make_cudaPitchedPtr(pointer, pitch, extent.width, extent.height);
        return error;
    });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
    if (parameters == nullptr) {
        return host_call("cudaMemcpy3D", [] { return cudaErrorInvalidValue; });
    }
    return copy_3d("cudaMemcpy3D", *parameters, nullptr, false);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
    if (parameters == nullptr) {
        return host_call("cudaMemcpy3DAsync", [] { return cudaErrorInvalidValue; });
    }
    return copy_3d("cudaMemcpy3DAsync", *parameters, stream, true);
}

cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
    return set_rows("cudaMemset3D", memory, value, extent, nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent,
                              cudaStream_t stream) {
    return set_rows("cudaMemset3DAsync", memory, value, extent, stream);
}

cudaError_t cudaMemset2D(void* memory, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
    return set_rows("cudaMemset2D", make_cudaPitchedPtr(memory, pitch, width, height), value,
                    {width, height, 1}, nullptr);
}

cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
    return set_rows("cudaMemset2DAsync", make_cudaPitchedPtr(memory, pitch, width, height), value,
                    {width, height, 1}, stream);
}
