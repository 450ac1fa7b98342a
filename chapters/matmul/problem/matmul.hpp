// SPDX-License-Identifier: MIT
// Matmul: the product of two matrices of any shape, of 32-bit floats or of bfloat16.
//
//   c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + ... + a[i][k - 1] * b[k - 1][j]
//
// A has m rows and k columns, B has k rows and n columns, so C has m rows and n columns. All three
// are stored by rows: cell (i, j) of B is element i * n + j. With k = 0, all cells of C are 0.
//
// A stage may add the products in any order, with or without fused operations: verify() allows
// for the rounding of each order, and for no more.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/phase_timer.hpp"

namespace matmul {

using course::Phase;
using course::PhaseTimer;

// The largest m, n and k. A grid has at most 65 535 rows of blocks, and the bound of the error
// needs k to be far below 2^24.
inline constexpr std::int64_t kMaxSide = 100'000;

// The numbers of A, B and C. Sums are 32-bit floats in both.
enum class Format { kFloat, kBfloat16 };

// The nearest number with 8 significant bits, the even one of two: bfloat16 has the exponents of a
// float. NaN and infinity stay.
float to_bfloat16(float number);

// What a stage gets. m and n are at least 1; k may be 0.
struct Input {
    int m = 0, n = 0, k = 0;
    Format format = Format::kFloat;
    std::vector<float> a, b;  // numbers of this format
    bool exact = false;  // all partial sums, in any order, are integers that a float holds

    std::int64_t cells() const { return std::int64_t{m} * n; }
    // Products, and additions.
    double products() const { return static_cast<double>(cells()) * k; }
};

// What a stage computes, in the input's format. The list has the right size on entry.
struct Output {
    std::vector<float> c;
};

// The function of a stage: it multiplies and marks its phases.
using Multiply = void (*)(const Input&, Output&, PhaseTimer&);

// The least work of every stage: each matrix is moved once, and each product takes a
// multiplication and an addition. Those of the tensor cores are not counted: the limits of a device
// are about arithmetic on 32-bit values.
inline course::Work work_of(const Input& input) {
    const bool floats = input.format == Format::kFloat;
    const double bytes =
        (floats ? 4.0 : 2.0) * static_cast<double>(input.a.size() + input.b.size() + input.cells());
    return {.bytes = bytes,
            .operations = floats ? 2.0 * input.products() : 0.0,
            .working_set_bytes = bytes};
}

inline constexpr std::string_view kInputNames[] = {"random", "integers", "special"};

// "random": numbers in [-1, 1). "integers": small enough for exact sums. "special": as random, with
// NaN, infinities, zeros, denormal and large numbers in some rows of A and columns of B, the last
// ones among them. All are rounded to the format. Errors: UsageError for another name, and for a
// side above kMaxSide.
Input make_input(std::string_view name, std::int64_t m, std::int64_t n, std::int64_t k,
                 std::uint64_t seed, Format format = Format::kFloat);

// Compares cells of C with sums in float64, or in integers, and shares no code with the stages.
class Verifier {
  public:
    // Checks all cells, or in larger problems this many of each row. The columns are random.
    static constexpr std::int64_t kSampledColumns = 64;
    static constexpr double kMostProducts = 4e9;  // of a problem all of whose cells are checked

    // Refers to the input. `most_products` is for tests.
    Verifier(const Input& input, std::uint64_t seed, double most_products = kMostProducts);
    Verifier(const Verifier&) = delete;
    Verifier& operator=(const Verifier&) = delete;
    ~Verifier();

    struct Result {
        std::optional<std::string> fault;  // the first wrong cell, row by row
        std::int64_t checked = 0;  // cells
        double share_of_bound = 0.0;  // the largest, of all cells that have a bound
    };
    Result check(const Output& output) const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

// main() of every stage. Returns the exit status (error.hpp).
int run_stage(int argc, char** argv, std::string_view stage_name, Multiply multiply,
              Format format = Format::kFloat);

}  // namespace matmul
