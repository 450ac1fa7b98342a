// SPDX-License-Identifier: MIT
// The backend of stages on the CPU engine with counters.
#include <memory>
#include <string>

#include "common/backends/emulated_backend.hpp"
#include "common/emulator/counting/settings.hpp"

namespace course {
namespace {

class CountingBackend final : public EmulatedBackend {
  public:
    using EmulatedBackend::EmulatedBackend;

    std::string_view engine() const override { return "count"; }

    void set_counting(const CountingOptions& options) override {
        emulator::counting::Options wanted = emulator::counting::options();
        wanted.races = wanted.races && !options.no_races;
        if (!options.counters.empty()) {
            wanted.counters = options.counters;
        } else if (options.no_table && wanted.counters.empty()) {
            wanted.counters = "none";
        }
        if (!options.trace.empty()) wanted.trace = options.trace;
        // The counters of a stage are compared with those of others: they are whole.
        if (!wanted.budget_is_chosen) wanted.budget = 0;
        emulator::counting::configure(wanted);
    }
};

}  // namespace

std::unique_ptr<Backend> open_backend(int device, const std::string& platform) {
    return std::make_unique<CountingBackend>(device, platform);
}

}  // namespace course
