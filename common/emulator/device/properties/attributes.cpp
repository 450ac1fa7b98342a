// SPDX-License-Identifier: MIT
#include "common/emulator/device/properties/attributes.hpp"

#include <algorithm>
#include <cstring>
#include <emulator/thread.hpp>

#include "common/emulator/device/properties/properties.hpp"

namespace emulator {
namespace {

struct Attribute {
    cudaDeviceAttr name;
    int h200, gtx980;
};

// The limits of textures and surfaces: CUDA C++ Programming Guide, "Technical specifications per
// compute capability". The H200's were also asked of an H200
// (tests/common/emulator/data/device_attributes.txt).
constexpr Attribute kLimits[] = {
    {cudaDevAttrTextureAlignment, 512, 512},
    {cudaDevAttrTexturePitchAlignment, 32, 32},
    {cudaDevAttrSurfaceAlignment, 512, 512},
    {cudaDevAttrMaxTexture1DWidth, 131072, 65536},
    {cudaDevAttrMaxTexture2DWidth, 131072, 65536},
    {cudaDevAttrMaxTexture2DHeight, 65536, 65536},
    {cudaDevAttrMaxTexture3DWidth, 16384, 4096},
    {cudaDevAttrMaxTexture3DHeight, 16384, 4096},
    {cudaDevAttrMaxTexture3DDepth, 16384, 4096},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768, 16384},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768, 16384},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048, 2048},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768, 16384},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048, 2048},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768, 16384},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768, 16384},
    {cudaDevAttrMaxTexture3DWidthAlt, 8192, 2048},
    {cudaDevAttrMaxTexture3DHeightAlt, 8192, 2048},
    {cudaDevAttrMaxTexture3DDepthAlt, 32768, 16384},
    {cudaDevAttrMaxTextureCubemapWidth, 32768, 16384},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768, 16384},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046, 2046},
    {cudaDevAttrMaxSurface1DWidth, 32768, 65536},
    {cudaDevAttrMaxSurface2DWidth, 131072, 65536},
    {cudaDevAttrMaxSurface2DHeight, 65536, 32768},
    {cudaDevAttrMaxSurface3DWidth, 16384, 65536},
    {cudaDevAttrMaxSurface3DHeight, 16384, 32768},
    {cudaDevAttrMaxSurface3DDepth, 16384, 2048},
    {cudaDevAttrMaxSurface1DLayeredWidth, 32768, 65536},
    {cudaDevAttrMaxSurface1DLayeredLayers, 2048, 2048},
    {cudaDevAttrMaxSurface2DLayeredWidth, 32768, 65536},
    {cudaDevAttrMaxSurface2DLayeredHeight, 32768, 32768},
    {cudaDevAttrMaxSurface2DLayeredLayers, 2048, 2048},
    {cudaDevAttrMaxSurfaceCubemapWidth, 32768, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046, 2046},
    {cudaDevAttrMaxTexture1DLinearWidth, 268435456, 134217728},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072, 65000},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000, 65000},
    {cudaDevAttrMaxTexture2DLinearPitch, 2097120, 1048544},
    {cudaDevAttrMaxTexture2DMipmappedWidth, 32768, 16384},
    {cudaDevAttrMaxTexture2DMipmappedHeight, 32768, 16384},
    {cudaDevAttrMaxTexture1DMipmappedWidth, 32768, 16384},
    {cudaDevAttrMaxPitch, 0x7fffffff, 0x7fffffff},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2, 32},
    {cudaDevAttrMaxPersistingL2CacheSize, 39'321'600, 0},
    {cudaDevAttrMaxAccessPolicyWindowSize, 134'217'728, 0},
    {cudaDevAttrComputePreemptionSupported, 1, 0},
};

