// SPDX-License-Identifier: MIT
// The variables and allocations that kernels use, for traces and views.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/emulator/counting/record/request.hpp"
#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

struct Object {
    std::string name;  // of a variable; "dynamic"; "a3": allocation 3; empty: it is not known
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
};

// The object that holds the address, for the block that the worker runs. If none does, an object
// without a name that begins at 0.
Object object_at(Worker& worker, std::uintptr_t address, Space space);

}  // namespace emulator::counting
