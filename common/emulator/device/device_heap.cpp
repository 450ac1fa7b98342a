// SPDX-License-Identifier: MIT
#include "common/emulator/device/device_heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/device/poison.hpp"
#include "common/emulator/device/properties/limits.hpp"
#include "common/emulator/process/pages.hpp"

namespace emulator {
namespace {

constexpr std::size_t kAlignment = 16;
// Between two allocations, so that an index which is a little too large reaches no other one.
constexpr std::size_t kGapBytes = 64;
// What an allocation takes of the heap's limit, measured on an H200: its bytes and 16 more, in
// units of 80 bytes, or of 2208 bytes from 1000 bytes on.
constexpr std::size_t kOverheadBytes = 16;
constexpr std::size_t kSmallUnit = 80;
constexpr std::size_t kLargeUnit = 2208;
constexpr std::size_t kLeastLargeBytes = 1000;
constexpr std::size_t kStepBytes = std::size_t{16} << 20;

// Set when the heap is used first: nearly all programs never do.
constinit std::atomic<char*> heap_begin = nullptr;
// Whether device code has asked for memory since the device was reset.
constinit std::atomic<bool> used = false;

// Allocations take their places in ascending order. A place is used again only when all addresses
// have been used: an access to memory that was freed is found then, and is never mistaken for one
// to a newer allocation.
class DeviceHeap {
  public:
    DeviceHeap() {
        const MemoryArena arena = heap_arena();
        begin_ = next_ = accessible_end_ = arena.begin;
        end_ = arena.begin + arena.bytes;
        heap_begin = begin_;
    }

    void* allocate(std::size_t bytes, Allocation& allocation) {
        const std::lock_guard lock(mutex_);
        used = true;
        std::size_t limit = 0;
        get_limit(cudaLimitMallocHeapSize, limit);
        char* begin = nullptr;
        if (bytes <= limit && used_bytes_ + charge(bytes) <= limit) begin = take(bytes);
        if (begin == nullptr) {
            was_full_ = true;
            return nullptr;
        }
        used_bytes_ += charge(bytes);
        allocation = {++last_id_, MemoryKind::heap, begin, bytes};
        live_.emplace_hint(live_.end(), begin, allocation);
        fill_poison(begin, round_up(bytes, kAlignment));
        return begin;
    }

    HeapFree free(char* pointer, Allocation& allocation) {
        const std::lock_guard lock(mutex_);
        if (!holds(pointer)) return HeapFree::not_heap;
        const auto found = live_.find(pointer);
        if (found == live_.end()) {
            const Allocation* const before = freed_at(pointer);
            if (before == nullptr || before->begin != pointer) return HeapFree::not_begin;
            allocation = *before;
            return HeapFree::freed_before;
        }
        allocation = found->second;
        live_.erase(found);
        used_bytes_ -= charge(allocation.bytes);
        remember(allocation);
        release(pointer, pointer + place_bytes(allocation.bytes));
        return HeapFree::done;
    }

    bool holds(const char* address) const { return address >= begin_ && address < end_; }

    bool find(const char* address, Allocation& allocation) {
        const std::lock_guard lock(mutex_);
        const auto found = before(address);
        if (found == live_.end() || !covers(found->second, address)) return false;
        allocation = found->second;
        return true;
    }

    std::string describe(const char* address) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock.owns_lock()) return "in the device heap";
        const auto previous = before(address);
        if (previous != live_.end() && covers(previous->second, address)) {
            return "in " + name(previous->second);
        }
        if (const Allocation* freed = freed_at(address)) {
            return "in " + name(*freed) + ", which was freed";
        }
        const auto next = live_.upper_bound(const_cast<char*>(address));
        const auto past =
            previous == live_.end()
                ? end_ - begin_
                : address - previous->first - static_cast<std::ptrdiff_t>(previous->second.bytes);
        if (next != live_.end() && next->first - address < past) {
            return std::to_string(next->first - address) + " bytes before " + name(next->second);
        }
        if (previous == live_.end()) return "in the device heap, where nothing is allocated";
        return std::to_string(past) + " bytes past the end of " + name(previous->second);
    }

    std::vector<Allocation> allocations() {
        const std::lock_guard lock(mutex_);
        std::vector<Allocation> all;
        for (const auto& [begin, allocation] : live_) all.push_back(allocation);
        return all;
    }

    bool was_full() {
        const std::lock_guard lock(mutex_);
        return was_full_;
    }

    void clear() {
        const std::lock_guard lock(mutex_);
        for (const auto& [begin, allocation] : live_) {
            remember(allocation);
            release(begin, begin + place_bytes(allocation.bytes));
        }
        live_.clear();
        used_bytes_ = 0;
        was_full_ = false;
        used = false;
    }

  private:
    // Addresses that were given back and still have pages, from the key to `end`.
    struct Released {
        char* end;
    };
    using Live = std::map<char*, Allocation>;

    static std::size_t charge(std::size_t bytes) {
        return round_up(bytes + kOverheadBytes, bytes < kLeastLargeBytes ? kSmallUnit : kLargeUnit);
    }
    static std::size_t place_bytes(std::size_t bytes) {
        return round_up(bytes, kAlignment) + kGapBytes;
    }
    static bool covers(const Allocation& allocation, const char* address) {
        return address >= allocation.begin && address < allocation.begin + allocation.bytes;
    }
    static std::string name(const Allocation& allocation) {
        return "allocation " + std::to_string(allocation.id) + " of the device heap (" +
               std::to_string(allocation.bytes) + " bytes)";
    }

