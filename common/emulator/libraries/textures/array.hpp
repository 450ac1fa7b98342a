// SPDX-License-Identifier: MIT
// CUDA arrays: their memory, and the table of those that live.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace emulator {

// Components of a texel, and its bytes.
int channels_of(const cudaChannelFormatDesc& format);
std::size_t bytes_of(const cudaChannelFormatDesc& format);
// Whether all components have 8, 16 or 32 bits, and there are one, two or four of them.
bool is_valid(const cudaChannelFormatDesc& format);

// The largest extents of the device (CUDA C++ Programming Guide, table "Technical Specifications
// per Compute Capability"). Layers are the depth.
bool fits_device(const cudaExtent& extent, unsigned flags);

}  // namespace emulator

// Rows without gaps, slices without gaps: on a GPU the layout is secret, so that no program can
// depend on it.
struct cudaArray {
    cudaChannelFormatDesc format{};
    cudaExtent extent{};  // as given: 0 for a height or depth that does not exist
    unsigned flags = 0;
    char* memory = nullptr;
    bool is_level = false;  // of a mipmapped array, which owns it

    std::size_t texel_bytes() const { return emulator::bytes_of(format); }
    std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
    std::size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
    std::size_t pitch() const { return extent.width * texel_bytes(); }
    std::size_t slice_pitch() const { return pitch() * rows(); }
    std::size_t bytes() const { return slice_pitch() * slices(); }
    bool is_layered() const { return (flags & cudaArrayLayered) != 0; }
    bool is_cubemap() const { return (flags & cudaArrayCubemap) != 0; }
};

struct cudaMipmappedArray {
    std::vector<std::unique_ptr<cudaArray>> levels;
};

namespace emulator {

// With memory from the device's table. The arguments are valid.
cudaError_t make_array(const cudaChannelFormatDesc& format, const cudaExtent& extent,
                       unsigned flags, std::unique_ptr<cudaArray>& array);

// The table of arrays that cudaMallocArray() and its like returned. Under the runtime's lock.
void keep_array(std::unique_ptr<cudaArray> array);
void keep_array(std::unique_ptr<cudaMipmappedArray> array);
// Whether it is in the table, or a level of an array in the table.
bool is_array(cudaArray_const_t array);
bool is_array(cudaMipmappedArray_const_t array);
// Gives the memory back and takes the array out of the table.
void free_array(cudaArray_t array);
void free_array(cudaMipmappedArray_t array);

}  // namespace emulator
