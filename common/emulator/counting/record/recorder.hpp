// SPDX-License-Identifier: MIT
// Recording: one buffer of events per lane, written by the call-backs of instrumented code.
#pragma once

#include <array>
#include <cstdint>

#include "common/emulator/counting/record/event.hpp"

namespace emulator::counting {

// What a worker records. Each worker has its own recorder, because each has its own OS thread. As
// long as no thread waits, the warps run one after the other and take turns with one buffer, which
// stays in the nearest cache.
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

// Gives the block's first warp a buffer. No lane has events then.
void start_buffers(Worker& worker);
// The block's threads record nothing: none has a record (ThreadContext::record is nullptr).
void start_without_buffers(Worker& worker);
// Whether the calling OS thread runs a block that is recorded.
[[gnu::tls_model("local-exec")]] extern constinit thread_local bool block_is_recorded;
// A warp has ended, and no thread of the block waits: the next warp takes its buffer.
void end_turn(Worker& worker, int warp);
// Called before a thread waits: other warps may start then, and need their own buffers.
void end_turns(Worker& worker);

// The running thread waits, so that its events can be replayed.
void hold_thread();
// The running thread waits until all its events are replayed.
void wait_for_replay();

// Which values are kept: the race checks need stored values, a trace needs all values.
void keep_values(bool stored, bool loaded);
extern constinit bool values_kept;
extern constinit bool loaded_values_kept;

// Call this before another lane may overwrite what the thread stored last.
void capture_pending_value(ThreadRecord& record);

// The record of a thread that records nothing: it is always full, and is emptied, not replayed.
extern constinit thread_local ThreadRecord muted_record;
inline bool is_muted(const ThreadRecord& record) { return &record == &muted_record; }
void empty_muted_record();

// Whether a CUDA thread runs, and not the engine on its behalf.
bool is_recording();

// The calls that lead to the running function of the running CUDA thread (paths.hpp). Only while it
// records.
std::uint16_t running_path();

// While an object of this class lives, the running thread records nothing. The linker may give this
// library and the engine an instrumented copy of a template that the program instantiates too (one
// of the standard library's). What that copy does is not the kernel's work.
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

}  // namespace emulator::counting
