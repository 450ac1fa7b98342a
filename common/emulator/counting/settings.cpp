// SPDX-License-Identifier: MIT
#include "common/emulator/counting/settings.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "common/emulator/counting/checks/checks.hpp"
#include "common/emulator/counting/checks/chosen_lines.hpp"
#include "common/emulator/counting/output/output.hpp"
#include "common/emulator/counting/output/trace.hpp"
#include "common/emulator/counting/output/view.hpp"
#include "common/emulator/counting/record/recorder.hpp"
#include "common/emulator/process/settings.hpp"

namespace emulator::counting {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : value;
}

Options read_environment() {
    Options options;
    const std::string_view races = environment("EMULATOR_RACES");
    if (!races.empty() && races != "on" && races != "off") {
        refuse_setting("EMULATOR_RACES", races, "on or off");
    }
    options.races = races != "off";
    const std::string_view findings = environment("EMULATOR_FINDINGS");
    if (!findings.empty() && findings != "all" && findings != "first") {
        refuse_setting("EMULATOR_FINDINGS", findings, "all or first");
    }
    options.first_finding_ends = findings == "first";
    const std::string_view budget = environment("EMULATOR_BUDGET");
    if (!budget.empty()) {
        const char* const end = budget.data() + budget.size();
        const auto [stop, error] = std::from_chars(budget.data(), end, options.budget);
        if (error != std::errc() || stop != end) {
            refuse_setting("EMULATOR_BUDGET", budget, "a number of accesses, 0 for no limit");
        }
        options.budget_is_chosen = true;
    }
    read_chosen_lines();
    options.counters = environment("EMULATOR_COUNTERS");
    options.trace = environment("EMULATOR_TRACE");
    options.view = environment("EMULATOR_VIEW");
    const std::string_view spaces = environment("EMULATOR_TRACE_SPACES");
    if (!spaces.empty() && !choose_traced_spaces(std::string(spaces))) {
        refuse_setting(
            "EMULATOR_TRACE_SPACES", spaces,
            "some of global, shared, constant, texture and warp, with commas between them");
    }
    return options;
}

Options& mutable_options() {
    static auto* options = new Options(read_environment());  // never destroyed
    return *options;
}

}  // namespace

const Options& options() { return mutable_options(); }

void configure(const Options& replacement) {
    mutable_options() = replacement;
    choose_counters(replacement.counters);
    if (!replacement.trace.empty()) start_trace(replacement.trace);
    if (!replacement.view.empty()) start_view(replacement.view);
    set_races(replacement.races);
    // A trace is whole.
    set_budget(replacement.trace.empty() ? replacement.budget : 0);
    keep_values(replacement.races, !replacement.trace.empty());
}

}  // namespace emulator::counting
