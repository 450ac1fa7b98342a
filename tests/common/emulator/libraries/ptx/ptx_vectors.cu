// SPDX-License-Identifier: MIT
// Prints a digest of each PTX instruction over the same operands. The file data/ptx_vectors.txt has
// the output of an H200 (nvcc -arch=sm_90a); the engine prints the same. The argument --full prints
// results too.
#include <cstring>

#include "ptx_operands.cuh"
#include "ptx_part1.cuh"
#include "ptx_part2.cuh"
#include "ptx_part3.cuh"

__global__ void apply_kernel(const Operands* operands, unsigned* results, int part, int which) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const unsigned a = operands[i].a;
    const unsigned b = operands[i].b;
    const unsigned c = operands[i].c;
    results[i] = part == 1   ? part_1(which, a, b, c)
                 : part == 2 ? part_2(which, a, b, c)
                             : part_3(which, a, b, c);
}

int main(int argc, char** argv) {
    const bool print_all = argc > 1 && std::strcmp(argv[1], "--full") == 0;
    const std::vector<Operands> operands = make_operands();
    Operands* d_operands = nullptr;
    unsigned* d_results = nullptr;
    CHECK(cudaMalloc(&d_operands, kOperands * sizeof(Operands)));
    CHECK(cudaMalloc(&d_results, kOperands * sizeof(unsigned)));
    CHECK(cudaMemcpy(d_operands, operands.data(), kOperands * sizeof(Operands),
                     cudaMemcpyHostToDevice));
    const int cases[] = {kCases1, kCases2, kCases3};
    for (int part = 1; part <= 3; ++part) {
        for (int which = 0; which < cases[part - 1]; ++which) {
            apply_kernel<<<kOperands / 128, 128>>>(d_operands, d_results, part, which);
            CHECK(cudaGetLastError());
            std::vector<unsigned> results(kOperands);
            CHECK(cudaMemcpy(results.data(), d_results, kOperands * sizeof(unsigned),
                             cudaMemcpyDeviceToHost));
            std::uint64_t digest = 0xcbf29ce484222325u;
            for (const unsigned result : results) digest = (digest ^ result) * 0x100000001b3u;
            std::printf("part %d case %d %016llx", part, which,
                        static_cast<unsigned long long>(digest));
            for (std::size_t i = 0; print_all && i < results.size(); i += 4) {
                std::printf(" %08x", results[i]);
            }
            std::printf("\n");
        }
    }
    CHECK(cudaFree(d_operands));
    CHECK(cudaFree(d_results));
    return EXIT_SUCCESS;
}
