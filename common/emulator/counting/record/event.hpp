// SPDX-License-Identifier: MIT
// What a lane did, as it is recorded: 16 bytes per event. The first 8 tell where and what.
#pragma once

#include <bit>
#include <cstdint>

#include "common/emulator/counting/record/request.hpp"

namespace emulator::counting {

enum class EventKind : std::uint8_t {
    load,
    store,
    atomic,
    block,
    barrier,
    collective,
    fence,
    copy,  // the issue of an asynchronous copy
    copy_wait,
    phase,  // of an mbarrier: what a thread does with it (PhaseStep)
    proxy_fence,
};

enum class PhaseStep : std::uint8_t { written, arrival, completion, wait };

// A smaller head comes first on the hardware when a warp has diverged: the deepest call first, then
// the lowest address of code. From the highest bit: 255 - depth of the call (8 bits), offset of the
// code (24), path of calls (16), meta (16).
using Head = std::uint64_t;

constexpr Head kNoHead = ~Head{0};
constexpr int kDepthShift = 56;
constexpr int kCodeShift = 32;
constexpr int kPathShift = 16;
// An executable has less than 16 MiB of code.
constexpr std::uint32_t kCodeMask = (1u << 24) - 1;
constexpr int kMaxDepth = 255;

// Meta: kind (4 bits), space (2), volatile (1; for a collective: it is __syncwarp(), which orders
// memory), binary logarithm of the bytes (3), sort of a copy (3) or step of a phase (2); load or
// store of an atomic object (bit 12), load by __ldg() (1), load or store of a matrix row (1), a
// further part of a copy (1).
constexpr Head meta_of(EventKind kind, unsigned bytes = 1, bool is_volatile = false) {
    return Head{static_cast<unsigned>(kind)} | Head{is_volatile} << 6 |
           Head{static_cast<unsigned>(std::countr_zero(bytes))} << 7;
}
constexpr Head kAtomicObject = Head{1} << 12;
constexpr Head kReadOnlyLoad = Head{1} << 13;
constexpr Head kMatrixRow = Head{1} << 14;
constexpr Head kFurtherPart = Head{1} << 15;
constexpr Head meta_of(Space space) { return Head{static_cast<unsigned>(space)} << 4; }

constexpr Head meta_of(EventKind kind, unsigned bytes, CopySort sort) {
    return meta_of(kind, bytes) | Head{static_cast<unsigned>(sort)} << 10;
}
constexpr Head meta_of(PhaseStep step) {
    return meta_of(EventKind::phase, 8) | Head{static_cast<unsigned>(step)} << 10;
}

constexpr EventKind kind_of(Head head) { return static_cast<EventKind>(head & 0xf); }
constexpr Space space_of(Head head) { return static_cast<Space>(head >> 4 & 3); }
constexpr bool is_volatile(Head head) { return (head >> 6 & 1) != 0; }
constexpr bool is_atomic_object(Head head) { return (head & kAtomicObject) != 0; }
constexpr bool is_read_only_load(Head head) { return (head & kReadOnlyLoad) != 0; }
constexpr bool is_matrix_row(Head head) { return (head & kMatrixRow) != 0; }
constexpr bool is_further_part(Head head) { return (head & kFurtherPart) != 0; }
constexpr bool is_syncwarp(Head head) { return is_volatile(head); }
constexpr CopySort sort_of(Head head) { return static_cast<CopySort>(head >> 10 & 7); }
constexpr PhaseStep step_of(Head head) { return static_cast<PhaseStep>(head >> 10 & 3); }
constexpr unsigned bytes_of(Head head) { return 1u << (head >> 7 & 7); }
constexpr std::uint16_t path_of(Head head) {
    return static_cast<std::uint16_t>(head >> kPathShift);
}
constexpr std::uint32_t code_of(Head head) { return head >> kCodeShift & kCodeMask; }

// The part of a head that is the same for all events of one call. Path 0 is a kernel's own body.
constexpr Head prefix_of(int depth, std::uint16_t path) {
    return Head(kMaxDepth - (depth < kMaxDepth ? depth : kMaxDepth)) << kDepthShift |
           Head{path} << kPathShift;
}

// The events of a warp. Row i holds the i-th event of each lane, so that the replay of lanes that
// do the same reads whole rows. Written values have their own rows.
constexpr int kRows = 256;
constexpr int kMaxFrames = 4096;
struct WarpEvents {
    struct Row {
        Head head[kWarpSize];
        // An address; a collective's mask, and above it the lanes whose result is undefined; of a
        // wait for copies, the number of the first later copy.
        std::uint64_t operand[kWarpSize];
    };
    struct Values {
        std::uint32_t words[kWarpSize][Words::kPerLane];
    };
    Row rows[kRows];
    Values values[kRows];
    static_assert(sizeof(Row) == sizeof(Values));
    Head frames[kMaxFrames][kWarpSize];  // the prefixes of the calls that are open
    // Without it, equal rows of the block's warps would compete for the same cache sets.
    char padding[3 * sizeof(Row)];
};

// The distance from a lane's head to its head in the next row, and to its operand.
constexpr int kRowStride = 2 * kWarpSize;
constexpr int kOperandOffset = kWarpSize;

}  // namespace emulator::counting

namespace emulator {

// Of a running thread.
struct ThreadRecord {
    counting::Head* next = nullptr;  // where its next event goes
    counting::Head* end = nullptr;
    counting::Head prefix = 0;  // of its present call
    // The last store whose value was not in memory yet when it was recorded, or nullptr.
    counting::Head* pending = nullptr;
    unsigned pending_count = 0;
    counting::Head* frames = nullptr;  // in WarpEvents::frames
    std::uint32_t depth = 0;
    int lane = 0;

    // Where the values of a store belong, given its event. Rows of values are as long as rows of
    // events and follow them; each lane has twice the room there.
    std::uint32_t* words_of(counting::Head* event) const {
        return reinterpret_cast<std::uint32_t*>(event + counting::kRows * counting::kRowStride +
                                                lane);
    }
};

}  // namespace emulator
