// SPDX-License-Identifier: MIT
// Pi by Monte Carlo with cuRAND's device functions: states stay in memory between two kernels.
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

__global__ void setup_kernel(curandState* state) {
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    /* Each thread gets same seed, a different sequence number, no offset */
    curand_init(1234, id, 0, &state[id]);
}

__global__ void pi_kernel(curandState* state, int n, unsigned int* inside) {
    __shared__ unsigned int s_inside;
    if (threadIdx.x == 0) s_inside = 0;
    __syncthreads();
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned int count = 0;
    /* Copy state to local memory for efficiency */
    curandState localState = state[id];
    for (int i = 0; i < n; i++) {
        float x = curand_uniform(&localState);
        float y = curand_uniform(&localState);
        if (x * x + y * y <= 1.0f) count++;
    }
    state[id] = localState;
    atomicAdd(&s_inside, count);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(inside, s_inside);
}

// Mean and variance of normal numbers, by the counter-based generator.
__global__ void normal_kernel(unsigned long long seed, int n, double* sums) {
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, id, 0, &state);
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        float2 pair = curand_normal2(&state);
        sum += pair.x + pair.y;
        squares += (double)pair.x * pair.x + (double)pair.y * pair.y;
    }
    atomicAdd(&sums[0], sum);
    atomicAdd(&sums[1], squares);
}

int main() {
    const int threads = 64, blocks = 16, n = 40, total = threads * blocks;
    curandState* devStates;
    unsigned int *d_inside, inside;
    double *d_sums, sums[2];
    CHECK(cudaMalloc((void**)&devStates, total * sizeof(curandState)));
    CHECK(cudaMalloc((void**)&d_inside, sizeof(unsigned int)));
    CHECK(cudaMalloc((void**)&d_sums, sizeof(sums)));
    CHECK(cudaMemset(d_inside, 0, sizeof(unsigned int)));
    CHECK(cudaMemset(d_sums, 0, sizeof(sums)));
    setup_kernel<<<blocks, threads>>>(devStates);
    pi_kernel<<<blocks, threads>>>(devStates, n, d_inside);
    pi_kernel<<<blocks, threads>>>(devStates, n, d_inside);
    normal_kernel<<<blocks, threads>>>(99ULL, n, d_sums);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&inside, d_inside, sizeof(inside), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(sums, d_sums, sizeof(sums), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(devStates));
    CHECK(cudaFree(d_inside));
    CHECK(cudaFree(d_sums));
    // Within four standard deviations each.
    const double samples = 2.0 * n * total, p = std::acos(-1.0) / 4;
    const double z = (inside - samples * p) / std::sqrt(samples * p * (1 - p));
    const double mean = sums[0] / samples, variance = sums[1] / samples;
    const bool right = std::fabs(z) < 4 && std::fabs(mean) * std::sqrt(samples) < 4 &&
                       std::fabs(variance - 1) * std::sqrt(samples / 2) < 4;
    printf("random_pi: %.4f, normal %.4f, %.4f\n", 4 * inside / samples, mean, variance);
    return right ? 0 : 1;
}
