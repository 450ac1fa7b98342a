// SPDX-License-Identifier: MIT
// Jumps of the MRG32k3a generator.
//
// One step multiplies each of the two vectors of three words by a 3x3 matrix, so n * 2^k steps are
// powers of these matrices. The powers for every bit of n are made once; a jump then takes one
// product for each bit that is set.
#include <array>
#include <cstdint>
#include <emulator/curand/mrg32k3a.hpp>

namespace emulator {
namespace {

using Matrix = std::array<std::array<std::uint64_t, 3>, 3>;

Matrix multiply(const Matrix& a, const Matrix& b, std::uint64_t modulus) {
    Matrix product{};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) {
                product[i][j] = (product[i][j] + a[i][k] * b[k][j] % modulus) % modulus;
            }
        }
    }
    return product;
}

constexpr int kCountBits = 64;

// The powers 2^(unit + i) of one step, for each bit i of a count.
class MrgJumps {
  public:
    MrgJumps(Matrix step, std::uint64_t modulus, int log2_unit) : modulus_(modulus) {
        for (int i = 0; i < log2_unit; ++i) step = multiply(step, step, modulus);
        for (Matrix& power : powers_) {
            power = step;
            step = multiply(step, step, modulus);
        }
    }

    void jump(unsigned int (&words)[3], std::uint64_t n) const {
        for (int bit = 0; n != 0; ++bit, n >>= 1) {
            if ((n & 1) == 0) continue;
            std::array<std::uint64_t, 3> product{};
            for (int i = 0; i < 3; ++i) {
                for (int k = 0; k < 3; ++k) {
                    product[i] = (product[i] + powers_[bit][i][k] * words[k] % modulus_) % modulus_;
                }
            }
            for (int i = 0; i < 3; ++i) words[i] = static_cast<unsigned int>(product[i]);
        }
    }

  private:
    std::uint64_t modulus_;
    std::array<Matrix, kCountBits> powers_;
};

struct JumpPair {
    MrgJumps first, second;

    explicit JumpPair(int log2_unit)
        : first({{{0, 1, 0}, {0, 0, 1}, {kMrgModulus1 - 810728, 1403580, 0}}}, kMrgModulus1,
                log2_unit),
          second({{{0, 1, 0}, {0, 0, 1}, {kMrgModulus2 - 1370589, 0, 527612}}}, kMrgModulus2,
                 log2_unit) {}
};

const JumpPair& jumps_of(int log2_unit) {
    static const JumpPair draws(kMrgDraw);
    static const JumpPair subsequences(kMrgSubsequence);
    static const JumpPair sequences(kMrgSequence);
    return log2_unit == kMrgDraw ? draws : log2_unit == kMrgSubsequence ? subsequences : sequences;
}

}  // namespace

void skip_mrg(curandStateMRG32k3a& state, std::uint64_t n, int log2_unit) {
    if (n == 0) return;
    const JumpPair& jumps = jumps_of(log2_unit);
    jumps.first.jump(state.s1, n);
    jumps.second.jump(state.s2, n);
}

}  // namespace emulator
