// SPDX-License-Identifier: MIT
// Which devices may use which memory.
#pragma once

#include <string>

#include "common/emulator/device/memory.hpp"

namespace emulator {

// cudaDeviceEnablePeerAccess(): whether kernels of one device may use the memory of another.
bool peer_access(int device, int owner);
void set_peer_access(int device, int owner, bool allowed);
// As cudaDeviceReset() does: the device's access to others, and that of others to it.
void forget_peer_access(int device);

// Whether kernels of the device may use the allocation.
bool can_reach(int device, const Allocation& allocation);

// What allows it: "call cudaDeviceEnablePeerAccess(1, 0) on device 0".
std::string advice_for_access(int device, const Allocation& allocation);

}  // namespace emulator
