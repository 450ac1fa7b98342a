// SPDX-License-Identifier: MIT
#include "common/emulator/engine/heap/heap_calls.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "common/emulator/device/device_heap.hpp"
#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/engine/kernel_faults.hpp"
#include "common/emulator/engine/worker.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/executable.hpp"
#include "common/emulator/process/time_limit.hpp"

// The linker replaces calls of malloc() and free() with calls of the functions below (--wrap). In
// an executable that is linked otherwise, the functions here do not exist.
extern "C" [[gnu::weak]] void* __real_malloc(std::size_t bytes);
extern "C" [[gnu::weak]] void __real_free(void* pointer);

namespace emulator {
namespace {

// While the engine works for the running thread, its own allocations are the host's.
constinit thread_local bool engine_works = false;

class EngineWork {
  public:
    EngineWork() : outer_(std::exchange(engine_works, true)) {}
    ~EngineWork() { engine_works = outer_; }
    EngineWork(const EngineWork&) = delete;
    EngineWork& operator=(const EngineWork&) = delete;

  private:
    bool outer_;
    const Uninterruptible whole_;  // the heap has a lock
};

// The engine and the standard library allocate, too, on behalf of a thread: a launch by device
// code, a message. Device code has no containers of the standard library.
bool is_name_of_device_code(std::string_view symbol) {
    for (const std::string_view library : {"_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx"}) {
        if (symbol.starts_with(library)) return false;
    }
    // A kernel may be inlined into the loop over its threads.
    if (symbol.starts_with("_ZNK8emulator15BoundKernelCall")) return true;
    for (const std::string_view engine : {"_ZN8emulator", "_ZNK8emulator", "_ZZN8emulator"}) {
        if (symbol.starts_with(engine)) return false;
    }
    return true;
}

void* allocate_for_host(std::size_t bytes) {
    return __real_malloc != nullptr ? __real_malloc(bytes) : std::malloc(bytes);
}

bool look_up_device_code(const void* code) {
    const EngineWork work;
    // A function of a shared library has no symbol in the executable.
    const std::string symbol = mangled_function_name(code);
    return !symbol.empty() && is_name_of_device_code(symbol);
}

// Whether the function that makes the call at `code` is device code. The answers are kept: 1 bit
// beside each address. An answer takes the first free place of several: where programs are loaded
// at random addresses, two that need the same place would be looked up for ever, now and then.
bool is_device_code(const void* code) {
    constexpr std::size_t kKept = 4096, kPlaces = 32;
    static std::array<std::atomic<std::uintptr_t>, kKept> answers{};
    const auto key = reinterpret_cast<std::uintptr_t>(code) << 1;
    const std::size_t first = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15 >> 40;
    std::size_t place = 0;
    for (; place < kPlaces; ++place) {
        const auto known = answers[(first + place) % kKept].load(std::memory_order_relaxed);
        if ((known | 1) == (key | 1)) return (known & 1) != 0;
        if (known == 0) break;
    }
    const bool result = look_up_device_code(code);
    answers[(first + place % kPlaces) % kKept].store(key | (result ? 1 : 0),
                                                     std::memory_order_relaxed);
    return result;
}

bool runs_device_code(const void* code) {
    return current_thread != nullptr && !engine_works && is_device_code(code);
}

void* allocate(std::size_t bytes, const void* code) {
    if (!runs_device_code(code)) return allocate_for_host(bytes);
    void* const memory = allocate_in_kernel(bytes, code);
    end_block_if_overdue();
    return memory;
}

void release(void* pointer, const char* function, const void* code) {
    if (pointer == nullptr) return;
    if (runs_device_code(code)) return free_in_kernel(pointer, function, code);
    if (is_heap_address(pointer)) return refuse_heap_pointer(function, pointer, true);
    __real_free != nullptr ? __real_free(pointer) : std::free(pointer);
}

// As operator new has to do it for the host. In a kernel the result may be a null pointer, as on an
// H200.
void* allocate_object(std::size_t bytes, const void* code) {
    if (runs_device_code(code)) return allocate_in_kernel(bytes, code);
    for (;;) {
        if (void* const memory = allocate_for_host(bytes == 0 ? 1 : bytes)) return memory;
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) throw std::bad_alloc();
        handler();
    }
}

void* allocate_aligned(std::size_t bytes, std::align_val_t alignment, const void* code) {
    const auto multiple = static_cast<std::size_t>(alignment);
    constexpr std::size_t kHeapAlignment = 16;
    if (runs_device_code(code)) {
        if (multiple <= kHeapAlignment) return allocate_in_kernel(bytes, code);
        fail_kernel(cudaErrorMisalignedAddress,
                    "allocates a type that is aligned to more than 16 bytes with new: the device "
                    "heap aligns to 16 bytes");
    }
    void* const memory = std::aligned_alloc(multiple, round_up(bytes == 0 ? 1 : bytes, multiple));
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

std::string describe(HeapFree how, Allocation allocation, const void* pointer) {
    switch (how) {
        case HeapFree::freed_before:
            return "allocation " + std::to_string(allocation.id) + " of the device heap (" +
                   std::to_string(allocation.bytes) + " bytes), which was freed before";
        case HeapFree::not_begin:
            return "a pointer that no allocation returned, " + describe_heap_address(pointer);
        default:
            return find_allocation(pointer, allocation)
                       ? "a pointer to what the host allocated, " + describe_address(pointer)
                       : "a pointer that is not of the device heap";
    }
}

}  // namespace

void* KernelCall::operator new(std::size_t bytes) {
    const EngineWork work;
    return ::operator new(bytes);
}

void KernelCall::operator delete(void* pointer) {
    const EngineWork work;
    ::operator delete(pointer);
}

void* allocate_in_kernel(std::size_t bytes, const void* code) {
    const EngineWork work;
    Allocation allocation;
    void* const memory = allocate_on_heap(bytes, allocation);
    if (memory != nullptr && hooks.heap_allocated != nullptr) {
        hooks.heap_allocated(*worker_of_running_block(), allocation, code);
    }
    return memory;
}

void free_in_kernel(void* pointer, const char* function, const void* code) {
    if (pointer == nullptr) return;
    std::string message;
    {
        const EngineWork work;
        Worker& worker = *worker_of_running_block();
        Allocation allocation;
        const HeapFree how = free_on_heap(pointer, allocation);
        if (how == HeapFree::done) {
            if (hooks.heap_freed != nullptr) hooks.heap_freed(worker, allocation);
            return;
        }
        message = describe(how, allocation, pointer);
        if (hooks.wrong_free != nullptr) {
            hooks.wrong_free(worker, how == HeapFree::freed_before, message, code);
            worker.grid().fail(cudaErrorLaunchFailure);
        }
    }
    if (hooks.wrong_free != nullptr) worker_of_running_block()->abandon_block();
    message = std::string(function) + " gets " + message;
    fail_kernel(cudaErrorLaunchFailure, message.c_str());
}

void refuse_heap_pointer(const char* function, const void* pointer, bool frees) {
    const EngineWork work;
    if (host_hooks.heap_refused != nullptr) {
        return host_hooks.heap_refused(function, pointer, frees);
    }
    explain("%s: %p is memory of the device heap: only device code may %s it", function, pointer,
            frees ? "free" : "use");
}

}  // namespace emulator

