// SPDX-License-Identifier: MIT
#include "common/emulator/device/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "common/emulator/device/device_heap.hpp"
#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/device/poison.hpp"
#include "common/emulator/device/properties.hpp"
#include "common/emulator/process/pages.hpp"
#include "common/limits/host_memory.hpp"

namespace emulator {
namespace {

// cudaMalloc's alignment.
constexpr std::size_t kAlignment = 256;

// Larger allocations stay zero: poison would commit memory that the program may never use.
constexpr std::size_t kMaxPoisonedBytes = std::size_t{64} << 20;

// What this machine can give, read once: nine tenths of what is free at the first allocation, and
// in a container no more than its limit.
std::size_t machine_memory() {
    static const std::size_t bytes =
        static_cast<std::size_t>(course::available_host_bytes()) / 10 * 9;
    return bytes;
}

// Pages of one allocation within the arena, followed by a guard page.
struct Block {
    Allocation allocation;
    char* pages = nullptr;  // nullptr: memory outside the arena
    std::size_t page_bytes = 0;
};

class MemoryTable {
  public:
    cudaError_t allocate(MemoryKind kind, std::size_t bytes, void** pointer) {
        const std::lock_guard lock(mutex_);
        *pointer = nullptr;
        if (bytes == 0) return cudaSuccess;
        if (bytes > free_bytes(kind)) return cudaErrorMemoryAllocation;
        Block block;
        block.page_bytes = round_up(bytes, kPageBytes);
        block.pages = take_pages(block.page_bytes + kPageBytes);
        if (block.pages == nullptr ||
            ::mprotect(block.pages, block.page_bytes, PROT_READ | PROT_WRITE) != 0) {
            return cudaErrorMemoryAllocation;
        }
        // The end touches the guard page, as near as the alignment allows: an index that is one
        // too large then causes a fault instead of reaching another allocation.
        char* const begin = block.pages + block.page_bytes - round_up(bytes, kAlignment);
        block.allocation = {++last_id_, kind, begin, bytes};
        if (bytes <= kMaxPoisonedBytes) fill_poison(begin, bytes);
        used_bytes_ += bytes;
        if (kind == MemoryKind::device) device_bytes_ += bytes;
        blocks_[begin] = block;
        *pointer = begin;
        if (host_hooks.memory_allocated != nullptr) host_hooks.memory_allocated();
        return cudaSuccess;
    }

    // Memory that the program has: registered pages and __device__ variables.
    void add(MemoryKind kind, const void* begin, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        auto* address = const_cast<char*>(static_cast<const char*>(begin));
        blocks_[address] = {{++last_id_, kind, address, bytes}, nullptr, 0};
        if (host_hooks.memory_allocated != nullptr) host_hooks.memory_allocated();
    }

    bool remove(void* pointer) {
        const std::lock_guard lock(mutex_);
        const auto found = blocks_.find(static_cast<char*>(pointer));
        if (found == blocks_.end()) return false;
        release(found->second);
        blocks_.erase(found);
        return true;
    }

    bool find(const void* address, Allocation& allocation) {
        const std::lock_guard lock(mutex_);
        const Block* block = block_before(address);
        if (block == nullptr || !holds(block->allocation, address)) return false;
        allocation = block->allocation;
        return true;
    }

    bool is_stray(const void* address) {
        Allocation allocation;
        const auto* byte = static_cast<const char*>(address);
        return arena_ != nullptr && byte >= arena_ && byte < arena_end() &&
               !find(address, allocation);
    }

    std::string describe(const void* address) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        const auto* byte = static_cast<const char*>(address);
        if (!lock.owns_lock()) return "in no memory of the device";
        if (byte < reinterpret_cast<const char*>(kPageBytes)) return "a null pointer";
        for (const Allocation& freed : freed_) {
            if (holds(freed, address)) return "in " + name(freed) + ", which was freed";
        }
        if (arena_ == nullptr || byte < arena_ || byte >= arena_end()) {
            return "in no memory of the device";
        }
        const auto next = blocks_.upper_bound(const_cast<char*>(byte));
        const Block* before = block_before(address);
        if (before != nullptr && before->pages == nullptr) before = nullptr;
        // A negative index is nearer to the allocation that it belongs to.
        if (next != blocks_.end() && next->second.pages != nullptr) {
            const Allocation& following = next->second.allocation;
            const auto distance = following.begin - byte;
            if (before == nullptr ||
                distance < byte - before->allocation.begin -
                               static_cast<std::ptrdiff_t>(before->allocation.bytes)) {
                return std::to_string(distance) + " bytes before " + name(following);
            }
        }
        if (before == nullptr) return "before every allocation";
        const Allocation& allocation = before->allocation;
        if (holds(allocation, address)) return "in " + name(allocation);
        return std::to_string(byte - allocation.begin - allocation.bytes) +
               " bytes past the end of " + name(allocation);
    }

