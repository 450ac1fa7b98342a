// SPDX-License-Identifier: MIT
#include "common/harness/comparison.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace course {

void ErrorMeter::add(double actual, double expected, double scale) noexcept {
    const std::int64_t index = count_++;
    if (!std::isfinite(actual) || !std::isfinite(expected) || !std::isfinite(scale) ||
        !(scale > 0.0)) {
        if (failed_index_ < 0) {
            failed_index_ = index;
            failed_actual_ = actual;
            failed_expected_ = expected;
            failed_scale_ = scale;
            max_index_ = index;
            max_error_ = std::numeric_limits<double>::infinity();
        }
        return;
    }
    const double error = std::abs(actual - expected) / scale;
    if (max_index_ < 0 || error > max_error_) {
        max_error_ = error;
        max_index_ = index;
    }
}

bool ErrorMeter::passes(double tolerance) const noexcept {
    return count_ > 0 && failed_index_ < 0 && max_error_ <= tolerance;
}

std::string ErrorMeter::describe(double tolerance) const {
    if (count_ == 0) return "no value was compared";
    std::array<char, 256> text{};
    if (failed_index_ >= 0) {
        std::snprintf(text.data(), text.size(),
                      "value %lld of %lld cannot be compared: %g, expected %g, scale %g",
                      static_cast<long long>(failed_index_), static_cast<long long>(count_),
                      failed_actual_, failed_expected_, failed_scale_);
    } else {
        std::snprintf(text.data(), text.size(),
                      "largest error %.3g at value %lld of %lld, tolerance %.3g", max_error_,
                      static_cast<long long>(max_index_), static_cast<long long>(count_),
                      tolerance);
    }
    return text.data();
}

}  // namespace course
