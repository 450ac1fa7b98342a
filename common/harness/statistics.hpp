// SPDX-License-Identifier: MIT
// Order statistics of repeated measurements.
#pragma once

#include <cstdint>
#include <span>

namespace course {

struct Quartiles {
    double lower = 0.0;
    double median = 0.0;
    double upper = 0.0;
};

struct Summary {
    std::int64_t count = 0;
    double minimum = 0.0;
    double lower_quartile = 0.0;
    double median = 0.0;
    double upper_quartile = 0.0;
    double maximum = 0.0;
};

// Quantiles are type 7 of Hyndman and Fan (The American Statistician 50, 1996), the default of R
// and NumPy. For sorted x[0..n-1] and h = (n - 1) p, the quantile is
//     x[floor(h)] + (h - floor(h)) * (x[floor(h) + 1] - x[floor(h)]).
// The values may come in any order.
// Errors: std::invalid_argument for no value, a value that is not finite, or p outside [0, 1].
double quantile(std::span<const double> values, double p);
double median(std::span<const double> values);
Quartiles quartiles(std::span<const double> values);
Summary summarize(std::span<const double> values);

}  // namespace course
