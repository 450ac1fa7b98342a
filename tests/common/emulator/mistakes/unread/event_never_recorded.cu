// SPDX-License-Identifier: MIT
// The second event is never recorded: no time has passed until then.
// says: cudaErrorInvalidResourceHandle
#include <cstdio>

int main() {
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);  // here: error never read
    printf("%.3f ms\n", ms);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return 0;
}
