// SPDX-License-Identifier: MIT
// A device that does what a test tells it to.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/backends/backend.hpp"

namespace course_test {

class FakeBackend : public course::Backend {
  public:
    std::string_view engine() const override { return engine_name; }
    std::string device_name() const override { return "Fake 1"; }
    std::int64_t free_memory_bytes() const override { return free_bytes; }

    void synchronize() override {
        if (fail) throw std::runtime_error("the device failed");
        log += "sync ";
    }
    void start_kernel_clock() override { log += "start "; }
    double stop_kernel_clock_ms() override {
        log += "stop ";
        return kernel_ms;
    }

    course::DeviceLimits limits() override {
        log += "limits ";
        return cached_limits;
    }
    course::DeviceLimits remeasure_limits() override {
        log += "remeasure ";
        return fresh_limits;
    }

    void set_counting(const course::CountingOptions& options) override {
        if (engine_name != "count") Backend::set_counting(options);
        counting = options;
        ++times_counting_was_set;
    }

    std::string engine_name = "gpu";
    course::CountingOptions counting;
    int times_counting_was_set = 0;
    std::string log;
    std::int64_t free_bytes = 1'000'000;
    double kernel_ms = 1.0;
    bool fail = false;
    course::DeviceLimits cached_limits;
    course::DeviceLimits fresh_limits;
};

}  // namespace course_test
