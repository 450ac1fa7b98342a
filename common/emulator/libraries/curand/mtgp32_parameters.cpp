// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/curand/mtgp32_parameters.hpp"

// The engine's own types take the place of the toolkit's curand_mtgp32.h, which the table includes.
#ifdef EMULATOR_MTGP32_TABLE
#define CURAND_MTGP32_H
#include EMULATOR_MTGP32_TABLE
#endif

namespace emulator::curand {

const mtgp32_params_fast* mtgp_parameters() {
#ifdef EMULATOR_MTGP32_TABLE
    return mtgp32dc_params_fast_11213;
#else
    return nullptr;
#endif
}

}  // namespace emulator::curand
