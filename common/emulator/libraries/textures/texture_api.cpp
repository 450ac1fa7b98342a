// SPDX-License-Identifier: MIT
// The API of texture and surface objects.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/properties/properties.hpp"
#include "common/emulator/libraries/textures/array.hpp"
#include "common/emulator/libraries/textures/texture.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {
namespace {

// cudaDeviceProp::textureAlignment and texturePitchAlignment.
constexpr std::size_t kTextureAlignment = 512;
constexpr std::size_t kPitchAlignment = 32;

TexelFormat format_of(const cudaChannelFormatDesc& format) {
    if (format.f == cudaChannelFormatKindFloat) {
        return format.x == 16 ? TexelFormat::f16 : TexelFormat::f32;
    }
    const bool is_signed = format.f == cudaChannelFormatKindSigned;
    switch (format.x) {
        case 8:
            return is_signed ? TexelFormat::s8 : TexelFormat::u8;
        case 16:
            return is_signed ? TexelFormat::s16 : TexelFormat::u16;
        default:
            return is_signed ? TexelFormat::s32 : TexelFormat::u32;
    }
}

void set_format(TextureObject& object, const cudaChannelFormatDesc& format) {
    object.format = format_of(format);
    object.channels = channels_of(format);
    object.texel_bytes = static_cast<unsigned>(bytes_of(format));
}

TextureShape shape_of(const cudaArray& array) {
    if (array.is_cubemap()) return array.is_layered() ? TextureShape::cubes : TextureShape::cube;
    if (array.is_layered()) {
        return array.extent.height == 0 ? TextureShape::lines : TextureShape::planes;
    }
    if (array.extent.depth > 0) return TextureShape::volume;
    return array.extent.height > 0 ? TextureShape::plane : TextureShape::line;
}

TextureLevel level_of(const cudaArray& array) {
    return {array.memory,
            static_cast<int>(array.extent.width),
            static_cast<int>(array.rows()),
            static_cast<int>(array.slices()),
            array.pitch(),
            array.slice_pitch()};
}

void set_array(TextureObject& object, const cudaArray& array) {
    set_format(object, array.format);
    object.shape = shape_of(array);
    object.gathers = (array.flags & cudaArrayTextureGather) != 0;
    object.levels[0] = level_of(array);
    if (array.is_layered() || array.is_cubemap()) {
        object.layer_count = static_cast<int>(array.slices());
    }
}

bool is_memory(const char* function, const void* pointer, std::size_t bytes) {
    Allocation allocation;
    if (find_allocation(pointer, allocation) &&
        bytes <= static_cast<std::size_t>(allocation.begin + allocation.bytes -
                                          static_cast<const char*>(pointer))) {
        return true;
    }
    explain("%s: the %zu bytes at %p are no memory of the device: %s", function, bytes, pointer,
            describe_address(pointer).c_str());
    return false;
}

cudaError_t set_linear(TextureObject& object, const cudaResourceDesc& resource) {
    const auto& linear = resource.res.linear;
    if (!is_valid(linear.desc)) return cudaErrorInvalidChannelDescriptor;
    set_format(object, linear.desc);
    std::size_t most = 0;
    cudaError_t error = cudaDeviceGetTexture1DLinearMaxWidth(&most, &linear.desc, 0);
    if (error != cudaSuccess) return error;
    const std::size_t width = linear.sizeInBytes / object.texel_bytes;
    if (width == 0 || width > most ||
        reinterpret_cast<std::uintptr_t>(linear.devPtr) % kTextureAlignment != 0) {
        explain(
            "cudaCreateTextureObject: linear memory begins at a multiple of %zu bytes and has up "
            "to %zu texels",
            kTextureAlignment, most);
        return cudaErrorInvalidValue;
    }
    if (!is_memory("cudaCreateTextureObject", linear.devPtr, linear.sizeInBytes)) {
        return cudaErrorInvalidValue;
    }
    object.shape = TextureShape::linear;
    object.levels[0].memory = static_cast<const char*>(linear.devPtr);
    object.levels[0].width = static_cast<int>(width);
    return cudaSuccess;
}

cudaError_t set_pitched(TextureObject& object, const cudaResourceDesc& resource) {
    const auto& pitched = resource.res.pitch2D;
    if (!is_valid(pitched.desc)) return cudaErrorInvalidChannelDescriptor;
    set_format(object, pitched.desc);
    const std::size_t row = pitched.width * object.texel_bytes;
    if (pitched.width == 0 || pitched.height == 0 || pitched.width > 131072 ||
        pitched.height > 65000 || pitched.pitchInBytes < row ||
        pitched.pitchInBytes % kPitchAlignment != 0 ||
        reinterpret_cast<std::uintptr_t>(pitched.devPtr) % kTextureAlignment != 0) {
        explain(
            "cudaCreateTextureObject: pitched memory begins at a multiple of %zu bytes, and its "
            "pitch is a multiple of %zu; use cudaMallocPitch()",
            kTextureAlignment, kPitchAlignment);
        return cudaErrorInvalidValue;
    }
    if (!is_memory("cudaCreateTextureObject", pitched.devPtr,
                   (pitched.height - 1) * pitched.pitchInBytes + row)) {
        return cudaErrorInvalidValue;
    }
    object.shape = TextureShape::plane;
    object.gathers = true;
    object.levels[0] = {static_cast<const char*>(pitched.devPtr),
                        static_cast<int>(pitched.width),
                        static_cast<int>(pitched.height),
                        1,
                        pitched.pitchInBytes,
                        0};
    return cudaSuccess;
}

cudaError_t set_resource(TextureObject& object, const cudaResourceDesc& resource) {
    object.resource = resource;
    switch (resource.resType) {
        case cudaResourceTypeArray:
            if (!is_array(resource.res.array.array)) return cudaErrorInvalidResourceHandle;
            set_array(object, *resource.res.array.array);
            return cudaSuccess;
        case cudaResourceTypeMipmappedArray: {
            const cudaMipmappedArray_t mipmap = resource.res.mipmap.mipmap;
            if (!is_array(mipmap)) return cudaErrorInvalidResourceHandle;
            set_array(object, *mipmap->levels[0]);
            object.level_count = static_cast<int>(mipmap->levels.size());
            for (std::size_t i = 0; i < mipmap->levels.size(); ++i) {
                object.levels[i] = level_of(*mipmap->levels[i]);
            }
            return cudaSuccess;
        }
        case cudaResourceTypeLinear:
            return set_linear(object, resource);
        case cudaResourceTypePitch2D:
            return set_pitched(object, resource);
    }
    return cudaErrorInvalidValue;
}

// A view may name another format of the same size, and some of the levels or layers.
cudaError_t set_view(TextureObject& object, const cudaResourceViewDesc& view) {
    object.view = view;
    object.has_view = true;
    if (view.format != cudaResViewFormatNone) {
        constexpr TexelFormat kFormats[] = {TexelFormat::u8,  TexelFormat::s8,  TexelFormat::u16,
                                            TexelFormat::s16, TexelFormat::u32, TexelFormat::s32,
                                            TexelFormat::f16, TexelFormat::f32};
        constexpr unsigned kBytes[] = {1, 1, 2, 2, 4, 4, 2, 4};
        constexpr int kChannels[] = {1, 2, 4};
        const int index = view.format - cudaResViewFormatUnsignedChar1;
        if (index < 0 || index >= 24) return cudaErrorInvalidValue;
        object.channels = kChannels[index % 3];
        if (kBytes[index / 3] * static_cast<unsigned>(object.channels) != object.texel_bytes) {
            explain("cudaCreateTextureObject: the view's format must have the texels' size");
            return cudaErrorInvalidValue;
        }
        object.format = kFormats[index / 3];
    }
    const TextureLevel& base = object.levels[0];
    if (view.width != static_cast<std::size_t>(base.width) ||
        (view.height != 0 && view.height != static_cast<std::size_t>(base.height))) {
        return cudaErrorInvalidValue;
    }
    if (view.lastMipmapLevel < view.firstMipmapLevel ||
        view.lastMipmapLevel >= static_cast<unsigned>(object.level_count) ||
        view.lastLayer < view.firstLayer ||
        view.lastLayer >= static_cast<unsigned>(object.layer_count)) {
        return cudaErrorInvalidValue;
    }
    std::rotate(object.levels.begin(), object.levels.begin() + view.firstMipmapLevel,
                object.levels.end());
    object.level_count = static_cast<int>(view.lastMipmapLevel - view.firstMipmapLevel + 1);
    if (view.lastLayer > 0) {
        object.first_layer = static_cast<int>(view.firstLayer);
        object.layer_count = static_cast<int>(view.lastLayer - view.firstLayer + 1);
    }
    return cudaSuccess;
}

bool is_cube(TextureShape shape) {
    return shape == TextureShape::cube || shape == TextureShape::cubes;
}

cudaError_t set_description(TextureObject& object, const cudaTextureDesc& description) {
    object.description = description;
    const bool floats = object.format == TexelFormat::f16 || object.format == TexelFormat::f32;
    const bool wide = object.format == TexelFormat::u32 || object.format == TexelFormat::s32;
    object.reads_normalised = description.readMode == cudaReadModeNormalizedFloat && !floats;
    if (object.reads_normalised && wide) {
        explain("cudaCreateTextureObject: integers of 32 bits cannot be read as normalised floats");
        return cudaErrorInvalidNormSetting;
    }
    object.linear = description.filterMode == cudaFilterModeLinear;
    if (object.linear && !floats && !object.reads_normalised) {
        explain(
            "cudaCreateTextureObject: linear filtering needs floats, or read mode "
            "cudaReadModeNormalizedFloat");
        return cudaErrorInvalidFilterSetting;
    }
    object.normalised = description.normalizedCoords != 0;
    if (object.level_count > 1 && !object.normalised) {
        explain("cudaCreateTextureObject: a mipmapped array needs normalised coordinates");
        return cudaErrorInvalidValue;
    }
    object.srgb = description.sRGB != 0 && object.format == TexelFormat::u8;
    object.levels_linear = description.mipmapFilterMode == cudaFilterModeLinear;
    if (description.seamlessCubemap != 0 && object.linear && is_cube(object.shape)) {
        explain("cudaCreateTextureObject: the engine filters each face of a cubemap by itself");
        return cudaErrorNotSupported;
    }
    std::copy_n(description.addressMode, 3, object.address);
    std::copy_n(description.borderColor, 4, object.border);
    object.level_bias = description.mipmapLevelBias;
    object.least_level = description.minMipmapLevelClamp;
    object.largest_level = description.maxMipmapLevelClamp;
    return cudaSuccess;
}

cudaError_t keep(const TextureObject& object, unsigned long long* number) {
    *number = keep_object(object);
    return *number == 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}

const TextureObject* find(unsigned long long number, bool is_surface) {
    const TextureObject* const object = find_object(number);
    return object != nullptr && object->is_surface == is_surface ? object : nullptr;
}

cudaError_t destroy(const char* function, unsigned long long number, bool is_surface) {
    return host_call(function, [&] {
        if (number == 0) return cudaSuccess;
        if (find(number, is_surface) == nullptr) return cudaErrorInvalidValue;
        // Queued work may still use it.
        const cudaError_t error = run_everything();
        remove_object(number);
        return error;
    });
}

template <class Get>
cudaError_t query(const char* function, unsigned long long number, bool is_surface,
                  const void* result, Get get) {
    return host_call(function, [&] {
        const TextureObject* const object = find(number, is_surface);
        if (object == nullptr || result == nullptr) return cudaErrorInvalidValue;
        return get(*object);
    });
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view) {
    return host_call("cudaCreateTextureObject", [&] {
        if (texture == nullptr || resource == nullptr || description == nullptr) {
            return cudaErrorInvalidValue;
        }
        TextureObject object;
        cudaError_t error = set_resource(object, *resource);
        if (error == cudaSuccess && view != nullptr) error = set_view(object, *view);
        if (error == cudaSuccess) error = set_description(object, *description);
        return error == cudaSuccess ? keep(object, texture) : error;
    });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
    return destroy("cudaDestroyTextureObject", texture, false);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t texture) {
    return query("cudaGetTextureObjectResourceDesc", texture, false, resource,
                 [&](const TextureObject& object) {
                     *resource = object.resource;
                     return cudaSuccess;
                 });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description,
                                            cudaTextureObject_t texture) {
    return query("cudaGetTextureObjectTextureDesc", texture, false, description,
                 [&](const TextureObject& object) {
                     *description = object.description;
                     return cudaSuccess;
                 });
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view,
                                                 cudaTextureObject_t texture) {
    return query("cudaGetTextureObjectResourceViewDesc", texture, false, view,
                 [&](const TextureObject& object) {
                     if (!object.has_view) return cudaErrorInvalidValue;
                     *view = object.view;
                     return cudaSuccess;
                 });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface,
                                    const cudaResourceDesc* resource) {
    return host_call("cudaCreateSurfaceObject", [&] {
        if (surface == nullptr || resource == nullptr) return cudaErrorInvalidValue;
        if (resource->resType != cudaResourceTypeArray || !is_array(resource->res.array.array)) {
            explain("cudaCreateSurfaceObject: a surface is one of an array");
            return cudaErrorInvalidValue;
        }
        if ((resource->res.array.array->flags & cudaArraySurfaceLoadStore) == 0) {
            explain(
                "cudaCreateSurfaceObject: the array must be made with cudaArraySurfaceLoadStore");
            return cudaErrorInvalidValue;
        }
        TextureObject object;
        const cudaError_t error = set_resource(object, *resource);
        object.is_surface = true;
        return error == cudaSuccess ? keep(object, surface) : error;
    });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
    return destroy("cudaDestroySurfaceObject", surface, true);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t surface) {
    return query("cudaGetSurfaceObjectResourceDesc", surface, true, resource,
                 [&](const TextureObject& object) {
                     *resource = object.resource;
                     return cudaSuccess;
                 });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* width,
                                                 const cudaChannelFormatDesc* format, int number) {
    return host_call("cudaDeviceGetTexture1DLinearMaxWidth", [&] {
        if (width == nullptr || format == nullptr) return cudaErrorInvalidValue;
        if (!is_device_number(number)) return cudaErrorInvalidDevice;
        *width = std::size_t{1} << (device().major >= 6 ? 28 : 27);
        return cudaSuccess;
    });
}
