// SPDX-License-Identifier: MIT
// The list of cases of texture_vectors.cu.
#pragma once

constexpr auto kPoint = cudaFilterModePoint;
constexpr auto kLinear = cudaFilterModeLinear;
constexpr auto kElement = cudaReadModeElementType;
constexpr auto kNormalised = cudaReadModeNormalizedFloat;
constexpr auto kClamp = cudaAddressModeClamp;

// ---- the fractions of linear filtering, and its arithmetic
void run_filter_cases(const Report& report) {
    const auto real = cudaCreateChannelDesc<float>();
    {
        const ArrayTexture ramp(real, 8, 0, 0, 0, Texels::index, 1);
        const auto plain = describe(kLinear, kClamp, false, kElement);
        run_case<float4>(report, "fraction-sweep", ramp, plain, Shape::t1d,
                         sweep(2.4f, 1.0f / 4096, 700));
        run_case<float4>(report, "fraction-random", ramp, plain, Shape::t1d,
                         random_fetches(2, 300, -1, 9));
        run_case<float4>(report, "fraction-normalised-8", ramp,
                         describe(kLinear, kClamp, true, kElement), Shape::t1d,
                         random_fetches(3, 300, 0, 1));
    }
    for (const int width : {13, 100, 1000, 4096}) {
        const ArrayTexture ramp(real, static_cast<std::size_t>(width), 0, 0, 0, Texels::index, 1);
        run_case<float4>(report, "fraction-normalised-" + std::to_string(width), ramp,
                         describe(kLinear, kClamp, true, kElement), Shape::t1d,
                         random_fetches(4, 300, 0, 1));
        run_case<float4>(report, "fraction-plain-" + std::to_string(width), ramp,
                         describe(kLinear, kClamp, false, kElement), Shape::t1d,
                         random_fetches(5, 300, 0, static_cast<float>(width)));
        run_case<float4>(report, "point-normalised-" + std::to_string(width), ramp,
                         describe(kPoint, kClamp, true, kElement), Shape::t1d,
                         random_fetches(6, 300, 0, 1));
    }
    for (const Texels kind : {Texels::random_real, Texels::wide_real}) {
        const std::string suffix = kind == Texels::random_real ? "real" : "wide";
        const auto plain = describe(kLinear, kClamp, false, kElement);
        const ArrayTexture line(real, 16, 0, 0, 0, kind, 7);
        run_case<float4>(report, "linear-1d-" + suffix, line, plain, Shape::t1d,
                         random_fetches(8, 400, -1, 17));
        const ArrayTexture plane(cudaCreateChannelDesc<float4>(), 16, 8, 0, 0, kind, 9);
        run_case<float4>(report, "linear-2d-" + suffix, plane, plain, Shape::t2d,
                         random_fetches(10, 300, -1, 17, 0.5f));
        const ArrayTexture volume(cudaCreateChannelDesc<float2>(), 8, 8, 8, 0, kind, 11);
        run_case<float4>(report, "linear-3d-" + suffix, volume, plain, Shape::t3d,
                         random_fetches(12, 300, -1, 9));
        run_case<float4>(report, "point-3d-" + suffix, volume,
                         describe(kPoint, kClamp, false, kElement), Shape::t3d,
                         random_fetches(12, 100, -1, 9));
    }
}

