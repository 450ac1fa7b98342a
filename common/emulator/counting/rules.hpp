// SPDX-License-Identifier: MIT
// What a request costs on the hardware: the rules that were measured, a launch a pattern, on an
// H200 with Nsight Compute. Pure functions of the lanes' addresses.
#pragma once

#include "common/emulator/counting/request.hpp"

namespace emulator::counting {

struct Cost {
    unsigned units = 0;  // sectors of global memory, wavefronts of shared memory
    unsigned ideal = 0;
    unsigned depth = 0;  // of an atomic: the largest number of lanes on one address
};

// Sectors: of 32 bytes, that the lanes touch; of an atomic, the sum over these sectors of the
// largest number of lanes on one word. Ideal: those that the same bytes fill side by side.
Cost global_cost(const Request& request);

// Wavefronts: how often the banks are asked. Ideal: the same without a bank that is asked for two
// words; what is more are bank conflicts.
Cost shared_cost(const Request& request);

}  // namespace emulator::counting
