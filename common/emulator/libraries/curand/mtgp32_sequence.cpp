// SPDX-License-Identifier: MIT
// The sequence of MTGP32: 192 generators with parameters of their own (64 in the legacy ordering)
// give 256 results each in turn (measured on an H200).
#include <array>
#include <vector>

#include "common/emulator/libraries/curand/mtgp32_parameters.hpp"
#include "common/emulator/libraries/curand/results.hpp"
#include "common/emulator/libraries/curand/sequence.hpp"

namespace emulator::curand {
namespace {

constexpr std::size_t kGroup = 256;
constexpr std::size_t kGenerators = 192;
constexpr std::size_t kLegacyGenerators = 64;

class MtgpGenerator {
  public:
    MtgpGenerator(const mtgp32_params_fast& parameters, unsigned int seed)
        : parameters_(&parameters) {
        init_mtgp_words(parameters, seed, words_.data());
    }

    std::array<unsigned int, kGroup> next_group() {
        std::array<unsigned int, kGroup> group;
        for (unsigned int& bits : group) bits = next();
        return group;
    }

  private:
    unsigned int word(unsigned int distance) const {
        return words_[(oldest_ + distance) & MTGP32_STATE_MASK];
    }
    unsigned int next() {
        const mtgp32_params_fast& p = *parameters_;
        const auto position = static_cast<unsigned int>(p.pos);
        unsigned int x = (word(0) & p.mask) ^ word(1);
        x ^= x << p.sh1;
        const unsigned int y = x ^ word(position) >> p.sh2;
        const unsigned int bits = y ^ p.tbl[y & 0xf];
        words_[(oldest_ + MTGPDC_N) & MTGP32_STATE_MASK] = bits;
        const unsigned int temper = p.tmp_tbl[mtgp_temper_index(word(position - 1))];
        ++oldest_;
        return bits ^ temper;
    }

    const mtgp32_params_fast* parameters_;
    std::array<unsigned int, MTGP32_STATE_SIZE> words_{};
    unsigned int oldest_ = 0;
};

class MtgpSequence final : public Sequence {
  public:
    MtgpSequence(const mtgp32_params_fast* parameters, std::size_t count, std::uint64_t seed) {
        for (std::size_t i = 0; i < count; ++i) {
            generators_.emplace_back(parameters[i], mtgp_seed_of(seed, i));
        }
    }

    void draw(const Order& order, void* results) override {
        const auto write = [&](auto* begin, auto convert) {
            for (std::size_t i = 0; i < order.count; ++i) begin[i] = convert(next_bits());
        };
        write_from_bits<unsigned int>(order, results, write,
                                      [](unsigned int bits) { return to_uniform_double(bits); });
    }

    std::uint64_t restart_offset() const override { return 0; }

  private:
    unsigned int next_bits() {
        if (position_ % kGroup == 0) {
            group_ = generators_[position_ / kGroup % generators_.size()].next_group();
        }
        return group_[position_++ % kGroup];
    }

    std::vector<MtgpGenerator> generators_;
    std::array<unsigned int, kGroup> group_{};
    std::uint64_t position_ = 0;
};

}  // namespace

std::unique_ptr<Sequence> make_mtgp32_sequence(const Start& start) {
    const mtgp32_params_fast* const parameters = mtgp_parameters();
    if (parameters == nullptr) return nullptr;
    const bool is_legacy = start.ordering == CURAND_ORDERING_PSEUDO_LEGACY;
    return std::make_unique<MtgpSequence>(parameters, is_legacy ? kLegacyGenerators : kGenerators,
                                          start.seed);
}

}  // namespace emulator::curand
