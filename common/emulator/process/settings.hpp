// SPDX-License-Identifier: MIT
// What the EMULATOR_* environment variables choose.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace emulator {

// The order in which blocks, a block's threads, and streams run. A correct program does not depend
// on it.
struct Schedule {
    enum class Order { in_order, reversed, shuffled };
    Order order = Order::in_order;
    std::uint64_t seed = 0;  // of shuffled
};

struct Settings {
    Schedule schedule;  // EMULATOR_SCHEDULE: in-order, reversed or shuffled:SEED
    int workers = 1;  // EMULATOR_WORKERS: OS threads that run blocks; default: the cores
    std::string device = "h200";  // EMULATOR_DEVICE: h200 or gtx980
    // EMULATOR_TIME_LIMIT: seconds of processor time that a block may use; 0: no limit
    double time_limit = 60;
    // EMULATOR_APPROXIMATIONS: exact (0), bounded (1) or bounded:SEED
    std::uint64_t approximation_seed = 1;
    int devices = 1;  // EMULATOR_DEVICES: how many GPUs of this kind the program sees
    std::string timeline{};  // EMULATOR_TIMELINE: a file for what ran when, as CSV; empty: none
    std::string registers{};  // EMULATOR_REGISTERS: a file of nvcc -Xptxas -v; empty: none
};

// The most that EMULATOR_DEVICES may ask for.
constexpr int kMaxDevices = 16;

// Of the settings, for functions that kernels call very often.
extern std::uint64_t approximation_seed;

// Read from the environment at the first call. An invalid value ends the program with a message
// that says what is allowed.
const Settings& settings();

// Ends the program because of a setting of the environment, with one line that says what is
// allowed. Nothing that runs at exit may run then: it would need the settings.
[[noreturn]] void refuse_setting(const char* name, std::string_view value, const char* allowed);

// Replaces the settings. No work may be queued on the device.
void configure(const Settings& replacement);

// Throws std::invalid_argument.
Schedule parse_schedule(std::string_view text);

// "exact", "bounded" or "bounded:SEED", with a seed that is not 0. Throws std::invalid_argument.
std::uint64_t parse_approximations(std::string_view text);

// splitmix64 (Steele, Lea and Flood 2014): a good mix of the bits of `value`.
std::uint64_t mix_bits(std::uint64_t value);

}  // namespace emulator
