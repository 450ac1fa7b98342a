// SPDX-License-Identifier: MIT
// The API of CUDA arrays, texture objects and surface objects: copies, errors and messages. What
// fetches give is in texture_vectors.cu.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "engine_test.hpp"

namespace {

class TextureTest : public EngineTest {
  protected:
    static cudaArray_t make_array(std::size_t width, std::size_t height, unsigned flags = 0) {
        const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
        cudaArray_t array = nullptr;
        EXPECT_EQ(cudaMallocArray(&array, &format, width, height, flags), cudaSuccess);
        return array;
    }

    static std::vector<int> numbers(std::size_t count) {
        std::vector<int> values(count);
        std::iota(values.begin(), values.end(), 0);
        return values;
    }

    static cudaResourceDesc resource_of(cudaArray_t array) {
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        return resource;
    }

    static std::vector<int> read(cudaArray_t array, std::size_t width, std::size_t height) {
        std::vector<int> values(width * height, -1);
        EXPECT_EQ(cudaMemcpy2DFromArray(values.data(), width * 4, array, 0, 0, width * 4, height,
                                        cudaMemcpyDeviceToHost),
                  cudaSuccess);
        return values;
    }
};

TEST_F(TextureTest, ChannelFormats) {
    const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
    EXPECT_EQ(bytes.x + bytes.y + bytes.z + bytes.w, 32);
    EXPECT_EQ(bytes.f, cudaChannelFormatKindUnsigned);
    EXPECT_EQ(cudaCreateChannelDesc<char>().f, cudaChannelFormatKindSigned);
    EXPECT_EQ(cudaCreateChannelDesc<float2>().y, 32);
    EXPECT_EQ(cudaCreateChannelDesc<float2>().z, 0);
    EXPECT_EQ(cudaCreateChannelDesc<short1>().x, 16);
    EXPECT_EQ(cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat).f,
              cudaChannelFormatKindFloat);
}