// ---- coordinates outside
void run_address_cases(const Report& report) {
    const char* const names[] = {"wrap", "clamp", "mirror", "border"};
    const ArrayTexture plane(cudaCreateChannelDesc<float>(), 5, 3, 0, 0, Texels::random_real, 20);
    const ArrayTexture volume(cudaCreateChannelDesc<float>(), 4, 3, 5, 0, Texels::random_real, 21);
    for (int mode = 0; mode < 4; ++mode) {
        for (const auto filter : {kPoint, kLinear}) {
            for (const bool normalised : {false, true}) {
                auto description = describe(filter, static_cast<cudaTextureAddressMode>(mode),
                                            normalised, kElement);
                description.borderColor[0] = 0.3f;
                description.borderColor[1] = 0.4f;
                description.borderColor[2] = 0.5f;
                description.borderColor[3] = 0.6f;
                const std::string name = std::string(names[mode]) +
                                         (filter == kPoint ? "-point" : "-linear") +
                                         (normalised ? "-normalised" : "-plain");
                const float size = normalised ? 1 : 5;
                run_case<float4>(report, name, plane, description, Shape::t2d,
                                 random_fetches(22, 150, -2.5f * size, 3.5f * size));
                run_case<float4>(report, name + "-special", plane, description, Shape::t2d,
                                 special_fetches(size));
                run_case<float4>(report, name + "-3d", volume, description, Shape::t3d,
                                 random_fetches(23, 100, -1.5f * size, 2.5f * size));
            }
        }
    }
    const auto layers = [&](const std::string& name, std::size_t height, Shape shape) {
        const ArrayTexture layered(cudaCreateChannelDesc<float>(), 5, height, 4, cudaArrayLayered,
                                   Texels::random_real, 24);
        for (const auto filter : {kPoint, kLinear}) {
            run_case<float4>(report, name + (filter == kPoint ? "-point" : "-linear"), layered,
                             describe(filter, cudaAddressModeWrap, true, kElement), shape,
                             random_fetches(25, 100, -1, 2));
        }
    };
    layers("layered-1d", 0, Shape::layered1d);
    layers("layered-2d", 3, Shape::layered2d);
}

// ---- types of texels
template <class Channel, class Result>
void run_format(const Report& report, const std::string& name, cudaTextureReadMode read,
                Texels kind, bool linear, int srgb = 0) {
    const ArrayTexture plane(cudaCreateChannelDesc<Channel>(), 16, 16, 0, 0, kind, 30);
    auto description = describe(kPoint, kClamp, false, read);
    description.sRGB = srgb;
    std::vector<Fetch> all;
    for (int i = 0; i < 256; ++i) {
        Fetch f;
        f.x = static_cast<float>(i % 16) + 0.5f;
        f.y = static_cast<float>(i / 16) + 0.5f;
        all.push_back(f);
    }
    run_case<Result>(report, name + "-point", plane, description, Shape::t2d, all);
    if (!linear) return;
    description.filterMode = kLinear;
    run_case<Result>(report, name + "-linear", plane, description, Shape::t2d,
                     random_fetches(31, 200, 0, 16));
}

