// SPDX-License-Identifier: MIT
// Histogram of bytes: atomics in global memory, one copy per block in shared memory, and a
// round-robin with atomicInc().
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

#define BINS 256

__global__ void histo_global(const unsigned char* buffer, long size, unsigned int* histo) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int stride = blockDim.x * gridDim.x;
    while (i < size) {
        atomicAdd(&histo[buffer[i]], 1);
        i += stride;
    }
}

__global__ void histo_shared(const unsigned char* buffer, long size, unsigned int* histo) {
    __shared__ unsigned int temp[BINS];
    temp[threadIdx.x] = 0;
    __syncthreads();
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int offset = blockDim.x * gridDim.x;
    while (i < size) {
        atomicAdd(&temp[buffer[i]], 1);
        i += offset;
    }
    __syncthreads();
    atomicAdd(&(histo[threadIdx.x]), temp[threadIdx.x]);
}

// Four bytes per load. Each warp has its own histogram.
__global__ void histo_words(const uchar4* words, int count, unsigned int* histo) {
    __shared__ unsigned int s_warps[4][BINS];
    unsigned int* mine = s_warps[threadIdx.x / 32];
    for (int bin = threadIdx.x % 32; bin < BINS; bin += 32) mine[bin] = 0;
    __syncwarp();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
        uchar4 word = words[i];
        atomicAdd(mine + word.x, 1u);
        atomicAdd(mine + word.y, 1u);
        atomicAdd(mine + word.z, 1u);
        atomicAdd(mine + word.w, 1u);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        unsigned int sum = 0;
        for (int warp = 0; warp < 4; ++warp) sum += s_warps[warp][bin];
        if (sum != 0) atomicAdd(&histo[bin], sum);
    }
}

// Hands out places 0, 1, …, slots - 1, 0, 1, …
__global__ void round_robin(unsigned int* turn, unsigned int* taken, unsigned int slots) {
    unsigned int slot = atomicInc(turn, slots - 1);
    atomicAdd(&taken[slot], 1u);
}

int compare(const char* name, unsigned int* d_histo, const std::vector<unsigned int>& expected) {
    std::vector<unsigned int> histo(expected.size());
    const size_t bytes = histo.size() * sizeof(unsigned int);
    CHECK(cudaMemcpy(histo.data(), d_histo, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(d_histo, 0, bytes));
    int wrong = 0;
    for (size_t i = 0; i < histo.size(); ++i) wrong += histo[i] != expected[i];
    printf("histogram %s: %d bins wrong\n", name, wrong);
    return wrong;
}

int main(void) {
    const int size = 40000;
    std::vector<unsigned char> buffer(size);
    std::vector<unsigned int> expected(BINS, 0);
    for (unsigned char& value : buffer) {
        value = (unsigned char)(rand() % 16 * (rand() % 16));
        expected[value]++;
    }
    unsigned char* dev_buffer;
    unsigned int *dev_histo, *dev_turn;
    CHECK(cudaMalloc((void**)&dev_buffer, size));
    CHECK(cudaMemcpy(dev_buffer, buffer.data(), size, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc((void**)&dev_histo, BINS * sizeof(unsigned int)));
    CHECK(cudaMemset(dev_histo, 0, BINS * sizeof(unsigned int)));
    CHECK(cudaMalloc((void**)&dev_turn, sizeof(unsigned int)));
    CHECK(cudaMemset(dev_turn, 0, sizeof(unsigned int)));

    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    int blocks = prop.multiProcessorCount < 8 ? prop.multiProcessorCount : 8;
    histo_global<<<blocks * 2, 256>>>(dev_buffer, size, dev_histo);
    int wrong = compare("global", dev_histo, expected);
    histo_shared<<<blocks * 2, 256>>>(dev_buffer, size, dev_histo);
    wrong += compare("shared", dev_histo, expected);
    histo_words<<<blocks, 128>>>((const uchar4*)dev_buffer, size / 4, dev_histo);
    wrong += compare("words", dev_histo, expected);
    round_robin<<<7, 50>>>(dev_turn, dev_histo, 10);
    wrong += compare("round robin", dev_histo, std::vector<unsigned int>(10, 35));
    cudaFree(dev_turn);
    cudaFree(dev_histo);
    cudaFree(dev_buffer);
    return wrong == 0 ? 0 : 1;
}
