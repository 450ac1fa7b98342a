// SPDX-License-Identifier: MIT
// One memory instruction of a warp, as the hardware would see it: the lanes that execute it
// together.
#pragma once

#include <cstdint>

#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

// Texture: fetches and surface accesses, which the hardware counts apart from global memory.
enum class Space : std::uint8_t { global, shared, constant, texture };
enum class Operation : std::uint8_t { load, store, atomic };

// Where in the code: an index into Counting::places (counters.hpp). A place is an instruction
// reached by one path of calls in one kernel; 0 is none.
using PlaceId = std::uint16_t;

// How the addresses of the lanes that take part lie. `same` and `side_by_side` are used only if
// these lanes are the first lanes of the warp. `scattered` is everything else, and every request
// that was not examined.
enum class Pattern : std::uint8_t { scattered, same, side_by_side };

// The bits that a store or an atomic wrote, by lane: ceil(bytes / 4) words each; nullptr for a
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
    // A volatile access orders nothing, but is no race with a volatile access of global memory or
    // with an atomic. Of an atomic: it is an exchange, which works on an unwritten word too.
    bool is_volatile;
    std::uint8_t bytes;  // per lane: 1, 2, 4, 8 or 16
    std::uint32_t lanes;  // mask, not empty
    const std::uintptr_t* address;  // by lane; valid where `lanes` has its bit
    Words words;
    Pattern pattern = Pattern::scattered;
    bool is_atomic_object = false;  // the load or store of an atomic object: volatile as well
    bool is_read_only = false;  // a load by __ldg()
    bool is_matrix_row = false;  // of ldmatrix or stmatrix
};

// What it costs on the hardware (replay/rules.hpp).
struct Cost {
    unsigned units = 0;  // sectors of global memory, wavefronts of shared memory
    unsigned ideal = 0;
    unsigned depth = 0;  // of an atomic: the largest number of lanes on one address
};

}  // namespace emulator::counting
