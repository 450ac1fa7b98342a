// SPDX-License-Identifier: MIT
// From code addresses to files and lines.
#pragma once

#include <string>
#include <vector>

namespace emulator::counting {

struct SourceLine {
    std::string file;  // the path that the compiler was given
    int line = 0;  // 0: unknown
    // "nbody.cu:57"
    std::string text() const;
};

// The line of the program (not of the engine's headers) that an instruction belongs to. `code` is a
// return address. `callers` are the return addresses of the calls that lead to it, innermost first.
// addr2line resolves them, inlined calls too, and the answers are kept. The first call is slow: use
// it for reports only.
SourceLine find_line(const void* code, const std::vector<const void*>& callers = {});

// All lines of the program that lead to an instruction: its own, then those of the calls, inlined
// or not, innermost first.
std::vector<SourceLine> find_call_lines(const void* code,
                                        const std::vector<const void*>& callers = {});

// Resolves many addresses at once: find_line() then knows them.
void find_lines(const std::vector<const void*>& codes);

// Whether a code address lies in a function of the program, or in a header of the engine that the
// program uses. Functions of the engine's library and of the standard library do not count.
bool in_program_function(const void* code);

// Whether the instruction copies a vector (float4, double2, ...) as a whole.
bool copies_a_vector(const void* code);

}  // namespace emulator::counting
