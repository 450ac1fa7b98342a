// SPDX-License-Identifier: MIT
// What the two backends on the CPU engine share.
#pragma once

#include <algorithm>

#include "common/backends/runtime_backend.hpp"
#include "common/base/host_memory.hpp"

namespace course {

class EmulatedBackend : public RuntimeBackend {
  public:
    using RuntimeBackend::RuntimeBackend;

    // The emulated device's memory is memory of the host, which may have less.
    std::int64_t free_memory_bytes() const override {
        return std::min(RuntimeBackend::free_memory_bytes(), available_host_bytes());
    }

    DeviceLimits limits() override { return {}; }
};

}  // namespace course
