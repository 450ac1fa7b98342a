// SPDX-License-Identifier: MIT
#include "common/emulator/device/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "common/base/host_memory.hpp"
#include "common/emulator/device/device_heap.hpp"
#include "common/emulator/device/devices.hpp"
#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/device/poison.hpp"
#include "common/emulator/device/properties/properties.hpp"
#include "common/emulator/process/pages.hpp"

namespace emulator {
namespace {

// cudaMalloc's alignment.
constexpr std::size_t kAlignment = 256;

// Larger allocations stay zero: poison would commit memory that the program may never use.
constexpr std::size_t kMaxPoisonedBytes = std::size_t{64} << 20;

// From this size on, pages are as large as the system has them: the threads of a kernel take long
// strides, and each would miss the translation of its address.
constexpr std::size_t kLargePagesBytes = std::size_t{4} << 20;

// What this machine can give, read once: nine tenths of what is free at the first allocation, and
// in a container no more than its limit. A test may set it.
std::size_t machine_memory() {
    static const std::size_t bytes =
        static_cast<std::size_t>(course::available_host_bytes()) / 10 * 9;
    return machine_memory_for_tests > 0 ? machine_memory_for_tests : bytes;
}

// Pages of one allocation within the arena, followed by a guard page.
struct Block {
    Allocation allocation;
    char* pages = nullptr;  // nullptr: memory outside the arena
    std::size_t page_bytes = 0;
    bool is_live = true;  // false: addresses that are reserved, without memory
    bool is_reserved = false;  // its addresses stay when the memory is given back
    bool is_hidden = false;
    SharedPages shared = {};
};

class MemoryTable {
  public:
    cudaError_t allocate(Allocation wanted, void** pointer) {
        const std::lock_guard lock(mutex_);
        *pointer = nullptr;
        if (wanted.bytes == 0) return cudaSuccess;
        if (wanted.bytes > room_for(wanted.kind, wanted.device)) return cudaErrorMemoryAllocation;
        char* begin = wanted.begin;
        if (begin == nullptr && !take_addresses(wanted.bytes, begin)) {
            return cudaErrorMemoryAllocation;
        }
        Block& block = blocks_[begin];
        if (block.is_live ||
            ::mprotect(block.pages, block.page_bytes, PROT_READ | PROT_WRITE) != 0) {
            return cudaErrorMemoryAllocation;
        }
        wanted.id = ++last_id_;
        wanted.begin = begin;
        block.allocation = wanted;
        block.is_live = true;
        if (wanted.bytes >= kLargePagesBytes) {
            ::madvise(block.pages, block.page_bytes, MADV_HUGEPAGE);
        }
        // CUDA promises nothing, but on GPUs managed memory is zero until it is written.
        if (wanted.bytes <= kMaxPoisonedBytes && wanted.kind == MemoryKind::managed) {
            std::memset(begin, 0, wanted.bytes);
        } else if (wanted.bytes <= kMaxPoisonedBytes) {
            fill_poison(begin, wanted.bytes);
        }
        used_bytes_ += wanted.bytes;
        if (wanted.kind == MemoryKind::device) device_bytes_[wanted.device] += wanted.bytes;
        hidden_from_ = kNobody;
        *pointer = begin;
        note_allocation(block);
        return cudaSuccess;
    }

    cudaError_t reserve(std::size_t bytes, void** pointer) {
        const std::lock_guard lock(mutex_);
        char* begin = nullptr;
        if (!take_addresses(bytes, begin)) return cudaErrorMemoryAllocation;
        Block& block = blocks_[begin];
        block.is_reserved = true;
        block.allocation = {0, MemoryKind::device, begin, bytes, current_device()};
        *pointer = begin;
        return cudaSuccess;
    }

    void give_back(void* pointer) {
        const std::lock_guard lock(mutex_);
        const auto found = blocks_.find(static_cast<char*>(pointer));
        if (found == blocks_.end()) return;
        if (found->second.is_live) {
            found->second.is_reserved = false;
        } else {
            blocks_.erase(found);
        }
    }

    bool share(const Allocation& allocation, SharedPages& shared) {
        const std::lock_guard lock(mutex_);
        Block& block = blocks_.at(allocation.begin);
        protect(block, false);
        if (block.shared.file < 0 && !share_pages(block.pages, block.page_bytes, block.shared)) {
            return false;
        }
        shared = block.shared;
        return true;
    }

