// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/curand/poisson_table.hpp"

#include <cmath>

namespace emulator::curand {
namespace {

double probability_of(unsigned int count, double lambda) {
    const double k = count;
    return std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1.0));
}

}  // namespace

PoissonHistogram::PoissonHistogram(double lambda) : shift(0) {
    // All values whose probability is above zero as a double.
    while (probability_of(shift, lambda) == 0.0) ++shift;
    std::vector<double> rest;  // what each value has still to give to columns
    for (unsigned int k = shift; probability_of(k, lambda) > 0.0; ++k) {
        rest.push_back(probability_of(k, lambda));
    }
    const std::size_t length = rest.size();
    const double width = 1.0 / static_cast<double>(length);
    for (std::size_t i = 0; i < length; ++i) {
        values.push_back(static_cast<unsigned int>(i));
        thresholds.push_back(static_cast<double>(i + 1) * width);
    }
    // Fills up the small columns in turn. The largest value that has more than a column gives.
    std::vector<bool> is_full(length);
    std::size_t donors = length;  // the donor is the last of these
    const auto find_donor = [&] {
        while (donors > 0 && (is_full[donors - 1] || rest[donors - 1] <= width)) --donors;
    };
    find_donor();
    for (bool is_changing = true; is_changing && donors > 0;) {
        is_changing = false;
        for (std::size_t i = 0; i < length && donors > 0; ++i) {
            const std::size_t donor = donors - 1;
            if (is_full[i] || rest[i] >= width || i == donor) continue;
            thresholds[i] = rest[i] + static_cast<double>(i) * width;
            values[i] = static_cast<unsigned int>(donor);
            rest[donor] -= width - rest[i];
            is_full[i] = true;
            is_changing = true;
            find_donor();
        }
    }
}

}  // namespace emulator::curand
