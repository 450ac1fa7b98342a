// SPDX-License-Identifier: MIT
#include "common/emulator/counting/replay/polling.hpp"

#include <array>
#include <bit>

#include "common/emulator/counting/record/recorder.hpp"

namespace emulator::counting {
namespace {

constexpr int kManyRepeats = 64;
constexpr std::size_t kPlaces = 8;

// How often an instruction has accessed the same address.
struct PolledPlace {
    Head head = 0;
    std::uint64_t address = 0;
    int repeats = 0;
};
constinit thread_local std::array<PolledPlace, kPlaces> places{};

bool signals(Head head) {
    if (space_of(head) != Space::global) return false;
    return kind_of(head) == EventKind::atomic || is_volatile(head) || is_atomic_object(head);
}

bool is_access(EventKind kind) { return kind <= EventKind::atomic; }

// Returns whether the access has been repeated many times.
bool note_poll(Head head, std::uint64_t address) {
    PolledPlace& place = places[(code_of(head) ^ address >> 2) % kPlaces];
    if (place.head != head || place.address != address) place = {head, address, 0};
    return ++place.repeats >= kManyRepeats;
}

}  // namespace

bool lanes_poll(int warp, std::uint32_t lanes) {
    Recorder& own = recorder();
    bool poll = false;
    bool found = false;
    for (; lanes != 0 && !found; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const Head* event = own.first_head(warp, lane);
        const Head* const end = own.record(warp, lane).next;
        for (; event < end; event += kRowStride) {
            if (!is_access(kind_of(*event))) continue;
            if (signals(*event)) {
                found = true;
                poll |= note_poll(*event, event[kOperandOffset]);
            } else if (kind_of(*event) == EventKind::store) {
                forget_polls();
                return false;
            }
        }
    }
    return poll;
}

void forget_polls() { places.fill({}); }

}  // namespace emulator::counting
