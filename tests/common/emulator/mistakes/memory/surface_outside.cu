// SPDX-License-Identifier: MIT
// A surface access outside of its array: the default boundary mode ends the kernel. Here y is too
// large by one in the last block.
#include <cuda_runtime.h>

constexpr int kWidth = 32;
constexpr int kHeight = 8;

__global__ void fill_kernel(cudaSurfaceObject_t surface) {
    const int x = static_cast<int>(threadIdx.x);
    const int y = static_cast<int>(blockIdx.x) + 1;
    surf2Dwrite(1.0f, surface, x * static_cast<int>(sizeof(float)), y);  // here: texture
}

int main() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, kWidth, kHeight, cudaArraySurfaceLoadStore);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface = 0;
    cudaCreateSurfaceObject(&surface, &resource);
    fill_kernel<<<kHeight, kWidth>>>(surface);
    cudaDeviceSynchronize();
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
}
