// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/matrices/shared_matrix.hpp"

#include <emulator/address_spaces.hpp>

namespace emulator {
namespace {

constexpr int kInChunk = 8;  // elements
constexpr unsigned kChunkBytes = 16;
constexpr int kDepth = 16;

// 14 bits of a descriptor: bits 4 to 17 of an address or a distance.
std::uint64_t bytes_at(std::uint64_t descriptor, int bit) {
    return (descriptor >> bit & 0x3fff) << 4;
}

}  // namespace

SharedMatrix::SharedMatrix(std::uint64_t descriptor, bool is_transposed)
    : start_(static_cast<const char*>(shared_pointer(bytes_at(descriptor, 0)))),
      leading_(bytes_at(descriptor, 16)),
      stride_(bytes_at(descriptor, 32)),
      // Modes: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes.
      swizzle_bits_(descriptor >> 62 == 0 ? 0 : 4 - static_cast<unsigned>(descriptor >> 62)),
      base_offset_(static_cast<unsigned>(descriptor >> 49 & 7)),
      is_transposed_(is_transposed) {}

const char* SharedMatrix::broken_rule() const {
    if (base_offset_ != 0) {
        return "has a base offset, which the CPU engine lacks: begin each tile at a multiple of "
               "1024 bytes";
    }
    return nullptr;
}

const char* SharedMatrix::chunk(int line, int k) const {
    // Groups of eight lines (eight k if transposed) follow each other at a distance; within a group
    // the lines are as far apart as the swizzle is wide.
    const int across = is_transposed_ ? k : line;
    const int unit = (is_transposed_ ? line : k) / kInChunk;
    const std::uint64_t group = static_cast<std::uint64_t>(across / 8);
    const std::uint64_t in_group = static_cast<std::uint64_t>(across % 8);
    if (swizzle_bits_ == 0) {
        const std::uint64_t of_group = is_transposed_ ? leading_ : stride_;
        const std::uint64_t of_unit = is_transposed_ ? stride_ : leading_;
        return start_ + group * of_group + in_group * kChunkBytes +
               static_cast<std::uint64_t>(unit) * of_unit;
    }
    const unsigned units = 1u << swizzle_bits_;  // in the swizzle's width
    const auto number = static_cast<std::uint64_t>(unit);
    // Only a transposed matrix may be wider than the swizzle.
    const std::uint64_t of_unit =
        number % units * kChunkBytes + number / units * (is_transposed_ ? leading_ : 0);
    const auto address = reinterpret_cast<std::uintptr_t>(start_ + group * stride_ +
                                                          in_group * units * kChunkBytes + of_unit);
    return reinterpret_cast<const char*>(address ^ (address >> 3 & (units - 1) << 4));
}

void SharedMatrix::read(int first, int lines, std::uint16_t* elements) const {
    std::uint16_t eight[kInChunk];
    const int step_of_lines = is_transposed_ ? kInChunk : 1;
    const int step_of_k = is_transposed_ ? 1 : kInChunk;
    for (int line = 0; line < lines; line += step_of_lines) {
        for (int k = 0; k < kDepth; k += step_of_k) {
            __builtin_memcpy(eight, chunk(first + line, k), sizeof eight);
            for (int i = 0; i < kInChunk; ++i) {
                const int to = is_transposed_ ? (line + i) * kDepth + k : line * kDepth + k + i;
                elements[to] = eight[i];
            }
        }
    }
}

}  // namespace emulator
