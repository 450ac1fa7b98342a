// SPDX-License-Identifier: MIT
// The memory is freed by the buffer, too.
// says: cudaErrorInvalidValue
#include <cuda_runtime.h>

struct Buffer {
    int* values = nullptr;
    Buffer() { cudaMalloc(&values, 128); }
    ~Buffer() { cudaFree(values); }  // here: error never read
};

int main() {
    const Buffer buffer;
    cudaFree(buffer.values);
    return 0;
}
