// SPDX-License-Identifier: MIT
// Where an observer of the execution attaches: functions that are called if they are set. They run
// on the block's worker in place of device code: they may look, but not wait.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <string>

namespace emulator {

struct Allocation;
struct AsyncCopy;
struct EndedWork;
struct Grid;
struct Warp;
struct WarpMeeting;
class Worker;
enum class CopySort : std::uint8_t;
enum class WarpOperation;

struct Hooks {
    // It may change how many workers run the grid (Grid::workers).
    void (*grid_begin)(Grid& grid) = nullptr;
    void (*grid_end)(const Grid& grid) = nullptr;
    // How many of the grid's next blocks the observer does not look at: they may run on several
    // workers at the same time. It may change Grid::workers for them. 0: it looks at the next one.
    // If the result is not 0, the second function is called after these blocks.
    std::int64_t (*blocks_to_leave_out)(Grid& grid) = nullptr;
    void (*blocks_left_out)(Grid& grid) = nullptr;
    void (*block_begin)(Worker& worker) = nullptr;
    void (*block_end)(Worker& worker) = nullptr;
    // A thread is about to wait at a barrier of the block or the grid, at an __activemask(), or in
    // a warp collective; `code` is the return address of its call. False: it passes a barrier or a
    // __syncwarp() without waiting.
    bool (*barrier_begin)(Worker& worker, const void* code, bool of_grid) = nullptr;
    void (*convergence_begin)(Worker& worker, const void* code) = nullptr;
    bool (*collective_begin)(Worker& worker, const void* code, WarpOperation operation,
                             std::uint32_t mask) = nullptr;
    // Every live thread of the block has arrived at a barrier, and none has left it.
    void (*barrier_complete)(Worker& worker) = nullptr;
    // The same for the grid's barrier; all other blocks have arrived there too.
    void (*grid_barrier_complete)(Worker& worker) = nullptr;
    // The lanes in `arrived` have met in a warp collective, and none has left it. Of an
    // __activemask(), `values` and `meeting` are nullptr.
    void (*collective_complete)(Worker& worker, int warp, std::uint32_t arrived, const Warp* values,
                                const WarpMeeting* meeting) = nullptr;
    // The results of a warp's meeting are computed; its lanes have not left.
    void (*collective_computed)(Worker& worker, int warp, const Warp& values,
                                const WarpMeeting& meeting) = nullptr;
    // All threads of a warp have returned. Only in programs whose accesses are counted.
    void (*warp_end)(Worker& worker, int warp) = nullptr;
    // The lanes in `held` called Worker::hold(); every other lane of the warp waits or has
    // returned.
    void (*warp_held)(Worker& worker, int warp, std::uint32_t held) = nullptr;
    // Whether these lanes seem to poll what another thread has yet to write. Called before
    // warp_held.
    bool (*warp_polls)(Worker& worker, int warp, std::uint32_t lanes) = nullptr;
    // The block waits for its next turn, and others run.
    void (*turn_passes)(Worker& worker) = nullptr;
    // An asynchronous copy is about to be issued by the running thread; of a bulk load, `number` is
    // its number in the block. `code` is the return address of the call, here and below.
    void (*copy_issued)(const void* code, const AsyncCopy& copy, CopySort sort,
                        std::uint64_t number) = nullptr;
    // The running thread's copies before number `end` are about to arrive, because it waits for
    // them. False: it does not wait.
    bool (*copies_awaited)(const void* code, CopySort sort, std::uint64_t end) = nullptr;
    void (*proxy_fence)(const void* code) = nullptr;
    // The running thread is about to read or write a row of a matrix by ldmatrix or stmatrix: 16
    // bytes of shared memory.
    void (*matrix_row)(const void* code, const void* row, bool is_store) = nullptr;
    // The running thread is about to initialise an mbarrier, or to make it invalid: the new state.
    void (*barrier_written)(const void* code, const std::uint64_t* barrier,
                            std::uint64_t state) = nullptr;
    // It is about to arrive at one, or to release another object. It may wait, by Worker::hold().
    void (*arrival)(Worker& worker, const void* code, const std::uint64_t* object,
                    bool is_barrier) = nullptr;
    // Its arrival was the last one, and the barrier's completion function is about to run; or it
    // has acquired another object.
    void (*completion_begins)(const void* code, const std::uint64_t* barrier) = nullptr;
    // A phase has ended, and with it the work that the barrier tracked.
    void (*phase_ended)(Worker& worker, const std::uint64_t* barrier, std::uint64_t phase,
                        std::span<const EndedWork> work) = nullptr;
    // The running thread is about to wait for the end of a phase. False: it does not wait.
    bool (*wait_begins)(Worker& worker, const void* code) = nullptr;
    // The phase that it waited for has ended.
    void (*wait_ended)(const void* code, const std::uint64_t* barrier,
                       std::uint64_t phase) = nullptr;
    // The kernel is about to end because of a call that no device would accept.
    void (*call_refused)(Worker& worker, const void* code, const char* what,
                         const char* advice) = nullptr;
    // A thread is about to launch a grid. It may wait, by Worker::hold(). The result becomes
    // Grid::launch_note.
    std::uint32_t (*launch)(Worker& worker, cudaStream_t stream) = nullptr;
    // The running thread has allocated memory of the device heap, or freed it. `code` is the return
    // address of the call.
    void (*heap_allocated)(Worker& worker, const Allocation& allocation,
                           const void* code) = nullptr;
    void (*heap_freed)(Worker& worker, const Allocation& allocation) = nullptr;
    // It frees what it may not free. The kernel ends.
    void (*wrong_free)(Worker& worker, bool twice, const std::string& what,
                       const void* code) = nullptr;
    // Every thread of the block that has not returned waits, and no thread is left to release it.
    void (*deadlock)(Worker& worker) = nullptr;
    // The grids that device code launches have used up their time, or the program has.
    void (*launch_overdue)(const Grid& grid) = nullptr;
    // The running block's time is up. True: the observer will end it. Called in a signal handler.
    bool (*time_is_up)() = nullptr;
};

inline Hooks hooks;

}  // namespace emulator
