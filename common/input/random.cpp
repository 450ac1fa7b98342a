// SPDX-License-Identifier: MIT
#include "common/input/random.hpp"

#include <cmath>
#include <stdexcept>

#include "common/input/splitmix64.hpp"

namespace course {

namespace {

// The natural logarithm, from basic operations only. The last bit of std::log differs between C
// libraries, but the inputs must be the same everywhere. x = m 2^e with m in [sqrt(1/2), sqrt(2)),
// and log m = 2 artanh z with z = (m-1)/(m+1). Since |z| < 0.172, the error of twelve terms is
// below 1e-18.
double portable_log(double x) {
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    if (m < 0.70710678118654752) {
        m *= 2.0;
        --exponent;
    }
    const double z = (m - 1.0) / (m + 1.0);
    const double square = z * z;
    double sum = 0.0;
    for (int k = 11; k >= 0; --k) sum = sum * square + 1.0 / (2 * k + 1);
    return 2.0 * z * sum + exponent * 0.69314718055994531;
}

}  // namespace

Random::Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = next_splitmix64(seed);
}

double Random::normal() noexcept {
    if (has_spare_normal_) {
        has_spare_normal_ = false;
        return spare_normal_;
    }
    double x = 0.0;
    double y = 0.0;
    double square = 0.0;
    do {
        x = uniform(-1.0, 1.0);
        y = uniform(-1.0, 1.0);
        square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    const double factor = std::sqrt(-2.0 * portable_log(square) / square);
    spare_normal_ = y * factor;
    has_spare_normal_ = true;
    return x * factor;
}

std::uint64_t Random::below(std::uint64_t n) {
    if (n == 0) throw std::invalid_argument("Random::below(0)");
    // The high half of a 64 x 64 bit product is biased unless the low half is at least 2^64 mod n.
    using Wide = unsigned __int128;
    Wide product = Wide{next()} * n;
    if (static_cast<std::uint64_t>(product) < n) {
        const std::uint64_t threshold = (0 - n) % n;
        while (static_cast<std::uint64_t>(product) < threshold) {
            product = Wide{next()} * n;
        }
    }
    return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace course
