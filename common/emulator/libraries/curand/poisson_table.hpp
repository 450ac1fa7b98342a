// SPDX-License-Identifier: MIT
// A Poisson distribution as a square histogram: equally wide columns, each with one threshold and
// two values.
//
// Source: G. Marsaglia, W. Tsang, J. Wang, "Fast generation of discrete random variables", J. Stat.
// Software 11(3), 2004, section 4. Which column is filled up with which value is cuRAND's choice,
// as its results show.
#pragma once

#include <algorithm>
#include <emulator/curand/discrete.hpp>
#include <vector>

namespace emulator::curand {

// For larger lambda, cuRAND rounds normal numbers.
constexpr double kPoissonTableBelow = 2000.0;
constexpr double kMaxLambda = 400000.0;

struct PoissonHistogram {
    explicit PoissonHistogram(double lambda);

    // Of a uniform number in (0, 1].
    unsigned int look_up(double uniform) const {
        const auto column =
            std::min(static_cast<std::size_t>(static_cast<double>(values.size()) * uniform),
                     values.size() - 1);
        return shift +
               (uniform < thresholds[column] ? static_cast<unsigned int>(column) : values[column]);
    }

    unsigned int shift;  // the value of the first column
    std::vector<double> thresholds;
    std::vector<unsigned int> values;  // above the threshold
};

}  // namespace emulator::curand
