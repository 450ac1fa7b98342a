// SPDX-License-Identifier: MIT
// The functions that a GPU only approximates. In device code each result has an error within the
// documented bound, which depends on the arguments and on EMULATOR_APPROXIMATIONS alone. A result
// that is a float exactly, such as rsqrtf(4), stays as it is. In host code all are exact.
//
// Source of the bounds: CUDA C++ Programming Guide, "Mathematical Functions", and PTX ISA for those
// that only inline PTX reaches.
#pragma once

namespace emulator {

// [[gnu::const]]: the setting is the same as long as kernels run.
[[gnu::const]] float approximate_rsqrt(float x) noexcept;  // 2 units of the last place
[[gnu::const]] float approximate_reciprocal(float x) noexcept;  // 1 unit
[[gnu::const]] float approximate_sqrt(float x) noexcept;  // 2^-23 of the result
[[gnu::const]] float approximate_divide(float a, float b) noexcept;  // 2 units
[[gnu::const]] float approximate_exp2(float x) noexcept;  // 2^-22 of the result
[[gnu::const]] float approximate_exp(float x) noexcept;  // 2 + |1.173 x| units
[[gnu::const]] float approximate_exp10(float x) noexcept;  // 2 + |2.97 x| units
[[gnu::const]] float approximate_log2(float x) noexcept;  // 2^-22 in [0.5, 2], else 2 units
[[gnu::const]] float approximate_log(float x) noexcept;  // 2^-21.41 in [0.5, 2], else 3 units
[[gnu::const]] float approximate_log10(float x) noexcept;  // 2^-24 in [0.5, 2], else 3 units
[[gnu::const]] float approximate_sin(float x) noexcept;  // 2^-21.41 in [-pi, pi], larger elsewhere
[[gnu::const]] float approximate_cos(float x) noexcept;  // 2^-21.19 in [-pi, pi], larger elsewhere
[[gnu::const]] float approximate_tan(float x) noexcept;  // the quotient of both
[[gnu::const]] float approximate_tanh(float x) noexcept;  // 2^-11 of the result
[[gnu::const]] float approximate_pow(float x, float y) noexcept;  // 2^(y log2 x) of the above

}  // namespace emulator
