// SPDX-License-Identifier: MIT
// What a request costs on the hardware. The rules were measured on an H200 with Nsight Compute,
// with one launch per pattern of addresses. They are pure functions of the lanes' addresses.
#pragma once

#include "common/emulator/counting/record/request.hpp"

namespace emulator::counting {

// Sectors: the sectors of 32 bytes that the lanes touch. For an atomic each sector counts as often
// as lanes share its most used word. Ideal: the sectors that the same bytes need side by side.
Cost global_cost(const Request& request);

// Wavefronts: how often the banks must be accessed. Ideal: the wavefronts if no bank had to deliver
// two different words. The rest are bank conflicts.
Cost shared_cost(const Request& request);

// A cp.async. `load` has the lanes that read something, `store` all lanes; `fills`: some lanes read
// less than they write. Nsight Compute counts its requests and sectors among the global loads.
// Copies of 4 and 8 bytes go through L1: sectors as for a load. Their wavefronts are exact as long
// as the sources lie in four lines of 128 bytes; scattered sources may need twice as many. Copies
// of 16 bytes pass L1 by and need no wavefront, unless they fill with zeros.
struct CopyCost {
    Cost global;
    Cost shared;
};
CopyCost async_copy_cost(const Request& load, const Request& store, bool fills);

// Sectors of global memory that a bulk copy touches: it goes in pieces of 128 bytes, and a sector
// that two of them share counts twice.
Cost bulk_copy_cost(std::uintptr_t global, std::uint32_t bytes);

}  // namespace emulator::counting
