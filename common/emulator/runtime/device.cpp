// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/device.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>

#include "common/emulator/process/executable.hpp"
#include "common/emulator/process/settings.hpp"
#include "common/emulator/runtime/errors.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {
namespace {

// CUDA C++ Programming Guide, "Technical specifications per compute capability", and the data
// sheets.
constexpr Device kH200 = {
    .name = "NVIDIA H200 (emulated)",
    .major = 9,
    .minor = 0,
    .memory_bytes = 150'109'880'320,
    .multiprocessors = 132,
    .max_threads_per_multiprocessor = 2048,
    .max_blocks_per_multiprocessor = 32,
    .registers_per_multiprocessor = 65536,
    .shared_per_block = 48 * 1024,
    .shared_per_block_optin = 227 * 1024,
    .shared_per_multiprocessor = 228 * 1024,
    .reserved_shared_per_block = 1024,
    .shared_granularity = 128,
    .l2_bytes = 60 * 1024 * 1024,
    .memory_bus_bits = 6144,
    .clock_khz = 1'980'000,
    .memory_clock_khz = 3'201'000,
    .cooperative_launch = true,
};

constexpr Device kGtx980 = {
    .name = "NVIDIA GeForce GTX 980 (emulated)",
    .major = 5,
    .minor = 2,
    .memory_bytes = 4'294'967'296,
    .multiprocessors = 16,
    .max_threads_per_multiprocessor = 2048,
    .max_blocks_per_multiprocessor = 32,
    .registers_per_multiprocessor = 65536,
    .shared_per_block = 48 * 1024,
    .shared_per_block_optin = 48 * 1024,
    .shared_per_multiprocessor = 96 * 1024,
    .reserved_shared_per_block = 0,
    .shared_granularity = 256,
    .l2_bytes = 2 * 1024 * 1024,
    .memory_bus_bits = 256,
    .clock_khz = 1'216'000,
    .memory_clock_khz = 3'505'000,
    .cooperative_launch = false,
};

constexpr unsigned kMaxGrid[3] = {0x7fffffff, 65535, 65535};
constexpr unsigned kMaxBlock[3] = {1024, 1024, 64};
constexpr int kCudaVersion = 13000;
constexpr int kConstantBytes = 64 * 1024;

struct Limits {
    std::size_t stack = 1024;
    std::size_t printf_fifo = 1024 * 1024;
    std::size_t malloc_heap = 8 * 1024 * 1024;
    std::size_t pending_launches = 2048;
};

std::mutex limits_mutex;
Limits limits;
// Copies that running kernels read.
std::atomic<std::int64_t> pending_limit = 2048;
std::atomic<std::size_t> stack_limit = 1024;

void publish_limits() {
    pending_limit = static_cast<std::int64_t>(limits.pending_launches);
    stack_limit = limits.stack;
}

std::size_t* limit_value(cudaLimit limit) {
    switch (limit) {
        case cudaLimitStackSize:
            return &limits.stack;
        case cudaLimitPrintfFifoSize:
            return &limits.printf_fifo;
        case cudaLimitMallocHeapSize:
            return &limits.malloc_heap;
        case cudaLimitDevRuntimePendingLaunchCount:
            return &limits.pending_launches;
    }
    return nullptr;
}

// Dynamic shared memory that cudaFuncSetAttribute() allows a kernel. A template kernel whose
// arguments were deduced has no known address: it may have as much as any.
std::mutex attributes_mutex;
std::unordered_map<const void*, std::size_t> raised_shared_bytes;

std::size_t allowed_shared_bytes(const void* kernel) {
    const std::lock_guard lock(attributes_mutex);
    std::size_t allowed = device().shared_per_block;
    if (kernel == nullptr) {
        for (const auto& [address, bytes] : raised_shared_bytes) allowed = std::max(allowed, bytes);
    } else if (const auto found = raised_shared_bytes.find(kernel);
               found != raised_shared_bytes.end()) {
        allowed = found->second;
    }
    return allowed;
}

bool exceeds(const dim3& size, const unsigned (&most)[3]) {
    return size.x > most[0] || size.y > most[1] || size.z > most[2];
}

bool is_empty(const dim3& size) { return size.x == 0 || size.y == 0 || size.z == 0; }

// Device code may ask for these too.
cudaError_t query(const char* function, bool valid) {
    if (valid) return cudaSuccess;
    if (current_thread != nullptr) {
        current_thread->last_error = cudaErrorInvalidValue;
        return cudaErrorInvalidValue;
    }
    return host_call(function, [] { return cudaErrorInvalidValue; });
}

std::string text_of(const dim3& size) {
    return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

const Variable* find_too_large_shared() {
    constexpr std::size_t kStaticSharedBytes = 48 * 1024;
    for (const Variable& variable : shared_variables()) {
        // Of a file without symbols a section is all that is known, not one variable.
        if (!variable.name.empty() && variable.bytes > kStaticSharedBytes) return &variable;
    }
    return nullptr;
}

cudaError_t check_device(int number) { return number == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

}  // namespace

const Device& device() { return settings().device == "gtx980" ? kGtx980 : kH200; }

int active_blocks_per_multiprocessor(int threads, std::size_t shared_bytes) {
    const Device& gpu = device();
    const std::size_t granularity = gpu.shared_granularity;
    const std::size_t shared = (shared_bytes + gpu.reserved_shared_per_block + granularity - 1) /
                               granularity * granularity;
    const int warps = (threads + kWarpSize - 1) / kWarpSize;
    int blocks = std::min(gpu.max_blocks_per_multiprocessor,
                          gpu.max_threads_per_multiprocessor / kWarpSize / warps);
    if (shared > 0) {
        blocks =
            static_cast<int>(std::min<std::size_t>(blocks, gpu.shared_per_multiprocessor / shared));
    }
    return blocks;
}

cudaError_t check_launch(const LaunchConfiguration& configuration, KernelIdentity kernel) {
    const dim3& grid = configuration.grid_dim;
    const dim3& block = configuration.block_dim;
    // Programs that do not look at the error see what it was all the same.
    const auto refuse = [&](cudaError_t error, const std::string& reason) {
        explain("kernel %s is not launched: %s (%s)",
                kernel.name != nullptr ? kernel.name : function_name(kernel.address).c_str(),
                reason.c_str(), cudaGetErrorName(error));
        return error;
    };
    if (is_empty(block) || exceeds(block, kMaxBlock) ||
        std::uint64_t{block.x} * block.y * block.z > kMaxThreadsPerBlock) {
        return refuse(
            cudaErrorInvalidConfiguration,
            "a block of " + text_of(block) + " threads; it has 1 to 1024, at most 64 in z");
    }
    if (is_empty(grid) || exceeds(grid, kMaxGrid)) {
        return refuse(cudaErrorInvalidConfiguration,
                      "a grid of " + text_of(grid) +
                          " blocks; it has at least 1, at most 2147483647 in x, 65535 in y and z");
    }
    const std::size_t allowed = allowed_shared_bytes(kernel.address);
    if (configuration.shared_bytes > allowed) {
        return refuse(cudaErrorInvalidValue, std::to_string(configuration.shared_bytes) +
                                                 " bytes of dynamic shared memory; it may have " +
                                                 std::to_string(allowed) +
                                                 ", more only by cudaFuncSetAttribute()");
    }
    // nvcc refuses it for any device.
    static const Variable* const too_large = find_too_large_shared();
    if (too_large != nullptr) {
        return refuse(cudaErrorInvalidValue,
                      "__shared__ " + too_large->name + " of " + std::to_string(too_large->bytes) +
                          " bytes; a block has 49152, more only as dynamic shared memory");
    }
    if (configuration.cooperative) {
        if (!device().cooperative_launch) return cudaErrorNotSupported;
        const auto resident =
            static_cast<std::uint64_t>(device().multiprocessors) *
            active_blocks_per_multiprocessor(static_cast<int>(block.x * block.y * block.z),
                                             configuration.shared_bytes);
        if (std::uint64_t{grid.x} * grid.y * grid.z > resident) {
            return cudaErrorCooperativeLaunchTooLarge;
        }
    }
    return cudaSuccess;
}

std::size_t kernel_stack_bytes() { return stack_limit.load(std::memory_order_relaxed); }

std::int64_t pending_launch_limit() { return pending_limit.load(std::memory_order_relaxed); }

void reset_device_state() {
    {
        const std::lock_guard lock(limits_mutex);
        limits = Limits{};
        publish_limits();
    }
    const std::lock_guard lock(attributes_mutex);
    raised_shared_bytes.clear();
}

cudaError_t set_function_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
    return host_call("cudaFuncSetAttribute", [&] {
        if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
        if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
            return value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue;
        }
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
            static_cast<std::size_t>(value) > device().shared_per_block_optin) {
            return cudaErrorInvalidValue;
        }
        const std::lock_guard lock(attributes_mutex);
        raised_shared_bytes[kernel] = static_cast<std::size_t>(value);
        return cudaSuccess;
    });
}

