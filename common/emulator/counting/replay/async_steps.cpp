// SPDX-License-Identifier: MIT
#include "common/emulator/counting/replay/async_steps.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "common/emulator/counting/checks/async_checks.hpp"
#include "common/emulator/counting/checks/checks.hpp"
#include "common/emulator/counting/output/trace.hpp"
#include "common/emulator/counting/output/view.hpp"
#include "common/emulator/counting/replay/rules.hpp"

namespace emulator::counting {
namespace {

using LaneAddresses = std::array<std::uintptr_t, kWarpSize>;
using Copies = std::array<CopyWords, kWarpSize>;

void check(Worker& worker, int warp, const Request& request) {
    if (request.lanes == 0) return;
    check_request(worker, warp, request);
    if (tracing) trace_request(worker, warp, request);
}

// cp.async: the lanes load together, and store what they loaded together.
void do_plain_copy(Worker& worker, int warp, Counts& counts, const AsyncStep& step,
                   const Copies& copies) {
    LaneAddresses destinations{};
    std::uint32_t reading = 0;
    bool fills = false;
    for (std::uint32_t lanes = step.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        destinations[lane] = copies[lane].destination;
        fills |= copies[lane].other < copies[lane].bytes;
        reading |= static_cast<std::uint32_t>(copies[lane].other > 0) << lane;
    }
    const auto bytes = static_cast<std::uint8_t>(bytes_of(step.head));
    const Request load{step.place, Space::global, Operation::load, false,
                       bytes,      reading,       step.operands,   {}};
    const Request store{step.place, Space::shared, Operation::store,    false,
                        bytes,      step.lanes,    destinations.data(), {}};
    const CopyCost cost = async_copy_cost(load, store, fills);
    counts.units += cost.global.units;
    counts.ideal_units += cost.global.ideal;
    counts.wavefronts += cost.shared.units;
    counts.ideal_wavefronts += cost.shared.ideal;
    check(worker, warp, load);
    check(worker, warp, store);
    if (viewing) {
        view_request(worker, warp, load, cost.global, false);
        view_request(worker, warp, store, cost.shared, false);
    }
}

// A bulk copy is the work of one lane, whatever the others do.
void do_bulk_copy(Worker& worker, int warp, Counts& counts, CopySort sort, const AsyncStep& step,
                  int lane, const CopyWords& copy) {
    // A part of a tensor copy may be no multiple of 16 bytes.
    std::uint8_t piece = 16;
    while ((step.operands[lane] | copy.destination | copy.bytes) % piece != 0) piece /= 2;
    const bool loads = sort == CopySort::bulk_load;
    const bool reads = step.operands[lane] != 0;  // else it only fills
    if (reads) {
        const Cost sectors =
            bulk_copy_cost(loads ? step.operands[lane] : copy.destination, copy.bytes);
        counts.units += sectors.units;
        counts.ideal_units += sectors.ideal;
    }
    for (std::uint32_t offset = 0; offset < copy.bytes; offset += piece) {
        LaneAddresses source{};
        LaneAddresses destination{};
        source[lane] = step.operands[lane] + offset;
        destination[lane] = copy.destination + offset;
        check(worker, warp,
              {step.place,
               loads ? Space::global : Space::shared,
               Operation::load,
               false,
               piece,
               reads ? 1u << lane : 0,
               source.data(),
               {}});
        check(worker, warp,
              {step.place,
               loads ? Space::shared : Space::global,
               Operation::store,
               false,
               piece,
               1u << lane,
               destination.data(),
               {}});
    }
}

// A product reads shared memory on behalf of its warp: the operands are those of one lane.
void read_operands(Worker& worker, int warp, Counts& counts, const AsyncStep& step, int lane,
                   std::uint32_t bytes) {
    constexpr std::uint32_t kPiece = 16;
    counts.bytes += bytes;
    for (std::uint32_t offset = 0; offset < bytes; offset += kPiece) {
        LaneAddresses source{};
        source[lane] = step.operands[lane] + offset;
        check(worker, warp,
              {step.place,
               Space::shared,
               Operation::load,
               false,
               kPiece,
               1u << lane,
               source.data(),
               {}});
    }
}

void do_copy(Worker& worker, int warp, Counts& counts, const AsyncStep& step) {
    Copies copies;
    std::memcpy(copies.data(), step.words, sizeof copies);
    const CopySort sort = sort_of(step.head);
    if (sort == CopySort::plain) do_plain_copy(worker, warp, counts, step, copies);
    for (std::uint32_t lanes = step.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        counts.bytes += copies[lane].bytes;
        if (sort == CopySort::plain) continue;
        if (sort == CopySort::product) {
            read_operands(worker, warp, counts, step, lane, copies[lane].other);
            continue;
        }
        // Each lane's bulk copy is a request of its own.
        if (!is_further_part(step.head)) counts.requests += lanes != step.lanes;
        do_bulk_copy(worker, warp, counts, sort, step, lane, copies[lane]);
    }
    note_copies(
        worker, warp,
        {step.place, sort, step.lanes, step.operands, copies.data(), is_further_part(step.head)});
}

void do_phase_step(Worker& worker, int warp, const AsyncStep& step) {
    std::array<PhaseWords, kWarpSize> words;
    std::memcpy(words.data(), step.words, sizeof words);
    const PhaseStep done = step_of(step.head);
    // Whoever initialises the barrier writes it; all others access it as by atomic operations. Two
    // threads that initialise it with the same count get the warning about equal values.
    const int first = std::countr_zero(step.lanes);
    if (words[first].is_barrier != 0) {
        const Operation operation = done == PhaseStep::written ? Operation::store
                                    : done == PhaseStep::wait  ? Operation::load
                                                               : Operation::atomic;
        check_request(worker, warp,
                      {step.place,
                       space_of(step.head),
                       operation,
                       done != PhaseStep::written,
                       8,
                       step.lanes,
                       step.operands,
                       {done == PhaseStep::written ? step.words : nullptr}});
    }
    order_phase_step(worker, warp, done, step.lanes, step.operands, words.data());
}

}  // namespace

void do_async_step(Worker& worker, int warp, Counts& counts, const AsyncStep& step) {
    switch (kind_of(step.head)) {
        case EventKind::copy:
            return do_copy(worker, warp, counts, step);
        case EventKind::copy_wait:
            return end_copies(worker, warp, sort_of(step.head), step.lanes, step.operands);
        case EventKind::phase:
            return do_phase_step(worker, warp, step);
        default:
            return order_proxy_fence(worker, warp, step.lanes);
    }
}

}  // namespace emulator::counting
