// SPDX-License-Identifier: MIT
// A jump is a polynomial: with g = x^(2^2048) modulo the characteristic polynomial of one step, the
// state after the jump is the sum of g's coefficients times the states after 0, 1, 2, ... steps.
//
// Sources: M. Matsumoto, T. Nishimura, "Mersenne Twister", ACM Transactions on Modeling and
// Computer Simulation 8(1), 1998, appendix A (the polynomial); H. Haramoto, M. Matsumoto, T.
// Nishimura, F. Panneton, P. L'Ecuyer, "Efficient jump ahead for F2-linear random number
// generators", INFORMS Journal on Computing 20(3), 2008 (the jump).
#include "common/emulator/libraries/curand/mt19937_jump.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "common/emulator/libraries/wide.hpp"

namespace emulator::curand {
namespace {

constexpr std::size_t kDegree = 19937;
constexpr std::size_t kMiddle = 397;
constexpr std::uint32_t kTwist = 0x9908b0dfu;
// The only power of two below 2^19937 that gives the second subsequence of cuRAND 10.4.
constexpr int kLog2Distance = 2048;

std::uint32_t next_word(std::uint32_t oldest, std::uint32_t second, std::uint32_t middle) {
    const std::uint32_t joined = (oldest & 0x80000000u) | (second & 0x7fffffffu);
    return middle ^ joined >> 1 ^ ((joined & 1) != 0 ? kTwist : 0u);
}

// The powers of x in the characteristic polynomial, without the leading one. With
// p = x^623 + x^396, it is x p^32 + x (a_0 p^31 + ... + a_30 p) + a_31, where a_i are the bits of
// the twist; p^32 = x^(32 * 623) + x^(32 * 396).
std::vector<std::size_t> characteristic_powers() {
    std::set<std::size_t> powers{0, 1 + 32 * 396};
    const auto flip = [&powers](std::size_t power) {
        if (!powers.insert(power).second) powers.erase(power);
    };
    for (std::size_t i = 0; i < 31; ++i) {
        if ((kTwist >> i & 1) == 0) continue;
        const std::size_t exponent = 31 - i;
        for (std::size_t j = 0; j <= exponent; ++j) {
            const bool is_odd_binomial = (j & ~exponent) == 0;
            if (is_odd_binomial) flip(1 + 623 * j + 396 * (exponent - j));
        }
    }
    return {powers.begin(), powers.end()};
}

constexpr std::size_t kWords = kDegree / 64 + 1;
// A polynomial over GF(2): 64 coefficients in a word, the lowest first.
using Coefficients = std::vector<std::uint64_t>;

// Puts a zero behind each bit.
std::uint64_t spread(std::uint32_t bits) {
    std::uint64_t wide = bits;
    wide = (wide | wide << 16) & 0x0000ffff0000ffff;
    wide = (wide | wide << 8) & 0x00ff00ff00ff00ff;
    wide = (wide | wide << 4) & 0x0f0f0f0f0f0f0f0f;
    wide = (wide | wide << 2) & 0x3333333333333333;
    return (wide | wide << 1) & 0x5555555555555555;
}

void add_shifted(Coefficients& sum, std::uint64_t word, std::size_t shift) {
    sum[shift / 64] ^= word << shift % 64;
    if (shift % 64 != 0) sum[shift / 64 + 1] ^= word >> (64 - shift % 64);
}

// The square, modulo the characteristic polynomial. The second highest power is far enough below
// the first that the remainders of a whole word fall into lower words.
Coefficients square(const Coefficients& polynomial, const std::vector<std::size_t>& powers) {
    Coefficients product(2 * kWords);
    for (std::size_t i = 0; i < kWords; ++i) {
        product[2 * i] = spread(static_cast<std::uint32_t>(polynomial[i]));
        product[2 * i + 1] = spread(static_cast<std::uint32_t>(polynomial[i] >> 32));
    }
    for (std::size_t i = product.size() - 1; i >= kWords; --i) {
        const std::uint64_t word = product[i];
        product[i] = 0;
        if (word == 0) continue;
        for (const std::size_t power : powers) add_shifted(product, word, 64 * i - kDegree + power);
    }
    const std::uint64_t rest = product[kWords - 1] >> kDegree % 64;
    for (const std::size_t power : powers) add_shifted(product, rest, power);
    product[kWords - 1] &= (std::uint64_t{1} << kDegree % 64) - 1;
    product.resize(kWords);
    return product;
}

// The powers of x in g.
std::vector<std::size_t> jump_powers() {
    const std::vector<std::size_t> powers = characteristic_powers();
    Coefficients jump(kWords);
    jump[0] = 2;  // x
    for (int i = 0; i < kLog2Distance; ++i) jump = square(jump, powers);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < kDegree; ++i) {
        if ((jump[i / 64] >> i % 64 & 1) != 0) found.push_back(i);
    }
    return found;
}

// Sums of a block of words stay in registers.
constexpr std::size_t kBlock = 48;
static_assert(kMtWords % kBlock == 0);

EMULATOR_WIDE void sum_words(const std::uint32_t* words, const std::vector<std::size_t>& shifts,
                             std::uint32_t* sums) {
    for (std::size_t first = 0; first < kMtWords; first += kBlock) {
        std::uint32_t block[kBlock] = {};
        for (const std::size_t shift : shifts) {
            const std::uint32_t* const shifted = words + first + shift;
            for (std::size_t i = 0; i < kBlock; ++i) block[i] ^= shifted[i];
        }
        std::copy_n(block, kBlock, sums + first);
    }
}

}  // namespace

void next_mt_words(MtWords& words) {
    for (std::size_t i = 0; i < kMtWords; ++i) {
        words[i] = next_word(words[i], words[(i + 1) % kMtWords], words[(i + kMiddle) % kMtWords]);
    }
}

void jump_mt_subsequence(MtWords& words) {
    static const std::vector<std::size_t> powers = jump_powers();
    std::vector<std::uint32_t> sequence(words.begin(), words.end());
    sequence.resize(kMtWords + kDegree);
    for (std::size_t i = kMtWords; i < sequence.size(); ++i) {
        const std::size_t oldest = i - kMtWords;
        sequence[i] = next_word(sequence[oldest], sequence[oldest + 1], sequence[oldest + kMiddle]);
    }
    sum_words(sequence.data(), powers, words.data());
}

}  // namespace emulator::curand
