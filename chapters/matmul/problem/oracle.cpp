// SPDX-License-Identifier: MIT
// The oracle of chapter matmul.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "common/base/text.hpp"
#include "common/input/parallel_ranges.hpp"
#include "common/input/random.hpp"
#include "problem/matmul.hpp"

namespace matmul {

using course::text;

namespace {

constexpr double kUnit = 0x1.0p-24;  // the largest relative error of a rounding to float
// The same of a tensor core's sum of 16 products, for each product (reference.md).
constexpr double kTensorUnit = 0x1.0p-22;
constexpr double kBfloatUnit = 0x1.0p-8;  // of a rounding to bfloat16
constexpr double kDenormalBfloatUnit = 0x1.0p-134;
constexpr double kDenormalUnit = 0x1.0p-150;  // the largest absolute one of a denormal result

struct Cell {
    double sum = 0.0;
    double magnitudes = 0.0;  // the sum of |a| |b|
};

// In float64, products of floats are exact, and the rounding of sums is part of the bound. The sums
// of an exact input are exact here, too.
Cell multiply_lines(const float* row, const float* column, std::int64_t count) {
    Cell cell;
    for (std::int64_t p = 0; p < count; ++p) {
        const double product = static_cast<double>(row[p]) * static_cast<double>(column[p]);
        cell.sum += product;
        cell.magnitudes += std::abs(product);
    }
    return cell;
}

// |computed - exact| <= gamma * sum of |a| |b|, gamma = k u / (1 - k u), for each order of the
// additions (reference.md derives it). A denormal product adds half a denormal unit. The oracle's
// own sum has the same bound, with the unit of float64.
double bound_of(const Cell& cell, double k, Format format) {
    const double unit = format == Format::kFloat ? kUnit : kTensorUnit;
    const double gamma = k * unit / (1.0 - k * unit);
    const double own = k * 0x1.0p-52;
    const double of_sum = (gamma + own) * cell.magnitudes + k * kDenormalUnit;
    if (format == Format::kFloat) return of_sum;
    // The sum is rounded once more, to the format of C.
    return of_sum + kBfloatUnit * (std::abs(cell.sum) + of_sum) + kDenormalBfloatUnit;
}

// The sum of an exact input in the format of C.
double rounded_once(double sum, Format format) {
    if (format == Format::kFloat) return sum;
    return static_cast<double>(to_bfloat16(static_cast<float>(sum)));
}

}  // namespace

struct Verifier::Implementation {
    const Input& input;
    std::vector<float> columns_of_b;  // B by columns
    std::vector<std::int64_t> sampled;  // columns, kSampledColumns for each row; empty: all

    Implementation(const Input& of, std::uint64_t seed, double most_products) : input(of) {
        const std::int64_t n = input.n, k = input.k;
        columns_of_b.resize(input.b.size());
        course::parallel_ranges(n, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t p = 0; p < k; ++p) {
                for (std::int64_t j = begin; j < end; ++j) {
                    columns_of_b[j * k + p] = input.b[p * n + j];
                }
            }
        });
        if (input.products() <= most_products || n <= kSampledColumns) return;
        course::Random random(~seed);
        sampled.resize(static_cast<std::size_t>(input.m) * kSampledColumns);
        for (std::int64_t& column : sampled) column = static_cast<std::int64_t>(random.below(n));
    }
};

Verifier::Verifier(const Input& input, std::uint64_t seed, double most_products)
    : implementation_(std::make_unique<Implementation>(input, seed, most_products)) {}
Verifier::~Verifier() = default;

Verifier::Result Verifier::check(const Output& output) const {
    const Input& input = implementation_->input;
    const std::vector<float>& columns_of_b = implementation_->columns_of_b;
    const std::vector<std::int64_t>& sampled = implementation_->sampled;
    const std::int64_t n = input.n, k = input.k;
    if (static_cast<std::int64_t>(output.c.size()) != input.cells()) {
        return {.fault = text(output.c.size(), " cells, not ", input.cells())};
    }
    const std::int64_t each = sampled.empty() ? n : kSampledColumns;
    Result result;
    std::int64_t fault_row = input.m;
    std::mutex mutex;
    course::parallel_ranges(input.m, [&](std::int64_t begin, std::int64_t end) {
        double largest_share = 0.0;
        std::string fault;
        std::int64_t i = begin;
        for (; i < end && fault.empty(); ++i) {
            for (std::int64_t s = 0; s < each && fault.empty(); ++s) {
                const std::int64_t j = sampled.empty() ? s : sampled[i * each + s];
                const Cell cell =
                    multiply_lines(input.a.data() + i * k, columns_of_b.data() + j * k, k);
                const double actual = output.c[i * n + j];
                if (input.exact || !std::isfinite(cell.sum)) {
                    const double right = rounded_once(cell.sum, input.format);
                    const bool both_nan = std::isnan(right) && std::isnan(actual);
                    if (actual == right || both_nan) continue;
                    fault = text("cell (", i, ", ", j, ") is ", actual, ", not ", right);
                    continue;
                }
                const double error = std::abs(actual - cell.sum);
                const double bound = bound_of(cell, static_cast<double>(k), input.format);
                // Written so that NaN fails.
                if (!(error <= bound)) {
                    fault = text("cell (", i, ", ", j, ") is ", actual, ", not ", cell.sum,
                                 ": the error ", error, " is above the bound ", bound);
                } else if (bound > 0.0) {
                    largest_share = std::max(largest_share, error / bound);
                }
            }
        }
        const std::lock_guard lock(mutex);
        result.share_of_bound = std::max(result.share_of_bound, largest_share);
        if (!fault.empty() && i - 1 < fault_row) {
            fault_row = i - 1;
            result.fault = fault;
        }
    });
    result.checked = input.m * each;
    return result;
}

}  // namespace matmul
