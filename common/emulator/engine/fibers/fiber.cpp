// SPDX-License-Identifier: MIT
#include "common/emulator/engine/fibers/fiber.hpp"

#include <sys/mman.h>

#include <atomic>
#include <new>

#include "common/emulator/process/pages.hpp"

namespace emulator {
namespace {

// A guard page costs the process two memory mappings, and Linux allows 65530. A cooperative grid of
// many blocks would take them all: its last stacks have no guard page.
constexpr int kMaxGuardPages = 24000;
std::atomic<int> guard_pages = 0;

}  // namespace

void FiberStacks::reserve(int capacity, std::size_t stack_bytes) {
    stack_bytes = (stack_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    if (capacity <= capacity_ && stack_bytes == stack_bytes_) return;
    release();
    void* memory = ::mmap(nullptr, capacity * stack_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<char*>(memory);
    capacity_ = capacity;
    stack_bytes_ = stack_bytes;
}

void FiberStacks::release() {
    if (memory_ != nullptr) ::munmap(memory_, capacity_ * stack_bytes_);
    guard_pages -= guarded_;
    memory_ = nullptr;
    capacity_ = guarded_ = 0;
}

Context FiberStacks::make(int index, ContextEntry entry) {
    char* const bottom = memory_ + index * stack_bytes_;
    if (index == guarded_ && guard_pages < kMaxGuardPages &&
        ::mprotect(bottom, kPageBytes, PROT_NONE) == 0) {
        ++guarded_;
        ++guard_pages;
    }
    // Stacks start at different offsets in their pages. The threads of a block use their stacks in
    // the same way, and at equal offsets all would compete for the same few cache sets.
    const std::size_t stagger = static_cast<std::size_t>(index) % 13 * 256;
    return make_context(bottom, stack_bytes_ - stagger, entry);
}

bool FiberStacks::guards(const void* address) const {
    const auto* byte = static_cast<const char*>(address);
    if (memory_ == nullptr || byte < memory_ || byte >= memory_ + guarded_ * stack_bytes_) {
        return false;
    }
    return static_cast<std::size_t>(byte - memory_) % stack_bytes_ < kPageBytes;
}

}  // namespace emulator
