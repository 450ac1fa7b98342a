// SPDX-License-Identifier: MIT
#include "common/emulator/engine/async/tensor_box.hpp"

#include <cstring>

namespace emulator {
namespace {

constexpr std::uint32_t kChunk = 16;  // bytes that swizzling keeps together

// Bits 4 to 6 of an address, or fewer, change with the three bits above them. PTX ISA, "Swizzling
// Modes".
std::uintptr_t swizzled(std::uintptr_t address, unsigned bits) {
    return address ^ (address >> 3 & ((1u << bits) - 1) << 4);
}

// Not memcpy(): where accesses are counted, its calls are. g++ expands a copy of a known size.
void move_bytes(char* destination, const char* source, std::uint32_t bytes) {
    if (bytes == kChunk) {
        __builtin_memcpy(destination, source, kChunk);
        return;
    }
    for (std::uint32_t i = 0; i < bytes; ++i) {
        destination[i] = source[i];
        asm volatile("" : : : "memory");
    }
}

}  // namespace

std::uint32_t TensorBox::bytes() const {
    std::int64_t elements = 1;
    for (int i = 0; i < map.rank; ++i) elements *= count(i);
    return static_cast<std::uint32_t>(elements * static_cast<std::int64_t>(map.strides[0]));
}

void TensorBox::move(char* image) const {
    static constexpr char kZeros[kChunk] = {};
    const auto origin = reinterpret_cast<std::uintptr_t>(shared);
    visit_parts([&](std::uint32_t offset, char* global, std::uint32_t part_bytes) {
        if (stores && global == nullptr) return;
        for (std::uint32_t done = 0; done < part_bytes;) {
            const std::uint32_t bytes =
                std::min(kChunk - (offset + done) % kChunk, part_bytes - done);
            char* const place =
                image + (swizzled(origin + offset + done, map.swizzle_bits) - origin);
            if (stores) {
                move_bytes(global + done, place, bytes);
            } else {
                move_bytes(place, global != nullptr ? global + done : kZeros, bytes);
            }
            done += bytes;
        }
    });
}

}  // namespace emulator
