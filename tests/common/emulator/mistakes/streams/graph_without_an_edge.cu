// SPDX-License-Identifier: MIT
// A graph that fills an array and sums it. Mistake: no edge from the node that fills to the node
// that sums. The launch happens to run them in the order of their creation.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void fill_kernel(float* values) {
    values[threadIdx.x] = 1.0f;  // here: race between streams
}

__global__ void sum_kernel(const float* values, float* sum) {
    float total = 0;
    for (int i = 0; i < 256; ++i) total += values[i];
    *sum = total;
}

int main() {
    float *values, *sum;
    cudaMalloc(&values, 256 * sizeof(float));
    cudaMemset(values, 0, 256 * sizeof(float));
    cudaMallocManaged(&sum, sizeof(float));
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t fill, add;
    void* fill_arguments[] = {&values};
    cudaKernelNodeParams parameters = {};
    parameters.func = (void*)fill_kernel;
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(256);
    parameters.kernelParams = fill_arguments;
    cudaGraphAddKernelNode(&fill, graph, nullptr, 0, &parameters);
    void* sum_arguments[] = {&values, &sum};
    parameters.func = (void*)sum_kernel;
    parameters.blockDim = dim3(1);
    parameters.kernelParams = sum_arguments;
    cudaGraphAddKernelNode(&add, graph, nullptr, 0, &parameters);
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, nullptr);
    cudaDeviceSynchronize();
    std::printf("%g\n", *sum);
    return 0;
}
