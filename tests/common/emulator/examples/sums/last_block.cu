// SPDX-License-Identifier: MIT
// One kernel for a sum of any length: the block that finishes last adds up the results of all
// blocks in global memory (threadFenceReduction), with a __device__ counter that resets itself.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

__device__ unsigned int retirementCount = 0;

__device__ float block_sum(float value, float* sdata) {
    sdata[threadIdx.x] = value;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) sdata[threadIdx.x] += sdata[threadIdx.x + s];
        __syncthreads();
    }
    float sum = sdata[0];
    __syncthreads();
    return sum;
}

__global__ void reduceSinglePass(const float* g_idata, float* g_odata, unsigned int n) {
    extern __shared__ float smem[];
    __shared__ bool amLast;
    float sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += g_idata[i];
    sum = block_sum(sum, smem);
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
        // wait until all outstanding memory instructions in this thread are finished
        __threadfence();
        unsigned int ticket = atomicInc(&retirementCount, gridDim.x);
        amLast = (ticket == gridDim.x - 1);
    }
    __syncthreads();
    if (amLast) {
        __threadfence();
        sum = 0;
        for (unsigned int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += g_odata[i];
        sum = block_sum(sum, smem);
        if (threadIdx.x == 0) {
            g_odata[0] = sum;
            retirementCount = 0;  // so that next run succeeds
        }
    }
}

int main() {
    int wrong = 0;
    for (unsigned int n : {1u, 1000u, 10000u}) {
        std::vector<float> values(n);
        double expected = 0;
        for (float& value : values) expected += value = (float)(rand() % 64);
        float *d_in, *d_out, sum;
        CHECK(cudaMalloc(&d_in, n * sizeof(float)));
        CHECK(cudaMalloc(&d_out, 16 * sizeof(float)));
        CHECK(cudaMemcpy(d_in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        for (int repeat = 0; repeat < 2; ++repeat) {
            reduceSinglePass<<<16, 128, 128 * sizeof(float)>>>(d_in, d_out, n);
            CHECK(cudaMemcpy(&sum, d_out, sizeof(float), cudaMemcpyDeviceToHost));
            wrong += !(sum == expected);
        }
        CHECK(cudaFree(d_in));
        CHECK(cudaFree(d_out));
    }
    unsigned int count = 1;
    CHECK(cudaMemcpyFromSymbol(&count, retirementCount, sizeof(count)));
    printf("last_block: %d wrong\n", wrong);
    return wrong == 0 && count == 0 ? 0 : 1;
}
