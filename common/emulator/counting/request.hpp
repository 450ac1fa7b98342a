// SPDX-License-Identifier: MIT
// One memory instruction of a warp: the lanes that made it together, as the hardware would see it.
#pragma once

#include <cstdint>

#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

enum class Space : std::uint8_t { global, shared, constant };
enum class Operation : std::uint8_t { load, store, atomic };

// Where in the code: an index into the table of places.hpp. A place is an instruction reached by
// one path of calls in one kernel; 0 is none.
using PlaceId = std::uint16_t;

// Where lanes that take part lie, seen from the first of them. `scattered` is all else, and what
// nobody has looked at.
enum class Pattern : std::uint8_t { scattered, same, side_by_side };

// By lane: the bits that a store or an atomic wrote, ceil(bytes / 4) words each; nullptr for a
// load.
struct Words {
    static constexpr int kPerLane = 4;
    const std::uint32_t* first = nullptr;

    const std::uint32_t* operator[](int lane) const {
        return first == nullptr ? nullptr : first + lane * kPerLane;
    }
};

struct Request {
    PlaceId place;
    Space space;
    Operation operation;
    // Ordered by nothing, but no race with other volatile or atomic accesses. Of an atomic: an
    // exchange, which needs no value to be there.
    bool is_volatile;
    std::uint8_t bytes;  // a lane: 1, 2, 4, 8 or 16
    std::uint32_t lanes;  // mask, not empty
    const std::uintptr_t* address;  // by lane; valid where `lanes` has its bit
    Words words;
    Pattern pattern = Pattern::scattered;  // else the lanes are the warp's first ones
};

}  // namespace emulator::counting
