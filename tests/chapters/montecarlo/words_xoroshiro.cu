// SPDX-License-Identifier: MIT
// The words of stage limit/03_xoroshiro, drawn by its own functions. PROGRAM STREAMS [broken].
#define main stage_main
#include "chapters/montecarlo/limit/03_xoroshiro/montecarlo.cu"
#undef main

#include "tests/chapters/montecarlo/words.hpp"

__global__ void write_words_kernel(State* __restrict__ states, const words::Request request,
                                   unsigned int* __restrict__ written) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= request.streams) return;
    unsigned int a = static_cast<unsigned int>(states[thread]), b = states[thread] >> 32;
    for (int place = 0; place < request.places; ++place) {
        written[place * request.streams + thread] = next_word(a, b);
    }
    states[thread] = State{b} << 32 | a;
}

int main(int argc, char** argv) {
    std::uint64_t seed = 1;
    const State first = course::next_splitmix64(seed);
    DeviceBuffer<State> d_states(words::kThreads);
    bool seeded = false;
    return words::write_words(
        argc, argv, 1, [&](const words::Request& request, unsigned int* d_words) {
            if (!seeded) {
                const auto jump = power_of(step_matrix(), request.broken ? 0 : kStreamDistance);
                std::vector<State> h_states = {first};
                while (h_states.size() < words::kThreads) {
                    h_states.push_back(product(jump, h_states.back()));
                }
                cuda_check(cudaMemcpy(d_states.data(), h_states.data(), d_states.bytes(),
                                      cudaMemcpyHostToDevice));
                seeded = true;
            }
            write_words_kernel<<<words::kThreads / kBlockSize, kBlockSize>>>(d_states.data(),
                                                                             request, d_words);
            cuda_check(cudaGetLastError());
        });
}
