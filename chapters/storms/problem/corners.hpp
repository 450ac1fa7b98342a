// SPDX-License-Identifier: MIT
// Waves for checks: cases that a faulty kernel gets wrong and ordinary waves hardly ever contain.
#pragma once

#include <cstdint>

#include "common/input/random.hpp"
#include "problem/storms.hpp"

namespace storms {

// Two mirrored particles, whose peaks are equal after the relaxation of a layer that holds 0.
// Further particles have the value 0. In layers below some ten cells the peaks may differ.
Wave equal_peaks_wave(course::Random& random, std::int64_t count, std::int64_t size);

// Two particles in neighbouring cells: after the relaxation of a layer that holds 0 these two cells
// are the greatest and equal, so neither is a peak. Further particles have the value 0. Next to the
// ends of the layer the two cells may differ.
Wave plateau_wave(course::Random& random, std::int64_t count, std::int64_t size);

// Particles whose energy in one cell, a quotient by a root, lies next to the middle of two floats.
// There a division whose reciprocal of the root is off by one unit is wrong in its last bit.
Wave hard_quotients_wave(course::Random& random, std::int64_t count, std::int64_t size);

// The same with both signs and no value of 0, at distances from 2^12 (a quarter of the layer, if
// that is more) to at most 2^19.
Wave short_quotients_wave(course::Random& random, std::int64_t count, std::int64_t size);

}  // namespace storms
