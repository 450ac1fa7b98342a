// SPDX-License-Identifier: MIT
// What the translator adds to programs that are not the course's own stages (translate.py
// --checks): the bounds of local arrays, loads through the read-only cache, launch bounds.
#pragma once

#include <cstddef>
#include <emulator/launch.hpp>
#include <type_traits>

namespace emulator {

// The running thread uses an element that its array does not have. If it is checked, this is
// reported, and its block ends.
[[gnu::cold]] void refuse_local_index(const char* array, long long index, std::size_t elements);

// How many values an index may have. If the indices before it are 0, it may run through all rows:
// the elements lie side by side.
template <class Array, unsigned kDimension, bool kAllRows>
consteval std::size_t local_elements() {
    std::size_t elements = std::extent_v<Array, kDimension>;
    if constexpr (kAllRows && kDimension > 0) {
        elements *= local_elements<Array, kDimension - 1, true>();
    }
    return elements;
}

// The index, after a check.
template <class Array, unsigned kDimension, bool kAllRows, class Index>
[[gnu::always_inline]] constexpr Index local_index([[maybe_unused]] const char* array,
                                                   Index index) {
#ifdef __SANITIZE_THREAD__
    using Elements = std::remove_reference_t<Array>;
    if constexpr (std::is_integral_v<Index>) {
        constexpr std::size_t kElements = local_elements<Elements, kDimension, kAllRows>();
        if (kElements > 0 && static_cast<std::size_t>(index) >= kElements) [[unlikely]] {
            refuse_local_index(array, static_cast<long long>(index), kElements);
        }
    }
#endif
    return index;
}

// __ldg(): the hardware may load through a cache that does not see what the kernel itself writes.
void note_read_only_load(const void* address, int bytes);
// Without noipa, g++ would load in the caller, which records it, and pass the value. A vector's
// copy constructor records what it reads: here, a local variable, which nobody counts.
template <class T>
[[gnu::noipa]] EMULATOR_UNRECORDED T load_unrecorded(const T* address) {
    alignas(T) unsigned char bytes[sizeof(T)];
    __builtin_memcpy(bytes, address, sizeof(T));
    return *reinterpret_cast<const T*>(bytes);
}
template <class T>
[[gnu::always_inline]] inline T read_only_load(const T* address) {
#ifdef __SANITIZE_THREAD__
    if constexpr (sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0) {
        note_read_only_load(address, sizeof(T));
        return load_unrecorded(address);
    }
#endif
    return *address;
}

// __launch_bounds__(): a device refuses a launch of more threads. `address_of` gives the kernel's
// address, if its name alone determines it.
void register_launch_bound(const void* kernel, std::size_t threads);
template <class AddressOf>
bool bound_launches(AddressOf address_of, std::size_t threads) {
    const auto use = [](auto* function) { return function; };
    if constexpr (std::is_invocable_v<AddressOf, decltype(use)>) {
        register_launch_bound(kernel_address(address_of(use)), threads);
    }
    return true;
}

// The same for a kernel template: of each instance, before main() begins.
template <class AddressOf, std::size_t kThreads>
struct BoundInstance {
    static inline const bool registered = bound_launches(AddressOf(), kThreads);
};
template <std::size_t kThreads, class AddressOf>
[[gnu::always_inline]] inline void bound_instance(AddressOf) {
    static_cast<void>(&BoundInstance<AddressOf, kThreads>::registered);
}

}  // namespace emulator
