// SPDX-License-Identifier: MIT
// printf() in a kernel: each line arrives once and whole; the lines come in any order.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

__global__ void helloCUDA(float f) { printf("Hello thread %d, f=%.2f\n", threadIdx.x, f); }

__global__ void testKernel(int val) {
    printf("[%d, %d]:\t\tValue is:%d %s %#x %5.1e %c %lld%%\n", blockIdx.y * gridDim.x + blockIdx.x,
           threadIdx.z * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x, val,
           "text", 255u, 1234.5, 'x', 1LL << 40);
}

int main() {
    // Standard output goes to a file, which is read below.
    FILE* text = tmpfile();
    if (text == NULL) {
        perror("tmpfile");
        return 1;
    }
    fflush(stdout);
    const int terminal = dup(1);
    dup2(fileno(text), 1);
    helloCUDA<<<1, 5>>>(1.2345f);
    dim3 dimGrid(2, 2), dimBlock(2, 2, 2);
    testKernel<<<dimGrid, dimBlock>>>(10);
    CHECK(cudaDeviceSynchronize());
    fflush(stdout);
    dup2(terminal, 1);

    std::multiset<std::string> lines;
    rewind(text);
    char line[256];
    while (fgets(line, sizeof(line), text) != NULL) lines.insert(line);
    fclose(text);
    bool right = lines.size() == 5 + 32;
    for (int thread = 0; thread < 5; ++thread)
        right &= lines.count("Hello thread " + std::to_string(thread) + ", f=1.23\n") == 1;
    for (int i = 0; i < 32; ++i)
        right &= lines.count("[" + std::to_string(i / 8) + ", " + std::to_string(i % 8) +
                             "]:\t\tValue is:10 text 0xff 1.2e+03 x 1099511627776%\n") == 1;
    printf("device_printf: %zu lines, %s\n", lines.size(), right ? "right" : "wrong");
    return right ? 0 : 1;
}
