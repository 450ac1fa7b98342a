// SPDX-License-Identifier: MIT
// The emulated GPU's attributes, as cudaDeviceGetAttribute() numbers them.
#pragma once

#include <emulator/device_properties.hpp>

namespace emulator {

constexpr int kConstantBytes = 64 * 1024;

// False if the attribute is unknown. What the engine itself lacks, such as clusters, is 0 although
// the named GPU has it.
bool find_attribute(cudaDeviceAttr attribute, int& value);

// All fields of cudaDeviceProp. They repeat the attributes.
cudaDeviceProp describe_device();

}  // namespace emulator
