// SPDX-License-Identifier: MIT
#include "common/emulator/engine/deadlock.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <utility>
#include <vector>

namespace emulator {
namespace {

// Text such as "0-31, 40" for the numbers, in any order.
std::string describe_ranges(std::vector<int> numbers) {
    std::sort(numbers.begin(), numbers.end());
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        if (!text.empty()) text += ", ";
        text += std::to_string(numbers[i]);
        if (last > i) text += "-" + std::to_string(numbers[last]);
        i = last + 1;
    }
    return text;
}

std::vector<int> lanes_of(std::uint32_t mask, int warp) {
    std::vector<int> threads;
    for (; mask != 0; mask &= mask - 1) {
        threads.push_back(warp * kWarpSize + std::countr_zero(mask));
    }
    return threads;
}

std::string describe_phase_waiters(const AsyncWork& work) {
    std::string text;
    std::vector<const std::uint64_t*> told;
    for (const PhaseWaiter& first : work.waiters) {
        if (std::find(told.begin(), told.end(), first.barrier) != told.end()) continue;
        told.push_back(first.barrier);
        std::vector<int> threads;
        for (const PhaseWaiter& waiter : work.waiters) {
            if (waiter.barrier == first.barrier) threads.push_back(waiter.thread);
        }
        text += "\n  threads " + describe_ranges(std::move(threads)) + " " +
                describe_wait(work, first.barrier);
    }
    return text;
}

}  // namespace

const char* describe(BlockMeeting::Kind kind) {
    switch (kind) {
        case BlockMeeting::Kind::plain:
            return "__syncthreads()";
        case BlockMeeting::Kind::count:
            return "__syncthreads_count()";
        case BlockMeeting::Kind::all:
            return "__syncthreads_and()";
        case BlockMeeting::Kind::any:
            return "__syncthreads_or()";
        case BlockMeeting::Kind::grid:
            return "the grid's barrier";
    }
    return "";
}

const char* describe(WarpOperation operation) {
    switch (operation) {
        case WarpOperation::sync:
            return "__syncwarp()";
        case WarpOperation::shuffle:
            return "__shfl_sync()";
        case WarpOperation::shuffle_up:
            return "__shfl_up_sync()";
        case WarpOperation::shuffle_down:
            return "__shfl_down_sync()";
        case WarpOperation::shuffle_xor:
            return "__shfl_xor_sync()";
        case WarpOperation::ballot:
            return "a vote (__ballot_sync(), __any_sync() or __all_sync())";
        case WarpOperation::match_any:
            return "__match_any_sync()";
        case WarpOperation::match_all:
            return "__match_all_sync()";
        case WarpOperation::reduce_add:
            return "__reduce_add_sync()";
        case WarpOperation::reduce_min_signed:
        case WarpOperation::reduce_min_unsigned:
            return "__reduce_min_sync()";
        case WarpOperation::reduce_max_signed:
        case WarpOperation::reduce_max_unsigned:
            return "__reduce_max_sync()";
        case WarpOperation::reduce_and:
            return "__reduce_and_sync()";
        case WarpOperation::reduce_or:
            return "__reduce_or_sync()";
        case WarpOperation::together:
            return "a wmma operation";
        case WarpOperation::reduce_xor:
            return "__reduce_xor_sync()";
    }
    return "";
}

std::string hexadecimal(std::uint32_t value) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", value);
    return text;
}

std::string describe_waiting_threads(const ThreadLoop& loop, const BlockMeeting& block_meeting,
                                     std::span<const Warp> warps, const AsyncWork* work) {
    constexpr int kMaxLines = 12;
    int lines = 0;
    std::string text;
    if (block_meeting.arrived > 0) {
        const auto* first = block_meeting.order.begin();
        text += "\n  threads " + describe_ranges({first, first + block_meeting.arrived}) + " at " +
                describe(block_meeting.kind);
    }
    if (work != nullptr) text += describe_phase_waiters(*work);
    for (int warp = 0; warp * kWarpSize < loop.count; ++warp) {
        for (int i = 0; i < warps[warp].meetings; ++i) {
            if (++lines > kMaxLines) continue;
            const WarpMeeting& meeting = warps[warp].meeting[i];
            const std::uint32_t missing = meeting.mask & loop.live_lanes[warp] & ~meeting.arrived;
            text += "\n  threads " + describe_ranges(lanes_of(meeting.arrived, warp)) + " in " +
                    describe(meeting.operation) + " with mask " + hexadecimal(meeting.mask) +
                    ", which threads " + describe_ranges(lanes_of(missing, warp)) +
                    " never reached";
        }
    }
    if (lines > kMaxLines) {
        text += "\n  and " + std::to_string(lines - kMaxLines) + " more groups of lanes";
    }
    return text;
}

}  // namespace emulator
