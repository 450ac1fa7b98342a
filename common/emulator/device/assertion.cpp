// SPDX-License-Identifier: MIT
#include <cstdio>
#include <emulator/thread.hpp>

// The C library's own assert, even if NDEBUG is defined here: the code that calls fail_assertion
// was compiled with assertions.
#undef NDEBUG
#include <assert.h>

namespace emulator {

void fail_assertion(const char* expression, const char* file, unsigned int line,
                    const char* function) {
    if (current_thread == nullptr) __assert_fail(expression, file, line, function);
    constexpr int kErrorAssert = 710;  // cudaErrorAssert
    // No std::string: fail_kernel abandons this thread's stack, and the string's memory would leak.
    char message[512];
    std::snprintf(message, sizeof message, "%s:%u: %s: assertion failed: %s", file, line, function,
                  expression);
    fail_kernel(kErrorAssert, message);
}

}  // namespace emulator