// Not inlined: the return address must be that of the program's call.
#define EMULATOR_CALL [[gnu::noinline]]
#define EMULATOR_CODE __builtin_return_address(0)

extern "C" EMULATOR_CALL void* __wrap_malloc(std::size_t bytes) {
    return emulator::allocate(bytes, EMULATOR_CODE);
}
extern "C" EMULATOR_CALL void __wrap_free(void* pointer) {
    emulator::release(pointer, "free()", EMULATOR_CODE);
}

// The global functions of the standard library, which a program may replace.
EMULATOR_CALL void* operator new(std::size_t bytes) {
    return emulator::allocate_object(bytes, EMULATOR_CODE);
}
EMULATOR_CALL void* operator new[](std::size_t bytes) {
    return emulator::allocate_object(bytes, EMULATOR_CODE);
}
EMULATOR_CALL void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return emulator::allocate(bytes == 0 ? 1 : bytes, EMULATOR_CODE);
}
EMULATOR_CALL void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return emulator::allocate(bytes == 0 ? 1 : bytes, EMULATOR_CODE);
}
EMULATOR_CALL void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return emulator::allocate_aligned(bytes, alignment, EMULATOR_CODE);
}
EMULATOR_CALL void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return emulator::allocate_aligned(bytes, alignment, EMULATOR_CODE);
}

#define EMULATOR_DELETE(name, ...)                                            \
    EMULATOR_CALL void operator name(void* pointer, ##__VA_ARGS__) noexcept { \
        emulator::release(pointer, #name, EMULATOR_CODE);                     \
    }
EMULATOR_DELETE(delete)
EMULATOR_DELETE(delete[])
EMULATOR_DELETE(delete, std::size_t)
EMULATOR_DELETE(delete[], std::size_t)
EMULATOR_DELETE(delete, const std::nothrow_t&)
EMULATOR_DELETE(delete[], const std::nothrow_t&)
EMULATOR_DELETE(delete, std::align_val_t)
EMULATOR_DELETE(delete[], std::align_val_t)
EMULATOR_DELETE(delete, std::size_t, std::align_val_t)
EMULATOR_DELETE(delete[], std::size_t, std::align_val_t)
#undef EMULATOR_DELETE
#undef EMULATOR_CALL
#undef EMULATOR_CODE
