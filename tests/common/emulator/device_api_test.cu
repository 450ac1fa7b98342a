// SPDX-License-Identifier: MIT
// What a program asks of the device, and settings that only have to be accepted and kept.
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <ctime>

namespace {

TEST(DeviceApi, EveryAttributeIsKnown) {
    for (int number = 1; number < cudaDevAttrMax; ++number) {
        const bool reserved = number == 44 || number == 92 || number == 93 || number == 94 ||
                              number == 96 || (number >= 102 && number <= 105) || number == 107 ||
                              number == 110 || (number >= 122 && number <= 124) ||
                              (number >= 127 && number <= 129) || number == 132 || number == 136 ||
                              number == 137 || number == 141 || number == 145 || number == 146;
        int value = -1;
        const cudaError_t error =
            cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(number), 0);
        EXPECT_EQ(error, reserved ? cudaErrorInvalidValue : cudaSuccess) << number;
    }
    cudaGetLastError();
}

struct Measured {
    int number, value;
};
constexpr Measured kH200[] = {
#include "data/device_attributes.txt"
};

TEST(DeviceApi, AttributesAreAnH200s) {
    for (const Measured& measured : kH200) {
        int value = 0;
        if (cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(measured.number), 0) !=
            cudaSuccess) {
            continue;  // reserved
        }
        // 0: a feature that the engine lacks. Copies do not overlap, so one engine does them all.
        const bool differs = value == 0 || measured.number == cudaDevAttrAsyncEngineCount ||
                             measured.number == cudaDevAttrMemSyncDomainCount;
        if (!differs) {
            EXPECT_EQ(value, measured.value) << measured.number;
        }
    }
    cudaGetLastError();
}

TEST(DeviceApi, PropertiesAreTheAttributes) {
    cudaDeviceProp properties;
    ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    const auto attribute = [](cudaDeviceAttr name) {
        int value = -1;
        cudaDeviceGetAttribute(&value, name, 0);
        return value;
    };
    EXPECT_EQ(properties.maxTexture3D[2], attribute(cudaDevAttrMaxTexture3DDepth));
    EXPECT_EQ(properties.maxTexture2DLinear[2], attribute(cudaDevAttrMaxTexture2DLinearPitch));
    EXPECT_EQ(properties.maxSurface2DLayered[1], attribute(cudaDevAttrMaxSurface2DLayeredHeight));
    EXPECT_EQ(properties.accessPolicyMaxWindowSize,
              attribute(cudaDevAttrMaxAccessPolicyWindowSize));
    EXPECT_EQ(properties.maxThreadsDim[2], attribute(cudaDevAttrMaxBlockDimZ));
    EXPECT_EQ(properties.sharedMemPerBlockOptin,
              static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)));
    EXPECT_EQ(properties.clusterLaunch, 0);
}

TEST(DeviceApi, SettingsAreKept) {
    ASSERT_EQ(cudaSetDeviceFlags(cudaDeviceBlockingSync), cudaSuccess);
    unsigned flags = 0;
    ASSERT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
    EXPECT_EQ(flags & cudaDeviceScheduleMask, static_cast<unsigned>(cudaDeviceBlockingSync));
    EXPECT_EQ(cudaSetDeviceFlags(0x1000), cudaErrorInvalidValue);

    ASSERT_EQ(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared), cudaSuccess);
    cudaFuncCache preference;
    ASSERT_EQ(cudaDeviceGetCacheConfig(&preference), cudaSuccess);
    EXPECT_EQ(preference, cudaFuncCachePreferShared);

    ASSERT_EQ(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20), cudaSuccess);
    std::size_t bytes = 0;
    ASSERT_EQ(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize), cudaSuccess);
    EXPECT_EQ(bytes, std::size_t{1} << 20);
    EXPECT_EQ(cudaCtxResetPersistingL2Cache(), cudaSuccess);

    int device = -1;
    char bus[32];
    ASSERT_EQ(cudaDeviceGetPCIBusId(bus, sizeof bus, 0), cudaSuccess);
    ASSERT_EQ(cudaDeviceGetByPCIBusId(&device, bus), cudaSuccess);
    EXPECT_EQ(device, 0);
    EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, "ffff:ff:ff.f"), cudaErrorInvalidValue);
    cudaGetLastError();
}

TEST(DeviceApi, APointerToConstantsCanBeAllocated) {
    const float* constants = nullptr;
    ASSERT_EQ(cudaMalloc(&constants, sizeof(float)), cudaSuccess);
    EXPECT_NE(constants, nullptr);
    cudaFree(const_cast<float*>(constants));
}

