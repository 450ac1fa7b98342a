// SPDX-License-Identifier: MIT
// The backend of stages on the CPU engine.
#include <memory>
#include <string>

#include "common/backends/emulated_backend.hpp"

namespace course {
namespace {

class EmulatorBackend final : public EmulatedBackend {
  public:
    using EmulatedBackend::EmulatedBackend;

    std::string_view engine() const override { return "emu"; }
};

}  // namespace

std::unique_ptr<Backend> open_backend(int device, const std::string& platform) {
    return std::make_unique<EmulatorBackend>(device, platform);
}

}  // namespace course
