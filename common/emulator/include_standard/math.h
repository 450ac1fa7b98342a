// SPDX-License-Identifier: MIT
// The standard library's <math.h>, which in C++20 puts std::lerp into the global namespace. CUDA
// programs (NVIDIA's helper_math.h is one) define a lerp of their own there.
#pragma GCC system_header
#if defined(__cplusplus) && !defined(_GLIBCXX_INCLUDE_NEXT_C_HEADERS)
#include <cmath>
namespace std {
void emulator_hidden_lerp();
}
#define lerp emulator_hidden_lerp
#include_next <math.h>
#undef lerp
#else
#include_next <math.h>
#endif
