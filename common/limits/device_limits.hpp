// SPDX-License-Identifier: MIT
// The limits of a device, the share of them that a run reached, and the refusal of a run above
// them: a time that no hardware can reach is an error, not a record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace course {

// The least that one stage's algorithm must do in its kernels, whatever the hardware. What is
// unknown stays 0, and then nothing is refused for it. See PhaseTimer::declare_work.
struct Work {
    double bytes = 0.0;  // moved to and from global memory
    double operations = 0.0;  // arithmetic on 32-bit values; a fused multiply-add counts as two
    double working_set_bytes = 0.0;  // different bytes touched; 0: min(bytes, device memory)
};

// Rates per second, sizes in bytes. 0 means unknown: then nothing is compared with it.
// A good program reaches the first four; shares are relative to them.
// No program exceeds the peaks; refusals are relative to them.
struct DeviceLimits {
    double bytes_per_second = 0.0;  // memory: the best of a large copy and a large read
    double l2_bytes_per_second = 0.0;  // the same, in a buffer that stays in the last cache
    double l2_bytes = 0.0;  // size of the last cache
    double operations_per_second = 0.0;  // fp32 lanes x clock x 2

    double peak_bytes_per_second = 0.0;
    double peak_l2_bytes_per_second = 0.0;
    double peak_operations_per_second = 0.0;
};

enum class LimitKind { kNone, kMemory, kL2, kArithmetic };

std::string_view name_of(LimitKind kind);  // "none", "memory", "L2", "arithmetic"

// The limit of a run: the one of which the run reached the largest share.
struct LimitShare {
    LimitKind kind = LimitKind::kNone;
    double share = 0.0;  // reached / reachable
    double rate = 0.0;  // reached, in bytes or operations per second
    double limit = 0.0;  // reachable, in the same unit
};

// The share of the measured limits that a run reached which did `work` in `seconds`. If the working
// set fits in L2, bytes count against L2. Otherwise they count against memory, except those that L2
// may have served: an L2 of size C holds at most C of a working set W > C, so of B bytes at most
// B*C/W hit.
LimitShare share_of_limit(const Work& work, double seconds, const DeviceLimits& limits,
                          double working_set_bytes);

// The least time in which a device with these peaks can do the work; 0 if nothing is known.
double least_seconds(const Work& work, const DeviceLimits& limits, double working_set_bytes);

// Nothing if the time is possible; otherwise one line that names the time, the rate that it
// implies, and the limit. A time that is negative or not finite is impossible for any work. No
// slack is added: the peaks include theirs (see fill_from_attributes).
std::optional<std::string> impossible_time(std::string_view what, const Work& work, double seconds,
                                           const DeviceLimits& limits, double working_set_bytes);

// Throws LimitError with the line of impossible_time, if there is one.
void refuse_impossible_time(std::string_view what, const Work& work, double seconds,
                            const DeviceLimits& limits, double working_set_bytes);

// fp32 lanes of a streaming multiprocessor of that compute capability (CUDA C++ Programming Guide,
// table "Arithmetic instructions", 32-bit floating-point add). 128 for unknown ones.
int fp32_lanes(int major, int minor);

// The peaks of a CUDA device follow from its attributes. Each has slack, so that no true time is
// refused:
//   memory      2 x memory clock x bus width x 1.05 (boards with raised memory clocks); the
//               measured rate x 1.25 if the driver does not tell the memory clock
//   L2          SMs x (64 bytes in + 64 bytes out) per clock (a multiprocessor's port) x 1.25
//   arithmetic  SMs x max(fp32 lanes, 128) x 2 x clock x 1.25: four schedulers issue 128 lanes per
//               clock, integer lanes besides fp32 lanes, and boards boost above the named clock
struct CudaAttributes {
    int major = 0;
    int minor = 0;
    int multiprocessors = 0;
    double clock_hz = 0.0;
    double memory_clock_hz = 0.0;
    double memory_bus_bytes = 0.0;
    double l2_bytes = 0.0;
};

// `limits` holds the measured rates. Adds the size of L2, the arithmetic limit and all peaks.
void fill_from_attributes(DeviceLimits& limits, const CudaAttributes& attributes);

}  // namespace course
