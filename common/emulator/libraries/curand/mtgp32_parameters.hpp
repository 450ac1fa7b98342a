// SPDX-License-Identifier: MIT
// The parameters of MTGP32's generators: a table of the toolkit, where that is installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <emulator/curand/mtgp32.hpp>

namespace emulator::curand {

// CURAND_NUM_MTGP32_PARAMS sets; nullptr where the engine was built without the toolkit's header
// curand_mtgp32dc_p_11213.h.
const mtgp32_params_fast* mtgp_parameters();

}  // namespace emulator::curand