    cudaError_t open(const SharedPages& shared, std::size_t bytes, void** pointer) {
        const std::lock_guard lock(mutex_);
        char* begin = nullptr;
        if (!take_addresses(bytes, begin)) return cudaErrorMemoryAllocation;
        Block& block = blocks_[begin];
        if (block.page_bytes != shared.bytes || open_shared_pages(shared, block.pages) == nullptr) {
            blocks_.erase(begin);
            return cudaErrorMapBufferObjectFailed;
        }
        block.is_live = true;
        block.allocation = {++last_id_, MemoryKind::device, begin, bytes, current_device()};
        used_bytes_ += bytes;
        device_bytes_[block.allocation.device] += bytes;
        hidden_from_ = kNobody;
        *pointer = begin;
        note_allocation(block);
        return cudaSuccess;
    }

    // Memory that the program has: registered pages and __device__ variables.
    void add(MemoryKind kind, const void* begin, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        auto* address = const_cast<char*>(static_cast<const char*>(begin));
        Block& block = blocks_[address];
        block = {{++last_id_, kind, address, bytes, current_device()}};
        note_allocation(block);
    }

    bool remove(void* pointer) {
        const std::lock_guard lock(mutex_);
        const auto found = blocks_.find(static_cast<char*>(pointer));
        if (found == blocks_.end() || !found->second.is_live) return false;
        release(found->second);
        if (!found->second.is_reserved) blocks_.erase(found);
        return true;
    }

    bool find(const void* address, Allocation& allocation) {
        const std::lock_guard lock(mutex_);
        const Block* block = block_before(address);
        if (block == nullptr || !block->is_live || !holds(block->allocation, address)) return false;
        allocation = block->allocation;
        return true;
    }

    bool find_reserved(const void* address, Allocation& allocation) {
        const std::lock_guard lock(mutex_);
        const Block* block = block_before(address);
        if (block == nullptr || !block->is_reserved || !holds(block->allocation, address)) {
            return false;
        }
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
        if (arena_ == nullptr || byte < arena_ - kArenaMargin || byte >= arena_end()) {
            return "in no memory of the device";
        }
        const auto next = blocks_.upper_bound(const_cast<char*>(byte));
        const Block* before = block_before(address);
        if (before != nullptr && (before->pages == nullptr || !before->is_live)) before = nullptr;
        // A negative index is nearer to the allocation that it belongs to.
        if (next != blocks_.end() && next->second.pages != nullptr && next->second.is_live) {
            const Allocation& following = next->second.allocation;
            const auto distance = following.begin - byte;
            if (before == nullptr ||
                distance < byte - before->allocation.begin -
                               static_cast<std::ptrdiff_t>(before->allocation.bytes)) {
                return std::to_string(distance) + " bytes before " + name(following);
            }
        }
        if (Allocation reserved; find_reserved(address, reserved)) {
            return "in a graph's memory, which is not allocated now";
        }
        if (before == nullptr) return "before every allocation";
        const Allocation& allocation = before->allocation;
        if (holds(allocation, address)) return "in " + name(allocation);
        return std::to_string(byte - allocation.begin - allocation.bytes) +
               " bytes past the end of " + name(allocation);
    }

    std::size_t free_bytes(MemoryKind kind, int number) {
        return within_device(machine_memory(), kind, number);
    }

    // More than that may be allocated: only pages that are touched take memory.
    std::size_t room_for(MemoryKind kind, int number) {
        return within_device(std::max(machine_memory(), kModestDeviceBytes), kind, number);
    }

    void hide_from(int number, MayUse may_use) {
        const std::lock_guard lock(mutex_);
        if (hidden_from_ == number) return;
        for (auto& [begin, block] : blocks_) {
            if (block.is_live) protect(block, !may_use(number, block.allocation));
        }
        hidden_from_ = number;
    }

    void show(const void* address) {
        const std::lock_guard lock(mutex_);
        Block* block = block_before(address);
        if (block == nullptr || !block->is_hidden) return;
        protect(*block, false);
        hidden_from_ = kNobody;
    }

    void access_changed() {
        const std::lock_guard lock(mutex_);
        hidden_from_ = kNobody;
    }

    void clear(int number) {
        const std::lock_guard lock(mutex_);
        for (auto& [begin, block] : blocks_) {
            if (block.is_live && block.allocation.device == number) release(block);
        }
        std::erase_if(blocks_, [](const auto& entry) {
            return !entry.second.is_live && !entry.second.is_reserved;
        });
    }

  private:
    // What is left of `all` bytes, and of the device.
    std::size_t within_device(std::size_t all, MemoryKind kind, int number) {
        const std::lock_guard lock(mutex_);
        const std::size_t here = all - std::min(all, used_bytes_);
        if (kind != MemoryKind::device) return here;
        return std::min(here, device().memory_bytes - device_bytes_[number]);
    }

