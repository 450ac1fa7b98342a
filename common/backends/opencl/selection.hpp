// SPDX-License-Identifier: MIT
// Which of a machine's OpenCL devices a run is on. Knows nothing of OpenCL itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace course::opencl {

struct DeviceEntry {
    std::string name;
    bool is_gpu = false;
};

// As `clinfo -l` lists them.
struct PlatformEntry {
    std::string name;  // "NVIDIA CUDA"
    std::vector<DeviceEntry> devices;
};

// Where in the lists.
struct Selection {
    std::size_t platform = 0;
    std::size_t device = 0;
};

// `platform`: a number, or a part of the name in any case; empty: the first platform with a GPU,
// else PoCL, else the first with a device. `device`: a number among the platform's devices, where
// GPUs come before all others.
// Errors: NoDeviceError where there is no platform, or none of its devices; UsageError for a
// platform that is not there, for a part of several names, and for a number out of range.
Selection select_device(const std::vector<PlatformEntry>& platforms, std::string_view platform,
                        int device);

}  // namespace course::opencl
