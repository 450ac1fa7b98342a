// SPDX-License-Identifier: MIT
// Compares results with those of an oracle. NaN and infinity never pass.
#pragma once

#include <cstdint>
#include <string>

namespace course {

// The largest error of a series of values.
class ErrorMeter {
  public:
    // Adds the error |actual - expected| / scale. With scale 1 it is absolute, with |expected|
    // relative. A typical size of the whole vector is better: a value near zero does not dominate.
    // The whole series fails if a number is not finite, or a scale is not positive.
    void add(double actual, double expected, double scale = 1.0) noexcept;

    std::int64_t count() const noexcept { return count_; }
    double max_error() const noexcept { return max_error_; }  // infinity after a failure
    std::int64_t max_index() const noexcept {
        return max_index_;
    }  // of the worst value, from 0; or -1

    // At least one value, all finite, and no error above `tolerance`.
    bool passes(double tolerance) const noexcept;

    // "largest error 3.1e-07 at value 17 of 1000, tolerance 1e-05", or the value that cannot be
    // compared.
    std::string describe(double tolerance) const;

  private:
    std::int64_t count_ = 0;
    std::int64_t max_index_ = -1;
    std::int64_t failed_index_ = -1;
    double max_error_ = 0.0;
    double failed_actual_ = 0.0;
    double failed_expected_ = 0.0;
    double failed_scale_ = 0.0;
};

}  // namespace course