inline cudaChannelFormatDesc half4_format() {
    return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

void run_format_cases(const Report& report) {
    constexpr Texels kBits = Texels::random_bits;
    run_format<uchar4, float4>(report, "uchar4-normalised", kNormalised, kBits, true);
    run_format<char4, float4>(report, "char4-normalised", kNormalised, kBits, true);
    run_format<ushort4, float4>(report, "ushort4-normalised", kNormalised, kBits, true);
    run_format<short4, float4>(report, "short4-normalised", kNormalised, kBits, true);
    run_format<unsigned char, float4>(report, "uchar-normalised", kNormalised, kBits, true);
    run_format<short2, float4>(report, "short2-normalised", kNormalised, kBits, true);
    run_format<uchar4, float4>(report, "uchar4-srgb", kNormalised, kBits, true, 1);
    run_format<uchar4, uint4>(report, "uchar4", kElement, kBits, false);
    run_format<char2, int4>(report, "char2", kElement, kBits, false);
    run_format<unsigned short, uint4>(report, "ushort", kElement, kBits, false);
    run_format<short4, int4>(report, "short4", kElement, kBits, false);
    run_format<int, int4>(report, "int", kElement, kBits, false);
    run_format<uint4, uint4>(report, "uint4", kElement, kBits, false);
    const ArrayTexture halves(half4_format(), 16, 16, 0, 0, Texels::random_half, 32);
    for (const auto filter : {kPoint, kLinear}) {
        run_case<float4>(report, filter == kPoint ? "half4-point" : "half4-linear", halves,
                         describe(filter, kClamp, false, kElement), Shape::t2d,
                         random_fetches(33, 300, 0, 16));
    }
    const ArrayTexture bytes(cudaCreateChannelDesc<uchar4>(), 16, 16, 0, cudaArrayTextureGather,
                             kBits, 34);
    run_case<float4>(report, "gather-uchar4", bytes,
                     describe(kLinear, cudaAddressModeWrap, true, kNormalised), Shape::gather,
                     random_fetches(35, 150, -1, 2));
    const ArrayTexture reals(cudaCreateChannelDesc<float>(), 16, 8, 0, cudaArrayTextureGather,
                             Texels::random_real, 36);
    run_case<float4>(report, "gather-float", reals, describe(kPoint, kClamp, false, kElement),
                     Shape::gather, random_fetches(37, 150, -1, 17));
    run_case<float4>(report, "gather-special", reals, describe(kPoint, kClamp, false, kElement),
                     Shape::gather, sweep(2.9f, 1.0f / 1024, 300));
}

// ---- mipmapped arrays
void run_mipmap_cases(const Report& report) {
    const ArrayTexture plane(cudaCreateChannelDesc<float>(), 16, 16, 0, 0, Texels::random_real, 40,
                             5);
    const ArrayTexture line(cudaCreateChannelDesc<float>(), 32, 0, 0, 0, Texels::random_real, 41,
                            6);
    const ArrayTexture volume(cudaCreateChannelDesc<float>(), 8, 8, 8, 0, Texels::random_real, 42,
                              4);
    for (int kind = 0; kind < 5; ++kind) {
        auto description =
            describe(kind == 0 ? kPoint : kLinear, cudaAddressModeWrap, true, kElement);
        description.maxMipmapLevelClamp = 10;
        description.mipmapFilterMode = kind % 2 == 0 ? kPoint : kLinear;
        description.maxAnisotropy = 0;
        if (kind == 3) description.mipmapLevelBias = 0.7f;
        if (kind == 4) {
            description.mipmapFilterMode = kLinear;
            description.minMipmapLevelClamp = 0.6f;
            description.maxMipmapLevelClamp = 2.3f;
        }
        const std::string suffix = "-" + std::to_string(kind);
        run_case<float4>(report, "mipmap-none-2d" + suffix, plane, description, Shape::t2d,
                         random_fetches(43, 100, -1, 2));
        run_case<float4>(report, "mipmap-lod-2d" + suffix, plane, description, Shape::lod2d,
                         random_fetches(44, 200, -1, 2));
        run_case<float4>(report, "mipmap-lod-1d" + suffix, line, description, Shape::lod1d,
                         random_fetches(45, 100, -1, 2));
        run_case<float4>(report, "mipmap-lod-3d" + suffix, volume, description, Shape::lod3d,
                         random_fetches(46, 100, -1, 2));
        run_case<float4>(report, "mipmap-grad-2d" + suffix, plane, description, Shape::grad2d,
                         random_fetches(47, 200, -0.5f, 0.5f));
        run_case<float4>(report, "mipmap-grad-1d" + suffix, line, description, Shape::grad1d,
                         random_fetches(48, 100, -1, 2));
        run_case<float4>(report, "mipmap-grad-3d" + suffix, volume, description, Shape::grad3d,
                         random_fetches(49, 100, -1, 2));
    }
    // Constant levels show the level's fraction.
    const ArrayTexture levels(cudaCreateChannelDesc<float>(), 16, 0, 0, 0, Texels::index, 50, 5);
    auto description = describe(kPoint, kClamp, true, kElement);
    description.mipmapFilterMode = kLinear;
    description.maxMipmapLevelClamp = 10;
    std::vector<Fetch> fetches(400);
    for (std::size_t i = 0; i < fetches.size(); ++i) {
        fetches[i].x = 0.97f;
        fetches[i].level = 0.9f + static_cast<float>(i) / 2048;
    }
    run_case<float4>(report, "level-sweep", levels, description, Shape::lod1d, fetches);
    for (std::size_t i = 0; i < fetches.size(); ++i) {
        fetches[i].dx = 0.05f + static_cast<float>(i) / 1024;
        fetches[i].dy = 0;
    }
    run_case<float4>(report, "gradient-sweep", levels, description, Shape::grad1d, fetches);
    description.mipmapFilterMode = kPoint;
    run_case<float4>(report, "gradient-sweep-point", levels, description, Shape::grad1d, fetches);
}

// ---- cube maps
inline std::vector<Fetch> directions(std::uint64_t seed) {
    std::vector<Fetch> fetches = random_fetches(seed, 200, -1, 1);
    const float values[] = {-1, 0, 1, 0.5f};
    for (const float x : values) {
        for (const float y : values) {
            for (const float z : values) {
                if (x == 0 && y == 0 && z == 0) continue;  // no direction
                Fetch f;
                f.x = x;
                f.y = y;
                f.z = z;
                fetches.push_back(f);
            }
        }
    }
    return fetches;
}

void run_cubemap_cases(const Report& report) {
    const ArrayTexture cube(cudaCreateChannelDesc<float>(), 6, 6, 6, cudaArrayCubemap,
                            Texels::random_real, 60);
    const ArrayTexture cubes(cudaCreateChannelDesc<float2>(), 4, 4, 18,
                             cudaArrayCubemap | cudaArrayLayered, Texels::random_real, 61);
    for (const auto filter : {kPoint, kLinear}) {
        for (const bool normalised : {true, false}) {
            for (const int seamless : {0, filter == kPoint ? 1 : 0}) {
                auto description = describe(filter, kClamp, normalised, kElement);
                description.seamlessCubemap = seamless;
                const std::string suffix = std::string(filter == kPoint ? "-point" : "-linear") +
                                           (normalised ? "-normalised" : "-plain") +
                                           (seamless ? "-seamless" : "");
                run_case<float4>(report, "cubemap" + suffix, cube, description, Shape::cubemap,
                                 directions(62));
                run_case<float4>(report, "cubemap-layered" + suffix, cubes, description,
                                 Shape::cubemap_layered, directions(63));
            }
        }
        auto description = describe(filter, cudaAddressModeWrap, true, kElement);
        run_case<float4>(report, filter == kPoint ? "cubemap-wrap-point" : "cubemap-wrap-linear",
                         cube, description, Shape::cubemap, directions(64));
    }
}

// ---- linear memory
void run_linear_cases(const Report& report) {
    constexpr int kCount = 50;
    const auto texels =
        make_texels(cudaCreateChannelDesc<float>(), kCount, Texels::random_real, 70);
    void* memory = nullptr;
    CHECK(cudaMalloc(&memory, 512 * 8));
    CHECK(cudaMemset(memory, 0, 512 * 8));
    CHECK(cudaMemcpy(memory, texels.data(), texels.size(), cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = texels.size();
    auto description = describe(kPoint, kClamp, false, kElement);
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    std::vector<Fetch> fetches;
    for (const int index : {0, 1, 49, 50, 51, -1, -50, 1000000, 7, 25}) {
        Fetch f;
        f.layer = index;
        fetches.push_back(f);
    }
    report("linear-memory", fetches, fetch_all<float4>(texture, Shape::fetch1d, fetches));
    CHECK(cudaDestroyTextureObject(texture));
    // Eight rows of 13 uchar4 texels.
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.pitch2D.width = 13;
    resource.res.pitch2D.height = 8;
    resource.res.pitch2D.pitchInBytes = 512;
    const auto bytes = make_texels(resource.res.pitch2D.desc, 13 * 8, Texels::random_bits, 71);
    CHECK(cudaMemcpy2D(memory, 512, bytes.data(), 52, 52, 8, cudaMemcpyHostToDevice));
    for (const bool normalised : {false, true}) {
        for (const auto address :
             {kClamp, cudaAddressModeBorder, cudaAddressModeWrap, cudaAddressModeMirror}) {
            description = describe(kLinear, address, normalised, kNormalised);
            const std::string name =
                "pitch-" + std::to_string(address) + (normalised ? "-normalised" : "-plain");
            const cudaError_t error =
                cudaCreateTextureObject(&texture, &resource, &description, nullptr);
            if (error != cudaSuccess) {
                static_cast<void>(cudaGetLastError());
                report(name + "-refused", {Fetch{}}, {make_uint4(error, 0, 0, 0)});
                continue;
            }
            const float size = normalised ? 1 : 13;
            fetches = random_fetches(72, 100, -size, 2 * size);
            report(name, fetches, fetch_all<float4>(texture, Shape::t2d, fetches));
            CHECK(cudaDestroyTextureObject(texture));
        }
    }
    CHECK(cudaFree(memory));
}

// ---- surfaces
enum class Mode { zero, clamp };

__global__ void surface_kernel(cudaSurfaceObject_t line, cudaSurfaceObject_t plane,
                               cudaSurfaceObject_t volume, cudaSurfaceObject_t layers,
                               const int4* at, uint4* results, int count, Mode mode, bool write) {
    const int i = static_cast<int>(threadIdx.x);
    if (i >= count) return;
    const int4 p = at[i];
    const unsigned value = 1000u + static_cast<unsigned>(p.w);
    uint4 result = make_uint4(0, 0, 0, 0);
    if (write) {
        if (mode == Mode::zero) {
            surf1Dwrite(value, line, p.x * 4, cudaBoundaryModeZero);
            surf2Dwrite(value, plane, p.x * 4, p.y, cudaBoundaryModeZero);
            surf3Dwrite(value, volume, p.x * 4, p.y, p.z, cudaBoundaryModeZero);
            surf2DLayeredwrite(value, layers, p.x * 4, p.y, p.z, cudaBoundaryModeZero);
        } else {
            surf1Dwrite(value, line, p.x * 4, cudaBoundaryModeClamp);
            surf2Dwrite(value, plane, p.x * 4, p.y, cudaBoundaryModeClamp);
            surf3Dwrite(value, volume, p.x * 4, p.y, p.z, cudaBoundaryModeClamp);
            surf2DLayeredwrite(value, layers, p.x * 4, p.y, p.z, cudaBoundaryModeClamp);
        }
    } else if (mode == Mode::zero) {
        result.x = surf1Dread<unsigned>(line, p.x * 4, cudaBoundaryModeZero);
        result.y = surf2Dread<unsigned>(plane, p.x * 4, p.y, cudaBoundaryModeZero);
        result.z = surf3Dread<unsigned>(volume, p.x * 4, p.y, p.z, cudaBoundaryModeZero);
        result.w = surf2DLayeredread<unsigned>(layers, p.x * 4, p.y, p.z, cudaBoundaryModeZero);
    } else {
        result.x = surf1Dread<unsigned>(line, p.x * 4, cudaBoundaryModeClamp);
        result.y = surf2Dread<unsigned>(plane, p.x * 4, p.y, cudaBoundaryModeClamp);
        result.z = surf3Dread<unsigned>(volume, p.x * 4, p.y, p.z, cudaBoundaryModeClamp);
        result.w = surf2DLayeredread<unsigned>(layers, p.x * 4, p.y, p.z, cudaBoundaryModeClamp);
    }
    results[i] = result;
}

// Narrow and wide accesses, and positions that are no multiple of the element.
__global__ void surface_width_kernel(cudaSurfaceObject_t plane, uint4* results) {
    const int i = static_cast<int>(threadIdx.x);
    uint4 result = make_uint4(0, 0, 0, 0);
    result.x = surf2Dread<unsigned char>(plane, i, 1, cudaBoundaryModeZero);
    result.y = surf2Dread<unsigned short>(plane, i * 2, 1, cudaBoundaryModeZero);
    const uint2 pair = surf2Dread<uint2>(plane, i * 8, 1, cudaBoundaryModeZero);
    result.z = pair.x;
    result.w = pair.y;
    results[i] = result;
    results[i + 32] = surf2Dread<uint4>(plane, i * 16, 1, cudaBoundaryModeZero);
    results[i + 64] = surf2Dread<uint4>(plane, i * 16, 2, cudaBoundaryModeClamp);
    result.x = surf2Dread<unsigned char>(plane, i * 4 - 20, 1, cudaBoundaryModeClamp);
    result.y = surf2Dread<unsigned short>(plane, i * 4 - 20, 1, cudaBoundaryModeClamp);
    results[i + 96] = result;
}

inline cudaSurfaceObject_t surface_of(const ArrayTexture& texture) {
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = texture.array;
    cudaSurfaceObject_t surface = 0;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

void run_surface_cases(const Report& report) {
    const auto format = cudaCreateChannelDesc<unsigned>();
    constexpr unsigned kStore = cudaArraySurfaceLoadStore;
    const ArrayTexture line(format, 9, 0, 0, kStore, Texels::random_bits, 80);
    const ArrayTexture plane(format, 9, 5, 0, kStore, Texels::random_bits, 81);
    const ArrayTexture volume(format, 9, 5, 4, kStore, Texels::random_bits, 82);
    const ArrayTexture layers(format, 9, 5, 4, kStore | cudaArrayLayered, Texels::random_bits, 83);
    const cudaSurfaceObject_t surfaces[] = {surface_of(line), surface_of(plane), surface_of(volume),
                                            surface_of(layers)};
    // A diagonal of distinct positions, so that clamped stores of one kernel do not meet often.
    Random random(84);
    for (const Mode mode : {Mode::zero, Mode::clamp}) {
        for (const bool write : {false, true}) {
            std::vector<int4> at;
            const int count = write ? 1 : 96;
            for (int round = 0; round < 96; ++round) {
                at.push_back(make_int4(static_cast<int>(random.bits() % 15) - 3,
                                       static_cast<int>(random.bits() % 9) - 2,
                                       static_cast<int>(random.bits() % 8) - 2, round));
            }
            int4* d_at = nullptr;
            uint4* d_results = nullptr;
            CHECK(cudaMalloc(&d_at, at.size() * sizeof(int4)));
            CHECK(cudaMalloc(&d_results, at.size() * sizeof(uint4)));
            CHECK(cudaMemcpy(d_at, at.data(), at.size() * sizeof(int4), cudaMemcpyHostToDevice));
            CHECK(cudaMemset(d_results, 0, at.size() * sizeof(uint4)));
            for (int first = 0; first < 96; first += count) {
                surface_kernel<<<1, 96>>>(surfaces[0], surfaces[1], surfaces[2], surfaces[3],
                                          d_at + first, d_results, count, mode, write);
                CHECK(cudaGetLastError());
                if (count == 96) break;
            }
            std::vector<uint4> results(at.size());
            CHECK(cudaMemcpy(results.data(), d_results, results.size() * sizeof(uint4),
                             cudaMemcpyDeviceToHost));
            const std::vector<Fetch> none(at.size());
            const std::string name = mode == Mode::zero ? "surface-zero" : "surface-clamp";
            if (!write) report(name, none, results);
            CHECK(cudaFree(d_at));
            CHECK(cudaFree(d_results));
        }
        // What the writes left.
        std::vector<uint4> left;
        for (const ArrayTexture* texture : {&line, &plane, &volume, &layers}) {
            const std::size_t rows = texture->height == 0 ? 1 : texture->height;
            const std::size_t slices = texture->depth == 0 ? 1 : texture->depth;
            std::vector<unsigned> words(9 * rows * slices);
            cudaMemcpy3DParms copy;
            std::memset(&copy, 0, sizeof copy);
            copy.srcArray = texture->array;
            copy.dstPtr = make_cudaPitchedPtr(words.data(), 36, 9, rows);
            copy.extent = make_cudaExtent(9, rows, slices);
            copy.kind = cudaMemcpyDeviceToHost;
            CHECK(cudaMemcpy3D(&copy));
            for (const unsigned word : words) left.push_back(make_uint4(word, 0, 0, 0));
        }
        report(mode == Mode::zero ? "surface-zero-written" : "surface-clamp-written",
               std::vector<Fetch>(left.size()), left);
    }
    uint4* d_results = nullptr;
    CHECK(cudaMalloc(&d_results, 128 * sizeof(uint4)));
    surface_width_kernel<<<1, 32>>>(surfaces[1], d_results);
    CHECK(cudaGetLastError());
    std::vector<uint4> results(128);
    CHECK(cudaMemcpy(results.data(), d_results, 128 * sizeof(uint4), cudaMemcpyDeviceToHost));
    report("surface-widths", std::vector<Fetch>(128), results);
    CHECK(cudaFree(d_results));
    for (const cudaSurfaceObject_t surface : surfaces) CHECK(cudaDestroySurfaceObject(surface));
}
