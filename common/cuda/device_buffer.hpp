// SPDX-License-Identifier: MIT
// Owners of device memory and of pinned host memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "common/cuda/cuda_check.hpp"

namespace course {

namespace detail {

// count * size, refused where it is negative or above 2^63 - 1.
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

// As cuda_check, for an allocation of `bytes`: the message says how many were asked and are free.
inline void check_allocation(cudaError_t status, std::int64_t bytes, const char* kind,
                             const std::source_location& where) {
    if (status == cudaSuccess) {
        return;
    }
    std::string message = describe_cuda_error(status, where) + " (" + std::to_string(bytes) +
                          " bytes of " + kind + " memory asked";
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    if (cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess) {
        message += ", " + std::to_string(free_bytes) + " of " + std::to_string(total_bytes) +
                   " bytes of the device free";
    }
    // A failed allocation is remembered as the last error; it has been reported here, and must
    // not be read as the failure of a later launch.
    static_cast<void>(cudaGetLastError());
    throw CudaError(status, message + ")");
}

}  // namespace detail

// `count` elements of T in device memory, uninitialised. Move-only; freed on destruction (which
// waits for the device, as cudaFree does). A count of 0 allocates nothing.
// Errors: CudaError when the memory is not there, std::invalid_argument for a negative count.
template <typename T>
class DeviceBuffer {
    // Elements are copied as bytes. (Not is_trivially_copyable: the CPU engine's float4 copies
    // itself as one vector, so as to be one access.)
    static_assert(std::is_standard_layout_v<T> && std::is_trivially_destructible_v<T>);

  public:
    DeviceBuffer() = default;

    explicit DeviceBuffer(std::int64_t count,
                          std::source_location where = std::source_location::current())
        : count_(count) {
        const std::int64_t bytes = detail::checked_bytes(count, sizeof(T));
        if (bytes > 0) {
            void* memory = nullptr;
            detail::check_allocation(cudaMalloc(&memory, static_cast<std::size_t>(bytes)), bytes,
                                     "device", where);
            data_ = static_cast<T*>(memory);
        }
    }

    DeviceBuffer(DeviceBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}

    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        return *this;
    }

    ~DeviceBuffer() {
        if (data_ != nullptr) {
            cuda_check_nothrow(cudaFree(data_));
        }
    }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::int64_t count() const noexcept { return count_; }
    std::size_t bytes() const noexcept { return static_cast<std::size_t>(count_) * sizeof(T); }

  private:
    T* data_ = nullptr;
    std::int64_t count_ = 0;
};

// `count` elements of T in page-locked host memory, uninitialised: what asynchronous copies need
// to overlap with kernels. Move-only. Errors as DeviceBuffer.
template <typename T>
class PinnedBuffer {
    // Elements are copied as bytes. (Not is_trivially_copyable: the CPU engine's float4 copies
    // itself as one vector, so as to be one access.)
    static_assert(std::is_standard_layout_v<T> && std::is_trivially_destructible_v<T>);

  public:
    PinnedBuffer() = default;

    explicit PinnedBuffer(std::int64_t count,
                          std::source_location where = std::source_location::current())
        : count_(count) {
        const std::int64_t bytes = detail::checked_bytes(count, sizeof(T));
        if (bytes > 0) {
            void* memory = nullptr;
            detail::check_allocation(cudaMallocHost(&memory, static_cast<std::size_t>(bytes)),
                                     bytes, "pinned host", where);
            data_ = static_cast<T*>(memory);
        }
    }

    PinnedBuffer(PinnedBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}

    PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        return *this;
    }

    ~PinnedBuffer() {
        if (data_ != nullptr) {
            cuda_check_nothrow(cudaFreeHost(data_));
        }
    }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::int64_t count() const noexcept { return count_; }
    std::size_t bytes() const noexcept { return static_cast<std::size_t>(count_) * sizeof(T); }
    std::span<T> span() noexcept { return {data_, static_cast<std::size_t>(count_)}; }
    std::span<const T> span() const noexcept { return {data_, static_cast<std::size_t>(count_)}; }

  private:
    T* data_ = nullptr;
    std::int64_t count_ = 0;
};

}  // namespace course
