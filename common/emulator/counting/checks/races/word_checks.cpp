// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/races/word_checks.hpp"

#include <bit>

#include "common/emulator/counting/checks/memory/forbidden.hpp"
#include "common/emulator/device/properties/properties.hpp"
#include "common/emulator/process/executable.hpp"

namespace emulator::counting {
namespace {

// A hash of a word's value that fits into its cell.
std::uint16_t hash_of(std::uint32_t value) {
    return static_cast<std::uint16_t>(value * 0x9e3779b1u >> 16);
}

// Of an asynchronous copy.
constexpr std::uint16_t kUnknownValue = 0xa5c3;

// The bytes of the first word that an access of up to 4 bytes touches.
std::uint32_t first_bytes(std::uintptr_t address, unsigned size) {
    return size >= 4 ? 0xfu : ((1u << size) - 1u) << (address & 3) & 0xfu;
}

}  // namespace

void WordChecks::begin(Worker& worker) {
    const SharedRange shared = thread_local_block();
    static_shared_.cover(reinterpret_cast<std::uintptr_t>(shared.begin), shared.bytes);
    if (worker.dynamic_shared_bytes() > 0) {
        // As much as a launch may ask for: launches differ in where it begins, not where it ends.
        const auto begin = reinterpret_cast<std::uintptr_t>(worker.dynamic_shared());
        const std::uintptr_t end = begin + worker.dynamic_shared_bytes();
        if (!dynamic_shared_.covers(begin)) {
            dynamic_shared_.cover((end + 15) / 16 * 16 - kMaxDynamicSharedBytes,
                                  kMaxDynamicSharedBytes);
        }
    }
    block.begin(worker);
    unwritten_.begin_block(block.first);
    guesses_.clear();
}

void WordChecks::finish_interval() {
    unwritten_.report_all(*block.worker);
    for (const auto& [key, guess] : guesses_) report_race(block, guess);
    guesses_.clear();
    report_waiting_races();
}

const Shadow* WordChecks::find_shadow(Space space, std::uintptr_t address) const {
    const Program& all = program();
    const bool shared = space == Space::shared;
    const Shadow& first = shared ? static_shared_ : all.global;
    const Shadow& second = shared ? dynamic_shared_ : all.data_now();
    if (first.covers(address)) return &first;
    return second.covers(address) ? &second : nullptr;  // nullptr: registered host memory
}

// A cheap test: whether the access may be unordered with the access `now`.
template <Space kSpace>
bool WordChecks::suspicious(const Access& access, const Access& now) const {
    if (access.interval == block.interval) {
        return access.thread() != now.thread() || access.is_tracked_copy();
    }
    // Shared memory belongs to this block, and a barrier lies between the two.
    if constexpr (kSpace == Space::shared) return false;
    return access.interval >= block.first_of_grids && access.interval < block.others_end;
}

// Volatile and atomic accesses are no race with each other where one of them is a signal. In shared
// memory volatile alone is none: it orders nothing between lanes, and racecheck reports it too. A
// flag of shared memory needs a fence before it is set, and another warp that polls it.
bool WordChecks::may_signal(const Access& earlier, const Access& now, Space space) const {
    if (!earlier.is_strong() || !now.is_strong()) return false;
    if (space != Space::shared || !earlier.is_volatile() || !now.is_volatile()) return true;
    return earlier.warp() != now.warp() && program().fences.used_by(block.id);
}

[[gnu::noinline]] void WordChecks::check_conflict(const Cell& cell, const Access& earlier,
                                                  PlaceId place, const Access& now,
                                                  const Request& request, Operation did,
                                                  bool same_value) {
    if ((earlier.bytes() & now.bytes()) == 0 || may_signal(earlier, now, request.space) ||
        block.is_ordered(earlier, now)) {
        return;
    }
    const bool read_nothing = request.space == Space::shared && did == Operation::load &&
                              cell.write.interval < block.first;
    const Race race{earlier,       place,         now,
                    request.place, request.space, request.operation,
                    did,           same_value,    request.address[now.thread() % kWarpSize],
                    read_nothing};
    // The plain read may be a guess, which an atomic operation of the same thread checks:
    // "assumed = *p; old = atomicCAS(p, assumed, …)".
    if (request.operation == Operation::load && did == Operation::atomic) {
        guesses_.try_emplace({&cell, now.thread()}, race);
    } else if (request.operation == Operation::atomic && did == Operation::load &&
               earlier.interval == block.interval) {
        guesses_.try_emplace({&cell, earlier.thread()}, race);
    } else {
        report_race(block, race);
    }
}

// Two readers are kept: of two blocks if possible, else of two warps if possible, else the latest
// ones.
template <Space kSpace>
void WordChecks::note_read(Cell& cell, const Access& now, PlaceId place) const {
    const Interval oldest = first_unordered<kSpace>();
    const auto replaceable = [&](const Access& access) {
        return access.interval < oldest ||
               (access.interval == block.interval && access.thread() == now.thread()) ||
               (access.interval >= block.others_end && access.interval < block.interval);
    };
    const auto merged = [&](const Access& access) {
        const bool same = access.interval == block.interval && access.stamp() == now.stamp();
        return Access{block.interval, same ? now.bits | access.bytes() << 4 : now.bits};
    };
    if (replaceable(cell.read)) {
        cell.read = merged(cell.read);
        cell.read_place = place;
        return;
    }
    const Access& other = cell.other_read;
    bool take = replaceable(other);
    if (!take && cell.read.interval == block.interval) {
        const int warp = cell.read.warp();
        take = other.interval == block.interval && other.warp() == warp &&
               (warp != now.warp() || other.stamp() < now.stamp());
    } else if (!take) {
        take = other.interval != block.interval;
    }
    if (take) {
        cell.other_read = replaceable(other) ? merged(other) : now;
        cell.other_place = place;
    }
}

// The common cases, in which nothing can be wrong. False: this is another case, and nothing is
// done.
template <Operation kOperation>
[[gnu::always_inline]] inline bool WordChecks::check_quickly(Cell& cell, const Access& now,
                                                             std::uint16_t value, PlaceId place,
                                                             const Bounds& bounds) {
    if (kOperation == Operation::atomic || cell.write.interval >= bounds.first_unordered) {
        return false;
    }
    const Access& read = cell.read;
    const Access& other = cell.other_read;
    if (kOperation == Operation::store) {
        if (read.interval >= bounds.first_unordered || other.interval >= bounds.first_unordered ||
            now.bytes() != 0xf) {
            return false;
        }
        cell = {now,  {0, read.bits}, {0, other.bits}, place, cell.read_place, cell.other_place,
                value};
        return true;
    }
    if (read.interval < bounds.first_unordered) {
        cell.read = now;
        cell.read_place = place;
        return true;
    }
    // Two other threads have read it, and note_read() would keep them.
    if (other.interval != now.interval || other.thread() == now.thread()) return false;
    if (read.interval != now.interval) return read.interval < bounds.others_end;
    return read.thread() != now.thread() && read.warp() != other.warp();
}

template <Space kSpace, Operation kOperation>
[[gnu::noinline]] void WordChecks::check_word(Cell& cell, const Access& now, std::uint16_t value,
                                              const Request& request) {
    if (suspicious<kSpace>(cell.write, now)) {
        const bool same_value = kOperation == Operation::store && !cell.write.is_atomic() &&
                                request.words.first != nullptr && cell.value == value &&
                                cell.write.bytes() == now.bytes();
        check_conflict(cell, cell.write, cell.write_place, now, request,
                       cell.write.is_atomic() ? Operation::atomic : Operation::store, same_value);
    }
    if constexpr (kOperation == Operation::load) {
        note_read<kSpace>(cell, now, request.place);
        return;
    }
    if (suspicious<kSpace>(cell.read, now)) {
        check_conflict(cell, cell.read, cell.read_place, now, request, Operation::load, false);
    }
    if (suspicious<kSpace>(cell.other_read, now)) {
        check_conflict(cell, cell.other_read, cell.other_place, now, request, Operation::load,
                       false);
    }
    if constexpr (kOperation == Operation::atomic) {
        if (!guesses_.empty()) guesses_.erase({&cell, now.thread()});
        for (Access* read : {&cell.read, &cell.other_read}) {
            if (read->interval == block.interval && read->thread() == now.thread()) {
                read->interval = 0;
            }
        }
        // The other threads must still be ordered with a plain write by the same thread.
        if (cell.write.interval == block.interval && cell.write.thread() == now.thread() &&
            !cell.write.is_strong()) {
            return;
        }
    } else if (now.bytes() == 0xf) {
        // An access that is ordered after this write is ordered after the reads before it too.
        cell.read.interval = 0;
        cell.other_read.interval = 0;
    }
    cell.write = now;
    cell.write_place = request.place;
    cell.value = value;
}

// The first lanes of a warp load words that lie side by side.
template <Space kSpace>
void WordChecks::check_loaded_row(const Shadow& shadow, int warp, const Request& request) {
    constexpr std::uint32_t kNextThread = Access::pack(1, 0, 0, 0);
    const Bounds bounds{first_unordered<kSpace>(), block.others_end};
    const PlaceId place = request.place;
    const Interval first = block.first;
    Access now{block.interval, Access::pack(warp * kWarpSize, block.history[warp].stamp(), 0xf, 0)};
    Cell* cell = shadow.cell(request.address[0]);
    Cell* const end = cell + std::bit_width(request.lanes);
    for (; cell != end; ++cell, now.bits += kNextThread) {
        if constexpr (kSpace == Space::shared) {
            if (cell->write.interval < first) [[unlikely]] {
                const int thread = now.thread();
                unwritten_.note(cell, 1, thread, request.address[thread % kWarpSize], request);
            }
        }
        if (!check_quickly<Operation::load>(*cell, now, 0, place, bounds)) {
            check_word<kSpace, Operation::load>(*cell, now, 0, request);
        }
    }
}

template <Space kSpace, Operation kOperation>
void WordChecks::check_lanes(int warp, const Request& request) {
    const unsigned words = request.bytes <= 4 ? 1 : request.bytes / 4;
    const std::uint32_t stamp = block.history[warp].stamp();
    const std::uint32_t flags = (kOperation == Operation::atomic ? Access::kAtomic : 0) |
                                (request.is_volatile ? Access::kVolatile : 0) |
                                (request.is_atomic_object ? Access::kAtomicObject : 0);
    const bool races_on = program().races_on;
    std::uint32_t lanes = request.lanes;
    if constexpr (kOperation == Operation::load) {
        // If all lanes read one word, two of them are enough.
        const std::uintptr_t first = request.address[std::countr_zero(lanes)];
        bool same = request.pattern != Pattern::side_by_side;
        if (request.pattern == Pattern::scattered) {
            for (std::uint32_t rest = lanes; rest != 0 && same; rest &= rest - 1) {
                same = request.address[std::countr_zero(rest)] == first;
            }
        }
        if (same) {
            const std::uint32_t second = lanes & (lanes - 1);
            lanes = (lanes & (0u - lanes)) | (second & (0u - second));
        }
    }
    const Bounds bounds{first_unordered<kSpace>(), block.others_end};
    const Shadow* shadow = nullptr;
    if (kOperation == Operation::load && request.pattern == Pattern::side_by_side &&
        request.bytes == 4 && !request.is_volatile && races_on) {
        shadow = find_shadow(kSpace, request.address[0]);
        const std::uintptr_t last = request.address[std::bit_width(lanes) - 1];
        if (shadow != nullptr && shadow->covers(last) && last % 4 == 0) {
            return check_loaded_row<kSpace>(*shadow, warp, request);
        }
    }
    for (; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const std::uintptr_t address = request.address[lane];
        if (shadow == nullptr || !shadow->covers(address)) [[unlikely]] {
            shadow = find_shadow(kSpace, address);
            if (shadow == nullptr) continue;
        }
        Cell* const cell = shadow->cell(address);
        const int thread = warp * kWarpSize + lane;
        if constexpr (kSpace == Space::shared && kOperation != Operation::store) {
            if (cell->write.interval < block.first) {
                unwritten_.note(cell, words, thread, address, request);
            }
        }
        Access now{block.interval,
                   Access::pack(thread, stamp, first_bytes(address, request.bytes), flags)};
        if constexpr (kSpace == Space::shared && kOperation == Operation::atomic) {
            if (!request.is_volatile && !unwritten_.is_written(cell, words)) {
                now.bits |= Access::kUpdatedUnwritten;
            }
        }
        if (!races_on) {
            if (kOperation != Operation::load) {
                for (unsigned i = 0; i < words; ++i) cell[i].write = now;
            }
            continue;
        }
        const std::uint32_t* values = nullptr;
        if constexpr (kOperation == Operation::store) values = request.words[lane];
        for (unsigned i = 0; i < words; ++i) {
            const std::uint16_t value = values != nullptr ? hash_of(values[i]) : kUnknownValue;
            if (!check_quickly<kOperation>(cell[i], now, value, request.place, bounds)) {
                check_word<kSpace, kOperation>(cell[i], now, value, request);
            }
        }
    }
}

void WordChecks::note_strong_accesses(int warp, const Request& request) {
    const bool is_atomic = request.operation == Operation::atomic;
    const WarpHistory& history = block.history[warp];
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const Point point{block.interval, warp * kWarpSize + lane, history.stamp()};
        program().fences.strong_access(block.id, point, history.last_synced(),
                                       request.address[lane] & ~3ul,
                                       is_atomic || request.operation == Operation::load,
                                       is_atomic || request.operation == Operation::store);
    }
}

