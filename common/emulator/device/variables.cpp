// SPDX-License-Identifier: MIT
#include "common/emulator/device/variables.hpp"

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/device/memory.hpp"

namespace emulator {
namespace {

struct DeviceVariable {
    std::size_t bytes = 0;
    std::vector<char> first_value;
    // The values of the devices whose turn it is not.
    std::array<std::vector<char>, kMaxDevices> values;
};

struct State {
    std::mutex mutex;
    std::map<char*, DeviceVariable> all;
    int shown = 0;  // the device whose values lie in the variables
    bool has_begun = false;  // the first values are known
};

State& state() {
    static auto* variables = new State;
    return *variables;
}

// The program's variables have their first values until the first kernel or copy.
void keep_first_values(State& variables) {
    if (variables.has_begun) return;
    variables.has_begun = true;
    for (auto& [address, variable] : variables.all) {
        variable.first_value.assign(address, address + variable.bytes);
        variable.values.fill(variable.first_value);
    }
}

}  // namespace

void register_device_variable(const void* address, std::size_t bytes) {
    const std::lock_guard lock(state().mutex);
    auto* const begin = static_cast<char*>(const_cast<void*>(address));
    DeviceVariable& variable = state().all[begin];
    variable.bytes = bytes;
    if (!state().has_begun) return;
    variable.first_value.assign(begin, begin + bytes);
    variable.values.fill(variable.first_value);
}

void show_variables_of(int device) {
    State& variables = state();
    const std::lock_guard lock(variables.mutex);
    keep_first_values(variables);
    if (variables.shown == device) return;
    for (auto& [address, variable] : variables.all) {
        std::vector<char>& old = variable.values[variables.shown];
        std::memcpy(old.data(), address, variable.bytes);
        std::memcpy(address, variable.values[device].data(), variable.bytes);
    }
    variables.shown = device;
}

bool is_device_variable(const void* address) {
    State& variables = state();
    const std::lock_guard lock(variables.mutex);
    const auto* byte = static_cast<const char*>(address);
    auto next = variables.all.upper_bound(const_cast<char*>(byte));
    if (next == variables.all.begin()) return false;
    --next;
    return byte < next->first + next->second.bytes;
}

void show_memory_of(const void* address) {
    if (device_count() == 1) return;
    Allocation allocation;
    if (!find_allocation(address, allocation)) return;
    if (allocation.kind == MemoryKind::symbol) show_variables_of(allocation.device);
    show_memory(address);
}

void reset_variables(int device) {
    State& variables = state();
    const std::lock_guard lock(variables.mutex);
    keep_first_values(variables);
    for (auto& [address, variable] : variables.all) {
        variable.values[device] = variable.first_value;
        if (variables.shown == device) {
            std::memcpy(address, variable.first_value.data(), variable.bytes);
        }
    }
}

}  // namespace emulator
