// SPDX-License-Identifier: MIT
// Uniform, normal and log-normal numbers from the states of cuRAND's device API.
//
// The pseudorandom generators make normal numbers by the Box-Muller transform. MTGP32 and the
// Sobol' sequences make them by the inverse distribution function, one from each draw.
#pragma once

#include <cmath>
#include <concepts>

#include "conversions.hpp"
#include "mrg32k3a.hpp"
#include "mtgp32.hpp"
#include "philox.hpp"
#include "sobol.hpp"
#include "xorwow.hpp"

namespace emulator {

template <class State>
concept BoxMullerGenerator = std::same_as<State, curandStateXORWOW> ||
    std::same_as<State, curandStatePhilox4_32_10> || std::same_as<State, curandStateMRG32k3a>;
template <class State>
concept InversionGenerator = std::same_as<State, curandStateMtgp32> || SobolState<State>;
template <class State>
concept CurandState = BoxMullerGenerator<State> || InversionGenerator<State>;

template <class Real>
Real log_normal(Real normal, Real mean, Real deviation) {
    return std::exp(std::fma(deviation, normal, mean));
}
inline float2 log_normal(float2 normal, float mean, float deviation) {
    return make_float2(log_normal(normal.x, mean, deviation),
                       log_normal(normal.y, mean, deviation));
}
inline double2 log_normal(double2 normal, double mean, double deviation) {
    return make_double2(log_normal(normal.x, mean, deviation),
                        log_normal(normal.y, mean, deviation));
}

}  // namespace emulator

// ---- uniform reals in (0, 1] ----
template <emulator::CurandState State>
float curand_uniform(State* state) {
    return emulator::to_uniform(curand(state));
}
inline float curand_uniform(curandStateMRG32k3a* state) {
    return static_cast<float>(emulator::mrg_uniform(state));
}
inline float4 curand_uniform4(curandStatePhilox4_32_10* state) {
    const uint4 bits = curand4(state);
    return make_float4(emulator::to_uniform(bits.x), emulator::to_uniform(bits.y),
                       emulator::to_uniform(bits.z), emulator::to_uniform(bits.w));
}
// One draw, so 32 random bits; all 53 bits come from Sobol' states of 64 bits only.
template <emulator::CurandState State>
double curand_uniform_double(State* state) {
    return emulator::to_uniform_double(curand(state));
}
inline double curand_uniform_double(curandStateXORWOW* state) {
    const unsigned int low = curand(state);
    const unsigned int high = curand(state);
    return emulator::to_uniform_double(low, high);
}
inline double curand_uniform_double(curandStateMRG32k3a* state) {
    return emulator::mrg_uniform(state);
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
    const uint4 bits = curand4(state);
    return make_double2(emulator::to_uniform_double(bits.x, bits.y),
                        emulator::to_uniform_double(bits.z, bits.w));
}
inline double4 curand_uniform4_double(curandStatePhilox4_32_10* state) {
    const double2 first = curand_uniform2_double(state);
    const double2 second = curand_uniform2_double(state);
    return make_double4(first.x, first.y, second.x, second.y);
}

// ---- pairs of normal reals ----
template <emulator::BoxMullerGenerator State>
float2 curand_normal2(State* state) {
    const unsigned int radius_bits = curand(state);
    const unsigned int angle_bits = curand(state);
    return emulator::box_muller(radius_bits, angle_bits);
}
inline float2 curand_normal2(curandStateMRG32k3a* state) {
    const float uniform = curand_uniform(state);
    return emulator::box_muller(uniform, curand_uniform(state) * emulator::kTwoPi);
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
inline double2 curand_normal2_double(curandStateMRG32k3a* state) {
    const double uniform = emulator::mrg_uniform(state);
    return emulator::box_muller_half_turns(uniform, 2.0 * emulator::mrg_uniform(state));
}
inline double4 curand_normal4_double(curandStatePhilox4_32_10* state) {
    const double2 first = curand_normal2_double(state);
    const double2 second = curand_normal2_double(state);
    return make_double4(first.x, first.y, second.x, second.y);
}

// ---- single normal reals ----
// Two calls share one Box-Muller transform: the second value waits in the state.
template <emulator::BoxMullerGenerator State>
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
template <emulator::InversionGenerator State>
float curand_normal(State* state) {
    return emulator::to_normal(curand(state));
}
template <emulator::BoxMullerGenerator State>
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
template <emulator::InversionGenerator State>
double curand_normal_double(State* state) {
    return emulator::to_normal_double(curand(state));
}

// ---- log-normal reals: exp(mean + deviation * normal) ----
template <emulator::BoxMullerGenerator State>
float2 curand_log_normal2(State* state, float mean, float deviation) {
    return emulator::log_normal(curand_normal2(state), mean, deviation);
}
inline float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean, float deviation) {
    const float2 first = curand_log_normal2(state, mean, deviation);
    const float2 second = curand_log_normal2(state, mean, deviation);
    return make_float4(first.x, first.y, second.x, second.y);
}
template <emulator::BoxMullerGenerator State>
double2 curand_log_normal2_double(State* state, double mean, double deviation) {
    return emulator::log_normal(curand_normal2_double(state), mean, deviation);
}
inline double4 curand_log_normal4_double(curandStatePhilox4_32_10* state, double mean,
                                         double deviation) {
    const double2 first = curand_log_normal2_double(state, mean, deviation);
    const double2 second = curand_log_normal2_double(state, mean, deviation);
    return make_double4(first.x, first.y, second.x, second.y);
}
template <emulator::BoxMullerGenerator State>
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
template <emulator::InversionGenerator State>
float curand_log_normal(State* state, float mean, float deviation) {
    return emulator::log_normal(curand_normal(state), mean, deviation);
}
template <emulator::BoxMullerGenerator State>
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
template <emulator::InversionGenerator State>
double curand_log_normal_double(State* state, double mean, double deviation) {
    return emulator::log_normal(curand_normal_double(state), mean, deviation);
}
