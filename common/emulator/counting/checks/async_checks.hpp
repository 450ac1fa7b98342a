// SPDX-License-Identifier: MIT
// The checks of asynchronous copies and mbarriers. The replay tells what each warp did.
#pragma once

#include <cstdint>
#include <span>

#include "common/emulator/counting/record/async_events.hpp"
#include "common/emulator/counting/record/source_lines.hpp"

namespace emulator::counting {

// Copies that the lanes issue together; `source` and `words` by lane. The accesses themselves are
// checked by check_request(), before this call.
struct CopyRequest {
    PlaceId place;
    CopySort sort;
    std::uint32_t lanes;
    const std::uintptr_t* source;
    const CopyWords* words;
    bool is_further_part;  // of the copies that the last request was about
};
void note_copies(Worker& worker, int warp, const CopyRequest& request);
// Each lane waits for its copies before number `end`, by lane.
void end_copies(Worker& worker, int warp, CopySort sort, std::uint32_t lanes,
                const std::uint64_t* end);
// The lanes arrive at a barrier, or have waited for a phase; both by lane.
void order_phase_step(Worker& worker, int warp, PhaseStep step, std::uint32_t lanes,
                      const std::uintptr_t* barrier, const PhaseWords* words);
// A phase has ended, and with it the work that the barrier tracked.
void end_phase_checks(Worker& worker, std::uintptr_t barrier, std::uint64_t phase,
                      std::span<const EndedWork> work);
void order_proxy_fence(Worker& worker, int warp, std::uint32_t lanes);

// The running thread's call at this line ends the kernel.
void report_refused_call(Worker& worker, SourceLine line, const char* what, const char* advice);
// All threads wait, some of them for phases that will never end. False: none of them.
bool report_endless_phase(Worker& worker);

}  // namespace emulator::counting
