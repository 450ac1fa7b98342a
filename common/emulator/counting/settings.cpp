// SPDX-License-Identifier: MIT
#include "common/emulator/counting/settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "common/emulator/counting/checks.hpp"
#include "common/emulator/counting/recorder.hpp"
#include "common/emulator/counting/trace.hpp"

namespace emulator::counting {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : value;
}

[[noreturn]] void refuse(const char* name, std::string_view value, const char* allowed) {
    std::fprintf(stderr, "emulator: %s=%.*s: expected %s\n", name, static_cast<int>(value.size()),
                 value.data(), allowed);
    std::_Exit(EXIT_FAILURE);  // nothing has run yet, and what runs at exit asks for the settings
}

Options read_environment() {
    Options options;
    const std::string_view races = environment("EMULATOR_RACES");
    if (!races.empty() && races != "on" && races != "off") {
        refuse("EMULATOR_RACES", races, "on or off");
    }
    options.races = races != "off";
    options.counters = environment("EMULATOR_COUNTERS");
    options.trace = environment("EMULATOR_TRACE");
    return options;
}

SourceLine read_skipped_line() {
    const std::string_view value = environment("EMULATOR_SKIP");
    if (value.empty()) return {};
    const std::size_t colon = value.rfind(':');
    SourceLine line;
    if (colon != std::string_view::npos) {
        line.file = value.substr(0, colon);
        line.line = std::atoi(value.data() + colon + 1);
    }
    if (line.line <= 0) refuse("EMULATOR_SKIP", value, "FILE:LINE");
    return line;
}

Options& mutable_options() {
    static auto* options = new Options(read_environment());  // for static destructors too
    return *options;
}

}  // namespace

const Options& options() { return mutable_options(); }

void configure(const Options& replacement) {
    mutable_options() = replacement;
    if (!replacement.trace.empty()) start_trace(replacement.trace);
    set_races(replacement.races);
    keep_values(replacement.races, !replacement.trace.empty());
}

const SourceLine& skipped_line() {
    static const auto* line = new SourceLine(read_skipped_line());
    return *line;
}

}  // namespace emulator::counting