// What the engine has, on either device.
constexpr cudaDeviceAttr kAvailable[] = {
    cudaDevAttrGpuOverlap,
    cudaDevAttrCanMapHostMemory,
    cudaDevAttrConcurrentKernels,
    cudaDevAttrAsyncEngineCount,
    cudaDevAttrUnifiedAddressing,
    cudaDevAttrStreamPrioritiesSupported,
    cudaDevAttrGlobalL1CacheSupported,
    cudaDevAttrLocalL1CacheSupported,
    cudaDevAttrManagedMemory,
    cudaDevAttrHostRegisterSupported,
    cudaDevAttrHostRegisterReadOnlySupported,
    cudaDevAttrCanUseHostPointerForRegisteredMem,
    cudaDevAttrMemoryPoolsSupported,
    cudaDevAttrMemSyncDomainCount,
};

// What the engine lacks, or what a machine without a GPU has no number for.
constexpr cudaDeviceAttr kAbsent[] = {
    cudaDevAttrKernelExecTimeout,
    cudaDevAttrIntegrated,
    cudaDevAttrComputeMode,
    cudaDevAttrEccEnabled,
    cudaDevAttrPciBusId,
    cudaDevAttrPciDeviceId,
    cudaDevAttrPciDomainId,
    cudaDevAttrTccDriver,
    cudaDevAttrIsMultiGpuBoard,
    cudaDevAttrMultiGpuBoardGroupID,
    cudaDevAttrHostNativeAtomicSupported,
    cudaDevAttrPageableMemoryAccess,
    cudaDevAttrConcurrentManagedAccess,
    cudaDevAttrCanFlushRemoteWrites,
    cudaDevAttrPageableMemoryAccessUsesHostPageTables,
    cudaDevAttrDirectManagedMemAccessFromHost,
    cudaDevAttrSparseCudaArraySupported,
    cudaDevAttrTimelineSemaphoreInteropSupported,
    cudaDevAttrGPUDirectRDMASupported,
    cudaDevAttrGPUDirectRDMAFlushWritesOptions,
    cudaDevAttrGPUDirectRDMAWritesOrdering,
    cudaDevAttrMemoryPoolSupportedHandleTypes,
    cudaDevAttrClusterLaunch,
    cudaDevAttrDeferredMappingCudaArraySupported,
    cudaDevAttrIpcEventSupport,
    cudaDevAttrNumaConfig,
    cudaDevAttrNumaId,
    cudaDevAttrMpsEnabled,
    cudaDevAttrHostNumaId,
    cudaDevAttrD3D12CigSupported,
    cudaDevAttrVulkanCigSupported,
    cudaDevAttrGpuPciDeviceId,
    cudaDevAttrGpuPciSubsystemId,
    cudaDevAttrHostNumaMemoryPoolsSupported,
    cudaDevAttrHostNumaMultinodeIpcSupported,
    cudaDevAttrHostMemoryPoolsSupported,
    cudaDevAttrOnlyPartialHostNativeAtomicSupported,
};

template <class Range>
bool contains(const Range& range, cudaDeviceAttr attribute) {
    return std::ranges::find(range, attribute) != std::ranges::end(range);
}

