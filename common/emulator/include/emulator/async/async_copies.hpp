// SPDX-License-Identifier: MIT
// Asynchronous copies, as <cuda_pipeline.h>, cooperative groups, libcu++ and <cuda/ptx> use them.
//
// Data arrive as late as the rules allow: when the issuing thread waits for the copy, or when a
// thread waits for the mbarrier that tracks it. A forgotten wait thus shows in the result.
// EMULATOR_SCHEDULE=reversed copies at the issue instead, and `shuffled` one or the other. What
// nobody waits for is never copied.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulator {

// Whether the address lies in the block's shared memory.
bool is_in_shared_memory(const void* address) noexcept;

// ---- PTX ISA, "Data Movement and Conversion Instructions: cp.async"

// Copies `bytes` (4, 8 or 16) bytes from global to shared memory; both addresses are multiples of
// it. Of the source, only the first `bytes - unread` bytes are read; the rest becomes zero.
void copy_async(void* destination, const void* source, unsigned bytes, unsigned unread) noexcept;
// Copies that the thread issued since its last commit become a group.
void commit_copies() noexcept;
// Waits for all groups of the thread except the `left` latest ones.
void wait_for_copies(unsigned left) noexcept;
// The mbarrier gets an arrival when all copies that the thread issued have arrived. `expected`: the
// barrier's count has room for it already (.noinc); else the count grows by one until then.
void arrive_after_copies(std::uint64_t* barrier, bool expected) noexcept;

// ---- PTX ISA, "cp.async.bulk": size and addresses are multiples of 16

// Global to shared memory. The mbarrier's pending transactions shrink by the number of bytes.
void load_bulk(void* destination, const void* source, std::uint32_t bytes,
               std::uint64_t* barrier) noexcept;

// What a bulk copy to global memory does with each element.
enum class BulkOperation : std::uint8_t { copy, add, min, max, inc, dec, bit_and, bit_or, bit_xor };
enum class BulkElement : std::uint8_t { bytes, u32, s32, u64, s64, f32, f64 };

// Shared to global memory, by groups of the thread.
void store_bulk(void* destination, const void* source, std::uint32_t bytes, BulkOperation operation,
                BulkElement element) noexcept;
void commit_bulk_copies() noexcept;
// `read_only`: waits until the sources have been read; the data need not be visible then.
void wait_for_bulk_copies(unsigned left, bool read_only) noexcept;

// Makes the thread's writes to shared memory visible to bulk copies (fence.proxy.async).
void fence_for_bulk_copies() noexcept;

}  // namespace emulator
