// SPDX-License-Identifier: MIT
// cuRAND's device API for the CPU engine: XORWOW and Philox4x32-10.
//
// Integers and uniform reals are bit-identical to NVIDIA's for the same seed, subsequence and
// offset. Normal reals come from the same integers by the same formula, but the GPU's logarithm,
// sine and cosine differ in the last bits. The states have NVIDIA's sizes and members.
//
// Not available: MRG32k3a, MTGP32, the Sobol sequences, Poisson and discrete distributions.
//
// Sources: XORWOW: G. Marsaglia, "Xorshift RNGs", J. Stat. Software 8(14), 2003, section 3.
// Philox: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC'11. Seeding, jumps and conversions as documented and observed for cuRAND.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <concepts>
#include <cstdint>

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag;
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
    uint4 ctr;
    uint4 output;
    uint2 key;
    unsigned int STATE;
    int boxmuller_flag;
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace emulator {

template <class State>
concept CurandState =
    std::same_as<State, curandStateXORWOW> || std::same_as<State, curandStatePhilox4_32_10>;

// Advances the five words of a XORWOW state by n steps, or by n * 2^67 (curand.cpp).
void skip_xorwow(unsigned int (&words)[5], std::uint64_t n);
void skip_xorwow_sequences(unsigned int (&words)[5], std::uint64_t n);

constexpr unsigned int kXorwowWeylStep = 362437;

// Which of a pair's two values waits in boxmuller_extra: 0 none.
enum BoxMullerExtra { kNoExtra = 0, kNormalExtra = 1, kLogNormalExtra = 2 };

template <CurandState State>
void clear_box_muller(State* state) {
    state->boxmuller_flag = kNoExtra;
    state->boxmuller_flag_double = kNoExtra;
    state->boxmuller_extra = 0.0f;
    state->boxmuller_extra_double = 0.0;
}

// Ten rounds of the Philox bijection on a 128-bit counter.
inline uint4 philox(uint4 counter, uint2 key) {
    constexpr std::uint64_t kMultiplierX = 0xD2511F53;
    constexpr std::uint64_t kMultiplierZ = 0xCD9E8D57;
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product_x = kMultiplierX * counter.x;
        const std::uint64_t product_z = kMultiplierZ * counter.z;
        counter = make_uint4(static_cast<unsigned int>(product_z >> 32) ^ counter.y ^ key.x,
                             static_cast<unsigned int>(product_z),
                             static_cast<unsigned int>(product_x >> 32) ^ counter.w ^ key.y,
                             static_cast<unsigned int>(product_x));
        key.x += 0x9E3779B9u;  // the golden ratio
        key.y += 0xBB67AE85u;  // the square root of 3, minus 1
    }
    return counter;
}

// Adds to the low half of the counter; a carry goes into the high half.
inline void advance_philox(curandStatePhilox4_32_10& state, std::uint64_t n) {
    const std::uint64_t old_low = static_cast<std::uint64_t>(state.ctr.y) << 32 | state.ctr.x;
    const std::uint64_t low = old_low + n;
    state.ctr.x = static_cast<unsigned int>(low);
    state.ctr.y = static_cast<unsigned int>(low >> 32);
    if (low < old_low && ++state.ctr.z == 0) ++state.ctr.w;
    state.output = philox(state.ctr, state.key);
}

inline float to_uniform(unsigned int bits) {
    constexpr float kUnit = 0x1p-32f;
    return static_cast<float>(bits) * kUnit + kUnit / 2;
}

inline double to_uniform_double(unsigned int bits) { return bits * 0x1p-32 + 0x1p-32; }

// 53 bits of two integers, in units of 2^-53 and from half a unit.
inline double to_uniform_double(unsigned int low, unsigned int high) {
    const std::uint64_t bits = low ^ static_cast<std::uint64_t>(high) << (53 - 32);
    return static_cast<double>(bits) * 0x1p-53 + 0x1p-54;
}

inline float2 box_muller(unsigned int radius_bits, unsigned int angle_bits) {
    constexpr float kAngleUnit = 0x1p-32f * 6.2831855f;
    const float radius = std::sqrt(-2.0f * std::log(to_uniform(radius_bits)));
    const float angle = std::fma(static_cast<float>(angle_bits), kAngleUnit, kAngleUnit / 2);
    return make_float2(std::sin(angle) * radius, std::cos(angle) * radius);
}