// Those that other parts of the engine use too.
bool find_common(cudaDeviceAttr attribute, int& value) {
    const Device& gpu = device();
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            value = kMaxThreadsPerBlock;
            return true;
        case cudaDevAttrMaxBlockDimX:
        case cudaDevAttrMaxBlockDimY:
        case cudaDevAttrMaxBlockDimZ:
            value = static_cast<int>(kMaxBlock[attribute - cudaDevAttrMaxBlockDimX]);
            return true;
        case cudaDevAttrMaxGridDimX:
        case cudaDevAttrMaxGridDimY:
        case cudaDevAttrMaxGridDimZ:
            value = static_cast<int>(kMaxGrid[attribute - cudaDevAttrMaxGridDimX]);
            return true;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            value = static_cast<int>(gpu.shared_per_block);
            return true;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            value = static_cast<int>(gpu.shared_per_block_optin);
            return true;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            value = static_cast<int>(gpu.shared_per_multiprocessor);
            return true;
        case cudaDevAttrReservedSharedMemoryPerBlock:
            value = static_cast<int>(gpu.reserved_shared_per_block);
            return true;
        case cudaDevAttrTotalConstantMemory:
            value = kConstantBytes;
            return true;
        case cudaDevAttrWarpSize:
            value = kWarpSize;
            return true;
        case cudaDevAttrMaxRegistersPerBlock:
        case cudaDevAttrMaxRegistersPerMultiprocessor:
            value = gpu.registers_per_multiprocessor;
            return true;
        case cudaDevAttrClockRate:
            value = gpu.clock_khz;
            return true;
        case cudaDevAttrMemoryClockRate:
            value = gpu.memory_clock_khz;
            return true;
        case cudaDevAttrGlobalMemoryBusWidth:
            value = gpu.memory_bus_bits;
            return true;
        case cudaDevAttrL2CacheSize:
            value = gpu.l2_bytes;
            return true;
        case cudaDevAttrMultiProcessorCount:
            value = gpu.multiprocessors;
            return true;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            value = gpu.max_threads_per_multiprocessor;
            return true;
        case cudaDevAttrMaxBlocksPerMultiprocessor:
            value = gpu.max_blocks_per_multiprocessor;
            return true;
        case cudaDevAttrComputeCapabilityMajor:
            value = gpu.major;
            return true;
        case cudaDevAttrComputeCapabilityMinor:
            value = gpu.minor;
            return true;
        case cudaDevAttrCooperativeLaunch:
            value = gpu.cooperative_launch;
            return true;
        default:
            return false;
    }
}

// The fields of cudaDeviceProp that are one attribute, or several in a row.
template <class Field, class... Attributes>
void fill(Field& field, cudaDeviceAttr first, Attributes... more) {
    if constexpr (sizeof...(more) == 0) {
        int value = 0;
        find_attribute(first, value);
        field = static_cast<Field>(value);
    } else {
        int i = 0;
        fill(field[i], first);
        (fill(field[++i], more), ...);
    }
}

void fill_texture_limits(cudaDeviceProp& all) {
    fill(all.textureAlignment, cudaDevAttrTextureAlignment);
    fill(all.texturePitchAlignment, cudaDevAttrTexturePitchAlignment);
    fill(all.surfaceAlignment, cudaDevAttrSurfaceAlignment);
    fill(all.maxTexture1D, cudaDevAttrMaxTexture1DWidth);
    fill(all.maxTexture1DMipmap, cudaDevAttrMaxTexture1DMipmappedWidth);
    fill(all.maxTexture2D, cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight);
    fill(all.maxTexture2DMipmap, cudaDevAttrMaxTexture2DMipmappedWidth,
         cudaDevAttrMaxTexture2DMipmappedHeight);
    fill(all.maxTexture2DLinear, cudaDevAttrMaxTexture2DLinearWidth,
         cudaDevAttrMaxTexture2DLinearHeight, cudaDevAttrMaxTexture2DLinearPitch);
    fill(all.maxTexture2DGather, cudaDevAttrMaxTexture2DGatherWidth,
         cudaDevAttrMaxTexture2DGatherHeight);
    fill(all.maxTexture3D, cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight,
         cudaDevAttrMaxTexture3DDepth);
    fill(all.maxTexture3DAlt, cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt,
         cudaDevAttrMaxTexture3DDepthAlt);
    fill(all.maxTextureCubemap, cudaDevAttrMaxTextureCubemapWidth);
    fill(all.maxTexture1DLayered, cudaDevAttrMaxTexture1DLayeredWidth,
         cudaDevAttrMaxTexture1DLayeredLayers);
    fill(all.maxTexture2DLayered, cudaDevAttrMaxTexture2DLayeredWidth,
         cudaDevAttrMaxTexture2DLayeredHeight, cudaDevAttrMaxTexture2DLayeredLayers);
    fill(all.maxTextureCubemapLayered, cudaDevAttrMaxTextureCubemapLayeredWidth,
         cudaDevAttrMaxTextureCubemapLayeredLayers);
    fill(all.maxSurface1D, cudaDevAttrMaxSurface1DWidth);
    fill(all.maxSurface2D, cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight);
    fill(all.maxSurface3D, cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight,
         cudaDevAttrMaxSurface3DDepth);
    fill(all.maxSurface1DLayered, cudaDevAttrMaxSurface1DLayeredWidth,
         cudaDevAttrMaxSurface1DLayeredLayers);
    fill(all.maxSurface2DLayered, cudaDevAttrMaxSurface2DLayeredWidth,
         cudaDevAttrMaxSurface2DLayeredHeight, cudaDevAttrMaxSurface2DLayeredLayers);
    fill(all.maxSurfaceCubemap, cudaDevAttrMaxSurfaceCubemapWidth);
    fill(all.maxSurfaceCubemapLayered, cudaDevAttrMaxSurfaceCubemapLayeredWidth,
         cudaDevAttrMaxSurfaceCubemapLayeredLayers);
}

