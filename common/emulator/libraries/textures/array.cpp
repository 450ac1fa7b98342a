// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/textures/array.hpp"

#include <algorithm>
#include <utility>

#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/properties/properties.hpp"
#include "common/emulator/runtime/library_hooks.hpp"

namespace emulator {
namespace {

struct Arrays {
    std::vector<std::unique_ptr<cudaArray>> plain;
    std::vector<std::unique_ptr<cudaMipmappedArray>> mipmapped;
};

Arrays& arrays() {
    static auto* all = new Arrays;  // never destroyed: static destructors may still free
    return *all;
}

template <class Array>
void remove(std::vector<std::unique_ptr<Array>>& all, const Array* array) {
    std::erase_if(all, [array](const auto& entry) { return entry.get() == array; });
}

// As cudaDeviceReset() does.
const AtReset arrays_at_reset([](int) {
    arrays().plain.clear();
    arrays().mipmapped.clear();
});

}  // namespace

int channels_of(const cudaChannelFormatDesc& format) {
    return (format.x > 0) + (format.y > 0) + (format.z > 0) + (format.w > 0);
}

std::size_t bytes_of(const cudaChannelFormatDesc& format) {
    return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
}

bool is_valid(const cudaChannelFormatDesc& format) {
    const int channels = channels_of(format);
    const int bits[] = {format.x, format.y, format.z, format.w};
    if (channels != 1 && channels != 2 && channels != 4) return false;
    for (int i = 0; i < 4; ++i) {
        if (bits[i] != (i < channels ? format.x : 0)) return false;
    }
    switch (format.f) {
        case cudaChannelFormatKindSigned:
        case cudaChannelFormatKindUnsigned:
            return format.x == 8 || format.x == 16 || format.x == 32;
        case cudaChannelFormatKindFloat:
            return format.x == 16 || format.x == 32;
        default:
            return false;
    }
}

bool fits_device(const cudaExtent& extent, unsigned flags) {
    const bool is_new = device().major >= 6;
    const auto fits = [&](std::size_t width, std::size_t height, std::size_t depth) {
        return extent.width > 0 && extent.width <= width && extent.height <= height &&
               extent.depth <= depth;
    };
    if ((flags & cudaArrayCubemap) != 0) {
        const std::size_t edge = is_new ? 32768 : 16384;
        const bool whole = (flags & cudaArrayLayered) != 0
                               ? extent.depth > 0 && extent.depth % 6 == 0
                               : extent.depth == 6;
        return extent.width == extent.height && whole && fits(edge, edge, 2046);
    }
    if ((flags & cudaArrayLayered) != 0) {
        const std::size_t edge = is_new ? 32768 : 16384;
        return extent.depth > 0 && fits(edge, edge, 2048);
    }
    if (extent.depth > 0) {
        const std::size_t edge = is_new ? 16384 : 4096;
        return extent.height > 0 && fits(edge, edge, edge);
    }
    if ((flags & cudaArrayTextureGather) != 0) {
        const std::size_t edge = is_new ? 32768 : 16384;
        return extent.height > 0 && fits(edge, edge, 0);
    }
    const std::size_t width = is_new ? 131072 : 65536;
    return fits(width, 65536, 0);
}

cudaError_t make_array(const cudaChannelFormatDesc& format, const cudaExtent& extent,
                       unsigned flags, std::unique_ptr<cudaArray>& array) {
    array = std::make_unique<cudaArray>();
    array->format = format;
    array->extent = extent;
    array->flags = flags;
    void* memory = nullptr;
    const cudaError_t error = allocate_memory(MemoryKind::device, array->bytes(), &memory);
    array->memory = static_cast<char*>(memory);
    if (error != cudaSuccess) array = nullptr;
    return error;
}

void keep_array(std::unique_ptr<cudaArray> array) { arrays().plain.push_back(std::move(array)); }

void keep_array(std::unique_ptr<cudaMipmappedArray> array) {
    arrays().mipmapped.push_back(std::move(array));
}

bool is_array(cudaArray_const_t array) {
    const auto is_same = [array](const auto& entry) { return entry.get() == array; };
    return std::ranges::any_of(arrays().plain, is_same) ||
           std::ranges::any_of(arrays().mipmapped, [&](const auto& mipmap) {
               return std::ranges::any_of(mipmap->levels, is_same);
           });
}

bool is_array(cudaMipmappedArray_const_t array) {
    return std::ranges::any_of(arrays().mipmapped,
                               [array](const auto& entry) { return entry.get() == array; });
}

void free_array(cudaArray_t array) {
    remove_memory(array->memory);
    remove(arrays().plain, array);
}

void free_array(cudaMipmappedArray_t array) {
    for (const auto& level : array->levels) remove_memory(level->memory);
    remove(arrays().mipmapped, array);
}

}  // namespace emulator
