// SPDX-License-Identifier: MIT
// Poisson numbers by inversion and by rejection.
#include <cmath>
#include <emulator/curand/discrete.hpp>

namespace emulator {

unsigned int poisson_by_inversion(double uniform, double lambda) {
    constexpr double kPart = 500.0;  // exp(-500) is far from the smallest double
    double probability = 1.0;
    double cumulative = 1.0;
    unsigned int count = 0;
    for (double done = 0.0; done == 0.0 || done < lambda; done += kPart) {
        const double factor = std::exp(lambda > done + kPart ? -kPart : done - lambda);
        probability *= factor;
        cumulative *= factor;
        while (uniform > cumulative) {
            ++count;
            probability *= lambda / count;
            cumulative += probability;
        }
    }
    return count;
}

namespace {

// The logarithm of (n - 1)!, to the precision of a double.
double log_factorial_before(int n) { return std::lgamma(static_cast<double>(n)); }

}  // namespace

// The regularised incomplete gamma function is close to 1 / (1 + exp(slope * (lambda - x) -
// shift))^2, whose inverse is simple. The constants are cuRAND's.
GammaRejection::GammaRejection(float lambda) : lambda_(lambda), log_lambda_(std::log(lambda)) {
    constexpr float kOffset = 0.00025361075f;
    slope_ = 1.4324803508f / std::sqrt(lambda - 0.1240097933f) + kOffset;
    shift_ = 0.2109673487f / std::sqrt(lambda - 1.9738116409f) + 0.9420173408f;
}

float GammaRejection::cumulative(float x) const {
    const float root = 1.0f + std::exp(slope_ * (lambda_ - x) - shift_);
    return 1.0f / (root * root);
}

float GammaRejection::candidate(float uniform) const {
    const float logistic = shift_ + std::log(1.0f / std::sqrt(uniform) - 1.0f);
    return std::floor(lambda_ - logistic / slope_);
}

bool GammaRejection::accepts(float candidate, float uniform) const {
    constexpr float kMargin = 1.3f;  // the approximation times this is nowhere below the truth
    constexpr double kTooSmall = 1e-20;
    const float bound = (cumulative(candidate + 1.0f) - cumulative(candidate)) * kMargin;
    const auto log_factorial =
        static_cast<float>(log_factorial_before(static_cast<int>(1.0f + candidate)));
    const float probability = std::exp(candidate * log_lambda_ - lambda_ - log_factorial);
    return uniform * bound < probability && static_cast<double>(bound) >= kTooSmall;
}

}  // namespace emulator
