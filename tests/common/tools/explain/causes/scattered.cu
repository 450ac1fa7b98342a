// SPDX-License-Identifier: MIT
// Each thread takes an element from a place that has nothing to do with its number.
// With CURED: each thread takes its own element.
constexpr int kCount = 8192;

__global__ void gather_kernel(const int* from, int* to) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef CURED
    const unsigned place = (i * 2654435761u >> 16) % kCount;
#else
    const unsigned place = i;
#endif
    to[i] = from[place];
}

int main() {
    int *from = nullptr, *to = nullptr;
    cudaMalloc(&from, kCount * sizeof(int));
    cudaMalloc(&to, kCount * sizeof(int));
    cudaMemset(from, 0, kCount * sizeof(int));
    gather_kernel<<<kCount / 256, 256>>>(from, to);
    cudaDeviceSynchronize();
    cudaFree(from);
    cudaFree(to);
}
