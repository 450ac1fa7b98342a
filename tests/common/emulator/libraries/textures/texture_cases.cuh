// SPDX-License-Identifier: MIT
// The fetches of texture_vectors.cu: each case makes a texture with pseudo-random texels and
// fetches at pseudo-random and at special coordinates.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

inline void check(cudaError_t error, int line) {
    if (error == cudaSuccess) return;
    std::printf("line %d: %s\n", line, cudaGetErrorName(error));
    std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

// splitmix64
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    // In [low, high), with 24 random bits.
    float real(float low, float high) {
        return low + (high - low) * (static_cast<float>(bits() >> 40) / 16777216.0f);
    }

  private:
    std::uint64_t state_;
};

enum class Shape {
    fetch1d,
    t1d,
    t2d,
    t3d,
    layered1d,
    layered2d,
    cubemap,
    cubemap_layered,
    lod1d,
    lod2d,
    lod3d,
    grad1d,
    grad2d,
    grad3d,
    gather
};

// The arguments of a fetch; `layer` is also the component of a gather, and the index of tex1Dfetch.
struct Fetch {
    float x = 0, y = 0, z = 0;
    float level = 0;
    float dx = 0, dy = 0;
    int layer = 0;
};

__device__ inline uint4 bits_of(float4 v) {
    return make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z),
                      __float_as_uint(v.w));
}
__device__ inline uint4 bits_of(uint4 v) { return v; }
__device__ inline uint4 bits_of(int4 v) { return make_uint4(v.x, v.y, v.z, v.w); }

template <class T>
__global__ void fetch_kernel(cudaTextureObject_t texture, Shape shape, const Fetch* fetches,
                             uint4* results, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const Fetch f = fetches[i];
    T value{};
    switch (shape) {
        case Shape::fetch1d:
            value = tex1Dfetch<T>(texture, f.layer);
            break;
        case Shape::t1d:
            value = tex1D<T>(texture, f.x);
            break;
        case Shape::t2d:
            value = tex2D<T>(texture, f.x, f.y);
            break;
        case Shape::t3d:
            value = tex3D<T>(texture, f.x, f.y, f.z);
            break;
        case Shape::layered1d:
            value = tex1DLayered<T>(texture, f.x, f.layer);
            break;
        case Shape::layered2d:
            value = tex2DLayered<T>(texture, f.x, f.y, f.layer);
            break;
        case Shape::cubemap:
            value = texCubemap<T>(texture, f.x, f.y, f.z);
            break;
        case Shape::cubemap_layered:
            value = texCubemapLayered<T>(texture, f.x, f.y, f.z, f.layer);
            break;
        case Shape::lod1d:
            value = tex1DLod<T>(texture, f.x, f.level);
            break;
        case Shape::lod2d:
            value = tex2DLod<T>(texture, f.x, f.y, f.level);
            break;
        case Shape::lod3d:
            value = tex3DLod<T>(texture, f.x, f.y, f.z, f.level);
            break;
        case Shape::grad1d:
            value = tex1DGrad<T>(texture, f.x, f.dx, f.dy);
            break;
        case Shape::grad2d:
            value =
                tex2DGrad<T>(texture, f.x, f.y, make_float2(f.dx, f.level), make_float2(f.z, f.dy));
            break;
        case Shape::grad3d:
            value = tex3DGrad<T>(texture, f.x, f.y, f.z, make_float4(f.dx, f.level, 0, 0),
                                 make_float4(0, f.dy, f.dx, 0));
            break;
        case Shape::gather:
            if (f.layer == 0) value = tex2Dgather<T>(texture, f.x, f.y, 0);
            if (f.layer == 1) value = tex2Dgather<T>(texture, f.x, f.y, 1);
            if (f.layer == 2) value = tex2Dgather<T>(texture, f.x, f.y, 2);
            if (f.layer == 3) value = tex2Dgather<T>(texture, f.x, f.y, 3);
            break;
    }
    results[i] = bits_of(value);
}

using Report =
    std::function<void(const std::string&, const std::vector<Fetch>&, const std::vector<uint4>&)>;

