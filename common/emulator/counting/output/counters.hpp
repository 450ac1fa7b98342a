// SPDX-License-Identifier: MIT
// The counters: per kernel, and per place in its code.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/emulator/counting/record/event.hpp"
#include "common/emulator/counting/record/sampling.hpp"
#include "common/emulator/counting/record/source_lines.hpp"
#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/engine/grid.hpp"

namespace emulator::counting {

// All are sums over the requests of warps.
struct Counts {
    std::uint64_t requests = 0;  // for a basic block, barrier or collective: executions
    std::uint64_t lanes = 0;  // lanes that took part
    std::uint64_t alive_lanes = 0;  // lanes that had not returned
    std::uint64_t units = 0;  // sectors, or wavefronts in shared memory
    std::uint64_t ideal_units = 0;
    std::uint64_t depth = 0;  // for atomics
    // Of an asynchronous copy: in shared memory, besides the sectors in global memory.
    std::uint64_t wavefronts = 0;
    std::uint64_t ideal_wavefronts = 0;
    std::uint64_t bytes = 0;

    Counts& operator+=(const Counts& other) {
        requests += other.requests;
        lanes += other.lanes;
        alive_lanes += other.alive_lanes;
        units += other.units;
        ideal_units += other.ideal_units;
        depth += other.depth;
        wavefronts += other.wavefronts;
        ideal_wavefronts += other.ideal_wavefronts;
        bytes += other.bytes;
        return *this;
    }
};

struct Place {
    std::uint16_t kernel = 0;  // index into Counting::kernels
    Head head = kNoHead;
    Counts counts;
};

struct KernelCounters {
    std::string name;
    std::uint64_t launches = 0;
    std::uint64_t blocks = 0;
    std::uint64_t threads = 0;
    std::uint64_t warps = 0;
    // If the program's budget was spent: the launches with recorded blocks, and these blocks.
    bool is_sampled = false;
    std::uint64_t recorded_launches = 0;
    std::uint64_t recorded_blocks = 0;

    struct CachedPlace {
        Head head = kNoHead;
        PlaceId place = 0;
    };
    static constexpr std::size_t kCachedPlaces = 1024;
    std::array<CachedPlace, kCachedPlaces> cache{};
    std::unordered_map<Head, PlaceId> places;

    static std::size_t cache_index(Head head) {
        return (head >> kCodeShift ^ head >> (kCodeShift + 10) ^ path_of(head) * 17u) %
               kCachedPlaces;
    }
};

struct Counting {
    std::vector<std::unique_ptr<KernelCounters>> kernels;  // in the order of their first launch
    std::vector<Place> places{1};  // by PlaceId; 0 counts the places beyond the largest PlaceId
};
// Never destroyed, because static destructors may still run kernels.
Counting& counting();

// The index of a kernel, by its name.
std::uint16_t find_kernel(const std::string& name);
void count_grid(std::uint16_t kernel, const Grid& grid);
// At the grid's end.
void count_recorded(std::uint16_t kernel, const SampledBlocks& blocks);

// The place of an event in a kernel. A new place is added.
PlaceId find_place(std::uint16_t kernel, Head head);
SourceLine line_of(PlaceId place);

struct Transfers {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
};
void count_transfer(TransferKind kind, std::uint64_t bytes);
const Transfers& transfers(TransferKind kind);

}  // namespace emulator::counting
