// SPDX-License-Identifier: MIT
// Tensor maps, and the bulk copies of boxes that they describe. PTX ISA, "Tensors" and
// "cp.async.bulk.tensor". Data arrive as late as those of other bulk copies (async_copies.hpp).
#pragma once

#include <cstdint>

namespace emulator {

constexpr int kMaxTensorRank = 5;

// What the bytes of an encoded CUtensorMap hold here. Dimensions are in the order of the driver
// API: elements of dimension 0 lie side by side.
struct TensorMap {
    static constexpr std::uint64_t kMark = 0x70616d20726f736e;

    std::uint64_t mark;  // kMark
    char* address;
    std::uint64_t strides[kMaxTensorRank];  // bytes; [0]: those of an element
    std::uint32_t last[kMaxTensorRank];  // the extent less one
    std::uint16_t box[kMaxTensorRank];  // elements that a copy spans
    std::uint8_t steps[kMaxTensorRank];  // every so many of them is copied; [0] is 1
    std::uint8_t rank;
    std::uint8_t swizzle_bits;  // how many bits of an address change, from bit 4 on: 0 to 3
};

// `map` is an encoded CUtensorMap of this rank. The coordinates are those of the box's first
// element; what lies outside of the tensor is read as zero, and not written. The shared side is a
// multiple of 128 bytes.

// Global to shared memory. The mbarrier's pending transactions shrink by the bytes of the whole
// box.
void load_tensor(void* destination, const void* map, int rank, const std::int32_t* coordinates,
                 std::uint64_t* barrier) noexcept;
// Shared to global memory, by groups of the thread, together with its other bulk copies.
void store_tensor(const void* map, int rank, const std::int32_t* coordinates,
                  const void* source) noexcept;

}  // namespace emulator