cudaError_t get_function_attributes(cudaFuncAttributes* attributes, const void* kernel) {
    if (attributes == nullptr || kernel == nullptr) return query("cudaFuncGetAttributes", false);
    *attributes = cudaFuncAttributes{};
    attributes->maxThreadsPerBlock = kMaxThreadsPerBlock;
    attributes->ptxVersion = attributes->binaryVersion = device().major * 10 + device().minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(allowed_shared_bytes(kernel));
    attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    return cudaSuccess;
}

cudaError_t max_active_blocks(int* blocks, const void* kernel, int threads,
                              std::size_t shared_bytes) {
    if (blocks == nullptr || kernel == nullptr || threads <= 0) {
        return query("cudaOccupancyMaxActiveBlocksPerMultiprocessor", false);
    }
    const bool fits =
        threads <= kMaxThreadsPerBlock && shared_bytes <= allowed_shared_bytes(kernel);
    *blocks = fits ? active_blocks_per_multiprocessor(threads, shared_bytes) : 0;
    return cudaSuccess;
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaGetDeviceCount(int* count) {
    if (count == nullptr) return query("cudaGetDeviceCount", false);
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* number) {
    if (number == nullptr) return query("cudaGetDevice", false);
    *number = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int number) {
    return host_call("cudaSetDevice", [&] { return check_device(number); });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return host_call("cudaSetDeviceFlags",
                     [&] { return flags > 0xf ? cudaErrorInvalidValue : cudaSuccess; });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache preference) {
    return host_call("cudaDeviceSetCacheConfig", [&] {
        return preference >= cudaFuncCachePreferNone && preference <= cudaFuncCachePreferEqual
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number) {
    return host_call("cudaGetDeviceProperties", [&] {
        if (properties == nullptr) return cudaErrorInvalidValue;
        if (number != 0) return cudaErrorInvalidDevice;
        const Device& gpu = device();
        *properties = cudaDeviceProp{};
        std::strncpy(properties->name, gpu.name, sizeof properties->name - 1);
        std::strncpy(properties->uuid.bytes, "cpu-emulation", sizeof properties->uuid.bytes - 1);
        properties->totalGlobalMem = gpu.memory_bytes;
        properties->sharedMemPerBlock = gpu.shared_per_block;
        properties->sharedMemPerBlockOptin = gpu.shared_per_block_optin;
        properties->sharedMemPerMultiprocessor = gpu.shared_per_multiprocessor;
        properties->reservedSharedMemPerBlock = gpu.reserved_shared_per_block;
        properties->regsPerBlock = gpu.registers_per_multiprocessor;
        properties->regsPerMultiprocessor = gpu.registers_per_multiprocessor;
        properties->warpSize = kWarpSize;
        properties->memPitch = 0x7fffffff;
        properties->maxThreadsPerBlock = kMaxThreadsPerBlock;
        for (int axis = 0; axis < 3; ++axis) {
            properties->maxThreadsDim[axis] = static_cast<int>(kMaxBlock[axis]);
            properties->maxGridSize[axis] = static_cast<int>(kMaxGrid[axis]);
        }
        properties->totalConstMem = kConstantBytes;
        properties->major = gpu.major;
        properties->minor = gpu.minor;
        properties->multiProcessorCount = gpu.multiprocessors;
        properties->maxThreadsPerMultiProcessor = gpu.max_threads_per_multiprocessor;
        properties->maxBlocksPerMultiProcessor = gpu.max_blocks_per_multiprocessor;
        properties->memoryBusWidth = gpu.memory_bus_bits;
        properties->l2CacheSize = gpu.l2_bytes;
        properties->cooperativeLaunch = gpu.cooperative_launch;
        properties->canMapHostMemory = 1;
        properties->concurrentKernels = 1;
        properties->asyncEngineCount = 1;
        properties->unifiedAddressing = 1;
        properties->streamPrioritiesSupported = 1;
        properties->managedMemory = 1;
        properties->hostRegisterSupported = 1;
        properties->memoryPoolsSupported = 1;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
    if (value == nullptr) return query("cudaDeviceGetAttribute", false);
    if (number != 0) {
        return current_thread != nullptr
                   ? cudaErrorInvalidDevice
                   : host_call("cudaDeviceGetAttribute", [] { return cudaErrorInvalidDevice; });
    }
    const Device& gpu = device();
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            *value = kMaxThreadsPerBlock;
            break;
        case cudaDevAttrMaxBlockDimX:
        case cudaDevAttrMaxBlockDimY:
        case cudaDevAttrMaxBlockDimZ:
            *value = static_cast<int>(kMaxBlock[attribute - cudaDevAttrMaxBlockDimX]);
            break;
        case cudaDevAttrMaxGridDimX:
        case cudaDevAttrMaxGridDimY:
        case cudaDevAttrMaxGridDimZ:
            *value = static_cast<int>(kMaxGrid[attribute - cudaDevAttrMaxGridDimX]);
            break;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *value = static_cast<int>(gpu.shared_per_block);
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = static_cast<int>(gpu.shared_per_block_optin);
            break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            *value = static_cast<int>(gpu.shared_per_multiprocessor);
            break;
        case cudaDevAttrReservedSharedMemoryPerBlock:
            *value = static_cast<int>(gpu.reserved_shared_per_block);
            break;
        case cudaDevAttrTotalConstantMemory:
            *value = kConstantBytes;
            break;
        case cudaDevAttrWarpSize:
            *value = kWarpSize;
            break;
        case cudaDevAttrMaxPitch:
            *value = 0x7fffffff;
            break;
        case cudaDevAttrMaxRegistersPerBlock:
        case cudaDevAttrMaxRegistersPerMultiprocessor:
            *value = gpu.registers_per_multiprocessor;
            break;
        case cudaDevAttrClockRate:
            *value = gpu.clock_khz;
            break;
        case cudaDevAttrMemoryClockRate:
            *value = gpu.memory_clock_khz;
            break;
        case cudaDevAttrGlobalMemoryBusWidth:
            *value = gpu.memory_bus_bits;
            break;
        case cudaDevAttrL2CacheSize:
            *value = gpu.l2_bytes;
            break;
        case cudaDevAttrMultiProcessorCount:
            *value = gpu.multiprocessors;
            break;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            *value = gpu.max_threads_per_multiprocessor;
            break;
        case cudaDevAttrMaxBlocksPerMultiprocessor:
            *value = gpu.max_blocks_per_multiprocessor;
            break;
        case cudaDevAttrComputeCapabilityMajor:
            *value = gpu.major;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            *value = gpu.minor;
            break;
        case cudaDevAttrCooperativeLaunch:
            *value = gpu.cooperative_launch;
            break;
        case cudaDevAttrGpuOverlap:
        case cudaDevAttrCanMapHostMemory:
        case cudaDevAttrConcurrentKernels:
        case cudaDevAttrAsyncEngineCount:
        case cudaDevAttrUnifiedAddressing:
        case cudaDevAttrStreamPrioritiesSupported:
        case cudaDevAttrManagedMemory:
        case cudaDevAttrHostRegisterSupported:
        case cudaDevAttrMemoryPoolsSupported:
            *value = 1;
            break;
        case cudaDevAttrKernelExecTimeout:
        case cudaDevAttrIntegrated:
        case cudaDevAttrComputeMode:
        case cudaDevAttrEccEnabled:
        case cudaDevAttrPciBusId:
        case cudaDevAttrPciDeviceId:
        case cudaDevAttrPciDomainId:
        case cudaDevAttrPageableMemoryAccess:
        case cudaDevAttrConcurrentManagedAccess:
            *value = 0;
            break;
        default:
            explain("cudaDeviceGetAttribute: attribute %d is not known to the CPU engine",
                    static_cast<int>(attribute));
            return query("cudaDeviceGetAttribute", false);
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int number) {
    return host_call("cudaDeviceGetPCIBusId", [&] {
        if (number != 0) return cudaErrorInvalidDevice;
        constexpr char kBusId[] = "0000:00:00.0";
        if (text == nullptr || length < static_cast<int>(sizeof kBusId)) {
            return cudaErrorInvalidValue;
        }
        std::memcpy(text, kBusId, sizeof kBusId);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
    return host_call("cudaDeviceSetLimit", [&] {
        const std::lock_guard lock(limits_mutex);
        std::size_t* const slot = limit_value(limit);
        if (slot == nullptr) return cudaErrorUnsupportedLimit;
        constexpr std::size_t kMaxStackBytes = 512 * 1024;
        if (limit == cudaLimitStackSize && value > kMaxStackBytes) return cudaErrorInvalidValue;
        *slot = value;
        publish_limits();
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
    const std::lock_guard lock(limits_mutex);
    const std::size_t* const slot = limit_value(limit);
    if (slot == nullptr) {
        return current_thread != nullptr
                   ? cudaErrorUnsupportedLimit
                   : host_call("cudaDeviceGetLimit", [] { return cudaErrorUnsupportedLimit; });
    }
    if (value == nullptr) return query("cudaDeviceGetLimit", false);
    *value = *slot;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return host_call("cudaDeviceGetStreamPriorityRange", [&] {
        if (least != nullptr) *least = kLeastPriority;
        if (greatest != nullptr) *greatest = kGreatestPriority;
        return cudaSuccess;
    });
}

cudaError_t cudaDriverGetVersion(int* version) {
    if (version == nullptr) return query("cudaDriverGetVersion", false);
    *version = kCudaVersion;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    if (version == nullptr) return query("cudaRuntimeGetVersion", false);
    *version = kCudaVersion;
    return cudaSuccess;
}
