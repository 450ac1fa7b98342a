// SPDX-License-Identifier: MIT
#include "common/backends/opencl/selection.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/input/numbers.hpp"

namespace course::opencl {

namespace {

std::string lower(std::string_view name) {
    std::string result(name);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

// "0 (NVIDIA CUDA), 1 (Portable Computing Language)"
std::string list_platforms(const std::vector<PlatformEntry>& platforms) {
    std::string list;
    for (std::size_t i = 0; i < platforms.size(); ++i) {
        list += text(i > 0 ? ", " : "", i, " (", platforms[i].name, ")");
    }
    return list;
}

std::size_t find_platform(const std::vector<PlatformEntry>& platforms, std::string_view wanted) {
    if (const ParsedNumber<std::int64_t> number = parse_integer(wanted)) {
        if (number.value >= 0 && number.value < static_cast<std::int64_t>(platforms.size())) {
            return static_cast<std::size_t>(number.value);
        }
        throw UsageError(text("--platform ", wanted, ": there is no such platform, only ",
                              list_platforms(platforms)));
    }
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < platforms.size(); ++i) {
        if (lower(platforms[i].name).find(lower(wanted)) != std::string::npos) found.push_back(i);
    }
    if (found.size() == 1) return found.front();
    throw UsageError(text("--platform ", wanted, ": ",
                          found.empty() ? "there is no such platform, only "
                                        : "this is part of several names; there are ",
                          list_platforms(platforms)));
}

// The platform of a run that does not choose one.
std::size_t default_platform(const std::vector<PlatformEntry>& platforms) {
    const auto first_where = [&platforms](const auto& suits) {
        return static_cast<std::size_t>(std::find_if(platforms.begin(), platforms.end(), suits) -
                                        platforms.begin());
    };
    const std::size_t with_gpu = first_where([](const PlatformEntry& platform) {
        return std::any_of(platform.devices.begin(), platform.devices.end(),
                           [](const DeviceEntry& device) { return device.is_gpu; });
    });
    const std::size_t pocl = first_where([](const PlatformEntry& platform) {
        return platform.name == "Portable Computing Language" && !platform.devices.empty();
    });
    const std::size_t any =
        first_where([](const PlatformEntry& platform) { return !platform.devices.empty(); });
    return std::min({with_gpu < platforms.size() ? with_gpu
                     : pocl < platforms.size()   ? pocl
                                                 : any,
                     platforms.size() - 1});
}

}  // namespace

Selection select_device(const std::vector<PlatformEntry>& platforms, std::string_view platform,
                        int device) {
    if (platforms.empty()) {
        throw NoDeviceError("no usable OpenCL device: there is no OpenCL platform");
    }
    Selection selection;
    selection.platform =
        platform.empty() ? default_platform(platforms) : find_platform(platforms, platform);
    const auto& [name, devices] = platforms[selection.platform];
    if (devices.empty()) {
        throw NoDeviceError(text("no usable OpenCL device: platform ", name, " lists none"));
    }
    if (device < 0 || device >= static_cast<int>(devices.size())) {
        throw UsageError(text("--device ", device, ": platform ", name, " has ",
                              devices.size() == 1
                                  ? "1 device, number 0"
                                  : text(devices.size(), " devices, 0 to ", devices.size() - 1)));
    }
    std::vector<std::size_t> order;
    for (const bool gpu : {true, false}) {
        for (std::size_t i = 0; i < devices.size(); ++i) {
            if (devices[i].is_gpu == gpu) order.push_back(i);
        }
    }
    selection.device = order[static_cast<std::size_t>(device)];
    return selection;
}

}  // namespace course::opencl
