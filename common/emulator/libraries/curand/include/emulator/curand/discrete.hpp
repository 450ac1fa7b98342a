// SPDX-License-Identifier: MIT
// Poisson and other discrete numbers from the states of cuRAND's device API.
//
// Which method a generator uses, and for which lambda, is cuRAND's choice, as its results show. The
// results are the same but where a rounded logarithm or exponential function decides.
#pragma once

#include <cmath>

#include "draws.hpp"
#include "types.hpp"

// ---- a distribution made by the host: a square histogram, or a normal distribution ----
// Source: G. Marsaglia, W. Tsang, J. Wang, "Fast generation of discrete random variables", J. Stat.
// Software 11(3), 2004, section 4: V has thresholds, K the value above the threshold.
struct curandHistogramM2_st {
    curandHistogramM2V_t V;
    curandHistogramM2V_t host_V;
    curandHistogramM2K_t K;
    curandHistogramM2K_t host_K;
    unsigned int host_gen;
};
struct curandDistributionM2Shift_st {
    curandHistogramM2_t histogram;
    curandHistogramM2_t host_histogram;
    unsigned int shift;
    unsigned int length;
    unsigned int host_gen;
};
struct curandDiscreteDistribution_st {
    curandDiscreteDistribution_t self_host_ptr;
    curandDistributionM2Shift_t M2;
    curandDistributionM2Shift_t host_M2;
    double stddev;
    double mean;
    curandMethod_t method;
    unsigned int host_gen;
};

namespace emulator {

// The integer next to mean + deviation * normal.
inline unsigned int to_count(double normal, double deviation, double mean) {
    return static_cast<unsigned int>(std::trunc(std::fma(deviation, normal, mean) + 0.5));
}

template <class Bits>
unsigned int look_up(Bits bits, const curandDistributionM2Shift_st& table) {
    const double uniform = to_uniform_double(bits);
    const auto column = static_cast<unsigned int>(table.length * uniform);
    return table.shift +
           (uniform < table.histogram->V[column] ? column : table.histogram->K[column]);
}

// Products of uniform numbers until they fall below exp(-lambda).
// Source: D. Knuth, "The Art of Computer Programming", volume 2, section 3.4.1.
template <BoxMullerGenerator State>
unsigned int poisson_by_products(State* state, float lambda) {
    unsigned int count = 0;
    float product = std::exp(lambda) * curand_uniform(state);
    while (product > 1.0f) {
        product *= curand_uniform(state);
        ++count;
    }
    return count;
}

// Inversion: adds probabilities until they exceed a uniform number. For a large lambda,
// exp(-lambda) comes in parts, so that it does not become zero. Source: G. Fishman, "Discrete-event
// simulation: modeling, programming, and analysis", 2001.
unsigned int poisson_by_inversion(double uniform, double lambda);

// Rejection, with two uniform numbers for each trial: a candidate from an approximate inverse of
// the incomplete gamma function, and whether to accept it.
class GammaRejection {
  public:
    explicit GammaRejection(float lambda);
    float candidate(float uniform) const;
    bool accepts(float candidate, float uniform) const;

  private:
    float cumulative(float x) const;
    float lambda_, log_lambda_, slope_, shift_;
};

template <BoxMullerGenerator State>
unsigned int poisson_by_rejection(State* state, float lambda) {
    const GammaRejection rejection(lambda);
    for (;;) {
        const float candidate = rejection.candidate(curand_uniform(state));
        if (rejection.accepts(candidate, curand_uniform(state))) {
            return static_cast<unsigned int>(candidate);
        }
    }
}

constexpr double kProductsBelow = 64;
constexpr double kNormalAbove = 4000;
constexpr double kInversionBelow = 1000;

template <class Bits>
unsigned int poisson_of_bits(Bits bits, double lambda) {
    return lambda < kInversionBelow ? poisson_by_inversion(to_open_uniform(bits), lambda)
                                    : to_count(to_normal_double(bits), std::sqrt(lambda), lambda);
}

}  // namespace emulator

template <emulator::BoxMullerGenerator State>
unsigned int curand_poisson(State* state, double lambda) {
    if (lambda < emulator::kProductsBelow) {
        return emulator::poisson_by_products(state, static_cast<float>(lambda));
    }
    if (lambda > emulator::kNormalAbove) {
        return emulator::to_count(curand_normal_double(state), std::sqrt(lambda), lambda);
    }
    return emulator::poisson_by_rejection(state, static_cast<float>(lambda));
}
template <emulator::InversionGenerator State>
unsigned int curand_poisson(State* state, double lambda) {
    return emulator::poisson_of_bits(curand(state), lambda);
}
inline uint4 curand_poisson4(curandStatePhilox4_32_10* state, double lambda) {
    uint4 counts;
    if (lambda > emulator::kNormalAbove) {
        const double4 normals = curand_normal4_double(state);
        const double deviation = std::sqrt(lambda);
        counts.x = emulator::to_count(normals.x, deviation, lambda);
        counts.y = emulator::to_count(normals.y, deviation, lambda);
        counts.z = emulator::to_count(normals.z, deviation, lambda);
        counts.w = emulator::to_count(normals.w, deviation, lambda);
        return counts;
    }
    counts.x = curand_poisson(state, lambda);
    counts.y = curand_poisson(state, lambda);
    counts.z = curand_poisson(state, lambda);
    counts.w = curand_poisson(state, lambda);
    return counts;
}

// `distribution` comes from curandCreatePoissonDistribution().
template <emulator::CurandState State>
unsigned int curand_discrete(State* state, curandDiscreteDistribution_t distribution) {
    if (distribution->method == CURAND_M2) {
        return emulator::look_up(curand(state), *distribution->M2);
    }
    return emulator::to_count(curand_normal_double(state), distribution->stddev,
                              distribution->mean);
}
inline uint4 curand_discrete4(curandStatePhilox4_32_10* state,
                              curandDiscreteDistribution_t distribution) {
    uint4 counts;
    if (distribution->method == CURAND_M2) {
        const uint4 bits = curand4(state);
        counts.x = emulator::look_up(bits.x, *distribution->M2);
        counts.y = emulator::look_up(bits.y, *distribution->M2);
        counts.z = emulator::look_up(bits.z, *distribution->M2);
        counts.w = emulator::look_up(bits.w, *distribution->M2);
        return counts;
    }
    const double4 normals = curand_normal4_double(state);
    counts.x = emulator::to_count(normals.x, distribution->stddev, distribution->mean);
    counts.y = emulator::to_count(normals.y, distribution->stddev, distribution->mean);
    counts.z = emulator::to_count(normals.z, distribution->stddev, distribution->mean);
    counts.w = emulator::to_count(normals.w, distribution->stddev, distribution->mean);
    return counts;
}
