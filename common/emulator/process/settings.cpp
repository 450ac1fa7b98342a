// SPDX-License-Identifier: MIT
#include "common/emulator/process/settings.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "common/base/text.hpp"
#include "common/input/splitmix64.hpp"

namespace emulator {
namespace {

constexpr int kMaxWorkers = 1024;

template <class Number>
Number parse_number(std::string_view text, const char* allowed) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) throw std::invalid_argument(allowed);
    return value;
}

Settings read_environment() {
    Settings settings;
    settings.workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const char* variable = "";
    const char* value = nullptr;
    const auto look_up = [&](const char* name) {
        variable = name;
        value = std::getenv(name);
        return value != nullptr && *value != '\0';
    };
    try {
        if (look_up("EMULATOR_SCHEDULE")) settings.schedule = parse_schedule(value);
        if (look_up("EMULATOR_WORKERS")) {
            constexpr const char* kAllowed = "a number from 1 to 1024";
            settings.workers = parse_number<int>(value, kAllowed);
            if (settings.workers < 1 || settings.workers > kMaxWorkers) {
                throw std::invalid_argument(kAllowed);
            }
        }
        if (look_up("EMULATOR_DEVICE")) {
            settings.device = value;
            if (settings.device != "h200" && settings.device != "gtx980") {
                throw std::invalid_argument("h200 or gtx980");
            }
        }
        if (look_up("EMULATOR_DEVICES")) {
            constexpr const char* kAllowed = "a number from 1 to 16";
            settings.devices = parse_number<int>(value, kAllowed);
            if (settings.devices < 1 || settings.devices > kMaxDevices) {
                throw std::invalid_argument(kAllowed);
            }
        }
        if (look_up("EMULATOR_TIMELINE")) settings.timeline = value;
        if (look_up("EMULATOR_REGISTERS")) settings.registers = value;
        if (look_up("EMULATOR_APPROXIMATIONS")) {
            settings.approximation_seed = parse_approximations(value);
        }
        if (look_up("EMULATOR_TIME_LIMIT")) {
            constexpr const char* kAllowed = "a number of seconds, 0 for no limit";
            settings.time_limit = parse_number<double>(value, kAllowed);
            if (!(settings.time_limit >= 0)) throw std::invalid_argument(kAllowed);
        }
    } catch (const std::invalid_argument& error) {
        refuse_setting(variable, value, error.what());
    }
    return settings;
}

Settings* make_settings() {
    auto* const settings = new Settings(read_environment());
    approximation_seed = settings->approximation_seed;
    return settings;
}

Settings& mutable_settings() {
    static Settings* const settings = make_settings();  // for static destructors too
    return *settings;
}

}  // namespace

constinit std::uint64_t approximation_seed = 0;

void refuse_setting(const char* name, std::string_view value, const char* allowed) {
    std::fflush(nullptr);
    std::fprintf(stderr, "emulator: %s=%s: expected %s\n", name, course::one_line(value).c_str(),
                 allowed);
    std::_Exit(EXIT_FAILURE);
}

const Settings& settings() { return mutable_settings(); }

void configure(const Settings& replacement) {
    mutable_settings() = replacement;
    approximation_seed = replacement.approximation_seed;
}

Schedule parse_schedule(std::string_view text) {
    constexpr const char* kAllowed = "in-order, reversed or shuffled:SEED";
    constexpr std::string_view kShuffled = "shuffled:";
    if (text == "in-order") return {Schedule::Order::in_order, 0};
    if (text == "reversed") return {Schedule::Order::reversed, 0};
    if (!text.starts_with(kShuffled)) throw std::invalid_argument(kAllowed);
    text.remove_prefix(kShuffled.size());
    return {Schedule::Order::shuffled, parse_number<std::uint64_t>(text, kAllowed)};
}

std::uint64_t parse_approximations(std::string_view text) {
    constexpr const char* kAllowed = "exact, bounded or bounded:SEED with a seed from 1";
    constexpr std::string_view kBounded = "bounded:";
    if (text == "exact") return 0;
    if (text == "bounded") return 1;
    if (!text.starts_with(kBounded)) throw std::invalid_argument(kAllowed);
    text.remove_prefix(kBounded.size());
    const auto seed = parse_number<std::uint64_t>(text, kAllowed);
    if (seed == 0) throw std::invalid_argument(kAllowed);
    return seed;
}

std::uint64_t mix_bits(std::uint64_t value) { return course::next_splitmix64(value); }

}  // namespace emulator
