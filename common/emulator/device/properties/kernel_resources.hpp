// SPDX-License-Identifier: MIT
// What nvcc would give a kernel. g++ does not know it; EMULATOR_REGISTERS names a file with what
// `nvcc -Xptxas -v` printed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace emulator {

struct KernelResources {
    int registers = 0;  // per thread; 0: unknown
    std::size_t shared_bytes = 0;  // of its __shared__ variables
};

// Those of the kernel at this address; all 0 if the file, the setting or the address is missing.
// A file that cannot be read, or that has no kernel, ends the program with one line.
KernelResources resources_of(const void* kernel);

// The kernels of such a text, by their mangled names as g++ makes them.
std::unordered_map<std::string, KernelResources> parse_resources(std::string_view text);

}  // namespace emulator
