// SPDX-License-Identifier: MIT
// Kernels by their addresses: how to make a call from pointers to the arguments.
#pragma once

#include <emulator/launch.hpp>
#include <memory>

namespace emulator {

// A call of the kernel with these arguments; nullptr, with a message, if the address is not known:
// a cast `(void*)kernel` makes it known.
std::shared_ptr<const KernelCall> make_registered_call(const char* function, const void* address,
                                                       void** arguments);

}  // namespace emulator
