// SPDX-License-Identifier: MIT
// Who called: the host's calls that lead to a function of the engine.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "common/emulator/counting/record/source_lines.hpp"

namespace emulator::counting {

struct Callers {
    static constexpr std::size_t kMax = 16;

    std::array<const void*, kMax> code{};
    std::size_t count = 0;

    // The innermost call in the program's own code. It may be inlined together with the engine's
    // headers.
    SourceLine line() const;
};

// The calls that lead to the calling function.
Callers running_callers();
// HostHooks::note_caller.
std::shared_ptr<const void> note_caller();

}  // namespace emulator::counting
