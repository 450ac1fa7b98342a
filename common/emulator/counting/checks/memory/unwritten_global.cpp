// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/memory/unwritten_global.hpp"

#include <bit>
#include <string>
#include <utility>

#include "common/emulator/counting/checks/memory/allocations.hpp"
#include "common/emulator/counting/checks/memory/partial_vectors.hpp"
#include "common/emulator/counting/checks/memory/written.hpp"
#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/output/phrases.hpp"
#include "common/emulator/device/memory.hpp"

namespace emulator::counting {
namespace {

WrittenBytes& written_bytes() {
    static auto* written = new WrittenBytes;  // never destroyed: see findings.cpp
    return *written;
}

// The key of a finding about one place. It differs from the keys of races, which have two places.
constexpr std::uint64_t key_of(PlaceId place) { return std::uint64_t{place} << 32; }

// A read is reported only if none of its bytes is written. The gaps of a struct, or the end of a
// row of vectors, may be unwritten.
void report_unwritten(Worker& worker, int thread, std::uintptr_t address, const Request& request) {
    Allocation allocation;
    if (!find_allocation(reinterpret_cast<const void*>(address), allocation)) return;
    const bool on_heap = allocation.kind == MemoryKind::heap;
    if (allocation.kind != MemoryKind::device && !on_heap) {
        // The host may have written it without a call.
        return written_bytes().set(address, request.bytes);
    }
    const std::uint64_t key = key_of(request.place);
    if (count_if_reported(key)) return;
    Finding finding;
    finding.kind = FindingKind::uninitialised_global;
    finding.kernel = worker.grid().name();
    finding.actors.push_back({worker.block(), thread, line_of(request.place),
                              present_of(request.operation) + " " + in_bytes(request.bytes)});
    finding.what = "which was never written: " +
                   describe_byte(allocation, reinterpret_cast<const void*>(address));
    finding.advice =
        on_heap
            ? "new and malloc() do not clear memory: write it first"
            : "cudaMalloc() does not clear memory: write it first, with cudaMemset(), a copy or "
              "a kernel";
    report(key, std::move(finding));
}

void check_vector(Worker& worker, int thread, std::uintptr_t address, const Request& request) {
    if (!loads_a_vector(request.place) || has_warned_of_partial_vector(request.place)) return;
    Allocation allocation;
    if (!find_allocation(reinterpret_cast<const void*>(address), allocation) ||
        (allocation.kind != MemoryKind::device && allocation.kind != MemoryKind::heap)) {
        return;
    }
    const WrittenBytes& bytes = written_bytes();
    const auto is_written = [&](std::uintptr_t at) {
        return bytes.covers(at) && bytes.has_any(at, 1);
    };
    unsigned written = 0;
    while (is_written(address + written)) ++written;
    // A list may begin or end inside a vector. What is written must go on behind the gap.
    std::uintptr_t behind = address + written;
    while (behind < address + request.bytes && !is_written(behind)) ++behind;
    if (!is_written(behind) || !is_written(address + written - 1)) return;
    const std::string first =
        describe_byte(allocation, reinterpret_cast<const void*>(address + written));
    warn_of_partial_vector(worker, thread, request.place, request.bytes, first);
}

[[gnu::noinline]] void check_lanes(Worker& worker, int warp, const Request& request) {
    WrittenBytes& written = written_bytes();
    // An exchange works on an unwritten word too.
    const bool reads = request.operation == Operation::load ||
                       (request.operation == Operation::atomic && !request.is_volatile);
    const bool writes = request.operation != Operation::load;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const std::uintptr_t address = request.address[lane];
        if (!written.covers(address)) continue;
        if (reads && !written.has_any(address, request.bytes)) {
            report_unwritten(worker, warp * kWarpSize + lane, address, request);
        } else if (request.operation == Operation::load && request.bytes >= 8 &&
                   !written.has_all(address, request.bytes)) {
            check_vector(worker, warp * kWarpSize + lane, address, request);
        }
        if (writes) written.set(address, request.bytes);
    }
}

}  // namespace

const unsigned char* cover_written(std::uintptr_t begin, std::size_t bytes) {
    written_bytes().cover(begin, bytes);
    return written_bytes().bits();
}

void forget_written(std::uintptr_t begin, std::size_t bytes) {
    written_bytes().clear(begin, bytes);
}

void note_written(std::uintptr_t begin, std::size_t bytes, std::uintptr_t source) {
    WrittenBytes& written = written_bytes();
    if (!written.covers(begin)) return;
    if (source != 0 && written.covers(source)) {
        written.copy(begin, source, bytes);
    } else {
        written.set(begin, bytes);
    }
}

bool all_are_written(std::uintptr_t begin, std::size_t bytes) {
    const WrittenBytes& written = written_bytes();
    return !written.covers(begin) || written.has_all(begin, bytes);
}

void for_unwritten(std::uintptr_t begin, std::size_t bytes,
                   const std::function<void(std::uintptr_t begin, std::size_t bytes)>& tell) {
    const WrittenBytes& written = written_bytes();
    std::size_t first = 0;  // of the bytes since the last written one
    for (std::size_t i = 0; i <= bytes; ++i) {
        if (i < bytes && !written.has_any(begin + i, 1)) continue;
        if (first < i) tell(begin + first, i - first);
        first = i + 1;
    }
}

void note_unrecorded_store(std::uintptr_t begin, std::size_t bytes) {
    WrittenBytes& written = written_bytes();
    if (!written.has_all(begin, bytes)) written.set_shared(begin, bytes);
}

// In most requests all bytes are written: then there is nothing to do.
void check_written(Worker& worker, int warp, const Request& request) {
    const WrittenBytes& written = written_bytes();
    const std::uintptr_t first = request.address[std::countr_zero(request.lanes)];
    if (request.pattern != Pattern::scattered) {
        const std::size_t bytes = request.pattern == Pattern::same
                                      ? request.bytes
                                      : std::size_t{request.bytes} * std::bit_width(request.lanes);
        if (!written.covers(first) || written.has_all(first, bytes)) return;
    } else {
        bool all = true;
        for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
            const std::uintptr_t address = request.address[std::countr_zero(lanes)];
            all &= !written.covers(address) || written.has_all(address, request.bytes);
        }
        if (all) return;
    }
    check_lanes(worker, warp, request);
}

}  // namespace emulator::counting