// A write that nothing orders with the load is a race, and is reported as one.
void WordChecks::check_read_only(int warp, const Request& request) const {
    const Program& all = program();
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const Shadow* const shadow = find_shadow(request.space, request.address[lane]);
        if (shadow == nullptr) continue;
        const int thread = warp * kWarpSize + lane;
        const Access now{block.interval, Access::pack(thread, block.history[warp].stamp(), 0xf, 0)};
        const Cell* cell = shadow->cell(request.address[lane]);
        for (unsigned i = 0; i < request.bytes; i += 4, ++cell) {
            if (cell->write.interval < all.first_of_grids) continue;
            const BlockRecord& writer = all.blocks[all.interval(cell->write.interval).block];
            if (writer.grid != block.grid || !block.is_ordered(cell->write, now)) continue;
            report_stale_load(*block.worker, thread, request.place, writer.number, *cell);
        }
    }
}

void WordChecks::check(int warp, const Request& request) {
    if (request.is_read_only && request.space == Space::global) check_read_only(warp, request);
    using enum Operation;
    if (request.space == Space::shared) {
        switch (request.operation) {
            case load:
                check_lanes<Space::shared, load>(warp, request);
                break;
            case store:
                check_lanes<Space::shared, store>(warp, request);
                break;
            case atomic:
                check_lanes<Space::shared, atomic>(warp, request);
                break;
        }
    } else if (program().races_on) {
        switch (request.operation) {
            case load:
                check_lanes<Space::global, load>(warp, request);
                break;
            case store:
                check_lanes<Space::global, store>(warp, request);
                break;
            case atomic:
                check_lanes<Space::global, atomic>(warp, request);
                break;
        }
    }
    if (program().races_on && (request.operation == atomic || request.is_volatile) &&
        program().fences.in_use()) {
        note_strong_accesses(warp, request);
    }
}

