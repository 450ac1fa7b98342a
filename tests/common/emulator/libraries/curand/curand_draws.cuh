// SPDX-License-Identifier: MIT
// The draws that the cuRAND vector file records, for each generator and each case. The program that
// writes the file on a GPU and the test that compares the CPU engine with it both include this.
#pragma once

#include <cuda_runtime.h>
#include <curand_kernel.h>

namespace curand_draws {

struct Case {
    unsigned long long seed, subsequence, offset;
};

constexpr unsigned long long kSeeds[] = {
    0ull, 1ull, 42ull, 0xffffffffull, 0x9e3779b97f4a7c15ull, (1ull << 63) + 12345ull, ~0ull,
};
constexpr unsigned long long kSubsequences[] = {
    0ull, 1ull, 2ull, 255ull, 65535ull, 1ull << 20, 1ull << 40, ~0ull,
};
constexpr unsigned long long kOffsets[] = {
    0ull, 1ull, 2ull, 3ull, 4ull, 1001ull, 1ull << 33, ~0ull,
};
constexpr int kSeedCount = sizeof kSeeds / sizeof kSeeds[0];
constexpr int kSubsequenceCount = sizeof kSubsequences / sizeof kSubsequences[0];
constexpr int kOffsetCount = sizeof kOffsets / sizeof kOffsets[0];
constexpr int kCaseCount = kSeedCount * kSubsequenceCount * kOffsetCount;

inline Case case_at(int index) {
    return Case{kSeeds[index / kOffsetCount / kSubsequenceCount],
                kSubsequences[index / kOffsetCount % kSubsequenceCount],
                kOffsets[index % kOffsetCount]};
}

// Reals are recorded for the first three subsequences of each seed only; the integers from which
// they are made are recorded for all. Draws of four at once need every position in Philox' blocks
// of four.
inline bool has_reals(const Case& c) {
    return c.subsequence <= 2 && (c.offset == 0 || c.offset == 3);
}
inline bool has_quadruples(const Case& c) { return c.subsequence <= 2 && c.offset <= 4; }

struct Integers {
    unsigned int draws[4];
    unsigned int after_skipahead[2];  // by seed + 7, after the four draws
    unsigned int after_skipahead_sequence[2];  // by subsequence + 3, after those
};

struct Reals {
    float uniforms[4];
    double uniform_doubles[2];
    float normals[3];  // odd, so that the value waiting in the state counts
    double normal_doubles[3];
    float log_normals[2];
    double log_normal_doubles[2];
    float normal_pair[2];
    double normal_double_pair[2];
};

// Draws that only Philox has: four at once, from a position that is not a multiple of four.
struct Quadruples {
    unsigned int draws[4];
    float uniforms[4];
    double uniform_doubles[2];
    float normals[4];
    unsigned int last;  // the stream's position afterwards
};

template <class State>
__device__ void draw_integers(const Case& c, Integers* result) {
    State state;
    curand_init(c.seed, c.subsequence, c.offset, &state);
    for (unsigned int& draw : result->draws) draw = curand(&state);
    skipahead(c.seed + 7, &state);
    for (unsigned int& draw : result->after_skipahead) draw = curand(&state);
    skipahead_sequence(c.subsequence + 3, &state);
    for (unsigned int& draw : result->after_skipahead_sequence) draw = curand(&state);
}

template <class State>
__device__ void draw_reals(const Case& c, Reals* result) {
    State state;
    curand_init(c.seed, c.subsequence, c.offset, &state);
    for (float& x : result->uniforms) x = curand_uniform(&state);
    for (double& x : result->uniform_doubles) x = curand_uniform_double(&state);
    for (float& x : result->normals) x = curand_normal(&state);
    for (double& x : result->normal_doubles) x = curand_normal_double(&state);
    for (float& x : result->log_normals) x = curand_log_normal(&state, 0.5f, 0.25f);
    for (double& x : result->log_normal_doubles) x = curand_log_normal_double(&state, 0.5, 0.25);
    const float2 pair = curand_normal2(&state);
    result->normal_pair[0] = pair.x;
    result->normal_pair[1] = pair.y;
    const double2 double_pair = curand_normal2_double(&state);
    result->normal_double_pair[0] = double_pair.x;
    result->normal_double_pair[1] = double_pair.y;
}

__device__ inline void draw_quadruples(const Case& c, Quadruples* result) {
    curandStatePhilox4_32_10_t state;
    curand_init(c.seed, c.subsequence, c.offset, &state);
    const uint4 bits = curand4(&state);
    result->draws[0] = bits.x;
    result->draws[1] = bits.y;
    result->draws[2] = bits.z;
    result->draws[3] = bits.w;
    const float4 uniforms = curand_uniform4(&state);
    result->uniforms[0] = uniforms.x;
    result->uniforms[1] = uniforms.y;
    result->uniforms[2] = uniforms.z;
    result->uniforms[3] = uniforms.w;
    const double2 doubles = curand_uniform2_double(&state);
    result->uniform_doubles[0] = doubles.x;
    result->uniform_doubles[1] = doubles.y;
    const float4 normals = curand_normal4(&state);
    result->normals[0] = normals.x;
    result->normals[1] = normals.y;
    result->normals[2] = normals.z;
    result->normals[3] = normals.w;
    result->last = curand(&state);
}

// All that is recorded of a case.
struct Draws {
    Integers xorwow, philox;
    Reals xorwow_reals, philox_reals;
    Quadruples quadruples;
};

__device__ inline void draw(const Case& c, Draws* result) {
    draw_integers<curandStateXORWOW_t>(c, &result->xorwow);
    draw_integers<curandStatePhilox4_32_10_t>(c, &result->philox);
    draw_reals<curandStateXORWOW_t>(c, &result->xorwow_reals);
    draw_reals<curandStatePhilox4_32_10_t>(c, &result->philox_reals);
    draw_quadruples(c, &result->quadruples);
}

}  // namespace curand_draws
