// SPDX-License-Identifier: MIT
// __device__ and __constant__ variables: each device has its own values. The values of one device
// lie in the variables, those of the others in copies. (__managed__ variables are shared.)
#pragma once

#include <cstddef>

namespace emulator {

// Puts the device's values into the variables.
void show_variables_of(int device);
// The runtime is about to use memory: of which device, if it is a variable, tells its allocation.
// Memory that was hidden from kernels is shown.
void show_memory_of(const void* address);

// Whether the variable has a copy for each device. Its declaration registers it
// (emulator/qualifiers.hpp).
bool is_device_variable(const void* address);

// As cudaDeviceReset() does: the device's variables have their first values again.
void reset_variables(int device);

}  // namespace emulator
