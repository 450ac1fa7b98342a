// SPDX-License-Identifier: MIT
// The devices are numbered from 0.
// says: invalid device ordinal (cudaErrorInvalidDevice)
#include <cuda_runtime.h>

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess) return 1;
    for (int i = 1; i <= devices; ++i) cudaSetDevice(i);  // here: error never read
    return 0;
}
