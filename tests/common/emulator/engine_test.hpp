// SPDX-License-Identifier: MIT
// What the engine's tests share: a fresh device for each test, and arrays that both sides can use.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/emulator/process/settings.hpp"

class EngineTest : public testing::Test {
  protected:
    void SetUp() override {
        use_schedule("in-order");
        cudaDeviceReset();
    }
    void TearDown() override {
        cudaDeviceReset();
        emulator::configure(emulator::Settings{});
    }

    // One worker, so that only the schedule determines the order.
    static void use_schedule(std::string_view schedule, int workers = 1,
                             const std::string& device = "h200") {
        emulator::configure({emulator::parse_schedule(schedule), workers, device});
    }

    // What the engine prints on stderr during `run`.
    template <class Function>
    static std::string messages_of(Function run) {
        testing::internal::CaptureStderr();
        run();
        return testing::internal::GetCapturedStderr();
    }
};

// Managed memory: the host reads it after it has waited.
template <class T>
class ManagedArray {
  public:
    explicit ManagedArray(std::size_t count, T value = T{}) : count_(count) {
        EXPECT_EQ(cudaMallocManaged(&data_, count * sizeof(T)), cudaSuccess);
        for (std::size_t i = 0; i < count; ++i) data_[i] = value;
    }
    ~ManagedArray() { cudaFree(data_); }
    ManagedArray(const ManagedArray&) = delete;
    ManagedArray& operator=(const ManagedArray&) = delete;

    T* data() { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }
    std::size_t size() const { return count_; }
    std::vector<T> values() const { return {data_, data_ + count_}; }

  private:
    T* data_ = nullptr;
    std::size_t count_;
};

inline constexpr const char* kSchedules[] = {"in-order", "reversed", "shuffled:1", "shuffled:2"};

inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "no \"" << part << "\" in:\n" << text;
}
