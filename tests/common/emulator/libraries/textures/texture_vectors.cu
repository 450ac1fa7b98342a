// SPDX-License-Identifier: MIT
// Prints what texture fetches and surface accesses give, bit by bit. The file
// data/texture_vectors.txt has the output of an H200 (nvcc -arch=sm_90); the engine prints the
// same. The argument --full prints each fetch instead of a digest per case.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "texture_cases.cuh"

namespace {

bool print_all = false;

void print_case(const std::string& name, const std::vector<Fetch>& fetches,
                const std::vector<uint4>& results) {
    std::uint64_t digest = 0xcbf29ce484222325u;
    for (const uint4& result : results) {
        for (const unsigned word : {result.x, result.y, result.z, result.w}) {
            digest = (digest ^ word) * 0x100000001b3u;
        }
    }
    if (!print_all) {
        std::printf("%s %zu %016llx\n", name.c_str(), results.size(),
                    static_cast<unsigned long long>(digest));
        return;
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Fetch& f = fetches[i];
        std::printf("%s %a %a %a %a %a : %08x %08x %08x %08x\n", name.c_str(), f.x, f.y, f.z,
                    f.level, f.dx, results[i].x, results[i].y, results[i].z, results[i].w);
    }
}

}  // namespace

int main(int argc, char** argv) {
    print_all = argc > 1 && std::strcmp(argv[1], "--full") == 0;
    run_all_cases(print_case);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        std::printf("error %s\n", cudaGetErrorName(error));
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