void fill_sizes(cudaDeviceProp& all) {
    fill(all.sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock);
    fill(all.sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin);
    fill(all.sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    fill(all.reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock);
    fill(all.regsPerBlock, cudaDevAttrMaxRegistersPerBlock);
    fill(all.regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor);
    fill(all.warpSize, cudaDevAttrWarpSize);
    fill(all.memPitch, cudaDevAttrMaxPitch);
    fill(all.maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock);
    fill(all.maxThreadsDim, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY,
         cudaDevAttrMaxBlockDimZ);
    fill(all.maxGridSize, cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ);
    fill(all.totalConstMem, cudaDevAttrTotalConstantMemory);
    fill(all.major, cudaDevAttrComputeCapabilityMajor);
    fill(all.minor, cudaDevAttrComputeCapabilityMinor);
    fill(all.multiProcessorCount, cudaDevAttrMultiProcessorCount);
    fill(all.maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor);
    fill(all.maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor);
    fill(all.memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth);
    fill(all.l2CacheSize, cudaDevAttrL2CacheSize);
    fill(all.persistingL2CacheMaxSize, cudaDevAttrMaxPersistingL2CacheSize);
    fill(all.accessPolicyMaxWindowSize, cudaDevAttrMaxAccessPolicyWindowSize);
    fill(all.asyncEngineCount, cudaDevAttrAsyncEngineCount);
}

}  // namespace

bool find_attribute(cudaDeviceAttr attribute, int& value) {
    if (find_common(attribute, value)) return true;
    for (const Attribute& limit : kLimits) {
        if (limit.name == attribute) {
            value = device().major >= 9 ? limit.h200 : limit.gtx980;
            return true;
        }
    }
    if (contains(kAvailable, attribute)) {
        value = 1;
        return true;
    }
    value = 0;
    return contains(kAbsent, attribute);
}

cudaDeviceProp describe_device() {
    cudaDeviceProp all{};
    std::strncpy(all.name, device().name, sizeof all.name - 1);
    std::strncpy(all.uuid.bytes, "cpu-emulation", sizeof all.uuid.bytes - 1);
    all.totalGlobalMem = device().memory_bytes;
    fill_sizes(all);
    fill_texture_limits(all);
    fill(all.canMapHostMemory, cudaDevAttrCanMapHostMemory);
    fill(all.concurrentKernels, cudaDevAttrConcurrentKernels);
    fill(all.unifiedAddressing, cudaDevAttrUnifiedAddressing);
    fill(all.streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported);
    fill(all.globalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported);
    fill(all.localL1CacheSupported, cudaDevAttrLocalL1CacheSupported);
    fill(all.managedMemory, cudaDevAttrManagedMemory);
    fill(all.computePreemptionSupported, cudaDevAttrComputePreemptionSupported);
    fill(all.canUseHostPointerForRegisteredMem, cudaDevAttrCanUseHostPointerForRegisteredMem);
    fill(all.cooperativeLaunch, cudaDevAttrCooperativeLaunch);
    fill(all.hostRegisterSupported, cudaDevAttrHostRegisterSupported);
    fill(all.hostRegisterReadOnlySupported, cudaDevAttrHostRegisterReadOnlySupported);
    fill(all.memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported);
    return all;  // the engine has none of the other fields' features
}

}  // namespace emulator
