// SPDX-License-Identifier: MIT
// Writes the draws of curand_state_draws.cuh:
//
//     nvcc -std=c++20 -arch=sm_90 curand_state_vectors.cu -lcurand -o curand_state_vectors
//     ./curand_state_vectors > ../../data/curand_states.txt
//
// Run it on a GPU: the file then holds what NVIDIA's generators give there.
#include "curand_state_draws.cuh"

int main() {
    std::fputs(curand_states::all_text().c_str(), stdout);
    return std::ferror(stdout) != 0;
}
