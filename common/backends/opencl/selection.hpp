// SPDX-License-Identifier: MIT
// Chooses the OpenCL device of a run. This part needs no OpenCL itself.
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

// In the order of `clinfo -l`.
struct PlatformEntry {
    std::string name;  // "NVIDIA CUDA"
    std::vector<DeviceEntry> devices;
};

// Indices into these lists.
struct Selection {
    std::size_t platform = 0;
    std::size_t device = 0;
};

// `platform`: a number, or a part of the name in upper or lower case. If it is empty: the first
// platform with a GPU, else PoCL, else the first platform with a device. `device`: a number among
// the platform's devices; GPUs come before all others. Errors: NoDeviceError if there is no
// platform, or if it has no device; UsageError for a platform that does not exist, for a part of
// several names, and for a number out of range.
Selection select_device(const std::vector<PlatformEntry>& platforms, std::string_view platform,
                        int device);

}  // namespace course::opencl