template <class T>
std::vector<uint4> fetch_all(cudaTextureObject_t texture, Shape shape,
                             const std::vector<Fetch>& fetches) {
    Fetch* d_fetches = nullptr;
    uint4* d_results = nullptr;
    std::vector<uint4> results(fetches.size());
    CHECK(cudaMalloc(&d_fetches, fetches.size() * sizeof(Fetch)));
    CHECK(cudaMalloc(&d_results, fetches.size() * sizeof(uint4)));
    CHECK(cudaMemcpy(d_fetches, fetches.data(), fetches.size() * sizeof(Fetch),
                     cudaMemcpyHostToDevice));
    const int count = static_cast<int>(fetches.size());
    fetch_kernel<T><<<(count + 63) / 64, 64>>>(texture, shape, d_fetches, d_results, count);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(results.data(), d_results, results.size() * sizeof(uint4),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_fetches));
    CHECK(cudaFree(d_results));
    return results;
}

// ---- texels

enum class Texels { random_real, wide_real, index, random_bits, random_half };

inline std::vector<unsigned char> make_texels(const cudaChannelFormatDesc& format,
                                              std::size_t count, Texels kind, std::uint64_t seed) {
    const int bits[4] = {format.x, format.y, format.z, format.w};
    Random random(seed);
    std::vector<unsigned char> bytes;
    for (std::size_t i = 0; i < count; ++i) {
        for (const int width : bits) {
            if (width == 0) continue;
            std::uint64_t value = random.bits() >> 20;
            if (kind == Texels::random_real || kind == Texels::index || kind == Texels::wide_real) {
                float real = kind == Texels::index ? static_cast<float>(i) : random.real(-1, 1);
                if (kind == Texels::wide_real) real = std::ldexp(real, int(value % 60) - 30);
                std::uint32_t word;
                std::memcpy(&word, &real, 4);
                value = word;
            }
            // A finite half.
            if (kind == Texels::random_half && (value & 0x7c00) == 0x7c00) value ^= 0x4000;
            for (int byte = 0; byte < width / 8; ++byte) {
                bytes.push_back(static_cast<unsigned char>(value >> 8 * byte));
            }
        }
    }
    return bytes;
}

inline cudaTextureDesc describe(cudaTextureFilterMode filter, cudaTextureAddressMode address,
                                bool normalised, cudaTextureReadMode read) {
    cudaTextureDesc description;
    std::memset(&description, 0, sizeof description);
    description.filterMode = filter;
    description.readMode = read;
    description.normalizedCoords = normalised;
    for (auto& mode : description.addressMode) mode = address;
    return description;
}

struct ArrayTexture {
    cudaArray_t array = nullptr;
    cudaMipmappedArray_t mipmap = nullptr;
    cudaChannelFormatDesc format{};
    std::size_t width = 0, height = 0, depth = 0;

    ArrayTexture(const cudaChannelFormatDesc& channel, std::size_t w, std::size_t h, std::size_t d,
                 unsigned flags, Texels kind, std::uint64_t seed, unsigned levels = 0)
        : format(channel), width(w), height(h), depth(d) {
        if (levels == 0) {
            CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d), flags));
            fill(array, w, h, d, kind, seed);
            return;
        }
        CHECK(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(w, h, d), levels, flags));
        for (unsigned level = 0; level < levels; ++level) {
            cudaArray_t part;
            CHECK(cudaGetMipmappedArrayLevel(&part, mipmap, level));
            const auto half = [level](std::size_t extent) {
                return extent == 0 || extent >> level > 0 ? extent >> level : 1;
            };
            fill(part, half(w), half(h), half(d), kind, seed + level);
        }
    }
    ~ArrayTexture() {
        if (array != nullptr) CHECK(cudaFreeArray(array));
        if (mipmap != nullptr) CHECK(cudaFreeMipmappedArray(mipmap));
    }
    ArrayTexture(const ArrayTexture&) = delete;

    void fill(cudaArray_t target, std::size_t w, std::size_t h, std::size_t d, Texels kind,
              std::uint64_t seed) const {
        const std::size_t rows = h == 0 ? 1 : h;
        const std::size_t slices = d == 0 ? 1 : d;
        const auto texels = make_texels(format, w * rows * slices, kind, seed);
        const std::size_t bytes = texels.size() / (rows * slices);
        cudaMemcpy3DParms copy;
        std::memset(&copy, 0, sizeof copy);
        copy.srcPtr =
            make_cudaPitchedPtr(const_cast<unsigned char*>(texels.data()), bytes, w, rows);
        copy.dstArray = target;
        copy.extent = make_cudaExtent(w, rows, slices);
        copy.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&copy));
    }

    // The error of a description that CUDA refuses is part of the results.
    cudaError_t make_object(const cudaTextureDesc& description,
                            cudaTextureObject_t& texture) const {
        cudaResourceDesc resource;
        std::memset(&resource, 0, sizeof resource);
        resource.resType =
            array != nullptr ? cudaResourceTypeArray : cudaResourceTypeMipmappedArray;
        if (array != nullptr) {
            resource.res.array.array = array;
        } else {
            resource.res.mipmap.mipmap = mipmap;
        }
        const cudaError_t error =
            cudaCreateTextureObject(&texture, &resource, &description, nullptr);
        static_cast<void>(cudaGetLastError());
        return error;
    }
};