TEST_F(TextureTest, CopiesOfArrays) {
    const cudaArray_t array = make_array(8, 4);
    const std::vector<int> values = numbers(32);
    ASSERT_EQ(cudaMemcpyToArray(array, 0, 0, values.data(), 128, cudaMemcpyHostToDevice),
              cudaSuccess);
    EXPECT_EQ(read(array, 8, 4), values);
    // Two columns and rows in the middle.
    const int patch[4] = {100, 101, 102, 103};
    ASSERT_EQ(cudaMemcpy2DToArray(array, 12, 1, patch, 8, 8, 2, cudaMemcpyHostToDevice),
              cudaSuccess);
    std::vector<int> expected = values;
    expected[11] = 100;
    expected[12] = 101;
    expected[19] = 102;
    expected[20] = 103;
    EXPECT_EQ(read(array, 8, 4), expected);
    const cudaArray_t other = make_array(8, 4);
    ASSERT_EQ(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, 32, 4), cudaSuccess);
    EXPECT_EQ(read(other, 8, 4), expected);
    int part[3] = {};
    ASSERT_EQ(cudaMemcpyFromArray(part, other, 28, 0, 12, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(part[0], 7);
    EXPECT_EQ(part[2], 9);  // on the next row
    EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
    EXPECT_EQ(cudaFreeArray(other), cudaSuccess);
}

TEST_F(TextureTest, CopiesOutsideOfAnArrayAreRefused) {
    const cudaArray_t array = make_array(8, 4);
    std::vector<int> values(64);
    cudaError_t error = cudaSuccess;
    const std::string message = messages_of([&] {
        error = cudaMemcpy2DToArray(array, 4, 0, values.data(), 32, 32, 4, cudaMemcpyHostToDevice);
    });
    EXPECT_EQ(error, cudaErrorInvalidValue);
    EXPECT_TRUE(contains(message, "do not lie in the array of 32 bytes x 4 x 1"));
    EXPECT_EQ(cudaMemcpyToArray(array, 0, 2, values.data(), 100, cudaMemcpyHostToDevice),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
    messages_of([&] { error = cudaFreeArray(array); });
    EXPECT_EQ(error, cudaErrorInvalidValue);
}

TEST_F(TextureTest, CopiesInThreeDimensions) {
    const cudaExtent extent = make_cudaExtent(4, 3, 2);
    cudaPitchedPtr memory = {};
    ASSERT_EQ(cudaMalloc3D(&memory, make_cudaExtent(16, 3, 2)), cudaSuccess);
    EXPECT_EQ(memory.xsize, 16u);
    EXPECT_EQ(memory.ysize, 3u);
    EXPECT_GE(memory.pitch, 16u);
    ASSERT_EQ(cudaMemset3D(memory, 0, make_cudaExtent(16, 3, 2)), cudaSuccess);
    const std::vector<int> values = numbers(24);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<int*>(values.data()), 16, 4, 3);
    copy.dstPtr = memory;
    copy.extent = make_cudaExtent(16, 3, 2);  // bytes: no array takes part
    copy.kind = cudaMemcpyHostToDevice;
    ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array = nullptr;
    ASSERT_EQ(cudaMalloc3DArray(&array, &format, extent), cudaSuccess);
    copy = {};
    copy.srcPtr = memory;
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToDevice;
    ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
    // One element of the second slice.
    int element = -1;
    copy = {};
    copy.srcArray = array;
    copy.srcPos = make_cudaPos(2, 1, 1);
    copy.dstPtr = make_cudaPitchedPtr(&element, 4, 1, 1);
    copy.extent = make_cudaExtent(1, 1, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
    EXPECT_EQ(element, 12 + 4 + 2);
    cudaExtent size = {};
    cudaChannelFormatDesc found = {};
    unsigned flags = 1;
    ASSERT_EQ(cudaArrayGetInfo(&found, &size, &flags, array), cudaSuccess);
    EXPECT_EQ(size.depth, 2u);
    EXPECT_EQ(found.x, 32);
    EXPECT_EQ(flags, 0u);
    EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
    EXPECT_EQ(cudaFree(memory.ptr), cudaSuccess);
}

TEST_F(TextureTest, ArraysThatCannotBe) {
    const auto refused = [](cudaChannelFormatDesc format, cudaExtent extent, unsigned flags) {
        cudaArray_t array = nullptr;
        cudaError_t error = cudaSuccess;
        messages_of([&] { error = cudaMalloc3DArray(&array, &format, extent, flags); });
        return error;
    };
    const cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
    EXPECT_EQ(refused({32, 32, 32, 0, cudaChannelFormatKindFloat}, {4, 4, 0}, 0),
              cudaErrorInvalidChannelDescriptor);
    EXPECT_EQ(refused(real, {0, 0, 0}, 0), cudaErrorInvalidValue);
    EXPECT_EQ(refused(real, {4, 5, 6}, cudaArrayCubemap), cudaErrorInvalidValue);
    EXPECT_EQ(refused(real, {4, 4, 7}, cudaArrayCubemap | cudaArrayLayered), cudaErrorInvalidValue);
    EXPECT_EQ(refused(real, {1u << 20, 4, 0}, 0), cudaErrorInvalidValue);
    EXPECT_EQ(refused(real, {4, 4, 0}, cudaArraySparse), cudaErrorNotSupported);
}

TEST_F(TextureTest, ObjectsThatCannotBe) {
    const cudaArray_t array = make_array(8, 4);
    const cudaResourceDesc resource = resource_of(array);
    cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;
    description.filterMode = cudaFilterModeLinear;
    cudaError_t error = cudaSuccess;
    const std::string message = messages_of(
        [&] { error = cudaCreateTextureObject(&texture, &resource, &description, nullptr); });
    EXPECT_EQ(error, cudaErrorInvalidFilterSetting);
    EXPECT_TRUE(contains(message, "linear filtering needs floats"));
    cudaSurfaceObject_t surface = 0;
    EXPECT_TRUE(contains(messages_of([&] { error = cudaCreateSurfaceObject(&surface, &resource); }),
                         "cudaArraySurfaceLoadStore"));
    EXPECT_EQ(error, cudaErrorInvalidValue);
    // Linear memory that is not aligned.
    char* memory = nullptr;
    ASSERT_EQ(cudaMalloc(&memory, 2048), cudaSuccess);
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = memory + 4;
    linear.res.linear.desc = cudaCreateChannelDesc<int>();
    linear.res.linear.sizeInBytes = 64;
    description.filterMode = cudaFilterModePoint;
    messages_of([&] { error = cudaCreateTextureObject(&texture, &linear, &description, nullptr); });
    EXPECT_EQ(error, cudaErrorInvalidValue);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
    EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

__global__ void fetch_kernel(cudaTextureObject_t texture, int* out) {
    out[threadIdx.x] = tex2D<int>(texture, static_cast<float>(threadIdx.x), 1.0f);
}

__global__ void fetch_line_kernel(cudaTextureObject_t texture, int* out) {
    tex1D(out, texture, 0.5f);
}

TEST_F(TextureTest, ObjectsAndTheirDescriptions) {
    const cudaArray_t array = make_array(8, 4);
    const std::vector<int> values = numbers(32);
    ASSERT_EQ(cudaMemcpyToArray(array, 0, 0, values.data(), 128, cudaMemcpyHostToDevice),
              cudaSuccess);
    const cudaResourceDesc resource = resource_of(array);
    cudaTextureDesc description = {};
    description.addressMode[0] = cudaAddressModeClamp;
    cudaTextureObject_t texture = 0;
    ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaSuccess);
    cudaTextureDesc found = {};
    EXPECT_EQ(cudaGetTextureObjectTextureDesc(&found, texture), cudaSuccess);
    EXPECT_EQ(found.addressMode[0], cudaAddressModeClamp);
    cudaResourceDesc of = {};
    EXPECT_EQ(cudaGetTextureObjectResourceDesc(&of, texture), cudaSuccess);
    EXPECT_EQ(of.res.array.array, array);
    ManagedArray<int> out(12);
    fetch_kernel<<<1, 12>>>(texture, out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0], 8);
    EXPECT_EQ(out[7], 15);
    EXPECT_EQ(out[11], 15);  // clamped
    EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
    EXPECT_EQ(cudaGetTextureObjectTextureDesc(&found, texture), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

TEST_F(TextureTest, ViewsOfLayersAndFormats) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array = nullptr;
    ASSERT_EQ(cudaMalloc3DArray(&array, &format, make_cudaExtent(8, 4, 0)), cudaSuccess);
    const std::vector<int> values(32, 0x01020304);
    ASSERT_EQ(cudaMemcpyToArray(array, 0, 0, values.data(), 128, cudaMemcpyHostToDevice),
              cudaSuccess);
    const cudaResourceDesc resource = resource_of(array);
    cudaTextureDesc description = {};
    cudaResourceViewDesc view = {};
    view.format = cudaResViewFormatUnsignedChar4;
    view.width = 8;
    view.height = 4;
    cudaTextureObject_t texture = 0;
    ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description, &view), cudaSuccess);
    ManagedArray<int> out(1);
    fetch_kernel<<<1, 1>>>(texture, out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0], 4);  // the lowest byte
    view.format = cudaResViewFormatFloat4;
    cudaError_t error = cudaSuccess;
    messages_of([&] { error = cudaCreateTextureObject(&texture, &resource, &description, &view); });
    EXPECT_EQ(error, cudaErrorInvalidValue);
}

