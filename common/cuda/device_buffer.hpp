// SPDX-License-Identifier: MIT
// Owners of device memory and of pinned host memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "common/cuda/cuda_check.hpp"

namespace course {

namespace detail {

// count * size. Errors: std::invalid_argument if count is negative, std::length_error if the
// product is above 2^63 - 1.
inline std::int64_t checked_bytes(std::int64_t count, std::size_t size) {
    if (count < 0) {
        throw std::invalid_argument("a buffer of " + std::to_string(count) + " elements");
    }
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(count, static_cast<std::int64_t>(size), &bytes)) {
        throw std::length_error("a buffer of " + std::to_string(count) + " elements of " +
                                std::to_string(size) + " bytes has no 64-bit size");
    }
    return bytes;
}

// Like cuda_check, for an allocation of `bytes`: the message says how many bytes were requested,
// and how many are free.
inline void check_allocation(cudaError_t status, std::int64_t bytes, const char* kind,
                             const std::source_location& where) {
    if (status == cudaSuccess) return;
    std::string message = describe_cuda_error(status, where) + " (" + std::to_string(bytes) +
                          " bytes of " + kind + " memory requested";
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    if (cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess) {
        message += ", " + std::to_string(free_bytes) + " of " + std::to_string(total_bytes) +
                   " bytes of the device free";
    }
    // CUDA remembers a failed allocation as the last error. It is reported here, and must not be
    // read as the failure of a later launch.
    static_cast<void>(cudaGetLastError());
    throw CudaError(status, message + ")");
}

struct DeviceMemory {
    static constexpr const char* kName = "device";
    static cudaError_t allocate(void** memory, std::size_t bytes) {
        return cudaMalloc(memory, bytes);
    }
    static cudaError_t release(void* memory) { return cudaFree(memory); }
};

struct PinnedMemory {
    static constexpr const char* kName = "pinned host";
    static cudaError_t allocate(void** memory, std::size_t bytes) {
        return cudaMallocHost(memory, bytes);
    }
    static cudaError_t release(void* memory) { return cudaFreeHost(memory); }
};

}  // namespace detail

// Owns `count` elements of T, uninitialised. Move-only. A count of 0 allocates nothing.
// Errors: CudaError if the memory cannot be allocated, std::invalid_argument for a negative count.
template <typename T, typename Memory>
class Buffer {
    // Elements are copied as bytes. (Not is_trivially_copyable: the CPU engine's float4 copies
    // itself as one vector, so that a copy is one access.)
    static_assert(std::is_standard_layout_v<T> && std::is_trivially_destructible_v<T>);

  public:
    Buffer() = default;

    explicit Buffer(std::int64_t count,
                    std::source_location where = std::source_location::current())
        : count_(count) {
        const std::int64_t bytes = detail::checked_bytes(count, sizeof(T));
        if (bytes > 0) {
            void* memory = nullptr;
            detail::check_allocation(Memory::allocate(&memory, static_cast<std::size_t>(bytes)),
                                     bytes, Memory::kName, where);
            data_ = static_cast<T*>(memory);
        }
    }

    Buffer(Buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}

    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        return *this;
    }

    ~Buffer() {
        if (data_ != nullptr) cuda_check_nothrow(Memory::release(data_));
    }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::int64_t count() const noexcept { return count_; }
    std::size_t bytes() const noexcept { return static_cast<std::size_t>(count_) * sizeof(T); }

  private:
    T* data_ = nullptr;
    std::int64_t count_ = 0;
};

// In device memory. The destructor waits for the device, as cudaFree does.
template <typename T>
using DeviceBuffer = Buffer<T, detail::DeviceMemory>;

// In page-locked host memory, which asynchronous copies need to overlap with kernels.
template <typename T>
using PinnedBuffer = Buffer<T, detail::PinnedMemory>;

}  // namespace course
