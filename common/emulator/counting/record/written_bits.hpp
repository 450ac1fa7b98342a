// SPDX-License-Identifier: MIT
// Reading bits that say of each byte of memory whether it was written (checks/memory/written.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace emulator::counting {

constexpr unsigned kWrittenStep = 56;  // written_bits_at() returns at least so many bits

inline std::uint64_t low_bits(std::size_t count) { return (std::uint64_t{1} << count) - 1; }

inline std::uint64_t written_bits_at(const unsigned char* bits, std::size_t index) {
    std::uint64_t eight;
    // Only for an index of a mapped range.
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
    std::memcpy(&eight, bits + index / 8, sizeof eight);
    return eight >> index % 8;
}

// `count`: kWrittenStep at most.
inline bool all_are_written(const unsigned char* bits, std::size_t index, std::size_t count) {
    return (~written_bits_at(bits, index) & low_bits(count)) == 0;
}

}  // namespace emulator::counting
