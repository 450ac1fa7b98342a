// SPDX-License-Identifier: MIT
// Events: points in streams.
#pragma once

namespace emulator {

// As cudaDeviceReset() does.
void forget_events();

}  // namespace emulator
