// SPDX-License-Identifier: MIT
// The words of stage limit/04_four_tap, drawn by its own functions. PROGRAM STREAMS [broken].
#define main stage_main
#include "chapters/montecarlo/limit/04_four_tap/montecarlo.cu"
#undef main

#include "tests/chapters/montecarlo/words.hpp"

__global__ void write_words_kernel(unsigned int* __restrict__ states, const words::Request request,
                                   unsigned int* __restrict__ written) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    if (thread >= request.streams) return;
    unsigned int words[kDegree];
    for (int k = 0; k < kDegree; ++k) words[k] = states[k * threads + thread];
    for (int round = 0; round < request.places / kDegree; ++round) {
        for (int k = 0; k < kDegree; ++k) {
            written[(round * kDegree + k) * request.streams + thread] = next_word(words, k);
        }
    }
    for (int k = 0; k < kDegree; ++k) states[k * threads + thread] = words[k];
}

int main(int argc, char** argv) {
    const std::vector<unsigned int> h_base_words = montecarlo::base_words_of(1);
    const std::vector<Polynomial> h_jumps = montecarlo::stream_jumps(words::kThreads);
    const std::vector<Polynomial> h_no_jumps(h_jumps.size(), Polynomial{{1, 0, 0}});
    DeviceBuffer<unsigned int> d_base_words(h_base_words.size());
    DeviceBuffer<unsigned int> d_states(kDegree * words::kThreads);
    DeviceBuffer<Polynomial> d_jumps(h_jumps.size());
    constexpr int kBlocks = words::kThreads / kBlockSize;
    bool seeded = false;
    return words::write_words(
        argc, argv, kDegree, [&](const words::Request& request, unsigned int* d_words) {
            if (!seeded) {
                cuda_check(cudaMemcpy(d_base_words.data(), h_base_words.data(),
                                      d_base_words.bytes(), cudaMemcpyHostToDevice));
                cuda_check(cudaMemcpy(d_jumps.data(),
                                      (request.broken ? h_no_jumps : h_jumps).data(),
                                      d_jumps.bytes(), cudaMemcpyHostToDevice));
                montecarlo::seed_streams_kernel<<<kBlocks, kBlockSize>>>(
                    d_base_words.data(), d_jumps.data(), d_states.data());
                cuda_check(cudaGetLastError());
                seeded = true;
            }
            write_words_kernel<<<kBlocks, kBlockSize>>>(d_states.data(), request, d_words);
            cuda_check(cudaGetLastError());
        });
}
