// SPDX-License-Identifier: MIT
// How cuRAND's host API makes Poisson numbers. The method depends on the generator and on lambda,
// as measured on an H200.
#pragma once

#include <curand.h>

#include <algorithm>
#include <cmath>
#include <emulator/curand/conversions.hpp>
#include <emulator/curand/discrete.hpp>
#include <optional>
#include <vector>

#include "common/emulator/libraries/curand/poisson_table.hpp"

namespace emulator::curand {

class PoissonCounts {
  public:
    PoissonCounts(curandRngType_t type, double lambda);

    // From the bits of one draw.
    template <class Bits>
    unsigned int of_bits(Bits bits) const {
        if (histogram_) return histogram_->look_up(to_uniform_double(bits));
        if (!cumulative_.empty()) return invert(to_uniform_double(bits));
        if (in_float_) return of_float_normal(bits);
        return of_normal(normal_of(bits));
    }
    // Large lambda: XORWOW, MRG32k3a and Philox round normal numbers of their own.
    bool rounds_normals() const { return !histogram_ && cumulative_.empty(); }
    unsigned int of_normal(double normal) const {
        return to_count(normal, std::sqrt(lambda_), lambda_);
    }

  private:
    // Of 64 bits, the upper 32 only.
    static double normal_of(unsigned int bits) { return to_normal_double(bits); }
    static double normal_of(unsigned long long bits) {
        return to_normal_double(static_cast<unsigned int>(bits >> 32));
    }

    // cuRAND 10.4 rounds in single precision for MT19937.
    template <class Bits>
    unsigned int of_float_normal(Bits bits) const {
        const auto lambda = static_cast<float>(lambda_);
        const float normal = to_normal(static_cast<unsigned int>(bits));
        return static_cast<unsigned int>(std::lround(std::fma(std::sqrt(lambda), normal, lambda)));
    }

    unsigned int invert(double uniform) const {
        const auto found = std::lower_bound(cumulative_.begin(), cumulative_.end(), uniform);
        return static_cast<unsigned int>(std::min<std::ptrdiff_t>(
            found - cumulative_.begin(), static_cast<std::ptrdiff_t>(cumulative_.size()) - 1));
    }

    double lambda_;
    bool in_float_;
    std::optional<PoissonHistogram> histogram_;
    std::vector<double> cumulative_;  // probability of this value or less
};

}  // namespace emulator::curand
