// SPDX-License-Identifier: MIT
// The product of row and width does not fit into an int.
// says: bytes before allocation 1 (2400000000 bytes); check the index against the size
// says: a 32-bit overflow? Compute large indices in 64 bits, as size_t or long long
#include <cstdio>

__global__ void mark_kernel(char* image, int width, int row) {
    const int pixel = row * width + static_cast<int>(threadIdx.x);
    image[pixel] = 1;  // here: out of bounds
}

int main() {
    const int width = 48000, rows = 50000;
    char* d_image;
    if (cudaMalloc(&d_image, static_cast<size_t>(width) * rows) != cudaSuccess) return 77;
    mark_kernel<<<1, 32>>>(d_image, width, rows - 1);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_image);
    return 0;
}
