// SPDX-License-Identifier: MIT
// Places in the code: from return addresses to kernels, files and lines.
#pragma once

#include <string>
#include <vector>

#include "common/emulator/counting/request.hpp"

namespace emulator::counting {

struct SourceLine {
    std::string file;  // as the compiler was given it
    int line = 0;  // 0: unknown
    // "nbody.cu:57"
    std::string text() const;
};

// The line of the program (not of the engine's headers) of an instruction: `code` is a return
// address; `callers` are the return addresses of the calls that lead to it, innermost first.
// Resolved with addr2line, inlined calls too, and remembered. Slow at first: for reports only.
SourceLine find_line(const void* code, const std::vector<const void*>& callers = {});

// The same for many at once: find_line() then knows them.
void find_lines(const std::vector<const void*>& codes);

// Whether a code address lies in a function of the program, or of a header of the engine's that it
// uses: in neither the engine's library nor the standard one.
bool in_program_function(const void* code);

// The return addresses of the calls that the running CUDA thread is in, innermost first.
std::vector<const void*> running_callers();

// The line of a place, and the kernel it belongs to.
SourceLine line_of(PlaceId place);
std::string kernel_of(PlaceId place);

}  // namespace emulator::counting
