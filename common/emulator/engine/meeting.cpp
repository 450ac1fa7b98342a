// SPDX-License-Identifier: MIT
#include "common/emulator/engine/meeting.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

namespace emulator {
namespace {

// The lane whose value a shuffle gives, or the lane itself if the source lies outside its segment.
// From the PTX ISA, shfl.sync, which takes five bits of the operand.
int source_lane(WarpOperation operation, int lane, int operand, int width) {
    const int first = lane & ~(width - 1);
    const int last = first + width - 1;
    operand &= kWarpSize - 1;
    int source = lane;
    switch (operation) {
        case WarpOperation::shuffle:
            return first + (operand & (width - 1));
        case WarpOperation::shuffle_up:
            source = lane - operand;
            return source < first ? lane : source;
        case WarpOperation::shuffle_down:
            source = lane + operand;
            return source > last ? lane : source;
        default:  // shuffle_xor may read a lower segment, not a higher one
            source = lane ^ operand;
            return source > last ? lane : source;
    }
}

void shuffle_values(Warp& warp, const WarpMeeting& meeting) {
    for (int i = 0; i < meeting.count; ++i) {
        const int lane = meeting.order[i];
        warp.result[lane] = warp.value[source_of_lane(warp, meeting, lane)];
    }
}

void match_values(Warp& warp, const WarpMeeting& meeting) {
    for (int i = 0; i < meeting.count; ++i) {
        const int lane = meeting.order[i];
        std::uint64_t equal = 0;
        for (int j = 0; j < meeting.count; ++j) {
            const int other = meeting.order[j];
            if (warp.value[other] == warp.value[lane]) equal |= std::uint64_t{1} << other;
        }
        const bool all = meeting.operation == WarpOperation::match_all;
        warp.result[lane] = all && equal != meeting.arrived ? 0 : equal;
    }
}

std::uint64_t ballot(const Warp& warp, const WarpMeeting& meeting) {
    std::uint64_t votes = 0;
    for (int i = 0; i < meeting.count; ++i) {
        const int lane = meeting.order[i];
        if (warp.value[lane] != 0) votes |= std::uint64_t{1} << lane;
    }
    return votes;
}

void run_together(Warp& warp, const WarpMeeting& meeting) {
    if (meeting.count != kWarpSize) {
        fail_kernel(cudaErrorLaunchFailure,
                    "called a matrix operation of a warp (wmma, mma, ldmatrix or stmatrix) "
                    "without all 32 threads of its warp");
    }
    const WarpTask* tasks[kWarpSize];
    for (int lane = 0; lane < kWarpSize; ++lane) {
        tasks[lane] = reinterpret_cast<const WarpTask*>(warp.value[lane]);
        if (tasks[lane]->run != tasks[0]->run) {
            fail_kernel(cudaErrorLaunchFailure,
                        "called a matrix operation while other threads of its warp called another "
                        "one: all 32 must call the same");
        }
    }
    tasks[0]->run(tasks);
}

template <class Combine>
std::uint64_t reduce(const Warp& warp, const WarpMeeting& meeting, Combine combine) {
    auto total = static_cast<std::uint32_t>(warp.value[meeting.order[0]]);
    for (int i = 1; i < meeting.count; ++i) {
        total = combine(total, static_cast<std::uint32_t>(warp.value[meeting.order[i]]));
    }
    return total;
}

std::uint64_t common_result(const Warp& warp, const WarpMeeting& meeting) {
    using U = std::uint32_t;
    const auto is_less = [](U a, U b) {
        return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
    };
    switch (meeting.operation) {
        case WarpOperation::ballot:
            return ballot(warp, meeting);
        case WarpOperation::reduce_add:
            return reduce(warp, meeting, [](U a, U b) { return a + b; });
        case WarpOperation::reduce_min_signed:
            return reduce(warp, meeting, [=](U a, U b) { return is_less(b, a) ? b : a; });
        case WarpOperation::reduce_max_signed:
            return reduce(warp, meeting, [=](U a, U b) { return is_less(a, b) ? b : a; });
        case WarpOperation::reduce_min_unsigned:
            return reduce(warp, meeting, [](U a, U b) { return std::min(a, b); });
        case WarpOperation::reduce_max_unsigned:
            return reduce(warp, meeting, [](U a, U b) { return std::max(a, b); });
        case WarpOperation::reduce_and:
            return reduce(warp, meeting, [](U a, U b) { return a & b; });
        case WarpOperation::reduce_or:
            return reduce(warp, meeting, [](U a, U b) { return a | b; });
        case WarpOperation::reduce_xor:
            return reduce(warp, meeting, [](U a, U b) { return a ^ b; });
        default:
            return 0;
    }
}

}  // namespace

int wanted_lane(const Warp& warp, const WarpMeeting& meeting, int lane) {
    if (meeting.operation < WarpOperation::shuffle ||
        meeting.operation > WarpOperation::shuffle_xor) {
        return -1;
    }
    return source_lane(meeting.operation, lane, warp.argument[lane], warp.width[lane]);
}

int source_of_lane(const Warp& warp, const WarpMeeting& meeting, int lane) {
    const int source = wanted_lane(warp, meeting, lane);
    return source < 0 || (meeting.arrived >> source & 1) != 0 ? source : lane;
}

void compute_warp_results(Warp& warp, const WarpMeeting& meeting) {
    switch (meeting.operation) {
        case WarpOperation::together:
            return run_together(warp, meeting);
        case WarpOperation::sync:
            return;
        case WarpOperation::shuffle:
        case WarpOperation::shuffle_up:
        case WarpOperation::shuffle_down:
        case WarpOperation::shuffle_xor:
            return shuffle_values(warp, meeting);
        case WarpOperation::match_any:
        case WarpOperation::match_all:
            return match_values(warp, meeting);
        default:
            break;
    }
    const std::uint64_t result = common_result(warp, meeting);
    for (int i = 0; i < meeting.count; ++i) warp.result[meeting.order[i]] = result;
}

}  // namespace emulator