// ---- Asynchronous copies

Cell* WordChecks::find_cell(std::uintptr_t address) const {
    for (const Space space : {Space::shared, Space::global}) {
        const Shadow* const shadow = find_shadow(space, address);
        if (shadow != nullptr) return shadow->cell(address);
    }
    return nullptr;
}

bool WordChecks::is_unwritten(std::uintptr_t address) const {
    const Shadow* const shadow = find_shadow(Space::shared, address);
    return shadow != nullptr && shadow->cell(address)->write.interval < block.first;
}

void WordChecks::note_copy_written(const PendingCopy& copy, const Point& point,
                                   std::uint32_t flags) {
    if (copy.sort != CopySort::plain) flags |= Access::kAsyncProxy;
    const Access now{point.interval, Access::pack(copy.thread, point.stamp, 0xf, flags)};
    for (std::uint32_t offset = 0; offset < copy.bytes; offset += 4) {
        Cell* const cell = find_cell(copy.destination + offset);
        if (cell == nullptr) continue;
        cell->write = now;
        cell->write_place = copy.place;
        cell->value = kUnknownValue;
        cell->read.interval = 0;
        cell->other_read.interval = 0;
    }
}

void WordChecks::note_copy_read(const PendingCopy& copy, const Point& point, std::uint32_t flags) {
    if (!program().races_on) return;
    const Access now{point.interval, Access::pack(copy.thread, point.stamp, 0xf, flags)};
    for (std::uint32_t offset = 0; offset < copy.read_bytes; offset += 4) {
        const std::uintptr_t address = copy.source + offset;
        if (const Shadow* shadow = find_shadow(Space::shared, address)) {
            note_read<Space::shared>(*shadow->cell(address), now, copy.place);
        } else if (Cell* const cell = find_cell(address)) {
            note_read<Space::global>(*cell, now, copy.place);
        }
    }
}

void WordChecks::check_proxy_fence(const PendingCopy& copy) {
    if (!program().races_on) return;
    for (std::uint32_t offset = 0; offset < copy.read_bytes; offset += 4) {
        const Cell* const cell = find_cell(copy.source + offset);
        if (cell == nullptr || cell->write.interval < block.first) continue;
        if (cell->write.by_async_proxy()) continue;
        if (block.proxy_fences.cover(cell->write, copy.thread)) continue;
        report_missing_proxy_fence(block, copy.thread, copy.place, cell->write, cell->write_place);
        return;
    }
}

void WordChecks::finish_copies(const std::vector<PendingCopy>& copies) {
    for (const PendingCopy& copy : copies) {
        if (copy.sort != CopySort::bulk_store) continue;
        note_copy_written(
            copy, {block.interval, copy.thread, block.history[copy.thread / kWarpSize].stamp()});
    }
}

}  // namespace emulator::counting
