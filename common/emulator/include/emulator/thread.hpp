// SPDX-License-Identifier: MIT
// The running CUDA thread: its built-in variables, and the barriers and warp collectives that
// device functions are made of. Kernels see these through <cuda_runtime.h>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <emulator/vector_types.hpp>

// Thread-local variables rather than macros, so that a built-in variable is one load and a struct
// may still have a member of that name (cudaLaunchConfig_t::gridDim). The fiber switch keeps them
// current. Local-exec, since kernels are parts of executables: the address is a constant offset
// from the thread pointer.
#define EMULATOR_THREAD_LOCAL [[gnu::tls_model("local-exec")]] extern constinit thread_local

// EMULATOR_UNRECORDED: where accesses are counted, those of this function are not counted. g++ does
// not inline such a function into a counted one.
#ifdef __SANITIZE_THREAD__
#define EMULATOR_UNRECORDED __attribute__((no_sanitize("thread"), no_sanitize_coverage))
// Special registers, not memory: g++ does not instrument reads of constants. uint3 for all, because
// a class with a constructor is no constant to g++.
EMULATOR_THREAD_LOCAL const uint3 threadIdx;
EMULATOR_THREAD_LOCAL const uint3 blockIdx;
EMULATOR_THREAD_LOCAL const uint3 blockDim;
EMULATOR_THREAD_LOCAL const uint3 gridDim;
#else
#define EMULATOR_UNRECORDED
EMULATOR_THREAD_LOCAL uint3 threadIdx;
EMULATOR_THREAD_LOCAL uint3 blockIdx;
EMULATOR_THREAD_LOCAL dim3 blockDim;
EMULATOR_THREAD_LOCAL dim3 gridDim;
#endif
constexpr int warpSize = 32;

namespace emulator {

constexpr int kWarpSize = 32;
constexpr int kMaxThreadsPerBlock = 1024;

struct BlockContext {
    uint3 block_index;
    dim3 block_dim;
    dim3 grid_dim;
};

// What an observer keeps of a thread (hooks.hpp).
struct ThreadRecord;

struct ThreadContext {
    uint3 thread_index;
    std::uint16_t
        linear_index;  // x fastest, as the hardware numbers threads: lane = linear_index % 32
    const BlockContext* block;
    int last_error;  // what cudaGetLastError() returns in device code
    ThreadRecord* record;
};

// The CUDA thread that this OS thread runs; nullptr in host code.
EMULATOR_THREAD_LOCAL ThreadContext* current_thread;

EMULATOR_UNRECORDED inline bool in_kernel() { return current_thread != nullptr; }
EMULATOR_UNRECORDED inline int lane_index() { return current_thread->linear_index % kWarpSize; }
EMULATOR_UNRECORDED inline int warp_index() { return current_thread->linear_index / kWarpSize; }

enum class BarrierKind { plain, count, all, any };

// Waits until every thread of the block that has not returned is here. Result: 0 for plain; how
// many threads passed a value other than 0; whether all did; whether any did.
int block_barrier(BarrierKind kind, int value) noexcept;

// The named barriers of a block (PTX ISA, "bar"): `count` threads, a multiple of the warp's size,
// meet at one of 16. Who arrives does not wait. The block's words for them are in `words`.
constexpr unsigned int kNamedBarriers = 16;
constexpr unsigned int kWholeBlock = ~0u;  // as a count: all threads of the block
void sync_named_barrier(std::uint64_t* words, unsigned int id, unsigned int count) noexcept;
void arrive_at_named_barrier(std::uint64_t* words, unsigned int id, unsigned int count) noexcept;

enum class WarpOperation {
    sync,
    shuffle,
    shuffle_up,
    shuffle_down,
    shuffle_xor,
    ballot,
    match_any,
    match_all,
    reduce_add,
    reduce_min_signed,
    reduce_max_signed,
    reduce_min_unsigned,
    reduce_max_unsigned,
    reduce_and,
    reduce_or,
    reduce_xor,
    together,
};

// Waits until the lanes of `mask` that have not returned call the same operation with the same
// mask, and gives this lane's result. `value` holds the operand's bits; `argument` is a shuffle's
// lane, distance or lane mask; `width` its segment (a power of two up to 32). Results: shuffles the
// bits of the source lane's value (a source outside the segment or the mask, or one that returned,
// gives the lane its own value); ballot and match_any a lane mask; match_all the mask when all
// values are equal, else 0; reductions 32 bits.
std::uint64_t warp_collective(WarpOperation operation, std::uint32_t mask, std::uint64_t value,
                              int argument, int width) noexcept;

// What `together` does: each lane's value is a pointer to one of these. When all 32 lanes of the
// warp have met, `run` is called once, with the lanes' pointers.
struct WarpTask {
    void (*run)(const WarpTask* const* lanes);
};

// The lanes of this warp that make this call together; its return address distinguishes it from
// other calls. Waits until no thread of the block can continue otherwise.
std::uint32_t active_mask() noexcept;

// Waits until every block of a cooperative grid is here.
void grid_barrier() noexcept;
// Whether this grid was launched cooperatively, so that grid_barrier() is allowed.
bool grid_is_cooperative() noexcept;

// The block's dynamic shared memory: exactly as many bytes as the launch asked for, nullptr for
// none.
void* dynamic_shared_memory() noexcept;
std::size_t dynamic_shared_bytes() noexcept;

// Ends the grid with a sticky CUDA error; the message is printed with kernel, block and thread.
[[noreturn]] void fail_kernel(int cuda_error, const char* message) noexcept;

}  // namespace emulator

// Chooses between the two bodies of a function that conditionals on __CUDA_ARCH__ make differ.
#define EMULATOR_IN_KERNEL (!__builtin_is_constant_evaluated() && ::emulator::in_kernel())
