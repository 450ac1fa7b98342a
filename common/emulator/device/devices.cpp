// SPDX-License-Identifier: MIT
#include "common/emulator/device/devices.hpp"

namespace emulator {
namespace {

thread_local int current = 0;

}  // namespace

// A number that settings no longer allow is device 0's: tests change the number of devices.
int current_device() { return is_device_number(current) ? current : 0; }

void set_current_device(int number) { current = number; }

std::string of_device(int number) {
    return device_count() == 1 ? "" : " of device " + std::to_string(number);
}

}  // namespace emulator
