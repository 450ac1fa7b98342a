// SPDX-License-Identifier: MIT
// Jumps of the XORWOW generator.
//
// One step is linear over GF(2) in the 160 bits of its five words, so n steps are the n-th power of
// a 160x160 bit matrix. The powers for every digit of n in base 16 are made once; a jump then takes
// one matrix-vector product per digit that is not zero.
#include <algorithm>
#include <array>
#include <cstdint>
#include <emulator/curand/xorwow.hpp>
#include <vector>

namespace emulator {

namespace {

constexpr int kBits = 160;
constexpr int kDigitBits = 4;
constexpr int kDigits = kBits / kDigitBits;

// 160 bits in three words; the upper half of the last one is zero.
struct BitVector {
    std::array<std::uint64_t, 3> words{};

    void operator^=(const BitVector& other) {
        for (std::size_t i = 0; i < words.size(); ++i) words[i] ^= other.words[i];
    }
    unsigned int digit(int index) const {
        const int bit = index * kDigitBits;
        return static_cast<unsigned int>(words[bit / 64] >> bit % 64) & 0xfu;
    }
};

BitVector pack(const unsigned int (&v)[5]) {
    BitVector packed;
    for (int i = 0; i < 5; ++i) packed.words[i / 2] |= std::uint64_t{v[i]} << 32 * (i % 2);
    return packed;
}

void unpack(const BitVector& packed, unsigned int (&v)[5]) {
    for (int i = 0; i < 5; ++i) {
        v[i] = static_cast<unsigned int>(packed.words[i / 2] >> 32 * (i % 2));
    }
}

using Images = std::array<BitVector, kBits>;  // of the unit vectors: the columns of the matrix

// A matrix, stored as a table for each 4-bit digit with the image of each value: a product takes 40
// look-ups.
class BitMatrix {
  public:
    explicit BitMatrix(const Images& images) {
        for (int digit = 0; digit < kDigits; ++digit) {
            for (unsigned int value = 1; value < 16; ++value) {
                const int lowest = __builtin_ctz(value);
                tables_[digit][value] = tables_[digit][value & (value - 1)];
                tables_[digit][value] ^= images[digit * kDigitBits + lowest];
            }
        }
    }

    BitVector operator*(const BitVector& vector) const {
        BitVector product;
        for (int digit = 0; digit < kDigits; ++digit) {
            product ^= tables_[digit][vector.digit(digit)];
        }
        return product;
    }

    BitMatrix operator*(const BitMatrix& other) const {
        Images images;
        for (int bit = 0; bit < kBits; ++bit) {
            images[bit] = *this * other.tables_[bit / kDigitBits][1u << bit % kDigitBits];
        }
        return BitMatrix(images);
    }

  private:
    std::array<std::array<BitVector, 16>, kDigits> tables_{};
};

BitMatrix single_step() {
    Images images;
    for (int bit = 0; bit < kBits; ++bit) {
        curandStateXORWOW state{};
        state.v[bit / 32] = 1u << bit % 32;
        ::curand(&state);
        images[bit] = pack(state.v);
    }
    return BitMatrix(images);
}

// The powers d * 16^k of (one step)^(2^log2_unit), for each digit d and each k below 16.
class JumpTable {
  public:
    explicit JumpTable(int log2_unit) {
        BitMatrix unit = single_step();
        for (int i = 0; i < log2_unit; ++i) unit = unit * unit;
        powers_.reserve(kCountDigits * 15);
        for (int digit = 0; digit < kCountDigits; ++digit) {
            powers_.push_back(unit);
            for (int value = 2; value < 16; ++value) powers_.push_back(unit * powers_.back());
            unit = unit * powers_.back();
        }
    }

    void jump(unsigned int (&v)[5], std::uint64_t count) const {
        BitVector vector = pack(v);
        for (std::size_t first = 0; count != 0; count >>= 4, first += 15) {
            const std::uint64_t value = count & 0xf;
            if (value != 0) vector = powers_[first + value - 1] * vector;
        }
        unpack(vector, v);
    }

  private:
    static constexpr int kCountDigits = 16;  // of a 64-bit count
    std::vector<BitMatrix> powers_;
};

}  // namespace

// The tables, 4 MB each, are made by the first thread that needs them.
void skip_xorwow(unsigned int (&words)[5], std::uint64_t n) {
    if (n == 0) return;
    static const JumpTable table(0);
    table.jump(words, n);
}

// The threads of a grid usually take one sequence after the other from one seed. The next sequence
// is one product away from the last one, with a table that stays in the nearest cache.
void skip_xorwow_sequences(unsigned int (&words)[5], std::uint64_t n) {
    constexpr int kLog2SequenceLength = 67;
    struct Jump {
        std::array<unsigned int, 5> begin{};
        std::uint64_t count = 0;
        std::array<unsigned int, 5> end{};
    };
    constinit thread_local Jump last;
    const std::array<unsigned int, 5> begin = std::to_array(words);
    if (n != 0) {
        static const JumpTable table(kLog2SequenceLength);
        const bool is_next = n == last.count + 1 && begin == last.begin;
        if (is_next) std::copy(last.end.begin(), last.end.end(), words);
        table.jump(words, is_next ? 1 : n);
    }
    last = {begin, n, std::to_array(words)};
}

}  // namespace emulator
