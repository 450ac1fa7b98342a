// SPDX-License-Identifier: MIT
// Writes the vector file that the CPU engine's cuRAND is compared with:
//
//     nvcc -std=c++20 -arch=sm_90 curand_vectors.cu -o curand_vectors
//     ./curand_vectors > ../../data/curand_vectors.txt
//
// Run it on a GPU: the file then holds what NVIDIA's generators give there.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "curand_draws_text.hpp"

using curand_draws::Case;
using curand_draws::Draws;

__global__ void draw_kernel(const Case* cases, int count, Draws* draws) {
    const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (index < count) curand_draws::draw(cases[index], &draws[index]);
}

static void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "curand_vectors: %s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

int main() {
    constexpr int kCount = curand_draws::kCaseCount;
    constexpr int kBlockSize = 64;
    std::vector<Case> cases;
    for (int i = 0; i < kCount; ++i) cases.push_back(curand_draws::case_at(i));

    Case* d_cases = nullptr;
    Draws* d_draws = nullptr;
    check(cudaMalloc(&d_cases, kCount * sizeof(Case)), "cudaMalloc");
    check(cudaMalloc(&d_draws, kCount * sizeof(Draws)), "cudaMalloc");
    check(cudaMemcpy(d_cases, cases.data(), kCount * sizeof(Case), cudaMemcpyHostToDevice),
          "copy of the cases");
    draw_kernel<<<(kCount + kBlockSize - 1) / kBlockSize, kBlockSize>>>(d_cases, kCount, d_draws);
    check(cudaGetLastError(), "launch");
    std::vector<Draws> draws(kCount);
    check(cudaMemcpy(draws.data(), d_draws, kCount * sizeof(Draws), cudaMemcpyDeviceToHost),
          "copy of the draws");
    check(cudaFree(d_cases), "cudaFree");
    check(cudaFree(d_draws), "cudaFree");

    std::string text;
    for (int i = 0; i < kCount; ++i) text += to_text(cases[i], draws[i]);
    std::fputs(text.c_str(), stdout);
    return std::ferror(stdout) != 0;
}
