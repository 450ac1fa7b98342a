// SPDX-License-Identifier: MIT
// Vectors (float4, double2, …) that are loaded although some of their numbers were never written.
// A load reads all of them. That nobody uses the unwritten one is possible: a warning.
#pragma once

#include <cstdint>
#include <string>

#include "common/emulator/counting/record/request.hpp"

namespace emulator::counting {

// Whether the loads at this place are of vectors. Of a struct, the gaps need not be written.
bool loads_a_vector(PlaceId place);

// `first` is the first unwritten byte: "byte 12 of s_points". Each place is reported once.
void warn_of_partial_vector(Worker& worker, int thread, PlaceId place, unsigned bytes,
                            const std::string& first);
bool has_warned_of_partial_vector(PlaceId place);

}  // namespace emulator::counting
