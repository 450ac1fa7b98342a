// SPDX-License-Identifier: MIT
// Threads read elements of a surface that other threads of the block write, without a barrier.
#include <cuda_runtime.h>

constexpr int kCount = 128;

__global__ void reverse_kernel(cudaSurfaceObject_t surface, float* out) {
    const int i = static_cast<int>(threadIdx.x);
    const int bytes = static_cast<int>(sizeof(float));
    surf1Dwrite(static_cast<float>(i), surface, i * bytes);  // here: race
    out[i] = surf1Dread<float>(surface, (kCount - 1 - i) * bytes);
}

int main() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, kCount, 0, cudaArraySurfaceLoadStore);
    const float zeros[kCount] = {};
    cudaMemcpy2DToArray(array, 0, 0, zeros, sizeof zeros, sizeof zeros, 1, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface = 0;
    cudaCreateSurfaceObject(&surface, &resource);
    float* d_out = nullptr;
    cudaMalloc(&d_out, kCount * sizeof(float));
    reverse_kernel<<<1, kCount>>>(surface, d_out);
    cudaDeviceSynchronize();
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    cudaFree(d_out);
}
