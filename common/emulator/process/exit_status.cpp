// SPDX-License-Identifier: MIT
#include "common/emulator/process/exit_status.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace emulator {
namespace {

void end(int status, void* has_failed) {
    const bool failed = reinterpret_cast<bool (*)()>(has_failed)();
    if (status != EXIT_SUCCESS || !failed) return;
    std::cout.flush();
    std::clog.flush();
    std::fflush(nullptr);
    std::_Exit(EXIT_FAILURE);
}

}  // namespace

void check_at_exit(bool (*has_failed)()) { ::on_exit(end, reinterpret_cast<void*>(has_failed)); }

}  // namespace emulator
