// SPDX-License-Identifier: MIT
// Copies into shared memory by a group; the data arrive at the wait. Each call is one group of each
// thread's copies (cuda_pipeline.h).
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <emulator/groups/group_copies.hpp>
#include <type_traits>

namespace cooperative_groups {
namespace details {

// Both addresses are multiples of kAlignment.
template <unsigned kAlignment, class Group>
__forceinline__ void copy_aligned(const Group& group, char* destination, const char* source,
                                  std::size_t bytes) {
    if (emulator::can_copy_async(destination, source)) {
        emulator::copy_pieces_async<kAlignment>(group, destination, source, bytes);
    } else {
        emulator::copy_plainly<std::uint32_t>(group, destination, source,
                                              bytes / kAlignment * kAlignment);
    }
    const std::size_t copied = bytes / kAlignment * kAlignment;
    emulator::copy_plainly<char>(group, destination + copied, source + copied, bytes - copied);
}

// Plain copies up to a multiple of kAlignment, which both addresses reach together.
template <unsigned kAlignment, class Group>
__forceinline__ void copy_after_head(const Group& group, char* destination, const char* source,
                                     std::size_t bytes) {
    const std::size_t head = (0 - reinterpret_cast<std::uintptr_t>(source)) % kAlignment;
    emulator::copy_plainly<char>(group, destination, source, head);
    copy_aligned<kAlignment>(group, destination + head, source + head, bytes - head);
}

// CUDA's choice of the piece: by the alignment that the types promise, or else by the lowest bit in
// which the two addresses differ.
template <std::size_t kPromised, class Group>
__forceinline__ void copy(const Group& group, char* destination, const char* source,
                          std::size_t bytes) {
    if constexpr (kPromised >= 4) {
        constexpr unsigned kPiece = kPromised < 16 ? kPromised : 16;
        copy_aligned<kPiece>(group, destination, source, bytes);
    } else {
        const std::uintptr_t difference = (reinterpret_cast<std::uintptr_t>(destination) ^
                                           reinterpret_cast<std::uintptr_t>(source)) |
                                          16;
        const std::uintptr_t common = difference & (0 - difference);
        if (common < 4 || bytes < common) {
            emulator::copy_plainly<char>(group, destination, source, bytes);
        } else if (common == 4) {
            copy_after_head<4>(group, destination, source, bytes);
        } else if (common == 8) {
            copy_after_head<8>(group, destination, source, bytes);
        } else {
            copy_after_head<16>(group, destination, source, bytes);
        }
    }
}

template <class Size>
constexpr std::size_t promised_alignment() {
    if constexpr (requires { Size::align; }) return Size::align;
    return 1;
}
template <class T>
constexpr std::size_t alignment_of() {
    if constexpr (std::is_void_v<T>) {
        return 1;
    } else {
        return alignof(T);
    }
}

}  // namespace details

// Copies `bytes` bytes; every thread of the group calls it. The data may be read after wait(group).
// An aligned_size_t promises the alignment of both addresses.
template <class Group, class T, class Size>
__forceinline__ void memcpy_async(const Group& group, T* destination, const T* source,
                                  const Size& bytes) {
    details::copy<std::max(details::promised_alignment<Size>(), details::alignment_of<T>())>(
        group, reinterpret_cast<char*>(destination), reinterpret_cast<const char*>(source),
        static_cast<std::size_t>(bytes));
    emulator::commit_copies();
}

// The same by element counts: as many elements as both sides hold.
template <class Group, class T, class DestinationCount, class SourceCount>
__forceinline__ void memcpy_async(const Group& group, T* destination,
                                  const DestinationCount& destination_count, const T* source,
                                  const SourceCount& source_count) {
    const std::size_t count = std::min(static_cast<std::size_t>(destination_count),
                                       static_cast<std::size_t>(source_count));
    details::copy<std::max(details::promised_alignment<SourceCount>(), details::alignment_of<T>())>(
        group, reinterpret_cast<char*>(destination), reinterpret_cast<const char*>(source),
        count * sizeof(T));
    emulator::commit_copies();
}

template <class Group>
__forceinline__ void wait(const Group& group) {
    emulator::wait_for_copies(0);
    group.sync();
}
// All but the last `Stages` copies.
template <unsigned int Stages, class Group>
__forceinline__ void wait_prior(const Group& group) {
    emulator::wait_for_copies(Stages < 8 ? Stages : 8);
    group.sync();
}

}  // namespace cooperative_groups
