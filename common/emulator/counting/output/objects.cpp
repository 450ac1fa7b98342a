// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/objects.hpp"

#include <utility>
#include <vector>

#include "common/emulator/device/memory.hpp"
#include "common/emulator/process/executable.hpp"

namespace emulator::counting {
namespace {

Object variable_at(std::uintptr_t address, const std::vector<Variable>& variables,
                   std::uintptr_t base) {
    for (const Variable& variable : variables) {
        const std::uintptr_t begin = base + variable.address;
        if (address - begin < variable.bytes) return {variable.name, begin, variable.bytes};
    }
    return {};
}

}  // namespace

Object object_at(Worker& worker, std::uintptr_t address, Space space) {
    if (space == Space::shared) {
        const auto dynamic = reinterpret_cast<std::uintptr_t>(worker.dynamic_shared());
        if (address - dynamic < worker.dynamic_shared_bytes()) {
            return {"dynamic", dynamic, worker.dynamic_shared_bytes()};
        }
        const auto base = reinterpret_cast<std::uintptr_t>(thread_local_block().begin);
        return variable_at(address, shared_variables(), base);
    }
    Allocation allocation;
    if (find_allocation(reinterpret_cast<const void*>(address), allocation)) {
        std::string name = "a";
        name += std::to_string(allocation.id);
        return {std::move(name), reinterpret_cast<std::uintptr_t>(allocation.begin),
                allocation.bytes};
    }
    return variable_at(address, data_variables(), 0);
}

}  // namespace emulator::counting
