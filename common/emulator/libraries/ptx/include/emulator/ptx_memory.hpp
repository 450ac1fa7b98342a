// SPDX-License-Identifier: MIT
// Inline PTX: memory, addresses, shuffles and special registers.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <emulator/async/async_copies.hpp>
#include <emulator/async/mbarrier.hpp>
#include <emulator/async/tensor_copies.hpp>
#include <emulator/ptx_conversions.hpp>

namespace emulator::ptx {

inline void arrive(unsigned int barrier, unsigned int count) {
    arrive_at_named_barrier(named_barriers<std::uint64_t>(), barrier, count);
}

// ---- addresses: a shared one is an offset in the block's shared memory (shared_window.cpp)
template <class X>
EMULATOR_UNRECORDED char* bytes(const X& address, std::int64_t offset = 0) {
    static_assert(sizeof(X) == 8, "an address of global memory has 64 bits");
    return reinterpret_cast<char*>(get<std::uint64_t>(address)) + offset;
}
template <class X>
EMULATOR_UNRECORDED char* shared_bytes(const X& address, std::int64_t offset = 0) {
    return static_cast<char*>(shared_pointer(get<std::uint64_t>(address))) + offset;
}
inline std::uint64_t to_shared(std::uint64_t address) {
    return shared_offset(reinterpret_cast<const void*>(address));
}
inline std::uint64_t from_shared(std::uint64_t address) {
    return reinterpret_cast<std::uint64_t>(shared_pointer(address));
}

template <class T, bool kIsVolatile>
__forceinline__ T loaded(const char* address) {
    if constexpr (kIsVolatile) {
        return *reinterpret_cast<const volatile T*>(address);
    } else {
        return *reinterpret_cast<const T*>(address);
    }
}
template <class T, bool kIsVolatile>
__forceinline__ void store(char* address, T value) {
    if constexpr (kIsVolatile) {
        *reinterpret_cast<volatile T*>(address) = value;
    } else {
        *reinterpret_cast<T*>(address) = value;
    }
}

// A vector is one access.
template <class T, int kCount>
struct MachineVector {
    typedef T Type __attribute__((vector_size(sizeof(T) * kCount)));
};
template <int kCount, class T>
__forceinline__ void load_vector(T (&values)[kCount], const char* address) {
    using Vector = typename MachineVector<T, kCount>::Type;
    const Vector vector = *reinterpret_cast<const Vector*>(address);
    for (int i = 0; i < kCount; ++i) values[i] = vector[i];
}
template <int kCount, class T>
__forceinline__ void store_vector(char* address, const T (&values)[kCount]) {
    using Vector = typename MachineVector<T, kCount>::Type;
    Vector vector{};
    for (int i = 0; i < kCount; ++i) vector[i] = values[i];
    *reinterpret_cast<Vector*>(address) = vector;
}

// ---- cp.async
__forceinline__ void copy(char* destination, const char* source, std::uint32_t size,
                          std::uint32_t read) {
    emulator::copy_async(destination, source, size, size - read);
}
__forceinline__ void commit_copies() { emulator::commit_copies(); }
__forceinline__ void wait_for_copies(std::uint32_t prior) {
    emulator::wait_for_copies(prior < 8 ? prior : 8);
}

// ---- shfl.sync: c holds the segment's mask and the clamp
enum class Shuffle { up, down, bfly, idx };
__forceinline__ std::uint32_t shuffled(Shuffle mode, std::uint32_t value, std::uint32_t operand,
                                       std::uint32_t c, std::uint32_t mask, bool& in_range) {
    const int lane = lane_index();
    const int clamp = static_cast<int>(c & 31);
    const int segment = static_cast<int>(c >> 8 & 31);
    const int b = static_cast<int>(operand & 31);
    const int last = (lane & segment) | (clamp & ~segment);
    const int first = lane & segment;
    int source = 0;
    switch (mode) {
        case Shuffle::up:
            source = lane - b;
            in_range = source >= last;
            break;
        case Shuffle::down:
            source = lane + b;
            in_range = source <= last;
            break;
        case Shuffle::bfly:
            source = lane ^ b;
            in_range = source <= last;
            break;
        case Shuffle::idx:
            source = first | (b & ~segment);
            in_range = source <= last;
            break;
    }
    return __shfl_sync(mask, value, in_range ? source : lane);
}

// ---- special registers
int multiprocessor();
int multiprocessors();
int warps_of_multiprocessor();

}  // namespace emulator::ptx
