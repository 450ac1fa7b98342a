// SPDX-License-Identifier: MIT
// Recording: the events that the call-backs of instrumented code write, a buffer a lane.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/emulator/counting/event.hpp"
#include "common/emulator/counting/memory_map.hpp"

namespace emulator::counting {

// A place in the executable as 24 bits, and back.
std::uint32_t code_offset(const void* code);
const void* code_at(std::uint32_t offset);

// The calls of a path as return addresses, innermost first.
std::vector<const void*> callers_of(std::uint16_t path);
// The path of a call, made at `caller`, in the path `parent`.
std::uint16_t path_of_call(std::uint16_t parent, std::uint32_t caller);

// What a worker records; each has its own, as each has its own OS thread. As long as no thread
// waits, warps run one after the other and take turns with one buffer, which stays in the nearest
// cache.
struct Recorder {
    static constexpr std::int8_t kNone = -1;

    WarpEvents* buffers;  // kMaxWarpsPerBlock of them
    std::array<ThreadRecord, kMaxThreadsPerBlock> records;
    std::array<std::int8_t, kMaxWarpsPerBlock> buffer_of;  // by warp
    bool warps_take_turns;

    bool has_buffer(int warp) const { return buffer_of[warp] != kNone; }
    WarpEvents& events(int warp) { return buffers[buffer_of[warp]]; }
    ThreadRecord& record(int warp, int lane) { return records[buffer_of[warp] * kWarpSize + lane]; }
    Head* first_head(int warp, int lane) { return &events(warp).rows[0].head[lane]; }
    unsigned event_count(int warp, int lane) {
        return static_cast<unsigned>(record(warp, lane).next - first_head(warp, lane)) / kRowStride;
    }
};
Recorder& recorder();

// Before a block: no lane has events. `kernel_is_known`: name_kernel() need not be called.
void start_recording(Worker& worker, bool kernel_is_known);
// A warp has ended, and no thread of the block waits: the next warp takes its buffer.
void end_turn(Worker& worker, int warp);
// Before a thread waits: others may then start, and need buffers of their own.
void end_turns(Worker& worker);

// Which values are kept: races need what was stored, a trace all.
void keep_values(bool stored, bool loaded);

// While it lives, the running thread records nothing. The linker may give this library, and the
// engine, an instrumented copy of a template that both they and the program instantiate (the
// standard library's): what that does is not the kernel's doing.
class Unrecorded {
  public:
    Unrecorded();
    ~Unrecorded();
    Unrecorded(const Unrecorded&) = delete;
    Unrecorded& operator=(const Unrecorded&) = delete;

  private:
    ThreadContext* thread_;
    ThreadRecord* record_ = nullptr;
};

// Before another lane may overwrite what the thread stored last.
void capture_pending_value(ThreadRecord& record);

// Whether a thread runs, and not the engine on its behalf.
bool is_recording();

// An access by a library function that the running thread called at `code`. What it stores is
// stored after the call.
void record_piece(EventKind kind, std::uintptr_t address, unsigned size, const void* code);

// The running thread waits until all that it did is replayed.
void wait_for_replay();

// The running thread is at a barrier, fence or collective. `operand`: of a fence, whether it is
// more than its block's; of a collective 0 until its lanes have met.
void record_meeting(Head meta, const void* code, std::uint64_t operand);

}  // namespace emulator::counting
