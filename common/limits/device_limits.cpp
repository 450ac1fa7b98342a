// SPDX-License-Identifier: MIT
#include "common/limits/device_limits.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace course {

namespace {

double working_set(const Work& work, double device_bytes) {
    const double touched = work.working_set_bytes > 0.0 ? work.working_set_bytes : device_bytes;
    return std::min(work.bytes, touched);
}

// The part of the bytes that the last cache can serve at most.
double hit_fraction(double working_set_bytes, double l2_bytes) {
    return working_set_bytes <= l2_bytes ? 1.0 : l2_bytes / working_set_bytes;
}

// Seconds for the bytes: hits come at one rate, misses at another. A rate of 0 is unknown and takes
// no time.
double byte_seconds(const Work& work, double hits, double memory_rate, double l2_rate) {
    double seconds = 0.0;
    if (memory_rate > 0.0) seconds += work.bytes * (1.0 - hits) / memory_rate;
    if (l2_rate > 0.0) seconds += work.bytes * hits / l2_rate;
    return seconds;
}

}  // namespace

std::string_view name_of(LimitKind kind) {
    switch (kind) {
        case LimitKind::kNone:
            return "none";
        case LimitKind::kMemory:
            return "memory";
        case LimitKind::kL2:
            return "L2";
        case LimitKind::kArithmetic:
            return "arithmetic";
    }
    return "none";
}

LimitShare share_of_limit(const Work& work, double seconds, const DeviceLimits& limits,
                          double working_set_bytes) {
    LimitShare best;
    if (!(seconds > 0.0)) return best;
    const double hits = hit_fraction(working_set(work, working_set_bytes), limits.l2_bytes);
    const double for_bytes =
        byte_seconds(work, hits, limits.bytes_per_second, limits.l2_bytes_per_second);
    if (for_bytes > 0.0) {
        best = {hits < 1.0 ? LimitKind::kMemory : LimitKind::kL2, for_bytes / seconds,
                work.bytes / seconds, work.bytes / for_bytes};
    }
    if (work.operations > 0.0 && limits.operations_per_second > 0.0) {
        const double rate = work.operations / seconds;
        const double share = rate / limits.operations_per_second;
        if (share > best.share) {
            best = {LimitKind::kArithmetic, share, rate, limits.operations_per_second};
        }
    }
    return best;
}

double least_seconds(const Work& work, const DeviceLimits& limits, double working_set_bytes) {
    const double hits = hit_fraction(working_set(work, working_set_bytes), limits.l2_bytes);
    const double for_bytes =
        byte_seconds(work, hits, limits.peak_bytes_per_second, limits.peak_l2_bytes_per_second);
    const double for_operations = limits.peak_operations_per_second > 0.0
                                      ? work.operations / limits.peak_operations_per_second
                                      : 0.0;
    return std::max(for_bytes, for_operations);
}

std::optional<std::string> impossible_time(std::string_view what, const Work& work, double seconds,
                                           const DeviceLimits& limits, double working_set_bytes) {
    if (!std::isfinite(seconds) || seconds < 0.0) {
        return text(what, ": a time of ", seconds * 1e3, " ms is impossible");
    }
    const double least = least_seconds(work, limits, working_set_bytes);
    if (!(seconds < least)) return std::nullopt;
    const double hits = hit_fraction(working_set(work, working_set_bytes), limits.l2_bytes);
    const double for_bytes =
        byte_seconds(work, hits, limits.peak_bytes_per_second, limits.peak_l2_bytes_per_second);
    const std::string time = text(what, ": ", format_milliseconds(seconds * 1e3), " for ");
    const std::string rest = text(" (at least ", format_milliseconds(least * 1e3),
                                  "): the time or the declared work is wrong");
    if (for_bytes >= least) {
        return text(time, format_bytes(work.bytes), " is ", format_byte_rate(work.bytes / seconds),
                    ", above the ", hits < 1.0 ? "memory" : "L2", " peak of this device, ",
                    format_byte_rate(work.bytes / for_bytes), rest);
    }
    return text(time, work.operations, " operations is ",
                format_operation_rate(work.operations / seconds),
                ", above the arithmetic peak of this device, ",
                format_operation_rate(limits.peak_operations_per_second), rest);
}

void refuse_impossible_time(std::string_view what, const Work& work, double seconds,
                            const DeviceLimits& limits, double working_set_bytes) {
    if (const auto message = impossible_time(what, work, seconds, limits, working_set_bytes)) {
        throw LimitError(*message);
    }
}

int fp32_lanes(int major, int minor) {
    const bool half = (major == 6 && minor == 0) || major == 7 || (major == 8 && minor == 0);
    return half ? 64 : 128;
}

void fill_from_attributes(DeviceLimits& limits, const CudaAttributes& attributes) {
    constexpr double kMemorySlack = 1.05;
    constexpr double kMeasuredSlack = 1.25;
    constexpr double kBoostSlack = 1.25;
    constexpr int kIssuedLanes = 128;
    constexpr double kPortBytes = 128.0;  // per clock: 64 in, 64 out
    const double multiprocessor_clocks = attributes.multiprocessors * attributes.clock_hz;
    const int lanes = fp32_lanes(attributes.major, attributes.minor);

    limits.l2_bytes = attributes.l2_bytes;
    limits.operations_per_second = multiprocessor_clocks * lanes * 2.0;
    limits.peak_operations_per_second =
        multiprocessor_clocks * std::max(lanes, kIssuedLanes) * 2.0 * kBoostSlack;
    limits.peak_l2_bytes_per_second =
        std::max(multiprocessor_clocks * kPortBytes, limits.l2_bytes_per_second) * kBoostSlack;
    // Both edges of the memory clock carry data.
    const double pins = 2.0 * attributes.memory_clock_hz * attributes.memory_bus_bytes;
    // On virtual and integrated devices a driver may tell a clock that is not the memory's. A
    // measured rate above the rate of the pins shows that.
    limits.peak_bytes_per_second = pins > limits.bytes_per_second
                                       ? pins * kMemorySlack
                                       : limits.bytes_per_second * kMeasuredSlack;
}

}  // namespace course
