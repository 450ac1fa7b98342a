// SPDX-License-Identifier: MIT
// CUDA arrays, texture objects and surface objects: types and host functions. Part of
// <cuda_runtime_api.h>. Fetches and surface accesses are in <emulator/texture_fetches.hpp> and
// <emulator/surface_accesses.hpp>.
#pragma once

#include <climits>
#include <cstddef>
#include <emulator/pitched_memory.hpp>
#include <type_traits>

struct cudaMipmappedArray;
typedef cudaMipmappedArray* cudaMipmappedArray_t;
typedef const cudaMipmappedArray* cudaMipmappedArray_const_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08
#define cudaArrayColorAttachment 0x20
#define cudaArraySparse 0x40
#define cudaArrayDeferredMapping 0x80

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceTypeCubemap 0x0C
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2
#define cudaSurfaceTypeCubemapLayered 0xFC

// The block-compressed, planar and packed formats do not exist here.
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0,
    cudaChannelFormatKindUnsigned = 1,
    cudaChannelFormatKindFloat = 2,
    cudaChannelFormatKindNone = 3,
};

// The bits of each of up to four components.
struct cudaChannelFormatDesc {
    int x, y, z, w;
    cudaChannelFormatKind f;
};

enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0,
    cudaAddressModeClamp = 1,
    cudaAddressModeMirror = 2,
    cudaAddressModeBorder = 3,
};

enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };

enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };

enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0,
    cudaBoundaryModeClamp = 1,
    cudaBoundaryModeTrap = 2,
};

enum cudaSurfaceFormatMode { cudaFormatModeForced = 0, cudaFormatModeAuto = 1 };

struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int seamlessCubemap;
};

enum cudaResourceType {
    cudaResourceTypeArray = 0,
    cudaResourceTypeMipmappedArray = 1,
    cudaResourceTypeLinear = 2,
    cudaResourceTypePitch2D = 3,
};

struct cudaResourceDesc {
    cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void* devPtr;
            cudaChannelFormatDesc desc;
            std::size_t sizeInBytes;
        } linear;
        struct {
            void* devPtr;
            cudaChannelFormatDesc desc;
            std::size_t width;
            std::size_t height;
            std::size_t pitchInBytes;
        } pitch2D;
        struct {
            int reserved[32];
        } reserved;
    } res;
    unsigned int flags;
};

enum cudaResourceViewFormat {
    cudaResViewFormatNone = 0x00,
    cudaResViewFormatUnsignedChar1 = 0x01,
    cudaResViewFormatUnsignedChar2 = 0x02,
    cudaResViewFormatUnsignedChar4 = 0x03,
    cudaResViewFormatSignedChar1 = 0x04,
    cudaResViewFormatSignedChar2 = 0x05,
    cudaResViewFormatSignedChar4 = 0x06,
    cudaResViewFormatUnsignedShort1 = 0x07,
    cudaResViewFormatUnsignedShort2 = 0x08,
    cudaResViewFormatUnsignedShort4 = 0x09,
    cudaResViewFormatSignedShort1 = 0x0a,
    cudaResViewFormatSignedShort2 = 0x0b,
    cudaResViewFormatSignedShort4 = 0x0c,
    cudaResViewFormatUnsignedInt1 = 0x0d,
    cudaResViewFormatUnsignedInt2 = 0x0e,
    cudaResViewFormatUnsignedInt4 = 0x0f,
    cudaResViewFormatSignedInt1 = 0x10,
    cudaResViewFormatSignedInt2 = 0x11,
    cudaResViewFormatSignedInt4 = 0x12,
    cudaResViewFormatHalf1 = 0x13,
    cudaResViewFormatHalf2 = 0x14,
    cudaResViewFormatHalf4 = 0x15,
    cudaResViewFormatFloat1 = 0x16,
    cudaResViewFormatFloat2 = 0x17,
    cudaResViewFormatFloat4 = 0x18,
};

