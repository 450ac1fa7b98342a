// SPDX-License-Identifier: MIT
// What the ELF file of the running executable tells: where its variables lie, and the names of its
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace emulator {

// The calling OS thread's copies of the executable's __shared__ variables, as ranges of bytes.
struct SharedRange {
    char* begin;
    std::size_t bytes;
};
std::vector<SharedRange> static_shared_ranges();

// A variable of the executable. For a thread-local variable, `address` counts from the begin of the
// thread-local block.
struct Variable {
    std::string name;  // as the source has it, without namespaces
    std::uintptr_t address;
    std::size_t bytes;
    bool constant;  // __constant__
};
// The __shared__ variables, by address; empty where the file has no symbols.
const std::vector<Variable>& shared_variables();
// The other thread-local variables, except the redzones between the __shared__ ones.
const std::vector<Variable>& thread_variables();
// The variables that all threads share, by address, except the redzones between them.
const std::vector<Variable>& data_variables();

// The memory of the executable's sections.
struct Section {
    std::uintptr_t begin;
    std::size_t bytes;
    bool writable;
};
const std::vector<Section>& data_sections();

// The executable's thread-local storage of the calling OS thread.
SharedRange thread_local_block();

// The name of the function that has this address in the executable, with its template arguments,
// without parameters and unnamed namespaces; "a kernel" where the file has no symbols.
std::string function_name(const void* address);
// The same as the linker knows it; empty where the file has no symbols, and outside of the
// executable.
std::string mangled_function_name(const void* address);

}  // namespace emulator
