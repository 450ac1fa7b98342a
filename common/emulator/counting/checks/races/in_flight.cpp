// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/races/in_flight.hpp"

#include <bit>
#include <string>
#include <utility>

#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/output/phrases.hpp"

namespace emulator::counting {
namespace {

bool overlap(std::uintptr_t a, std::uint32_t a_bytes, std::uintptr_t b, std::uint32_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

const char* how_to_wait(CopySort sort) {
    switch (sort) {
        case CopySort::plain:
            return "wait for the copy first, with __pipeline_wait_prior() or with the barrier, "
                   "pipeline or group that it belongs to";
        case CopySort::bulk_load:
            return "wait first for the phase of the barrier that tracks the copy";
        case CopySort::product:
            return "wait first with wgmma.commit_group and wgmma.wait_group";
        default:
            return "wait first with cp_async_bulk_commit_group() and cp_async_bulk_wait_group() or "
                   "cp_async_bulk_wait_group_read()";
    }
}

// A finding about a copy differs from one about a race of the same two lines.
std::uint64_t key_of(PlaceId now, PlaceId copy, Operation operation) {
    constexpr std::uint64_t kOfCopies = 1 << 6;
    return std::uint64_t{now} << 32 | std::uint64_t{copy} << 16 | kOfCopies |
           static_cast<unsigned>(operation);
}

void report_disturbed(const CheckedBlock& block, int thread, const Request& request,
                      const PendingCopy& copy, bool writes_it) {
    const std::uint64_t key = key_of(request.place, copy.place, request.operation);
    if (count_if_reported(key)) return;
    Finding finding;
    finding.kind = FindingKind::copy_in_flight;
    finding.kernel = block.worker->grid().name();
    finding.actors = {{block.worker->block(), thread, line_of(request.place),
                       present_of(request.operation, request.space)},
                      {block.worker->block(), copy.thread, line_of(copy.place),
                       copy.sort == CopySort::product ? "reads by wgmma"
                       : writes_it                    ? "writes by an asynchronous copy"
                                                      : "reads by an asynchronous copy"}};
    finding.what = copy.sort == CopySort::product ? "before its warp waited for that product"
                                                  : "before anybody waited for that copy";
    finding.advice = how_to_wait(copy.sort);
    report(key, std::move(finding));
}

}  // namespace

void InFlight::begin_block() {
    pending_.clear();
    slots_.clear();
    numbers_.clear();
}

std::uint64_t InFlight::next_number(int thread, CopySort sort) {
    if (numbers_.empty()) numbers_.resize(kMaxThreadsPerBlock);
    return numbers_[thread].of_sort[static_cast<unsigned>(sort)]++;
}

std::uint64_t InFlight::last_number(int thread, CopySort sort) const {
    return numbers_[thread].of_sort[static_cast<unsigned>(sort)] - 1;
}

void InFlight::count(std::uintptr_t begin, std::uint32_t bytes, bool writes, int difference) {
    if (bytes == 0) return;
    for (std::uintptr_t word = begin & ~std::uintptr_t{3}; word < begin + bytes; word += 4) {
        Slot& slot = slots_[slot_of(word)];
        std::uint16_t& number = writes ? slot.writes : slot.reads;
        number = static_cast<std::uint16_t>(number + difference);
    }
}

void InFlight::count_reads(const PendingCopy& copy, int difference) {
    count(copy.source, copy.read_bytes, false, difference);
}

void InFlight::add(const PendingCopy& copy) {
    if (slots_.empty()) slots_.resize(kSlots);
    pending_.push_back(copy);
    count(copy.destination, copy.bytes, true, 1);
    count_reads(copy, 1);
}

bool InFlight::may_disturb(std::uintptr_t address, unsigned bytes, bool writes) const {
    for (std::uintptr_t word = address & ~std::uintptr_t{3}; word < address + bytes; word += 4) {
        const Slot& slot = slots_[slot_of(word)];
        if (slot.writes != 0 || (writes && slot.reads != 0)) return true;
    }
    return false;
}

void InFlight::check(const CheckedBlock& block, int warp, const Request& request) const {
    if (pending_.empty()) return;
    const bool writes = request.operation != Operation::load;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const std::uintptr_t address = request.address[lane];
        if (!may_disturb(address, request.bytes, writes)) continue;
        for (const PendingCopy& copy : pending_) {
            const bool its_target = overlap(address, request.bytes, copy.destination, copy.bytes);
            const bool its_source = writes && !copy.source_is_read &&
                                    overlap(address, request.bytes, copy.source, copy.read_bytes);
            if (!its_target && !its_source) continue;
            report_disturbed(block, warp * kWarpSize + lane, request, copy, its_target);
            break;
        }
    }
}

void report_never_awaited(const CheckedBlock& block, const InFlight& in_flight) {
    for (const PendingCopy& copy : in_flight.pending()) {
        // Bulk stores arrive at the end of the kernel, once their sources have been read.
        if (copy.source_is_read) continue;
        const std::uint64_t key = key_of(copy.place, copy.place, Operation::load);
        if (count_if_reported(key)) continue;
        Finding finding;
        finding.kind = FindingKind::copy_never_awaited;
        finding.kernel = block.worker->grid().name();
        finding.actors.push_back(
            {block.worker->block(), copy.thread, line_of(copy.place),
             copy.sort == CopySort::product ? "multiplies by wgmma" : "copies asynchronously"});
        finding.what = copy.sort == CopySort::product ? "and its sums never arrive"
                       : copy.sort == CopySort::bulk_store
                           ? "and the block ends before the copy has read shared memory"
                           : "and its data never arrive";
        finding.advice = how_to_wait(copy.sort);
        report(key, std::move(finding));
    }
}

}  // namespace emulator::counting
