// SPDX-License-Identifier: MIT
// What a request costs on the hardware. The rules were measured on an H200 with Nsight Compute,
// with one launch per pattern of addresses. They are pure functions of the lanes' addresses.
#pragma once

#include "common/emulator/counting/record/request.hpp"

namespace emulator::counting {

struct Cost {
    unsigned units = 0;  // sectors of global memory, wavefronts of shared memory
    unsigned ideal = 0;
    unsigned depth = 0;  // of an atomic: the largest number of lanes on one address
};

// Sectors: the sectors of 32 bytes that the lanes touch. For an atomic each sector counts as often
// as lanes share its most used word. Ideal: the sectors that the same bytes need side by side.
Cost global_cost(const Request& request);

// Wavefronts: how often the banks must be accessed. Ideal: the wavefronts if no bank had to deliver
// two different words. The rest are bank conflicts.
Cost shared_cost(const Request& request);

// The wavefronts in which the data of a cp.async reach shared memory. `store`: the lanes' target.
Cost async_copy_cost(const Request& store);

// Sectors of global memory that a bulk copy touches.
Cost bulk_copy_cost(std::uintptr_t global, std::uint32_t bytes);

}  // namespace emulator::counting
