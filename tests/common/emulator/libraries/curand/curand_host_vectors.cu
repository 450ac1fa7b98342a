// SPDX-License-Identifier: MIT
// Writes the results of cuRAND's host API that the CPU engine is compared with:
//
//     nvcc -std=c++20 -arch=sm_90 curand_host_vectors.cu -lcurand -o curand_host_vectors
//     ./curand_host_vectors device > ../../data/curand_device_generators.txt
//     ./curand_host_vectors host > ../../data/curand_host_generators.txt
//
// The first needs a GPU, the second only the toolkit. Names of generators after that leave out all
// others.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "curand_host_cases.hpp"

int main(int argc, char** argv) {
    const bool on_device = argc > 1 && std::strcmp(argv[1], "device") == 0;
    if (!on_device && (argc < 2 || std::strcmp(argv[1], "host") != 0)) {
        std::fprintf(stderr, "usage: curand_host_vectors device|host [GENERATOR]...\n");
        return 2;
    }
    for (const curand_host::Case& c : curand_host::all_cases(on_device)) {
        const auto is_name = [&](const char* name) {
            return std::strcmp(name, curand_host::name_of(c.type)) == 0;
        };
        if (argc > 2 && std::none_of(argv + 2, argv + argc, is_name)) continue;
        std::fputs(curand_host::line_of(c).c_str(), stdout);
    }
    return std::ferror(stdout) != 0;
}