    // The last allocation that begins at the address or before it.
    Live::iterator before(const char* address) {
        const auto next = live_.upper_bound(const_cast<char*>(address));
        return next == live_.begin() ? live_.end() : std::prev(next);
    }

    const Allocation* freed_at(const char* address) const {
        const auto next = freed_.upper_bound(const_cast<char*>(address));
        if (next == freed_.begin()) return nullptr;
        const Allocation& allocation = std::prev(next)->second;
        return covers(allocation, address) || allocation.begin == address ? &allocation : nullptr;
    }

    char* take(std::size_t bytes) {
        const std::size_t place = place_bytes(bytes);
        bool from_the_begin = false;
        for (;;) {
            if (place > static_cast<std::size_t>(end_ - next_)) {
                if (std::exchange(from_the_begin, true)) return nullptr;
                next_ = begin_;
                freed_.clear();
                order_freed_.clear();
                released_.clear();
            }
            // Only after the first round other allocations may follow.
            const auto following = live_.lower_bound(next_);
            if (following == live_.end() || next_ + place <= following->first) break;
            next_ = following->first + place_bytes(following->second.bytes);
        }
        char* const begin = next_;
        if (!make_accessible(begin + place)) return nullptr;
        next_ = begin + place;
        return begin;
    }

    bool make_accessible(char* end) {
        if (end <= accessible_end_) return true;
        const std::size_t bytes =
            std::min(round_up(static_cast<std::size_t>(end - accessible_end_), kStepBytes),
                     static_cast<std::size_t>(end_ - accessible_end_));
        if (::mprotect(accessible_end_, bytes, PROT_READ | PROT_WRITE) != 0) return false;
        accessible_end_ += bytes;
        return true;
    }

    void remember(const Allocation& allocation) {
        constexpr std::size_t kRemembered = 1 << 16;
        freed_[allocation.begin] = allocation;
        order_freed_.push_back(allocation.begin);
        if (order_freed_.size() <= kRemembered) return;
        freed_.erase(order_freed_.front());
        order_freed_.pop_front();
    }

    // Joins the addresses with released neighbours, and gives whole pages back to the system.
    void release(char* begin, char* end) {
        auto next = released_.lower_bound(begin);
        if (next != released_.begin()) {
            const auto previous = std::prev(next);
            if (previous->second.end == begin) {
                begin = previous->first;
                released_.erase(previous);
            }
        }
        if (next != released_.end() && next->first == end) {
            end = next->second.end;
            released_.erase(next);
        }
        const auto page_after = [](char* address) {
            return address + (kPageBytes - reinterpret_cast<std::uintptr_t>(address)) % kPageBytes;
        };
        constexpr std::ptrdiff_t kAtOnce = 256 * 1024;
        char* const first_page = page_after(begin);
        char* const last_page = page_after(end) - (page_after(end) == end ? 0 : kPageBytes);
        if (last_page - first_page < kAtOnce) {
            released_[begin] = {end};
            return;
        }
        const auto bytes = static_cast<std::size_t>(last_page - first_page);
        ::madvise(first_page, bytes, MADV_DONTNEED);
        if (host_hooks.heap_pages_released != nullptr) {
            host_hooks.heap_pages_released(first_page, bytes);
        }
        if (begin < first_page) released_[begin] = {first_page};
        if (last_page < end) released_[last_page] = {end};
    }

    std::mutex mutex_;
    char* begin_ = nullptr;
    char* end_ = nullptr;
    char* next_ = nullptr;
    char* accessible_end_ = nullptr;
    Live live_;
    std::map<char*, Allocation> freed_;
    std::deque<char*> order_freed_;
    std::map<char*, Released> released_;
    std::size_t used_bytes_ = 0;
    std::uint64_t last_id_ = 0;
    bool was_full_ = false;
};

DeviceHeap& heap() {
    static auto* device_heap = new DeviceHeap;  // never destroyed: see memory.cpp
    return *device_heap;
}

}  // namespace

void* allocate_on_heap(std::size_t bytes, Allocation& allocation) {
    return heap().allocate(bytes, allocation);
}

HeapFree free_on_heap(void* pointer, Allocation& allocation) {
    return heap().free(static_cast<char*>(pointer), allocation);
}

bool is_heap_address(const void* address) {
    const char* const begin = heap_begin.load(std::memory_order_relaxed);
    return begin != nullptr && static_cast<const char*>(address) - begin >= 0 &&
           heap().holds(static_cast<const char*>(address));
}

bool find_heap_allocation(const void* address, Allocation& allocation) {
    return heap().find(static_cast<const char*>(address), allocation);
}

std::string describe_heap_address(const void* address) {
    return heap().describe(static_cast<const char*>(address));
}

std::vector<Allocation> heap_allocations() {
    return heap_begin != nullptr ? heap().allocations() : std::vector<Allocation>();
}

bool heap_is_used() { return used; }

bool heap_was_full() { return heap_begin != nullptr && heap().was_full(); }

void clear_heap() {
    if (heap_begin != nullptr) heap().clear();
}

}  // namespace emulator
