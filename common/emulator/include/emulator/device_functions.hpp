// SPDX-License-Identifier: MIT
// CUDA's device functions: barriers, warp functions, cache-hinted accesses and others. The
// arithmetic is in the headers included here.
#pragma once

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <concepts>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <emulator/address_spaces.hpp>
#include <emulator/atomics.hpp>
#include <emulator/conversions.hpp>
#include <emulator/integer_functions.hpp>
#include <emulator/math_functions.hpp>
#include <emulator/qualifiers.hpp>
#include <emulator/simd_functions.hpp>
#include <emulator/thread.hpp>

// ---- block barriers and fences ----
inline void __syncthreads() { emulator::block_barrier(emulator::BarrierKind::plain, 0); }
namespace emulator {
// A template, so that only programs that use them have these words in their shared memory.
template <class Word>
__forceinline__ Word* named_barriers() {
    __shared__ Word words[kNamedBarriers];
    return words;
}
}  // namespace emulator
// Barrier 0, for all threads, is that of __syncthreads() (PTX ISA, "bar").
inline void __barrier_sync(unsigned int id) {
    if (id == 0) return __syncthreads();
    emulator::sync_named_barrier(emulator::named_barriers<std::uint64_t>(), id,
                                 emulator::kWholeBlock);
}
inline void __barrier_sync_count(unsigned int id, unsigned int count) {
    if (id == 0 && count == blockDim.x * blockDim.y * blockDim.z) return __syncthreads();
    emulator::sync_named_barrier(emulator::named_barriers<std::uint64_t>(), id, count);
}
inline int __syncthreads_count(int predicate) {
    return emulator::block_barrier(emulator::BarrierKind::count, predicate);
}
inline int __syncthreads_and(int predicate) {
    return emulator::block_barrier(emulator::BarrierKind::all, predicate);
}
inline int __syncthreads_or(int predicate) {
    return emulator::block_barrier(emulator::BarrierKind::any, predicate);
}
#ifdef __SANITIZE_THREAD__
// Not g++'s fences: some versions warn that this mode does not know them.
namespace emulator {
void note_fence(bool of_device);
}
inline void __threadfence_block() { emulator::note_fence(false); }
inline void __threadfence() { emulator::note_fence(true); }
inline void __threadfence_system() { emulator::note_fence(true); }
#else
// A block's threads share one worker: only the compiler could reorder what they see.
inline void __threadfence_block() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif

// ---- warp functions ----
namespace emulator {

template <class T>
concept Shuffled = std::same_as<T, int> || std::same_as<T, unsigned int> || std::same_as<T, long> ||
    std::same_as<T, unsigned long> || std::same_as<T, long long> ||
    std::same_as<T, unsigned long long> || std::same_as<T, float> || std::same_as<T, double>;

// Not the library's memcpy(): each call of it is counted.
template <class T>
std::uint64_t bits_of(T value) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
T value_of(std::uint64_t bits) {
    T value;
    __builtin_memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    return value;
}

template <class T>
T shuffle(WarpOperation operation, unsigned int mask, T value, int argument, int width) {
    return value_of<T>(warp_collective(operation, mask, bits_of(value), argument, width));
}

template <class T>
T reduce(WarpOperation operation, unsigned int mask, T value) {
    return static_cast<T>(warp_collective(operation, mask, bits_of(value), 0, kWarpSize));
}

}  // namespace emulator

inline void __syncwarp(unsigned int mask = 0xffffffffu) {
    emulator::warp_collective(emulator::WarpOperation::sync, mask, 0, 0, warpSize);
}
// Overloads for CUDA's eight types, so that a short or a bool promotes to int as it does there.
#define EMULATOR_SHUFFLES(T)                                                                    \
    inline T __shfl_sync(unsigned int mask, T value, int lane, int width = warpSize) {          \
        return emulator::shuffle(emulator::WarpOperation::shuffle, mask, value, lane, width);   \
    }                                                                                           \
    inline T __shfl_up_sync(unsigned int mask, T value, unsigned int delta,                     \
                            int width = warpSize) {                                             \
        return emulator::shuffle(emulator::WarpOperation::shuffle_up, mask, value,              \
                                 static_cast<int>(delta), width);                               \
    }                                                                                           \
    inline T __shfl_down_sync(unsigned int mask, T value, unsigned int delta,                   \
                              int width = warpSize) {                                           \
        return emulator::shuffle(emulator::WarpOperation::shuffle_down, mask, value,            \
                                 static_cast<int>(delta), width);                               \
    }                                                                                           \
    inline T __shfl_xor_sync(unsigned int mask, T value, int lane_mask, int width = warpSize) { \
        return emulator::shuffle(emulator::WarpOperation::shuffle_xor, mask, value, lane_mask,  \
                                 width);                                                        \
    }                                                                                           \
    inline unsigned int __match_any_sync(unsigned int mask, T value) {                          \
        return static_cast<unsigned int>(emulator::warp_collective(                             \
            emulator::WarpOperation::match_any, mask, emulator::bits_of(value), 0, warpSize));  \
    }                                                                                           \
    inline unsigned int __match_all_sync(unsigned int mask, T value, int* predicate) {          \
        const auto matching = static_cast<unsigned int>(emulator::warp_collective(              \
            emulator::WarpOperation::match_all, mask, emulator::bits_of(value), 0, warpSize));  \
        *predicate = matching != 0;                                                             \
        return matching;                                                                        \
    }

