// SPDX-License-Identifier: MIT
// The matrices of chapter matmul.
#include "common/input/inputs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/input/parallel_ranges.hpp"
#include "common/input/random.hpp"
#include "common/input/splitmix64.hpp"
#include "problem/matmul.hpp"

namespace matmul {

using course::text;

namespace {

// A random number by position, so that all cores may fill a matrix.
template <typename Make>
void fill(std::vector<float>& matrix, std::uint64_t seed, const Make& make) {
    course::parallel_ranges(static_cast<std::int64_t>(matrix.size()), [&](std::int64_t begin,
                                                                          std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            matrix[i] = make(course::finish_splitmix64(seed + (i + 1) * course::kSplitmix64Step));
        }
    });
}

// A multiple of 2^-23 in [-1, 1).
float uniform(std::uint64_t bits) {
    return static_cast<float>(static_cast<std::int64_t>(bits >> 40) - (1 << 23)) * 0x1.0p-23f;
}

// Numbers for which a wrong kernel may be right with usual ones. No product overflows, and no sum
// of kMaxSide products does.
float special_number(course::Random& random) {
    constexpr float kNumbers[] = {std::numeric_limits<float>::quiet_NaN(),
                                  std::numeric_limits<float>::infinity(),
                                  -std::numeric_limits<float>::infinity(),
                                  0.0f,
                                  -0.0f,
                                  std::numeric_limits<float>::denorm_min(),
                                  -0x1.8p-130f,
                                  0x1.0p+40f,
                                  -0x1.0p+40f};
    return kNumbers[random.below(std::size(kNumbers))];
}

// Puts special numbers into one in eight rows of A and columns of B, and into the last ones, where
// tiles end: most cells of C stay finite.
void add_special_numbers(Input& input, std::uint64_t seed) {
    if (input.k == 0) return;
    course::Random random(seed);
    constexpr int kOneIn = 8;
    for (std::int64_t i = 0; i < input.m; ++i) {
        if (random.below(kOneIn) != 0 && i + 1 < input.m) continue;
        input.a[i * input.k + static_cast<std::int64_t>(random.below(input.k))] =
            special_number(random);
    }
    for (std::int64_t j = 0; j < input.n; ++j) {
        if (random.below(kOneIn) != 0 && j + 1 < input.n) continue;
        input.b[static_cast<std::int64_t>(random.below(input.k)) * input.n + j] =
            special_number(random);
    }
    // A tile that ends between two rows of A must not take what follows in memory: the next row.
    if (input.m > 1) input.a[input.k] = std::numeric_limits<float>::infinity();
}

void round_to(Format format, std::vector<float>& matrix) {
    if (format == Format::kFloat) return;
    course::parallel_ranges(static_cast<std::int64_t>(matrix.size()),
                            [&](std::int64_t begin, std::int64_t end) {
                                for (std::int64_t i = begin; i < end; ++i) {
                                    matrix[i] = to_bfloat16(matrix[i]);
                                }
                            });
}

}  // namespace

float to_bfloat16(float number) {
    if (!std::isfinite(number)) return number;
    const auto bits = std::bit_cast<std::uint32_t>(number);
    const std::uint32_t half = 0x7fff + (bits >> 16 & 1);  // below the middle, or on it if odd
    return std::bit_cast<float>((bits + half) & 0xffff0000);
}

Input make_input(std::string_view name, std::int64_t m, std::int64_t n, std::int64_t k,
                 std::uint64_t seed, Format format) {
    if (!course::is_one_of(kInputNames, name)) {
        throw course::UsageError(text("--input ", name, ": there is no such input"));
    }
    for (const std::int64_t side : {m, n, k}) {
        if (side > kMaxSide) {
            throw course::UsageError(
                text("a side of ", side, ": a matrix has at most ", kMaxSide, " rows and columns"));
        }
    }
    Input input;
    input.m = static_cast<int>(m);
    input.n = static_cast<int>(n);
    input.k = static_cast<int>(k);
    input.format = format;
    input.a.resize(static_cast<std::size_t>(m * k));
    input.b.resize(static_cast<std::size_t>(k * n));
    const std::uint64_t seed_of_b = course::finish_splitmix64(seed);
    if (name == "integers") {
        // k products of numbers up to `largest` add up to at most 2^24. bfloat16 has all integers
        // up to 2^8.
        const auto largest = std::min<std::int64_t>(
            format == Format::kFloat ? 1 << 12 : 1 << 8,
            std::sqrt(0x1.0p+24 / static_cast<double>(std::max<std::int64_t>(k, 1))));
        const auto integer = [largest](std::uint64_t bits) {
            const auto below = (bits >> 32) * static_cast<std::uint64_t>(2 * largest + 1) >> 32;
            return static_cast<float>(static_cast<std::int64_t>(below) - largest);
        };
        fill(input.a, seed, integer);
        fill(input.b, seed_of_b, integer);
        input.exact = true;
        return input;
    }
    fill(input.a, seed, uniform);
    fill(input.b, seed_of_b, uniform);
    if (name == "special") add_special_numbers(input, seed);
    round_to(format, input.a);
    round_to(format, input.b);
    return input;
}

}  // namespace matmul