    std::size_t free_bytes(MemoryKind kind) {
        const std::lock_guard lock(mutex_);
        const std::size_t machine = machine_memory();
        const std::size_t here = machine - std::min(machine, used_bytes_);
        return kind == MemoryKind::device ? std::min(here, device().memory_bytes - device_bytes_)
                                          : here;
    }

    void clear() {
        const std::lock_guard lock(mutex_);
        for (auto& [begin, block] : blocks_) release(block);
        blocks_.clear();
    }

  private:
    static bool holds(const Allocation& allocation, const void* address) {
        const auto* byte = static_cast<const char*>(address);
        return byte >= allocation.begin && byte < allocation.begin + allocation.bytes;
    }

    static std::string name(const Allocation& allocation) {
        return "allocation " + std::to_string(allocation.id) + " (" +
               std::to_string(allocation.bytes) + " bytes)";
    }

    const Block* block_before(const void* address) const {
        auto next = blocks_.upper_bound(static_cast<char*>(const_cast<void*>(address)));
        return next == blocks_.begin() ? nullptr : &std::prev(next)->second;
    }

    bool reserve_arena() {
        if (arena_ == nullptr) arena_ = next_page_ = host_arena().begin;
        return arena_ != nullptr;
    }

    char* arena_end() const { return arena_ + host_arena().bytes; }

    // From the begin of the arena to its end; then gaps are used again.
    char* take_pages(std::size_t bytes) {
        if (!reserve_arena()) return nullptr;
        if (next_page_ + bytes > arena_end()) next_page_ = find_gap(bytes);
        if (next_page_ == nullptr) return nullptr;
        return std::exchange(next_page_, next_page_ + bytes);
    }

    // The lowest gap between allocations. Messages must no longer call its addresses freed.
    char* find_gap(std::size_t bytes) {
        freed_.clear();
        char* gap = arena_;
        for (const auto& [begin, block] : blocks_) {
            if (block.pages == nullptr) continue;
            if (gap + bytes <= block.pages) return gap;
            gap = block.pages + block.page_bytes + kPageBytes;
        }
        return gap + bytes <= arena_end() ? gap : nullptr;
    }

    void release(const Block& block) {
        if (host_hooks.memory_freed != nullptr) host_hooks.memory_freed(block.allocation);
        if (block.pages == nullptr) return;
        // A new mapping gives the memory back and makes each later access a fault. If the process
        // has too many mappings for that, the memory is given back all the same.
        if (::mmap(block.pages, block.page_bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
            ::madvise(block.pages, block.page_bytes, MADV_DONTNEED);
        }
        used_bytes_ -= block.allocation.bytes;
        if (block.allocation.kind == MemoryKind::device) device_bytes_ -= block.allocation.bytes;
        constexpr std::size_t kRememberedFrees = 256;
        if (freed_.size() == kRememberedFrees) freed_.pop_front();
        freed_.push_back(block.allocation);
    }

    std::recursive_mutex mutex_;
    std::map<char*, Block> blocks_;
    std::deque<Allocation> freed_;
    char* arena_ = nullptr;
    char* next_page_ = nullptr;
    std::size_t used_bytes_ = 0;
    std::size_t device_bytes_ = 0;
    std::uint64_t last_id_ = 0;
};

MemoryTable& table() {
    static auto* memory = new MemoryTable;  // never destroyed: static destructors may still free
    return *memory;
}

}  // namespace

cudaError_t allocate_memory(MemoryKind kind, std::size_t bytes, void** pointer) {
    return table().allocate(kind, bytes, pointer);
}

void add_memory(MemoryKind kind, const void* begin, std::size_t bytes) {
    table().add(kind, begin, bytes);
}

void remove_memory(void* begin) { table().remove(begin); }

bool find_allocation(const void* address, Allocation& allocation) {
    if (is_heap_address(address)) return find_heap_allocation(address, allocation);
    return table().find(address, allocation);
}

bool is_stray_address(const void* address) {
    Allocation allocation;
    return is_heap_address(address) ? !find_heap_allocation(address, allocation)
                                    : table().is_stray(address);
}

std::string describe_address(const void* address) {
    return is_heap_address(address) ? describe_heap_address(address) : table().describe(address);
}

std::size_t free_memory_bytes(MemoryKind kind) { return table().free_bytes(kind); }

void free_all_memory() {
    table().clear();
    clear_heap();
}

}  // namespace emulator
