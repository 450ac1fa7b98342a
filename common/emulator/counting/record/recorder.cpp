// SPDX-License-Identifier: MIT
#include "common/emulator/counting/record/recorder.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

#include "common/emulator/counting/record/call_prefix.hpp"

namespace emulator::counting {

constinit thread_local bool block_is_recorded = false;
constinit bool values_kept = true;
constinit bool loaded_values_kept = false;

constinit thread_local ThreadRecord muted_record{.depth = 2};

namespace {

constinit thread_local WarpEvents::Row muted_events{};

std::span<ThreadContext> threads_of(Worker& worker, int warp) {
    const auto threads = worker.threads().subspan(static_cast<std::size_t>(warp) * kWarpSize);
    return threads.first(std::min<std::size_t>(kWarpSize, threads.size()));
}

void give_buffer(Worker& worker, int warp, int buffer) {
    Recorder& own = recorder();
    own.buffer_of[warp] = static_cast<std::int8_t>(buffer);
    WarpEvents& events = own.buffers[buffer];
    for (int lane = 0; lane < kWarpSize; ++lane) {
        Head* const first = &events.rows[0].head[lane];
        ThreadRecord& record = own.records[buffer * kWarpSize + lane];
        record = {.next = first,
                  .end = first + kRows * kRowStride,
                  .prefix = prefix_at(0, 0),
                  .pending = nullptr,
                  .pending_count = 0,
                  .frames = &events.frames[0][lane],
                  .depth = 0,
                  .lane = lane};
    }
    for (ThreadContext& thread : threads_of(worker, warp)) {
        thread.record = &own.records[buffer * kWarpSize + thread.linear_index % kWarpSize];
    }
}

}  // namespace

Recorder& recorder() {
    constinit thread_local Recorder* own = nullptr;
    if (own == nullptr) {
        // This reserves address space only: memory is committed when it is touched.
        void* memory =
            ::mmap(nullptr, sizeof(Recorder) + kMaxWarpsPerBlock * sizeof(WarpEvents),
                   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        auto* buffers = static_cast<WarpEvents*>(memory);
        own = reinterpret_cast<Recorder*>(buffers + kMaxWarpsPerBlock);
        own->buffers = buffers;
    }
    return *own;
}

void start_buffers(Worker& worker) {
    block_is_recorded = true;
    Recorder& own = recorder();
    own.buffer_of.fill(Recorder::kNone);
    own.warps_take_turns = true;
    give_buffer(worker, worker.next_warp(), 0);
}

void start_without_buffers(Worker& worker) {
    block_is_recorded = false;
    for (ThreadContext& thread : worker.threads()) thread.record = nullptr;
}

void end_turn(Worker& worker, int warp) {
    Recorder& own = recorder();
    if (!own.warps_take_turns) return;
    own.buffer_of[warp] = Recorder::kNone;
    const int next = worker.next_warp();
    if (next < 0) return;
    // All events were replayed, so the records are in their first state again.
    own.buffer_of[next] = 0;
    for (ThreadContext& thread : threads_of(worker, next)) {
        thread.record = &own.records[thread.linear_index % kWarpSize];
    }
}

void end_turns(Worker& worker) {
    Recorder& own = recorder();
    if (!own.warps_take_turns) return;
    own.warps_take_turns = false;
    const int warps = static_cast<int>(worker.threads().size() + kWarpSize - 1) / kWarpSize;
    int buffer = 0;
    for (int warp = 0; warp < warps; ++warp) {
        // A warp that has ended needs no buffer any more.
        if (!own.has_buffer(warp) && worker.live_lanes(warp) != 0) {
            give_buffer(worker, warp, ++buffer);
        }
    }
}

void hold_thread() {
    Worker& worker = *worker_of_running_block();
    {
        const Unrecorded unrecorded;
        end_turns(worker);
    }
    worker.hold();
}

void wait_for_replay() {
    if (!is_recording()) return;
    ThreadRecord& record = *current_thread->record;
    const int warp = current_thread->linear_index / kWarpSize;
    capture_pending_value(record);
    while (recorder().event_count(warp, record.lane) > 0) hold_thread();
}

void keep_values(bool stored, bool loaded) {
    values_kept = stored || loaded;
    loaded_values_kept = loaded;
}

void capture_pending_value(ThreadRecord& record) {
    if (record.pending == nullptr) return;
    for (unsigned i = 0; i < record.pending_count; ++i) {
        Head* const event = record.pending - i * kRowStride;
        std::uint32_t* const words = record.words_of(event);
        const void* const address = reinterpret_cast<const void*>(event[kOperandOffset]);
        switch (bytes_of(*event)) {
            case 4:
                std::memcpy(words, address, 4);
                break;
            case 8:
                std::memcpy(words, address, 8);
                break;
            case 16:
                std::memcpy(words, address, 16);
                break;
            case 2:
                words[0] = 0;
                std::memcpy(words, address, 2);
                break;
            default:
                words[0] = *static_cast<const std::uint8_t*>(address);
        }
    }
    record.pending = nullptr;
}

void empty_muted_record() {
    muted_record.next = muted_events.head;
    muted_record.end = muted_events.head + kRowStride;
    muted_record.pending = nullptr;
}

bool is_recording() {
    return current_thread != nullptr && current_thread->record != nullptr &&
           !is_muted(*current_thread->record);
}

std::uint16_t running_path() { return path_of(current_thread->record->prefix); }

Unrecorded::Unrecorded() : thread_(current_thread) {
    if (thread_ == nullptr) return;
    record_ = thread_->record;
    empty_muted_record();
    thread_->record = &muted_record;
}

Unrecorded::~Unrecorded() {
    if (thread_ != nullptr) thread_->record = record_;
}

}  // namespace emulator::counting
