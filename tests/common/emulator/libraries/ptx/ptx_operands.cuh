// SPDX-License-Identifier: MIT
// What the parts of ptx_vectors.cu share: the operands, and the kernel that applies a function.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kOperands = 1024;

inline void check(cudaError_t error, int line) {
    if (error == cudaSuccess) return;
    std::printf("line %d: %s\n", line, cudaGetErrorName(error));
    std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

struct Operands {
    unsigned a, b, c;
};

// Boundary values, then random bits, many of them small.
inline std::vector<Operands> make_operands() {
    constexpr unsigned kSpecial[] = {0,          1,          0xffffffff, 0x80000000,
                                     0x7fffffff, 0x80008000, 0x7f7f7f7f, 0x80808080,
                                     0xff00ff00, 0x00ff00ff, 0x3fc00000, 0x7fc00000,
                                     0xc2f6e979, 33,         32,         7};
    std::uint64_t state = 43;
    const auto random = [&state] {
        std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<unsigned>((z ^ (z >> 31)) >> 32);
    };
    std::vector<Operands> operands;
    for (const unsigned a : kSpecial) {
        for (const unsigned b : kSpecial) operands.push_back({a, b, random()});
    }
    while (operands.size() < kOperands) {
        Operands next{random(), random(), random()};
        if (random() % 2 == 0) next.b %= 80;
        if (random() % 2 == 0) next.c %= 80;
        if (random() % 4 == 0) next.a >>= random() % 32;
        operands.push_back(next);
    }
    return operands;
}

inline Operands* d_operands = nullptr;
inline unsigned* d_results = nullptr;
