// SPDX-License-Identifier: MIT
// The words that findings have in common.
#pragma once

#include <cstdint>
#include <string>

#include "common/emulator/counting/record/request.hpp"

namespace emulator::counting {

inline std::string in_bytes(std::uintptr_t count) {
    return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

inline std::string present_of(Operation operation) {
    return operation == Operation::load    ? "reads"
           : operation == Operation::store ? "writes"
                                           : "updates";
}

inline std::string past_of(Operation operation) {
    return operation == Operation::load    ? "read"
           : operation == Operation::store ? "wrote"
                                           : "updated";
}

// "reads shared memory"
inline std::string present_of(Operation operation, Space space) {
    return present_of(operation) + (space == Space::shared ? " shared memory" : " global memory");
}

}  // namespace emulator::counting
