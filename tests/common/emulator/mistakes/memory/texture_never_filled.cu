// SPDX-License-Identifier: MIT
// Only the first half of a texture's array is filled.
#include <cuda_runtime.h>

constexpr int kCount = 64;

__global__ void read_kernel(cudaTextureObject_t texture, float* out) {
    const float x = static_cast<float>(threadIdx.x) + 0.5f;
    out[threadIdx.x] = tex1D<float>(texture, x);  // here: uninitialised global memory
}

int main() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const float values[kCount] = {};
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, kCount);
    cudaMemcpy2DToArray(array, 0, 0, values, sizeof values / 2, sizeof values / 2, 1,
                        cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    float* d_out = nullptr;
    cudaMalloc(&d_out, sizeof values);
    read_kernel<<<1, kCount>>>(texture, d_out);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
    cudaFree(d_out);
}
