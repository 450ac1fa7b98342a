// SPDX-License-Identifier: MIT
// Events: points of streams.
#pragma once

namespace emulator {

// As cudaDeviceReset() does.
void forget_events();

}  // namespace emulator
