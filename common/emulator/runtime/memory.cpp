// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <vector>

#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/runtime/device.hpp"
#include "common/emulator/runtime/errors.hpp"
#include "common/emulator/runtime/host_hooks.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {

HostHooks host_hooks;

namespace {

const std::size_t kPageBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

// Address space only. Allocations take it in turn, and it is used again when it has all been used.
constexpr std::size_t kArenaBytes = std::size_t{1} << 40;

// cudaMalloc's alignment.
constexpr std::size_t kAlignment = 256;

// Larger allocations are left as zeros: to poison them would commit memory that may never be used.
constexpr std::size_t kMaxPoisonedBytes = std::size_t{64} << 20;

// A pageable source up to this size is copied aside, so that the call returns at once as on a GPU.
constexpr std::size_t kMaxStagedBytes = std::size_t{1} << 20;

std::size_t round_up(std::size_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

std::size_t read_first_number(const char* path) {
    std::ifstream file(path);
    std::size_t value = 0;
    return file >> value ? value : std::numeric_limits<std::size_t>::max();
}

std::size_t read_available_memory() {
    std::ifstream file("/proc/meminfo");
    std::string label;
    std::size_t kibibytes = 0;
    std::string unit;
    while (file >> label >> kibibytes && std::getline(file, unit)) {
        if (label == "MemAvailable:") return kibibytes * 1024;
    }
    return std::numeric_limits<std::size_t>::max();
}

// What this machine can give, once and for all: nine tenths of what is free at the first
// allocation, in a container no more than its limit.
std::size_t machine_memory() {
    static const std::size_t bytes = [] {
        const std::size_t limit =
            std::min(read_first_number("/sys/fs/cgroup/memory.max"),
                     read_first_number("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
        return std::min(read_available_memory(), limit) / 10 * 9;
    }();
    return bytes;
}

// Pages of one allocation within the arena, followed by a guard page.
struct Block {
    Allocation allocation;
    char* pages = nullptr;  // nullptr: memory that is not the arena's
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
        // The end touches the guard page, as near as the alignment allows: an index one too large
        // is then a fault and not another allocation's element.
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

    // An address of the arena that no allocation holds: freed, or past an end.
    bool is_stray(const void* address) {
        Allocation allocation;
        const auto* byte = static_cast<const char*>(address);
        return arena_ != nullptr && byte >= arena_ && byte < arena_ + kArenaBytes &&
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
        if (arena_ == nullptr || byte < arena_ || byte >= arena_ + kArenaBytes) {
            return "in no memory of the device";
        }
        const auto next = blocks_.upper_bound(const_cast<char*>(byte));
        const Block* before = block_before(address);
        if (before != nullptr && before->pages == nullptr) before = nullptr;
        // An index below zero is nearer to the allocation that it belongs to.
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
        return std::to_string(byte - allocation.begin - allocation.bytes) + " bytes behind " +
               name(allocation);
    }

    std::size_t free_bytes(MemoryKind kind) {
        const std::lock_guard lock(mutex_);
        const std::size_t machine = machine_memory();
        const std::size_t here = machine - std::min(machine, used_bytes_);
        return kind == MemoryKind::device ? std::min(here, device().memory_bytes - device_bytes_)
                                          : here;
    }

    // The addresses that allocations will have.
    MemoryArena arena() {
        const std::lock_guard lock(mutex_);
        return reserve_arena() ? MemoryArena{arena_, kArenaBytes} : MemoryArena{nullptr, 0};
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
        return "allocation " + std::to_string(allocation.id) + ", of " +
               std::to_string(allocation.bytes) + " bytes";
    }

    const Block* block_before(const void* address) const {
        auto next = blocks_.upper_bound(static_cast<char*>(const_cast<void*>(address)));
        return next == blocks_.begin() ? nullptr : &std::prev(next)->second;
    }

    bool reserve_arena() {
        if (arena_ != nullptr) return true;
        void* memory = ::mmap(nullptr, kArenaBytes, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) return false;
        arena_ = next_page_ = static_cast<char*>(memory);
        return true;
    }

    char* take_pages(std::size_t bytes) {
        if (!reserve_arena()) return nullptr;
        if (next_page_ + bytes > arena_ + kArenaBytes) next_page_ = find_gap(bytes);
        if (next_page_ == nullptr) return nullptr;
        return std::exchange(next_page_, next_page_ + bytes);
    }

    // The lowest gap between allocations. Addresses freed there may be described as freed no
    // longer.
    char* find_gap(std::size_t bytes) {
        freed_.clear();
        char* gap = arena_;
        for (const auto& [begin, block] : blocks_) {
            if (block.pages == nullptr) continue;
            if (gap + bytes <= block.pages) return gap;
            gap = block.pages + block.page_bytes + kPageBytes;
        }
        return gap + bytes <= arena_ + kArenaBytes ? gap : nullptr;
    }

    void release(const Block& block) {
        if (host_hooks.memory_freed != nullptr) host_hooks.memory_freed(block.allocation);
        if (block.pages == nullptr) return;
        // A new mapping gives the memory back and makes each later access a fault. Where the
        // process has too many mappings for that, at least the memory goes.
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

// ---- Copies

enum class Place { pageable, pinned, device, managed, invalid };

Place place_of(const char* function, const char* role, const void* pointer, std::size_t bytes) {
    Allocation allocation;
    if (!table().find(pointer, allocation)) {
        if (!table().is_stray(pointer)) return Place::pageable;
        explain("%s: the %s %p is not allocated: %s", function, role, pointer,
                describe_address(pointer).c_str());
        return Place::invalid;
    }
    const std::size_t rest = static_cast<std::size_t>(allocation.begin + allocation.bytes -
                                                      static_cast<const char*>(pointer));
    if (bytes > rest) {
        explain(
            "%s: the %s has %zu bytes left in its allocation of %zu, fewer than the %zu asked for",
            function, role, rest, allocation.bytes, bytes);
        return Place::invalid;
    }
    switch (allocation.kind) {
        case MemoryKind::device:
        case MemoryKind::symbol:
            return Place::device;
        case MemoryKind::managed:
            return Place::managed;
        default:
            return Place::pinned;
    }
}

bool is_host(Place place) { return place != Place::device; }
bool is_device(Place place) { return place == Place::device || place == Place::managed; }

struct Copy {
    char* destination;
    const char* source;
    std::size_t destination_pitch;
    std::size_t source_pitch;
    std::size_t width;
    std::size_t height;

    std::size_t destination_bytes() const { return (height - 1) * destination_pitch + width; }
    std::size_t source_bytes() const { return (height - 1) * source_pitch + width; }
};

Copy linear_copy(void* destination, const void* source, std::size_t bytes) {
    return {
        static_cast<char*>(destination), static_cast<const char*>(source), bytes, bytes, bytes, 1};
}

bool direction_fits(cudaMemcpyKind kind, Place destination, Place source) {
    switch (kind) {
        case cudaMemcpyHostToHost:
            return is_host(destination) && is_host(source);
        case cudaMemcpyHostToDevice:
            return is_device(destination) && is_host(source);
        case cudaMemcpyDeviceToHost:
            return is_host(destination) && is_device(source);
        case cudaMemcpyDeviceToDevice:
            return is_device(destination) && is_device(source);
        case cudaMemcpyDefault:
            return true;
    }
    return false;
}

const char* describe(Place place) {
    switch (place) {
        case Place::pageable:
        case Place::pinned:
            return "host";
        case Place::device:
            return "device";
        case Place::managed:
            return "managed";
        case Place::invalid:
            break;
    }
    return "no";
}

void run_copy(const Copy& copy, Place destination, Place source) {
    const bool is_noted = destination == Place::device && host_hooks.memory_written != nullptr;
    for (std::size_t row = 0; row < copy.height; ++row) {
        char* const to = copy.destination + row * copy.destination_pitch;
        const char* const from = copy.source + row * copy.source_pitch;
        std::memmove(to, from, copy.width);
        if (is_noted) {
            host_hooks.memory_written(to, copy.width, source == Place::device ? from : nullptr);
        }
    }
}

// Whether the call returns before the copy is done ("API synchronization behavior" in CUDA's
// runtime API reference).
enum class Waiting { until_done, until_read, not_at_all };

Waiting waiting_of(bool asynchronous, Place destination, Place source) {
    const bool touches_host = !is_device(destination) || !is_device(source);
    if (!touches_host) return Waiting::not_at_all;
    if (!asynchronous) return Waiting::until_done;
    if (destination == Place::pageable) return Waiting::until_done;
    if (source == Place::pageable) return Waiting::until_read;
    return Waiting::not_at_all;
}

void note_copy(const Copy& copy, Place destination, Place source) {
    if (hooks.transfer == nullptr || !(is_device(destination) || is_device(source))) return;
    const TransferKind kind = !is_device(destination) ? TransferKind::device_to_host
                              : is_device(source)     ? TransferKind::device_to_device
                                                      : TransferKind::host_to_device;
    hooks.transfer(kind, copy.width * copy.height);
}

cudaError_t queue_copy(const char* function, Copy copy, cudaMemcpyKind kind, cudaStream_t handle,
                       bool asynchronous, Place destination, Place source) {
    if (destination == Place::invalid || source == Place::invalid) return cudaErrorInvalidValue;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    if (!direction_fits(kind, destination, source)) {
        constexpr const char* kNames[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                          "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
        explain(
            "%s: the direction is %s, but the destination is %s memory and the source %s memory",
            function, kNames[kind], describe(destination), describe(source));
        return cudaErrorInvalidValue;
    }
    Stream* stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    note_copy(copy, destination, source);
    QueuedWork work;
    work.written = {copy.destination, copy.width, copy.destination_pitch, copy.height};
    Waiting waiting = waiting_of(asynchronous, destination, source);
    if (waiting == Waiting::until_read) {
        if (copy.source_bytes() > kMaxStagedBytes) {
            waiting = Waiting::until_done;
        } else {
            std::vector<char> staged(copy.source, copy.source + copy.source_bytes());
            enqueue(*stream, [copy, destination, source, staged = std::move(staged),
                              pending = PendingWork(work)]() mutable {
                pending.begin();
                copy.source = staged.data();
                run_copy(copy, destination, source);
            });
            return cudaSuccess;
        }
    }
    work.read = {copy.source, copy.width, copy.source_pitch, copy.height};
    enqueue(*stream, [copy, destination, source, pending = PendingWork(work)] {
        pending.begin();
        run_copy(copy, destination, source);
    });
    return waiting == Waiting::until_done ? wait_for(*stream) : cudaSuccess;
}

cudaError_t copy_memory(const char* function, const Copy& copy, cudaMemcpyKind kind,
                        cudaStream_t stream, bool asynchronous) {
    return host_call(function, [&] {
        if (copy.width == 0 || copy.height == 0) return cudaSuccess;
        if (copy.width > copy.destination_pitch || copy.width > copy.source_pitch) {
            return cudaErrorInvalidPitchValue;
        }
        if (copy.destination == nullptr || copy.source == nullptr) {
            explain("%s: the %s is a null pointer", function,
                    copy.destination == nullptr ? "destination" : "source");
            return cudaErrorInvalidValue;
        }
        return queue_copy(
            function, copy, kind, stream, asynchronous,
            place_of(function, "destination", copy.destination, copy.destination_bytes()),
            place_of(function, "source", copy.source, copy.source_bytes()));
    });
}

// `to_symbol` tells which side of the copy the symbol is.
cudaError_t copy_symbol(const char* function, Symbol symbol, std::size_t offset, void* destination,
                        const void* source, std::size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream, bool asynchronous, bool to_symbol) {
    return host_call(function, [&] {
        if (bytes == 0) return cudaSuccess;
        if (offset > symbol.bytes || bytes > symbol.bytes - offset) {
            explain("%s: %zu bytes at offset %zu do not lie in the symbol's %zu bytes", function,
                    bytes, offset, symbol.bytes);
            return cudaErrorInvalidValue;
        }
        const void* other = to_symbol ? source : destination;
        if (other == nullptr) return cudaErrorInvalidValue;
        const Place place = place_of(function, to_symbol ? "source" : "destination", other, bytes);
        char* inside = const_cast<char*>(symbol.address) + offset;
        if (to_symbol) {
            return queue_copy(function, linear_copy(inside, source, bytes), kind, stream,
                              asynchronous, Place::device, place);
        }
        return queue_copy(function, linear_copy(destination, inside, bytes), kind, stream,
                          asynchronous, place, Place::device);
    });
}

cudaError_t set_memory(const char* function, void* destination, int value, std::size_t bytes,
                       cudaStream_t handle) {
    return host_call(function, [&] {
        if (bytes == 0) return cudaSuccess;
        const Place place = place_of(function, "destination", destination, bytes);
        if (place == Place::pageable) {
            explain("%s: the destination %p is host memory", function, destination);
        }
        if (place == Place::pageable || place == Place::invalid) return cudaErrorInvalidValue;
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (hooks.transfer != nullptr) hooks.transfer(TransferKind::set, bytes);
        QueuedWork work;
        work.written = {destination, bytes, bytes, 1};
        enqueue(*stream, [destination, value, bytes, pending = PendingWork(work)] {
            pending.begin();
            std::memset(destination, value, bytes);
            if (host_hooks.memory_written != nullptr) {
                host_hooks.memory_written(destination, bytes, nullptr);
            }
        });
        return place == Place::device ? cudaSuccess : wait_for(*stream);
    });
}

cudaError_t allocate(const char* function, MemoryKind kind, void** pointer, std::size_t bytes) {
    return host_call(function, [&] {
        if (pointer == nullptr) return cudaErrorInvalidValue;
        return table().allocate(kind, bytes, pointer);
    });
}

// Whether the pointer starts an allocation of one of two kinds.
bool starts(const char* function, void* pointer, MemoryKind first, MemoryKind second) {
    Allocation allocation;
    if (table().find(pointer, allocation) && allocation.begin == pointer &&
        (allocation.kind == first || allocation.kind == second)) {
        return true;
    }
    explain("%s: %p is not what an allocation of this kind returned (%s)", function, pointer,
            table().is_stray(pointer) ? describe_address(pointer).c_str() : "other memory");
    return false;
}

cudaError_t release(const char* function, void* pointer, MemoryKind first, MemoryKind second) {
    return host_call(function, [&] {
        if (pointer == nullptr) return cudaSuccess;
        if (!starts(function, pointer, first, second)) return cudaErrorInvalidValue;
        // Queued work may still use it: freeing waits for the device.
        const cudaError_t error = run_all();
        table().remove(pointer);
        return error;
    });
}

}  // namespace

void fill_poison(void* memory, std::size_t bytes) {
    auto* word = static_cast<char*>(memory);
    std::uint32_t* const words = reinterpret_cast<std::uint32_t*>(word);
    std::fill_n(words, bytes / sizeof kPoison, kPoison);
    std::memcpy(word + bytes / sizeof kPoison * sizeof kPoison, &kPoison, bytes % sizeof kPoison);
}

bool find_allocation(const void* address, Allocation& allocation) {
    return table().find(address, allocation);
}

std::string describe_address(const void* address) { return table().describe(address); }

MemoryArena memory_arena() { return table().arena(); }

void free_all_memory() { table().clear(); }

cudaError_t copy_to_symbol(Symbol symbol, const void* source, std::size_t bytes, std::size_t offset,
                           cudaMemcpyKind kind) {
    return copy_symbol("cudaMemcpyToSymbol", symbol, offset, nullptr, source, bytes, kind, nullptr,
                       false, true);
}

cudaError_t copy_to_symbol_async(Symbol symbol, const void* source, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_symbol("cudaMemcpyToSymbolAsync", symbol, offset, nullptr, source, bytes, kind,
                       stream, true, true);
}

cudaError_t copy_from_symbol(void* destination, Symbol symbol, std::size_t bytes,
                             std::size_t offset, cudaMemcpyKind kind) {
    return copy_symbol("cudaMemcpyFromSymbol", symbol, offset, destination, nullptr, bytes, kind,
                       nullptr, false, false);
}

cudaError_t copy_from_symbol_async(void* destination, Symbol symbol, std::size_t bytes,
                                   std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_symbol("cudaMemcpyFromSymbolAsync", symbol, offset, destination, nullptr, bytes,
                       kind, stream, true, false);
}

cudaError_t get_symbol_address(void** pointer, Symbol symbol) {
    return host_call("cudaGetSymbolAddress", [&] {
        if (pointer == nullptr) return cudaErrorInvalidValue;
        table().add(MemoryKind::symbol, symbol.address, symbol.bytes);
        *pointer = const_cast<char*>(symbol.address);
        return cudaSuccess;
    });
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
    return allocate("cudaMalloc", MemoryKind::device, pointer, bytes);
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) {
        return host_call("cudaMallocManaged", [] { return cudaErrorInvalidValue; });
    }
    if (bytes == 0) return host_call("cudaMallocManaged", [] { return cudaErrorInvalidValue; });
    return allocate("cudaMallocManaged", MemoryKind::managed, pointer, bytes);
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
    return host_call("cudaMallocAsync", [&] {
        if (pointer == nullptr) return cudaErrorInvalidValue;
        if (find_stream(stream) == nullptr) return cudaErrorInvalidResourceHandle;
        return table().allocate(MemoryKind::device, bytes, pointer);
    });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
    return host_call("cudaMallocPitch", [&] {
        if (pointer == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
        constexpr std::size_t kPitchAlignment = 512;
        *pitch = round_up(width, kPitchAlignment);
        return table().allocate(MemoryKind::device, *pitch * height, pointer);
    });
}

cudaError_t cudaFree(void* pointer) {
    return release("cudaFree", pointer, MemoryKind::device, MemoryKind::managed);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
    return host_call("cudaFreeAsync", [&] {
        if (pointer == nullptr) return cudaErrorInvalidValue;
        if (!starts("cudaFreeAsync", pointer, MemoryKind::device, MemoryKind::device)) {
            return cudaErrorInvalidValue;
        }
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        enqueue(*stream, [pointer] { table().remove(pointer); });
        return cudaSuccess;
    });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
    return allocate("cudaMallocHost", MemoryKind::pinned, pointer, bytes);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
    constexpr unsigned kKnown =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~kKnown) != 0) {
        return host_call("cudaHostAlloc", [] { return cudaErrorInvalidValue; });
    }
    return allocate("cudaHostAlloc", MemoryKind::pinned, pointer, bytes);
}

cudaError_t cudaFreeHost(void* pointer) {
    return release("cudaFreeHost", pointer, MemoryKind::pinned, MemoryKind::pinned);
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
    return host_call("cudaHostRegister", [&] {
        constexpr unsigned kKnown =
            cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;
        if (pointer == nullptr || bytes == 0 || (flags & ~kKnown) != 0) {
            return cudaErrorInvalidValue;
        }
        Allocation allocation;
        if (table().find(pointer, allocation) ||
            table().find(static_cast<char*>(pointer) + bytes - 1, allocation)) {
            return cudaErrorHostMemoryAlreadyRegistered;
        }
        table().add(MemoryKind::registered, pointer, bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaHostUnregister(void* pointer) {
    return host_call("cudaHostUnregister", [&] {
        Allocation allocation;
        if (!table().find(pointer, allocation) || allocation.begin != pointer ||
            allocation.kind != MemoryKind::registered) {
            return cudaErrorHostMemoryNotRegistered;
        }
        const cudaError_t error = run_all();
        table().remove(pointer);
        return error;
    });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
    return host_call("cudaHostGetDevicePointer", [&] {
        Allocation allocation;
        if (device_pointer == nullptr || flags != 0 || !table().find(host_pointer, allocation) ||
            (allocation.kind != MemoryKind::pinned && allocation.kind != MemoryKind::registered)) {
            return cudaErrorInvalidValue;
        }
        *device_pointer = host_pointer;
        return cudaSuccess;
    });
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    return host_call("cudaMemGetInfo", [&] {
        if (free_bytes == nullptr || total_bytes == nullptr) return cudaErrorInvalidValue;
        *free_bytes = table().free_bytes(MemoryKind::device);
        *total_bytes = device().memory_bytes;
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    return host_call("cudaPointerGetAttributes", [&] {
        if (attributes == nullptr) return cudaErrorInvalidValue;
        void* const address = const_cast<void*>(pointer);
        *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
        Allocation allocation;
        if (!table().find(pointer, allocation)) return cudaSuccess;
        *attributes = {cudaMemoryTypeHost, 0, address, address};
        if (allocation.kind == MemoryKind::managed) attributes->type = cudaMemoryTypeManaged;
        if (allocation.kind == MemoryKind::device || allocation.kind == MemoryKind::symbol) {
            attributes->type = cudaMemoryTypeDevice;
            attributes->hostPointer = nullptr;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t bytes,
                       cudaMemcpyKind kind) {
    return copy_memory("cudaMemcpy", linear_copy(destination, source, bytes), kind, nullptr, false);
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_memory("cudaMemcpyAsync", linear_copy(destination, source, bytes), kind, stream,
                       true);
}

cudaError_t cudaMemcpy2D(void* destination, std::size_t destination_pitch, const void* source,
                         std::size_t source_pitch, std::size_t width, std::size_t height,
                         cudaMemcpyKind kind) {
    const Copy copy{static_cast<char*>(destination),
                    static_cast<const char*>(source),
                    destination_pitch,
                    source_pitch,
                    width,
                    height};
    return copy_memory("cudaMemcpy2D", copy, kind, nullptr, false);
}

cudaError_t cudaMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source,
                              std::size_t source_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
    const Copy copy{static_cast<char*>(destination),
                    static_cast<const char*>(source),
                    destination_pitch,
                    source_pitch,
                    width,
                    height};
    return copy_memory("cudaMemcpy2DAsync", copy, kind, stream, true);
}

cudaError_t cudaMemset(void* destination, int value, std::size_t bytes) {
    return set_memory("cudaMemset", destination, value, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void* destination, int value, std::size_t bytes, cudaStream_t stream) {
    return set_memory("cudaMemsetAsync", destination, value, bytes, stream);
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int number,
                                 cudaStream_t stream) {
    return host_call("cudaMemPrefetchAsync", [&] {
        if (number != 0 && number != cudaCpuDeviceId) return cudaErrorInvalidDevice;
        if (find_stream(stream) == nullptr) return cudaErrorInvalidResourceHandle;
        return place_of("cudaMemPrefetchAsync", "range", pointer, bytes) == Place::managed
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}
