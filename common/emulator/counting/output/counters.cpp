// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/counters.hpp"

#include "common/emulator/counting/record/paths.hpp"

namespace emulator::counting {
namespace {

std::array<Transfers, 6> all_transfers;

constexpr std::size_t kMaxPlaces = 0xffff;

std::uint64_t warps_of(const Grid& grid) {
    const dim3& block = grid.configuration.block_dim;
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    return (threads + kWarpSize - 1) / kWarpSize;
}

}  // namespace

Counting& counting() {
    static auto* counting = new Counting;
    return *counting;
}

std::uint16_t find_kernel(const std::string& name) {
    Counting& all = counting();
    std::size_t index = 0;
    while (index < all.kernels.size() && all.kernels[index]->name != name) ++index;
    if (index == all.kernels.size()) {
        all.kernels.push_back(std::make_unique<KernelCounters>());
        all.kernels.back()->name = name;
    }
    return static_cast<std::uint16_t>(index);
}

void count_grid(std::uint16_t kernel, const Grid& grid) {
    KernelCounters& counters = *counting().kernels[kernel];
    const dim3& block = grid.configuration.block_dim;
    const auto blocks = static_cast<std::uint64_t>(grid.blocks);
    ++counters.launches;
    counters.blocks += blocks;
    counters.threads += blocks * block.x * block.y * block.z;
    counters.warps += blocks * warps_of(grid);
}

void count_recorded(std::uint16_t kernel, const SampledBlocks& blocks) {
    KernelCounters& counters = *counting().kernels[kernel];
    counters.is_sampled |= blocks.some_left_out;
    counters.recorded_launches += blocks.recorded > 0;
    counters.recorded_blocks += blocks.recorded;
}

PlaceId find_place(std::uint16_t kernel, Head head) {
    Counting& all = counting();
    const auto [entry, is_new] = all.kernels[kernel]->places.try_emplace(head, PlaceId{0});
    if (is_new && all.places.size() < kMaxPlaces) {
        entry->second = static_cast<PlaceId>(all.places.size());
        all.places.push_back({kernel, head, {}});
    }
    return entry->second;
}

SourceLine line_of(PlaceId place) {
    if (place == 0) return {};
    const Head head = counting().places[place].head;
    return find_line(code_at(code_of(head)), callers_of(path_of(head)));
}

void count_transfer(TransferKind kind, std::uint64_t bytes) {
    Transfers& all = all_transfers[static_cast<std::size_t>(kind)];
    ++all.calls;
    all.bytes += bytes;
}

const Transfers& transfers(TransferKind kind) {
    return all_transfers[static_cast<std::size_t>(kind)];
}

}  // namespace emulator::counting
