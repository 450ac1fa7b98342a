// SPDX-License-Identifier: MIT
// Address spaces: which one a pointer belongs to, and shared memory's own addresses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulator {

// Shared memory's addresses have 32 bits, as on a GPU: an offset in a window that holds the block's
// static variables and its dynamic memory. An address outside ends the kernel.
std::uint64_t shared_offset(const void* pointer) noexcept;
void* shared_pointer(std::uint64_t offset) noexcept;
bool is_shared_address(const void* pointer) noexcept;
bool is_global_address(const void* pointer) noexcept;

}  // namespace emulator

inline std::size_t __cvta_generic_to_shared(const void* pointer) {
    return emulator::shared_offset(pointer);
}
inline void* __cvta_shared_to_generic(std::size_t address) {
    return emulator::shared_pointer(address);
}
inline std::size_t __cvta_generic_to_global(const void* pointer) {
    return reinterpret_cast<std::size_t>(pointer);
}
inline void* __cvta_global_to_generic(std::size_t address) {
    return reinterpret_cast<void*>(address);
}
inline std::size_t __cvta_generic_to_constant(const void* pointer) {
    return reinterpret_cast<std::size_t>(pointer);
}
inline void* __cvta_constant_to_generic(std::size_t address) {
    return reinterpret_cast<void*>(address);
}
inline unsigned int __isShared(const void* pointer) { return emulator::is_shared_address(pointer); }
inline unsigned int __isGlobal(const void* pointer) { return emulator::is_global_address(pointer); }
