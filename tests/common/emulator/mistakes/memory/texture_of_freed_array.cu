// SPDX-License-Identifier: MIT
// The array of a texture object is freed before the last kernel that fetches from it.
#include <cuda_runtime.h>

constexpr int kCount = 64;

__global__ void read_kernel(cudaTextureObject_t texture, float* out) {
    const int i = static_cast<int>(threadIdx.x);
    out[i] = tex1D<float>(texture, static_cast<float>(i) + 0.5f);  // here: use after free
}

int main() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const float values[kCount] = {};
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, kCount);
    cudaMemcpy2DToArray(array, 0, 0, values, sizeof values, sizeof values, 1,
                        cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    float* d_out = nullptr;
    cudaMalloc(&d_out, sizeof values);
    cudaFreeArray(array);
    read_kernel<<<1, kCount>>>(texture, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
}