inline double2 box_muller_double(uint4 bits) {
    const double radius = std::sqrt(-2.0 * std::log(to_uniform_double(bits.x, bits.y)));
    const double half_turns = 2.0 * to_uniform_double(bits.z, bits.w);
    return make_double2(sinpi(half_turns) * radius, cospi(half_turns) * radius);
}

}  // namespace emulator

// ---- XORWOW ----
// Advances the state by n draws, or by n subsequences of 2^67 draws.
inline void skipahead(unsigned long long n, curandStateXORWOW* state) {
    emulator::skip_xorwow(state->v, n);
    state->d += emulator::kXorwowWeylStep * static_cast<unsigned int>(n);
}
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW* state) {
    emulator::skip_xorwow_sequences(state->v, n);  // d would wrap a whole number of times
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateXORWOW* state) {
    const unsigned int low = 1099087573u * (static_cast<unsigned int>(seed) ^ 0xaad26b49u);
    const unsigned int high = 2591861531u * (static_cast<unsigned int>(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + high + low;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    emulator::clear_box_muller(state);
}
inline unsigned int curand(curandStateXORWOW* state) {
    const unsigned int t = state->v[0] ^ state->v[0] >> 2;
    const unsigned int last = state->v[4];
    state->v[0] = state->v[1];
    state->v[1] = state->v[2];
    state->v[2] = state->v[3];
    state->v[3] = last;
    state->v[4] = last ^ last << 4 ^ t ^ t << 1;
    state->d += emulator::kXorwowWeylStep;
    return state->v[4] + state->d;
}

// ---- Philox4x32-10 ----
inline void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
    const unsigned int position = state->STATE + static_cast<unsigned int>(n & 3);
    state->STATE = position & 3;
    emulator::advance_philox(*state, n / 4 + position / 4);
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) {
    const std::uint64_t high = (static_cast<std::uint64_t>(state->ctr.w) << 32 | state->ctr.z) + n;
    state->ctr.z = static_cast<unsigned int>(high);
    state->ctr.w = static_cast<unsigned int>(high >> 32);
    state->output = emulator::philox(state->ctr, state->key);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStatePhilox4_32_10* state) {
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2(static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32));
    state->STATE = 0;
    emulator::clear_box_muller(state);
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
inline unsigned int curand(curandStatePhilox4_32_10* state) {
    const unsigned int position = state->STATE;
    const unsigned int result = position == 0   ? state->output.x
                                : position == 1 ? state->output.y
                                : position == 2 ? state->output.z
                                                : state->output.w;
    if (position == 3) emulator::advance_philox(*state, 1);
    state->STATE = (position + 1) & 3;
    return result;
}
// The next four draws.
inline uint4 curand4(curandStatePhilox4_32_10* state) {
    const uint4 first = state->output;
    emulator::advance_philox(*state, 1);
    const uint4 second = state->output;
    switch (state->STATE) {
        case 1:
            return make_uint4(first.y, first.z, first.w, second.x);
        case 2:
            return make_uint4(first.z, first.w, second.x, second.y);
        case 3:
            return make_uint4(first.w, second.x, second.y, second.z);
        default:
            return first;
    }
}

// ---- uniform reals in (0, 1] ----
template <emulator::CurandState State>
float curand_uniform(State* state) {
    return emulator::to_uniform(curand(state));
}
inline float4 curand_uniform4(curandStatePhilox4_32_10* state) {
    const uint4 bits = curand4(state);
    return make_float4(emulator::to_uniform(bits.x), emulator::to_uniform(bits.y),
                       emulator::to_uniform(bits.z), emulator::to_uniform(bits.w));
}
inline double curand_uniform_double(curandStateXORWOW* state) {
    const unsigned int low = curand(state);
    const unsigned int high = curand(state);
    return emulator::to_uniform_double(low, high);
}
// One draw only, so 32 random bits.
inline double curand_uniform_double(curandStatePhilox4_32_10* state) {
    return emulator::to_uniform_double(curand(state));
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
    const uint4 bits = curand4(state);
    return make_double2(emulator::to_uniform_double(bits.x, bits.y),
                        emulator::to_uniform_double(bits.z, bits.w));
}

// ---- normal reals, by the Box-Muller transform ----
template <emulator::CurandState State>
float2 curand_normal2(State* state) {
    const unsigned int radius_bits = curand(state);
    const unsigned int angle_bits = curand(state);
    return emulator::box_muller(radius_bits, angle_bits);
}
inline float4 curand_normal4(curandStatePhilox4_32_10* state) {
    const uint4 bits = curand4(state);
    const float2 first = emulator::box_muller(bits.x, bits.y);
    const float2 second = emulator::box_muller(bits.z, bits.w);
    return make_float4(first.x, first.y, second.x, second.y);
}
inline double2 curand_normal2_double(curandStateXORWOW* state) {
    uint4 bits;
    bits.x = curand(state);
    bits.y = curand(state);
    bits.z = curand(state);
    bits.w = curand(state);
    return emulator::box_muller_double(bits);
}
inline double2 curand_normal2_double(curandStatePhilox4_32_10* state) {
    return emulator::box_muller_double(curand4(state));
}
// Two calls share one transform: the second value waits in the state.
template <emulator::CurandState State>
float curand_normal(State* state) {
    if (state->boxmuller_flag == emulator::kNormalExtra) {
        state->boxmuller_flag = emulator::kNoExtra;
        return state->boxmuller_extra;
    }
    const float2 pair = curand_normal2(state);
    state->boxmuller_extra = pair.y;
    state->boxmuller_flag = emulator::kNormalExtra;
    return pair.x;
}
template <emulator::CurandState State>
double curand_normal_double(State* state) {
    if (state->boxmuller_flag_double == emulator::kNormalExtra) {
        state->boxmuller_flag_double = emulator::kNoExtra;
        return state->boxmuller_extra_double;
    }
    const double2 pair = curand_normal2_double(state);
    state->boxmuller_extra_double = pair.y;
    state->boxmuller_flag_double = emulator::kNormalExtra;
    return pair.x;
}

// ---- log-normal reals: exp(mean + deviation * normal) ----
template <emulator::CurandState State>
float2 curand_log_normal2(State* state, float mean, float deviation) {
    const float2 normal = curand_normal2(state);
    return make_float2(std::exp(std::fma(deviation, normal.x, mean)),
                       std::exp(std::fma(deviation, normal.y, mean)));
}
inline float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean, float deviation) {
    const float4 normal = curand_normal4(state);
    return make_float4(std::exp(std::fma(deviation, normal.x, mean)),
                       std::exp(std::fma(deviation, normal.y, mean)),
                       std::exp(std::fma(deviation, normal.z, mean)),
                       std::exp(std::fma(deviation, normal.w, mean)));
}
template <emulator::CurandState State>
double2 curand_log_normal2_double(State* state, double mean, double deviation) {
    const double2 normal = curand_normal2_double(state);
    return make_double2(std::exp(std::fma(deviation, normal.x, mean)),
                        std::exp(std::fma(deviation, normal.y, mean)));
}
template <emulator::CurandState State>
float curand_log_normal(State* state, float mean, float deviation) {
    if (state->boxmuller_flag == emulator::kLogNormalExtra) {
        state->boxmuller_flag = emulator::kNoExtra;
        return state->boxmuller_extra;
    }
    const float2 pair = curand_log_normal2(state, mean, deviation);
    state->boxmuller_extra = pair.y;
    state->boxmuller_flag = emulator::kLogNormalExtra;
    return pair.x;
}
template <emulator::CurandState State>
double curand_log_normal_double(State* state, double mean, double deviation) {
    if (state->boxmuller_flag_double == emulator::kLogNormalExtra) {
        state->boxmuller_flag_double = emulator::kNoExtra;
        return state->boxmuller_extra_double;
    }
    const double2 pair = curand_log_normal2_double(state, mean, deviation);
    state->boxmuller_extra_double = pair.y;
    state->boxmuller_flag_double = emulator::kLogNormalExtra;
    return pair.x;
}
