// SPDX-License-Identifier: MIT
// The pitch of the host array is given in elements, not in bytes.
// says: cudaErrorInvalidPitchValue
#include <cuda_runtime.h>

#include <vector>

int main() {
    const int width = 32, height = 4;
    int* d_image;
    size_t pitch;
    if (cudaMallocPitch(&d_image, &pitch, width * sizeof(int), height) != cudaSuccess) return 1;
    std::vector<int> image(width * height);
    cudaMemcpy2D(image.data(), width, d_image, pitch,  // here: error never read
                 width * sizeof(int), height, cudaMemcpyDeviceToHost);
    return cudaFree(d_image);
}
