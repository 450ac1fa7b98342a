// SPDX-License-Identifier: MIT
// The sequence of MT19937: 8192 subsequences, 2^2048 apart. Results come in blocks of 78 rows of
// 65536. Eight columns belong to one subsequence; a block takes its next 624 words in the order of
// position_of_words() (measured on an H200).
//
// Source: M. Matsumoto, T. Nishimura, "Mersenne Twister", ACM Transactions on Modeling and Computer
// Simulation 8(1), 1998.
#include <array>
#include <vector>

#include "common/emulator/libraries/curand/mt19937_jump.hpp"
#include "common/emulator/libraries/curand/results.hpp"
#include "common/emulator/libraries/curand/sequence.hpp"

namespace emulator::curand {
namespace {

constexpr std::size_t kColumnsOfSubsequence = 8;
constexpr std::size_t kColumns = 65536;
constexpr std::size_t kRows = kMtWords / kColumnsOfSubsequence;

MtWords seeded_words(std::uint32_t seed) {
    MtWords words;
    words[0] = seed;
    for (std::uint32_t i = 1; i < kMtWords; ++i) {
        words[i] = 1812433253u * (words[i - 1] ^ words[i - 1] >> 30) + i;
    }
    return words;
}

std::uint32_t temper(std::uint32_t word) {
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c5680u;
    word ^= word << 15 & 0xefc60000u;
    return word ^ word >> 18;
}

using WordOrder = std::array<std::array<std::uint16_t, kColumnsOfSubsequence>, kRows>;

// Which of a subsequence's 624 words is in which row and column. Eight threads share the words:
// eleven parts of 56 or 57, whose length the distance of the recursion allows. The odd words of the
// longer parts make row 0; every 56 others fill seven rows, column by column.
WordOrder position_of_words() {
    constexpr std::array<bool, 11> kHasOddWord{true, false, true,  true, false, true,
                                               true, true,  false, true, true};
    constexpr std::size_t kRowsOfPart = 7;
    WordOrder order{};
    std::uint16_t word = 0;
    std::size_t odd_words = 0;
    std::size_t first_row = 1;
    for (const bool has_odd_word : kHasOddWord) {
        if (has_odd_word) order[0][odd_words++] = word++;
        for (std::size_t column = 0; column < kColumnsOfSubsequence; ++column) {
            for (std::size_t row = 0; row < kRowsOfPart; ++row) {
                order[first_row + row][column] = word++;
            }
        }
        first_row += kRowsOfPart;
    }
    return order;
}

class Mt19937Sequence final : public Sequence {
  public:
    explicit Mt19937Sequence(std::uint32_t seed)
        : order_(position_of_words()), next_start_(seeded_words(seed)) {}

    void draw(const Order& order, void* results) override {
        const auto write = [&](auto* begin, auto convert) {
            for (std::size_t i = 0; i < order.count; ++i) begin[i] = convert(bits_at(position_++));
        };
        if (order.distribution == Distribution::uniform) {
            // Unlike other generators' numbers, these are rounded once.
            return write(static_cast<float*>(results), [](unsigned int bits) {
                return static_cast<float>(to_open_uniform(bits));
            });
        }
        write_from_bits<unsigned int>(order, results, write,
                                      [](unsigned int bits) { return to_open_uniform(bits); });
    }

    std::uint64_t restart_offset() const override { return 0; }

  private:
    struct Subsequence {
        MtWords words;
        std::uint64_t block = ~std::uint64_t{0};  // of these words; none at first
    };

    unsigned int bits_at(std::uint64_t position) {
        const std::size_t column = position % kColumns;
        const std::uint64_t row = position / kColumns;
        Subsequence& subsequence = subsequence_at(column / kColumnsOfSubsequence);
        for (; subsequence.block != row / kRows; ++subsequence.block) {
            next_mt_words(subsequence.words);
        }
        return temper(subsequence.words[order_[row % kRows][column % kColumnsOfSubsequence]]);
    }

    // The starts are made when they are needed: all of them take some seconds.
    Subsequence& subsequence_at(std::size_t number) {
        while (subsequences_.size() <= number) {
            subsequences_.push_back({next_start_});
            jump_mt_subsequence(next_start_);
        }
        return subsequences_[number];
    }

    WordOrder order_;
    MtWords next_start_;
    std::vector<Subsequence> subsequences_;
    std::uint64_t position_ = 0;
};

}  // namespace

std::unique_ptr<Sequence> make_mt19937_sequence(const Start& start) {
    return std::make_unique<Mt19937Sequence>(static_cast<std::uint32_t>(start.seed));
}

}  // namespace emulator::curand
