// SPDX-License-Identifier: MIT
// The words of cuRAND's XORWOW, as the stages up to limit/02 draw them, or of its Philox
// (-DPHILOX). PROGRAM STREAMS [broken].
#include <curand_kernel.h>

#include "tests/chapters/montecarlo/words.hpp"

#ifdef PHILOX
using State = curandStatePhilox4_32_10_t;
#else
using State = curandState;
#endif
constexpr int kBlockSize = 256;

__global__ void seed_kernel(State* __restrict__ states, bool broken) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(1, broken ? 0 : thread, 0, &states[thread]);
}

__global__ void write_words_kernel(State* __restrict__ states, const words::Request request,
                                   unsigned int* __restrict__ written) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= request.streams) return;
    State state = states[thread];
    for (int place = 0; place < request.places; ++place) {
        written[place * request.streams + thread] = curand(&state);
    }
    states[thread] = state;
}

int main(int argc, char** argv) {
    course::DeviceBuffer<State> d_states(words::kThreads);
    bool seeded = false;
    return words::write_words(
        argc, argv, 1, [&](const words::Request& request, unsigned int* d_words) {
            constexpr int kBlocks = words::kThreads / kBlockSize;
            if (!seeded) {
                seed_kernel<<<kBlocks, kBlockSize>>>(d_states.data(), request.broken);
                course::cuda_check(cudaGetLastError());
                seeded = true;
            }
            write_words_kernel<<<kBlocks, kBlockSize>>>(d_states.data(), request, d_words);
            course::cuda_check(cudaGetLastError());
        });
}
