// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/matrices/moderate_sums.hpp"

#include <cstdint>
#include <cstring>

#include "common/emulator/libraries/matrices/aligned_sum.hpp"
#include "common/emulator/libraries/wide.hpp"

namespace emulator {
namespace {

constexpr int kColumns = 8;  // of the result, at a time
typedef float Floats __attribute__((vector_size(kColumns * sizeof(float))));
typedef std::int32_t Ints __attribute__((vector_size(kColumns * sizeof(std::int32_t))));
typedef double Doubles __attribute__((vector_size(kColumns * sizeof(double))));
typedef std::int64_t Longs __attribute__((vector_size(kColumns * sizeof(std::int64_t))));

constexpr std::int32_t kExponentBits = 0x7f800000;
constexpr int kMantissaBits = 23;
constexpr std::int32_t kBias = 127;
constexpr std::int64_t kKeptOfDouble = ~((std::int64_t{1} << (52 - kMantissaBits)) - 1);

}  // namespace

EMULATOR_WIDE bool are_moderate(const float* values, int count) {
    constexpr std::int32_t kLeast = (kBias - 28) << kMantissaBits;
    constexpr std::int32_t kLargest = (kBias + 28) << kMantissaBits;
    Ints outside{};
    for (int i = 0; i < count; i += kColumns) {
        Ints bits;
        std::memcpy(&bits, values + i, sizeof bits);
        bits &= 0x7fffffff;
        outside |= (bits != 0) & ((bits < kLeast) | (bits > kLargest));
    }
    std::int32_t any = 0;
    for (int i = 0; i < kColumns; ++i) any |= outside[i];
    return any == 0;
}

EMULATOR_WIDE void convert_halves(const std::uint16_t* halves, int count, float* values) {
    typedef std::uint16_t Halves __attribute__((vector_size(kColumns * sizeof(std::uint16_t))));
    for (int i = 0; i < count; i += kColumns) {
        Halves narrow;
        std::memcpy(&narrow, halves + i, sizeof narrow);
        const Ints bits = __builtin_convertvector(narrow, Ints);
        const Ints magnitude = bits & 0x7fff;
        constexpr std::int32_t kBiases = (kBias - 15) << kMantissaBits;
        const Ints infinite = (magnitude >= 0x7c00) & kBiases;
        const Ints normal = (magnitude << 13) + kBiases + infinite;
        const Ints tiny = (Ints)(__builtin_convertvector(magnitude, Floats) * 0x1p-24f);
        const Ints result = (magnitude < 0x400 ? tiny : normal) | (bits & 0x8000) << 16;
        std::memcpy(values + i, &result, sizeof result);
    }
}

// A product's exponent is the sum of its factors': the product of their powers of two, which a
// float holds exactly, as it holds the product of the factors. Scaled by the largest power, a
// product has less than 28 bits before the point, and the conversion to an integer cuts off the
// others. Half of a group of 16 fits into 32 bits.
EMULATOR_WIDE void add_moderate(int m, int n, int k, int group, const float* a, const float* b,
                                float* c, double* last_sums) {
    float powers_of_a[kMaxElements];
    float powers_of_b[kMaxElements];
    const auto power = [](float value) {
        std::int32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        bits &= kExponentBits;
        std::memcpy(&value, &bits, sizeof bits);
        return value;
    };
    for (int i = 0; i < m * k; ++i) powers_of_a[i] = power(a[i]);
    for (int i = 0; i < k * n; ++i) powers_of_b[i] = power(b[i]);
    for (int place = 0; place < m * n; place += kColumns) {
        const float* const row = a + place / n * k;
        const float* const row_powers = powers_of_a + place / n * k;
        const float* const columns = b + place % n;
        const float* const column_powers = powers_of_b + place % n;
        Floats sum;
        std::memcpy(&sum, c + place, sizeof sum);
        Doubles exact{};
        for (int begin = 0; begin < k; begin += group) {
            Floats largest = (Floats)((Ints)sum & kExponentBits);
            for (int i = begin; i < begin + group; ++i) {
                Floats powers;
                std::memcpy(&powers, column_powers + i * n, sizeof powers);
                powers *= row_powers[i];
                largest = powers > largest ? powers : largest;
            }
            const Ints exponents = (Ints)largest;
            const Ints scale_bits = (kPlaces + 2 * kBias - (exponents >> kMantissaBits))
                                    << kMantissaBits;
            const Floats scale = (Floats)(exponents != 0 ? scale_bits : 0);
            const Ints unit_bits = exponents - (kPlaces << kMantissaBits);
            const Floats unit = (Floats)(exponents != 0 ? unit_bits : 0);
            Ints halves[2] = {};
            for (int i = begin; i < begin + group; ++i) {
                Floats factors;
                std::memcpy(&factors, columns + i * n, sizeof factors);
                const Floats products = factors * row[i] * scale;
                halves[(i - begin) * 2 / group] += __builtin_convertvector(products, Ints);
            }
            const Ints start = __builtin_convertvector(sum * scale, Ints);
            exact = __builtin_convertvector(halves[0], Doubles) +
                    __builtin_convertvector(halves[1], Doubles) +
                    __builtin_convertvector(start, Doubles);
            const Doubles cut = (Doubles)((Longs)exact & kKeptOfDouble);
            exact *= __builtin_convertvector(unit, Doubles);
            sum = __builtin_convertvector(cut, Floats) * unit;
        }
        std::memcpy(c + place, &sum, sizeof sum);
        std::memcpy(last_sums + place, &exact, sizeof exact);
    }
}

}  // namespace emulator