TEST_F(TextureTest, FetchesThatCannotBeEndTheKernel) {
    ManagedArray<int> out(1);
    EXPECT_TRUE(contains(messages_of([&] {
                             fetch_kernel<<<1, 1>>>(12345, out.data());
                             cudaDeviceSynchronize();
                         }),
                         "does not exist or was destroyed"));
    cudaDeviceReset();
    const cudaArray_t array = make_array(8, 4);
    const cudaResourceDesc resource = resource_of(array);
    const cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;
    ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaSuccess);
    EXPECT_TRUE(contains(messages_of([&] {
                             int* d_out = nullptr;
                             cudaMalloc(&d_out, 4);
                             fetch_line_kernel<<<1, 1>>>(texture, d_out);
                             cudaDeviceSynchronize();
                         }),
                         "fetches from a 1D array by a texture object of a 2D array"));
}

TEST_F(TextureTest, MipmappedArrays) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap = nullptr;
    ASSERT_EQ(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(8, 2, 0), 3), cudaSuccess);
    cudaArray_t level = nullptr;
    ASSERT_EQ(cudaGetMipmappedArrayLevel(&level, mipmap, 2), cudaSuccess);
    cudaExtent extent = {};
    ASSERT_EQ(cudaArrayGetInfo(nullptr, &extent, nullptr, level), cudaSuccess);
    EXPECT_EQ(extent.width, 2u);
    EXPECT_EQ(extent.height, 1u);
    EXPECT_EQ(cudaGetMipmappedArrayLevel(&level, mipmap, 3), cudaErrorInvalidValue);
    cudaError_t error = cudaSuccess;
    messages_of([&] { error = cudaFreeArray(level); });
    EXPECT_EQ(error, cudaErrorInvalidValue);
    EXPECT_EQ(cudaFreeMipmappedArray(mipmap), cudaSuccess);
}

}  // namespace