template <class T>
void run_case(const Report& report, const std::string& name, const ArrayTexture& texture,
              const cudaTextureDesc& description, Shape shape, const std::vector<Fetch>& fetches) {
    cudaTextureObject_t object = 0;
    const cudaError_t error = texture.make_object(description, object);
    if (error != cudaSuccess) {
        return report(name + "-refused", {Fetch{}}, {make_uint4(error, 0, 0, 0)});
    }
    report(name, fetches, fetch_all<T>(object, shape, fetches));
    CHECK(cudaDestroyTextureObject(object));
}

// ---- coordinates

inline std::vector<Fetch> random_fetches(std::uint64_t seed, int count, float low, float high,
                                         float scale_y = 1, float scale_z = 1) {
    Random random(seed);
    std::vector<Fetch> fetches(static_cast<std::size_t>(count));
    for (Fetch& f : fetches) {
        f.x = random.real(low, high);
        f.y = random.real(low, high) * scale_y;
        f.z = random.real(low, high) * scale_z;
        f.level = random.real(-1, 5);
        f.dx = random.real(-0.5f, 0.5f);
        f.dy = random.real(-0.5f, 0.5f);
        f.layer = static_cast<int>(random.bits() % 6) - 1;
    }
    return fetches;
}

inline std::vector<Fetch> special_fetches(float size) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    std::vector<Fetch> fetches;
    const float values[] = {
        0.0f,   -0.0f,     1e-10f,      -1e-10f,     0.5f,         1.0f,        -1.0f,       2.0f,
        -2.0f,  size,      size - 0.5f, size + 0.5f, -0.5f,        0.49999997f, 0.99999994f, 1e10f,
        -1e10f, kInfinity, -kInfinity,  NAN,         0.001953125f, 0.25f,       0.75f,       1e38f,
        3.0f,   1.5f,      -1.5f,       -0.001f,     -0.002f,      1.001f};
    for (const float value : values) {
        Fetch f;
        f.x = value;
        f.y = 0.5f;
        f.z = 0.5f;
        fetches.push_back(f);
        f.x = 0.5f;
        f.y = value;
        fetches.push_back(f);
    }
    return fetches;
}

inline std::vector<Fetch> sweep(float low, float step, int count) {
    std::vector<Fetch> fetches(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        fetches[static_cast<std::size_t>(i)].x = low + static_cast<float>(i) * step;
        fetches[static_cast<std::size_t>(i)].y = 0.5f;
    }
    return fetches;
}

void run_filter_cases(const Report& report);
void run_address_cases(const Report& report);
void run_format_cases(const Report& report);
void run_mipmap_cases(const Report& report);
void run_cubemap_cases(const Report& report);
void run_linear_cases(const Report& report);
void run_surface_cases(const Report& report);

#include "texture_case_list.cuh"

inline void run_all_cases(const Report& report) {
    run_filter_cases(report);
    run_address_cases(report);
    run_format_cases(report);
    run_mipmap_cases(report);
    run_cubemap_cases(report);
    run_linear_cases(report);
    run_surface_cases(report);
}
