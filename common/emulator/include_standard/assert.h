// SPDX-License-Identifier: MIT
// assert() in device code fails the kernel (cudaErrorAssert) instead of ending the program. Like
// the C library's header this one has no include guard: each inclusion follows NDEBUG anew.
#pragma GCC system_header
#include_next <assert.h>

#ifndef NDEBUG
#ifndef EMULATOR_ASSERTION_FAILED_DECLARED
#define EMULATOR_ASSERTION_FAILED_DECLARED
namespace emulator {
// In a kernel, fails it; in host code, ends the program as the C library does.
[[noreturn]] void fail_assertion(const char* expression, const char* file, unsigned int line,
                                 const char* function);
}  // namespace emulator
#endif
#undef assert
#define assert(...)                 \
    (static_cast<bool>(__VA_ARGS__) \
         ? static_cast<void>(0)     \
         : ::emulator::fail_assertion(#__VA_ARGS__, __FILE__, __LINE__, __func__))
#endif