EMULATOR_SHUFFLES(int)
EMULATOR_SHUFFLES(unsigned int)
EMULATOR_SHUFFLES(long)
EMULATOR_SHUFFLES(unsigned long)
EMULATOR_SHUFFLES(long long)
EMULATOR_SHUFFLES(unsigned long long)
EMULATOR_SHUFFLES(float)
EMULATOR_SHUFFLES(double)
#undef EMULATOR_SHUFFLES

// Inlined, like its callers: its return address is then the place in the kernel.
__forceinline__ unsigned int __activemask() { return emulator::active_mask(); }
inline unsigned int __ballot_sync(unsigned int mask, int predicate) {
    return static_cast<unsigned int>(emulator::warp_collective(
        emulator::WarpOperation::ballot, mask, predicate != 0 ? 1u : 0u, 0, warpSize));
}
inline int __any_sync(unsigned int mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}
// Counts the lanes that fail, so that a lane of the mask that has returned does not.
inline int __all_sync(unsigned int mask, int predicate) {
    return __ballot_sync(mask, predicate == 0) == 0;
}

inline unsigned int __reduce_add_sync(unsigned int mask, unsigned int value) {
    return emulator::reduce(emulator::WarpOperation::reduce_add, mask, value);
}
inline int __reduce_add_sync(unsigned int mask, int value) {
    return emulator::reduce(emulator::WarpOperation::reduce_add, mask, value);
}
inline unsigned int __reduce_min_sync(unsigned int mask, unsigned int value) {
    return emulator::reduce(emulator::WarpOperation::reduce_min_unsigned, mask, value);
}
inline int __reduce_min_sync(unsigned int mask, int value) {
    return emulator::reduce(emulator::WarpOperation::reduce_min_signed, mask, value);
}
inline unsigned int __reduce_max_sync(unsigned int mask, unsigned int value) {
    return emulator::reduce(emulator::WarpOperation::reduce_max_unsigned, mask, value);
}
inline int __reduce_max_sync(unsigned int mask, int value) {
    return emulator::reduce(emulator::WarpOperation::reduce_max_signed, mask, value);
}
inline unsigned int __reduce_and_sync(unsigned int mask, unsigned int value) {
    return emulator::reduce(emulator::WarpOperation::reduce_and, mask, value);
}
inline unsigned int __reduce_or_sync(unsigned int mask, unsigned int value) {
    return emulator::reduce(emulator::WarpOperation::reduce_or, mask, value);
}
inline unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value) {
    return emulator::reduce(emulator::WarpOperation::reduce_xor, mask, value);
}

// The forms without a mask, which nvcc refuses too since compute capability 7.0.
#define EMULATOR_REMOVED(name, replacement)                                              \
    template <class... Arguments>                                                        \
    int name(Arguments...) {                                                             \
        static_assert(sizeof...(Arguments) < 0, #name " was removed: use " replacement); \
        return 0;                                                                        \
    }
EMULATOR_REMOVED(__shfl, "__shfl_sync(mask, value, lane)")
EMULATOR_REMOVED(__shfl_up, "__shfl_up_sync(mask, value, delta)")
EMULATOR_REMOVED(__shfl_down, "__shfl_down_sync(mask, value, delta)")
EMULATOR_REMOVED(__shfl_xor, "__shfl_xor_sync(mask, value, lane_mask)")
EMULATOR_REMOVED(__ballot, "__ballot_sync(mask, predicate)")
EMULATOR_REMOVED(__any, "__any_sync(mask, predicate)")
EMULATOR_REMOVED(__all, "__all_sync(mask, predicate)")
#undef EMULATOR_REMOVED

// ---- accesses with a cache hint: plain accesses, because there is no cache ----
#define EMULATOR_CACHED_LOAD(name)    \
    template <class T>                \
    inline T name(const T* address) { \
        return *address;              \
    }
#define EMULATOR_CACHED_STORE(name)                               \
    template <class T>                                            \
    inline void name(T* address, std::type_identity_t<T> value) { \
        *address = value;                                         \
    }
EMULATOR_CACHED_LOAD(__ldg)
EMULATOR_CACHED_LOAD(__ldca)
EMULATOR_CACHED_LOAD(__ldcg)
EMULATOR_CACHED_LOAD(__ldcs)
EMULATOR_CACHED_LOAD(__ldlu)
EMULATOR_CACHED_LOAD(__ldcv)
EMULATOR_CACHED_STORE(__stwb)
EMULATOR_CACHED_STORE(__stcg)
EMULATOR_CACHED_STORE(__stcs)
EMULATOR_CACHED_STORE(__stwt)
#undef EMULATOR_CACHED_LOAD
#undef EMULATOR_CACHED_STORE

// ---- time, stopping, hints to the compiler ----
// This machine's time in cycles of the emulated GPU's clock: it shows the order of events, not a
// GPU's speed. clock() is in device/clock.cpp.
namespace emulator {
long long clock_cycles();
}
inline long long clock64() { return emulator::clock_cycles(); }
// Sleeping lets no other thread continue: the block's threads take turns.
inline void __nanosleep(unsigned int) {}
[[noreturn]] inline void __trap() {
    constexpr int kLaunchFailure = 719;  // cudaErrorLaunchFailure
    emulator::fail_kernel(kLaunchFailure, "__trap() was called");
}
inline void __brkpt() { std::raise(SIGTRAP); }

#define __builtin_assume(condition) static_cast<void>(0)
#define __assume(condition) static_cast<void>(0)
