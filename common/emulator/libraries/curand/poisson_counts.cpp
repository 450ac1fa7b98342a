// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/curand/poisson_counts.hpp"

namespace emulator::curand {
namespace {

// A histogram below the first lambda, inversion below the second, rounded normal numbers above.
struct Limits {
    double histogram, inversion;
};

Limits limits_of(curandRngType_t type) {
    switch (type) {
        case CURAND_RNG_PSEUDO_MTGP32:
            return {32.0, 8000.0};
        case CURAND_RNG_QUASI_SOBOL32:
        case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
            return {10.0, 8000.0};
        case CURAND_RNG_QUASI_SOBOL64:
        case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
            return {0.0, 2000.0};
        default:
            return {kPoissonTableBelow, 0.0};
    }
}

std::vector<double> cumulative_probabilities(double lambda) {
    std::vector<double> cumulative;
    double sum = 0.0;
    for (unsigned int k = 0;; ++k) {
        const double probability = std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1.0));
        sum += probability;
        cumulative.push_back(sum);
        if (k > lambda && probability < 1e-20) return cumulative;
    }
}

}  // namespace

PoissonCounts::PoissonCounts(curandRngType_t type, double lambda)
    : lambda_(lambda), in_float_(type == CURAND_RNG_PSEUDO_MT19937) {
    const Limits limits = limits_of(type);
    if (lambda < limits.histogram) {
        histogram_.emplace(lambda);
    } else if (lambda < limits.inversion) {
        cumulative_ = cumulative_probabilities(lambda);
    }
}

}  // namespace emulator::curand