TEST(DeviceApi, AccessPolicyOfAStream) {
    cudaStream_t stream;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    cudaStreamAttrValue value{};
    ASSERT_EQ(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value),
              cudaSuccess);
    EXPECT_EQ(value.accessPolicyWindow.num_bytes, 0u);
    value.accessPolicyWindow.base_ptr = &value;
    value.accessPolicyWindow.num_bytes = 4096;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    ASSERT_EQ(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value),
              cudaSuccess);
    cudaStreamAttrValue kept{};
    ASSERT_EQ(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &kept),
              cudaSuccess);
    EXPECT_EQ(kept.accessPolicyWindow.num_bytes, 4096u);
    value.accessPolicyWindow.hitRatio = 1.5f;
    EXPECT_EQ(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaStreamSetAttribute(stream, cudaLaunchAttributeCooperative, &value),
              cudaErrorInvalidValue);
    cudaGetLastError();
    cudaStreamDestroy(stream);
}

__global__ void cycles_kernel(long long* out) {
    out[0] = clock();
    const long long start = clock64();
    while (clock64() - start < 2'000'000) {
    }
    out[1] = clock();
}

TEST(DeviceApi, FunctionsAndOccupancy) {
    const char* name = nullptr;
    ASSERT_EQ(cudaFuncGetName(&name, cycles_kernel), cudaSuccess);
    EXPECT_NE(std::strstr(name, "cycles_kernel"), nullptr) << name;
    std::size_t bytes = 0;
    ASSERT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, cycles_kernel, 2, 256),
              cudaSuccess);
    int blocks = 0;
    cudaFuncSetAttribute(cycles_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         static_cast<int>(bytes));
    ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, cycles_kernel, 256, bytes),
              cudaSuccess);
    EXPECT_EQ(blocks, 2);
    EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, cycles_kernel, 3, 1024),
              cudaErrorInvalidValue);
    EXPECT_EQ(
        cudaFuncSetAttribute(cycles_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
        cudaErrorNotSupported);
    cudaGetLastError();
}

TEST(DeviceApi, ClockCountsCyclesInKernelsAndProcessorTimeOnTheHost) {
    long long* out;
    ASSERT_EQ(cudaMallocManaged(&out, 2 * sizeof *out), cudaSuccess);
    const std::clock_t before = std::clock();
    cycles_kernel<<<1, 1>>>(out);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_GE(out[1] - out[0], 2'000'000);
    EXPECT_LT(std::clock() - before, 60 * CLOCKS_PER_SEC);
    cudaFree(out);
}

__global__ void wait_kernel(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

// On a GPU they wait at the same time. One after the other, these would take 20 seconds.
TEST(DeviceApi, ThreadsThatWaitForTheClockDoNotAddUp) {
    const std::clock_t before = std::clock();
    wait_kernel<<<4, 1000>>>(10'000'000);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_LT(std::clock() - before, 2 * CLOCKS_PER_SEC);
}

TEST(DriverApi, QueriesAreAnswered) {
    CUdevice device = -1;
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuDeviceGet(&device, 100), CUDA_ERROR_INVALID_DEVICE);
    int driver = 0, runtime = 1, version = 0;
    cuDeviceGetAttribute(&driver, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0);
    cudaDeviceGetAttribute(&runtime, cudaDevAttrMaxThreadsPerBlock, 0);
    EXPECT_EQ(driver, runtime);
    EXPECT_EQ(cuDriverGetVersion(&version), CUDA_SUCCESS);
    EXPECT_EQ(version, CUDA_VERSION);
    const char* name = nullptr;
    EXPECT_EQ(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &name), CUDA_SUCCESS);
    EXPECT_STREQ(name, "CUDA_ERROR_OUT_OF_MEMORY");
    EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &name), CUDA_ERROR_INVALID_VALUE);
    // The runtime API does not see the driver API's errors.
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(Complex, Arithmetic) {
    const cuDoubleComplex a = make_cuDoubleComplex(1, 2), b = make_cuDoubleComplex(3, -1);
    const cuDoubleComplex product = cuCmul(a, b);
    EXPECT_EQ(cuCreal(product), 5);
    EXPECT_EQ(cuCimag(product), 5);
    const cuDoubleComplex quotient = cuCdiv(product, b);
    EXPECT_DOUBLE_EQ(quotient.x, 1);
    EXPECT_DOUBLE_EQ(quotient.y, 2);
    EXPECT_EQ(cuCabsf(make_cuComplex(3e30f, 4e30f)), 5e30f);
    const cuFloatComplex sum = cuCfmaf(make_cuFloatComplex(0, 1), make_cuFloatComplex(0, 1),
                                       cuConjf(make_cuFloatComplex(1, 1)));
    EXPECT_EQ(sum.x, 0);
    EXPECT_EQ(sum.y, -1);
}

}  // namespace
