// SPDX-License-Identifier: MIT
// Device memory of a test: made from host values, read back after the kernel.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(const std::vector<T>& values) : count_(values.size()) {
        EXPECT_EQ(cudaMalloc(&data_, count_ * sizeof(T)), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice),
                  cudaSuccess);
    }
    // All bytes zero.
    explicit DeviceArray(std::size_t count) : count_(count) {
        EXPECT_EQ(cudaMalloc(&data_, count_ * sizeof(T)), cudaSuccess);
        EXPECT_EQ(cudaMemset(data_, 0, count_ * sizeof(T)), cudaSuccess);
    }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    T* data() { return data_; }

    std::vector<T> read() const {
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        std::vector<T> values(count_);
        EXPECT_EQ(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost),
                  cudaSuccess);
        return values;
    }

  private:
    T* data_ = nullptr;
    std::size_t count_;
};
