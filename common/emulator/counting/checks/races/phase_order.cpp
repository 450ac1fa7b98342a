// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/races/phase_order.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace emulator::counting {

void PhaseOrder::begin_block(int threads) {
    if (in_use_) begin_interval();
    in_use_ = false;
    threads_ = static_cast<std::size_t>(threads);
}

void PhaseOrder::begin_interval() {
    if (!in_use_) return;
    for (Stamps& stamps : known_) stamps.clear();
    arrived_.clear();
    ended_.clear();
}

PhaseOrder::Stamps& PhaseOrder::of(std::uintptr_t barrier) {
    Stamps& stamps = arrived_[barrier];
    if (stamps.empty()) stamps.resize(threads_);
    return stamps;
}

PhaseOrder::Stamps& PhaseOrder::known_to(int thread) {
    if (known_.empty()) known_.resize(kMaxThreadsPerBlock);
    Stamps& stamps = known_[thread];
    if (stamps.empty()) stamps.resize(threads_);
    return stamps;
}

void PhaseOrder::join(Stamps& stamps, const Stamps& other) {
    for (std::size_t i = 0; i < other.size(); ++i) stamps[i] = std::max(stamps[i], other[i]);
}

void PhaseOrder::arrive(std::uintptr_t barrier, int thread, const WarpHistory& history) {
    in_use_ = true;
    Stamps& stamps = of(barrier);
    std::array<std::uint32_t, kWarpSize> of_lanes{};
    history.known_to(thread % kWarpSize, of_lanes);
    const int first = thread / kWarpSize * kWarpSize;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if (of_lanes[lane] == 0) continue;
        std::uint16_t& stamp = stamps[first + lane];
        stamp = std::max(stamp, static_cast<std::uint16_t>(of_lanes[lane]));
    }
    if (!known_.empty() && !known_[thread].empty()) join(stamps, known_[thread]);
}

void PhaseOrder::end_copy(std::uintptr_t barrier, int thread, std::uint32_t stamp) {
    std::uint16_t& known = of(barrier)[thread];
    known = std::max(known, static_cast<std::uint16_t>(stamp + 1));
}

void PhaseOrder::end_phase(std::uintptr_t barrier, std::uint64_t phase) {
    in_use_ = true;
    ended_[phase] = of(barrier);
}

void PhaseOrder::wait(int thread, std::uint64_t phase) {
    const auto ended = ended_.find(phase);
    if (ended != ended_.end()) join(known_to(thread), ended->second);
}

void PhaseOrder::wait_for_arrivals(int thread, std::uintptr_t barrier) {
    join(known_to(thread), of(barrier));
}

void PhaseOrder::learn(int thread, int other, std::uint32_t stamp) {
    in_use_ = true;
    std::uint16_t& known = known_to(thread)[other];
    known = std::max(known, static_cast<std::uint16_t>(stamp + 1));
}

void PhaseOrder::join_lanes(int warp, std::uint32_t mask) {
    if (known_.empty()) return;
    const int first = warp * kWarpSize;
    Stamps all;
    for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
        const Stamps& known = known_[first + std::countr_zero(lanes)];
        if (known.empty()) continue;
        if (all.empty()) all.resize(threads_);
        join(all, known);
    }
    if (all.empty()) return;
    for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
        known_[first + std::countr_zero(lanes)] = all;
    }
}

bool PhaseOrder::orders(const Access& earlier, int later_thread) const {
    if (earlier.stamp() == Access::kMaxStamp) return true;  // later stamps were not kept
    if (known_.empty()) return false;
    const Stamps& known = known_[later_thread];
    return !known.empty() && earlier.stamp() < known[earlier.thread()];
}

}  // namespace emulator::counting
