// SPDX-License-Identifier: MIT
#include "common/emulator/device/peer_access.hpp"

#include <array>
#include <atomic>
#include <cstdint>

#include "common/emulator/device/devices.hpp"

namespace emulator {
namespace {

// By device: one bit for each device whose memory it may use. Kernels' workers read it.
std::array<std::atomic<std::uint32_t>, kMaxDevices> peers;

}  // namespace

bool peer_access(int device, int owner) { return (peers[device] >> owner & 1) != 0; }

void set_peer_access(int device, int owner, bool allowed) {
    const std::uint32_t bit = std::uint32_t{1} << owner;
    if (allowed) {
        peers[device] |= bit;
    } else {
        peers[device] &= ~bit;
    }
    note_access_changed();
}

void forget_peer_access(int device) {
    peers[device] = 0;
    for (int other = 0; other < kMaxDevices; ++other) set_peer_access(other, device, false);
}

bool can_reach(int device, const Allocation& allocation) {
    if (allocation.device == device || device_count() == 1) return true;
    if (allocation.kind != MemoryKind::device) return allocation.kind != MemoryKind::symbol;
    if (allocation.access != nullptr) return (*allocation.access >> device & 1) != 0;
    return peer_access(device, allocation.device);
}

std::string advice_for_access(int device, const Allocation& allocation) {
    const std::string owner = std::to_string(allocation.device);
    const std::string user = std::to_string(device);
    if (allocation.kind == MemoryKind::symbol) {
        return "device " + user + " has its own copy of the variable: use its name in the kernel";
    }
    return "call " + (allocation.access != nullptr
                          ? "cudaMemPoolSetAccess() for the pool of this memory"
                          : "cudaDeviceEnablePeerAccess(" + owner + ", 0) on device " + user);
}

}  // namespace emulator
