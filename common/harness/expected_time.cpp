// SPDX-License-Identifier: MIT
#include "common/harness/expected_time.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace course {

namespace {

constexpr double kAnnounced = 60;
constexpr double kLongest = 3600;

// A stage's time compared with the serial stage's on one core. The CPU engine's factors are those
// of kernels with barriers (`make benchmark`): other kernels are faster.
double slowdown(std::string_view engine) {
    if (engine == "cpu") return 1;
    if (engine == "emu") return 20.0 / std::max(1u, std::thread::hardware_concurrency());
    if (engine == "count") return 300;  // on one core
    return 0;  // a device of its own: unknown
}

}  // namespace

double expected_seconds(const Problem& problem, std::string_view engine,
                        const StageOptions& options) {
    const double serial = problem.serial_seconds();
    if (options.profile) return slowdown(engine) * serial;
    const bool runs_once = options.check || options.runs() == 1;
    const double runs = runs_once ? 1 : 1 + static_cast<double>(options.runs());
    return (slowdown(engine) * runs + 1) * serial;  // the oracle is serial
}

std::string format_duration(double seconds) {
    struct Unit {
        double seconds;
        const char* name;
    };
    constexpr Unit kUnits[] = {
        {31557600, "year"}, {86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    if (!(seconds < 1e6 * kUnits[0].seconds)) return "more than a million years";
    for (const Unit& unit : kUnits) {
        const double count = seconds / unit.seconds;
        if (count < 1) continue;
        const double scale = std::pow(10, std::floor(std::log10(count)));
        const auto rounded = static_cast<long long>(std::round(count / scale) * scale);
        return text(rounded, ' ', unit.name, rounded == 1 ? "" : "s");
    }
    return "less than a second";
}

void refuse_endless_run(const Problem& problem, std::string_view engine,
                        const StageOptions& options, std::string_view stage_name) {
    if (slowdown(engine) == 0) return;
    const double seconds = expected_seconds(problem, engine, options);
    if (seconds <= kAnnounced) return;
    const std::string expected = format_duration(seconds);
    if (seconds > kLongest && !options.force) {
        throw UsageError(text("n = ", problem.n(), " takes about ", expected, " on engine ", engine,
                              ": choose a smaller size, or run it with --force"));
    }
    if (options.quiet) return;
    std::fprintf(stderr, "%.*s: about %s\n", static_cast<int>(stage_name.size()), stage_name.data(),
                 expected.c_str());
}

}  // namespace course