struct cudaResourceViewDesc {
    cudaResourceViewFormat format;
    std::size_t width;
    std::size_t height;
    std::size_t depth;
    unsigned int firstMipmapLevel;
    unsigned int lastMipmapLevel;
    unsigned int firstLayer;
    unsigned int lastLayer;
    unsigned int reserved[16];
};

// Arrays. Their memory counts as the device's memory does: use after cudaFreeArray() and reads of
// texels that nothing has written are found.
cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                            std::size_t width, std::size_t height = 0, unsigned flags = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags = 0);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array,
                                     const cudaChannelFormatDesc* format, cudaExtent extent,
                                     unsigned levels, unsigned flags = 0);
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level_array, cudaMipmappedArray_const_t array,
                                       unsigned level);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array);
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array);

// Copies of arrays. Offsets and widths are in bytes, heights in rows.
cudaError_t cudaMemcpyToArray(cudaArray_t destination, std::size_t x, std::size_t y,
                              const void* source, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t destination, std::size_t x, std::size_t y,
                                   const void* source, std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyFromArray(void* destination, cudaArray_const_t source, std::size_t x,
                                std::size_t y, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArrayAsync(void* destination, cudaArray_const_t source, std::size_t x,
                                     std::size_t y, std::size_t bytes, cudaMemcpyKind kind,
                                     cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyArrayToArray(cudaArray_t destination, std::size_t destination_x,
                                   std::size_t destination_y, cudaArray_const_t source,
                                   std::size_t source_x, std::size_t source_y, std::size_t bytes,
                                   cudaMemcpyKind kind = cudaMemcpyDeviceToDevice);
cudaError_t cudaMemcpy2DToArray(cudaArray_t destination, std::size_t x, std::size_t y,
                                const void* source, std::size_t pitch, std::size_t width,
                                std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t destination, std::size_t x, std::size_t y,
                                     const void* source, std::size_t pitch, std::size_t width,
                                     std::size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2DFromArray(void* destination, std::size_t pitch, cudaArray_const_t source,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArrayAsync(void* destination, std::size_t pitch,
                                       cudaArray_const_t source, std::size_t x, std::size_t y,
                                       std::size_t width, std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t destination, std::size_t destination_x,
                                     std::size_t destination_y, cudaArray_const_t source,
                                     std::size_t source_x, std::size_t source_y, std::size_t width,
                                     std::size_t height,
                                     cudaMemcpyKind kind = cudaMemcpyDeviceToDevice);

// Pitched memory in three dimensions, with or without arrays.
cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream = nullptr);
cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent);
cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemset2D(void* memory, std::size_t pitch, int value, std::size_t width,
                         std::size_t height);
cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream = nullptr);

// Texture and surface objects.
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description,
                                            cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view,
                                                 cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t surface);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* width,
                                                 const cudaChannelFormatDesc* format, int device);

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}

namespace emulator {

// The components of a scalar or vector type.
template <class T>
constexpr int component_count() {
    if constexpr (requires(T value) { value.w; }) {
        return 4;
    } else if constexpr (requires(T value) { value.z; }) {
        return 3;
    } else if constexpr (requires(T value) { value.y; }) {
        return 2;
    }
    return 1;
}

template <class T>
struct ComponentOf {
    using type = T;
};
template <class T>
requires requires(T value) { value.x; }
struct ComponentOf<T> {
    using type = std::remove_reference_t<decltype(T::x)>;
};

}  // namespace emulator

template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
    using Component = typename emulator::ComponentOf<T>::type;
    constexpr int kCount = emulator::component_count<T>();
    constexpr int kBits = CHAR_BIT * static_cast<int>(sizeof(T)) / kCount;
    cudaChannelFormatKind kind = cudaChannelFormatKindFloat;
    if constexpr (std::is_unsigned_v<Component>) {
        kind = cudaChannelFormatKindUnsigned;
    } else if constexpr (std::is_integral_v<Component>) {
        kind = cudaChannelFormatKindSigned;
    }
    return {kBits, kCount > 1 ? kBits : 0, kCount > 2 ? kBits : 0, kCount > 3 ? kBits : 0, kind};
}
