// SPDX-License-Identifier: MIT
#include "common/emulator/device/properties/launch_bounds.hpp"

#include <algorithm>
#include <emulator/checks/own_checks.hpp>
#include <mutex>
#include <unordered_map>

namespace emulator {
namespace {

std::mutex mutex;

std::unordered_map<const void*, std::size_t>& bounds() {
    static auto* all = new std::unordered_map<const void*, std::size_t>;  // libraries may come late
    return *all;
}

}  // namespace

void register_launch_bound(const void* kernel, std::size_t threads) {
    const std::lock_guard lock(mutex);
    bounds()[kernel] = threads;
}

std::size_t launch_bound(const void* kernel) {
    const std::lock_guard lock(mutex);
    const auto found = bounds().find(kernel);
    if (found == bounds().end()) return kMaxThreadsPerBlock;
    return std::min<std::size_t>(found->second, kMaxThreadsPerBlock);
}

}  // namespace emulator
