// SPDX-License-Identifier: MIT
#include "common/harness/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace course {

namespace {

std::vector<double> sorted(std::span<const double> values) {
    if (values.empty()) throw std::invalid_argument("statistics of no value");
    for (const double value : values) {
        if (!std::isfinite(value)) {
            throw std::invalid_argument("statistics of a value that is not finite");
        }
    }
    std::vector<double> copy(values.begin(), values.end());
    std::sort(copy.begin(), copy.end());
    return copy;
}

double sorted_quantile(const std::vector<double>& x, double p) {
    const double h = static_cast<double>(x.size() - 1) * p;
    const std::size_t below = static_cast<std::size_t>(h);
    const std::size_t above = std::min(below + 1, x.size() - 1);
    return x[below] + (h - static_cast<double>(below)) * (x[above] - x[below]);
}

}  // namespace

double quantile(std::span<const double> values, double p) {
    if (!(p >= 0.0 && p <= 1.0)) throw std::invalid_argument("quantile outside [0, 1]");
    return sorted_quantile(sorted(values), p);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

Quartiles quartiles(std::span<const double> values) {
    const std::vector<double> x = sorted(values);
    return {sorted_quantile(x, 0.25), sorted_quantile(x, 0.5), sorted_quantile(x, 0.75)};
}

Summary summarize(std::span<const double> values) {
    const std::vector<double> x = sorted(values);
    return {static_cast<std::int64_t>(x.size()),
            x.front(),
            sorted_quantile(x, 0.25),
            sorted_quantile(x, 0.5),
            sorted_quantile(x, 0.75),
            x.back()};
}

}  // namespace course