    static bool holds(const Allocation& allocation, const void* address) {
        const auto* byte = static_cast<const char*>(address);
        return byte >= allocation.begin && byte < allocation.begin + allocation.bytes;
    }

    static std::string name(const Allocation& allocation) {
        return "allocation " + std::to_string(allocation.id) + " (" +
               std::to_string(allocation.bytes) + " bytes" + of_device(allocation.device) + ")";
    }

    static void note_allocation(const Block& block) {
        if (host_hooks.memory_allocated != nullptr) host_hooks.memory_allocated(block.allocation);
    }

    Block* block_before(const void* address) {
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

    // Addresses of their own for so many bytes, on pages without access.
    bool take_addresses(std::size_t bytes, char*& begin) {
        Block block;
        block.page_bytes = round_up(bytes, kPageBytes);
        block.pages = take_pages(block.page_bytes + kPageBytes);
        block.is_live = false;
        if (block.pages == nullptr) return false;
        // The end touches the guard page, as near as the alignment allows: an index that is one
        // too large then causes a fault instead of reaching another allocation.
        begin = block.pages + block.page_bytes - round_up(bytes, kAlignment);
        blocks_[begin] = block;
        return true;
    }

    static void protect(Block& block, bool hidden) {
        if (block.pages == nullptr || block.is_hidden == hidden) return;
        ::mprotect(block.pages, block.page_bytes, hidden ? PROT_NONE : PROT_READ | PROT_WRITE);
        block.is_hidden = hidden;
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

    void release(Block& block) {
        if (host_hooks.memory_freed != nullptr) host_hooks.memory_freed(block.allocation);
        close_shared_pages(block.shared);
        block.is_live = block.is_hidden = false;
        if (block.pages == nullptr) return;
        // A new mapping gives the memory back and makes each later access a fault. If the process
        // has too many mappings for that, the memory is given back all the same.
        if (::mmap(block.pages, block.page_bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
            ::madvise(block.pages, block.page_bytes, MADV_DONTNEED);
        }
        used_bytes_ -= block.allocation.bytes;
        if (block.allocation.kind == MemoryKind::device) {
            device_bytes_[block.allocation.device] -= block.allocation.bytes;
        }
        constexpr std::size_t kRememberedFrees = 256;
        if (freed_.size() == kRememberedFrees) freed_.pop_front();
        freed_.push_back(block.allocation);
    }

    static constexpr int kNobody = -1;

    std::recursive_mutex mutex_;
    std::map<char*, Block> blocks_;
    std::deque<Allocation> freed_;
    char* arena_ = nullptr;
    char* next_page_ = nullptr;
    std::size_t used_bytes_ = 0;
    std::array<std::size_t, kMaxDevices> device_bytes_{};
    int hidden_from_ = kNobody;  // the device from which memory is hidden as it has to be
    std::uint64_t last_id_ = 0;
};

MemoryTable& table() {
    static auto* memory = new MemoryTable;  // never destroyed: static destructors may still free
    return *memory;
}

}  // namespace

cudaError_t allocate_memory(MemoryKind kind, std::size_t bytes, void** pointer) {
    return table().allocate({0, kind, nullptr, bytes, current_device()}, pointer);
}

cudaError_t allocate_memory(const PoolMemory& pool, std::size_t bytes, void** pointer) {
    return table().allocate(
        {0, MemoryKind::device, static_cast<char*>(pool.address), bytes, pool.device, pool.access},
        pointer);
}

cudaError_t reserve_addresses(std::size_t bytes, void** pointer) {
    return table().reserve(bytes, pointer);
}

bool find_addresses(const void* address, Allocation& allocation) {
    return table().find_reserved(address, allocation);
}

void give_back_addresses(void* pointer) { table().give_back(pointer); }

bool share_memory(const Allocation& allocation, SharedPages& shared) {
    return table().share(allocation, shared);
}

cudaError_t open_shared_memory(const SharedPages& shared, std::size_t bytes, void** pointer) {
    return table().open(shared, bytes, pointer);
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

std::size_t free_memory_bytes(MemoryKind kind) {
    return table().free_bytes(kind, current_device());
}

void hide_memory_from(int device, MayUse may_use) { table().hide_from(device, may_use); }

void show_memory(const void* address) { table().show(address); }

void note_access_changed() { table().access_changed(); }

void free_all_memory(int device) {
    table().clear(device);
    clear_heap();
}

}  // namespace emulator
