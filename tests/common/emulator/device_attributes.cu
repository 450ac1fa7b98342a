// SPDX-License-Identifier: MIT
// Prints every attribute of device 0 as {number, value}. An H200 wrote
// tests/common/emulator/data/device_attributes.txt with this program.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
    for (int number = 1; number < 200; ++number) {
        int value = 0;
        const auto attribute = static_cast<cudaDeviceAttr>(number);
        if (cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess) {
            std::printf("{%d, %d},\n", number, value);
        }
        cudaGetLastError();
    }
}
