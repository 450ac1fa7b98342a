// SPDX-License-Identifier: MIT
// The sequences of XORWOW and MRG32k3a: a fixed number of states, one subsequence apart, draw in
// turn. The result at position n comes from state n modulo their number (cuRAND guide, section
// 2.2.3, "Order").
#include <emulator/curand/draws.hpp>
#include <vector>

#include "common/emulator/libraries/curand/sequence.hpp"

namespace emulator::curand {
namespace {

template <class State>
class InterleavedSequence final : public Sequence {
  public:
    // Some states have had one turn more than the others when the offset is no multiple of their
    // number. A seeded ordering starts every state from a seed of its own.
    InterleavedSequence(std::size_t count, const Start& start, std::uint64_t seed_step)
        : states_(count), turns_(start.offset) {
        const std::uint64_t rounds = turns_ / count;
        const std::size_t next = turns_ % count;
        for (std::size_t i = 0; i < count; ++i) {
            const bool is_seeded = seed_step != 0;
            curand_init(start.seed + i * seed_step, is_seeded ? 0 : i, rounds + (i < next),
                        &states_[i]);
        }
    }

    void draw(const Order& order, void* results) override {
        const auto mean = static_cast<float>(order.mean);
        const auto deviation = static_cast<float>(order.deviation);
        const auto draw_each = [&](auto* begin, auto function) {
            for (std::size_t i = 0; i < order.count; ++i) begin[i] = function(next_state());
        };
        const auto draw_pairs = [&](auto* begin, auto function) {
            for (std::size_t i = 0; i + 1 < order.count; i += 2) {
                const auto pair = function(next_state());
                begin[i] = pair.x;
                begin[i + 1] = pair.y;
            }
        };
        switch (order.distribution) {
            case Distribution::bits:
                return draw_each(static_cast<unsigned int*>(results),
                                 [](State* state) { return ::curand(state); });
            case Distribution::long_bits:
                return;
            case Distribution::uniform:
                return draw_each(static_cast<float*>(results),
                                 [](State* state) { return curand_uniform(state); });
            case Distribution::uniform_double:
                return draw_each(static_cast<double*>(results),
                                 [](State* state) { return curand_uniform_double(state); });
            case Distribution::normal:
                return draw_pairs(static_cast<float*>(results), [=](State* state) {
                    const float2 pair = curand_normal2(state);
                    return make_float2(mean + deviation * pair.x, mean + deviation * pair.y);
                });
            case Distribution::normal_double:
                return draw_pairs(static_cast<double*>(results), [&](State* state) {
                    const double2 pair = curand_normal2_double(state);
                    return make_double2(order.mean + order.deviation * pair.x,
                                        order.mean + order.deviation * pair.y);
                });
            case Distribution::log_normal:
                return draw_pairs(static_cast<float*>(results), [=](State* state) {
                    return curand_log_normal2(state, mean, deviation);
                });
            case Distribution::log_normal_double:
                return draw_pairs(static_cast<double*>(results), [&](State* state) {
                    return curand_log_normal2_double(state, order.mean, order.deviation);
                });
            case Distribution::poisson:
                return draw_each(static_cast<unsigned int*>(results), [&](State* state) {
                    const PoissonCounts& counts = *order.poisson;
                    return counts.rounds_normals()
                               ? counts.of_normal(static_cast<double>(curand_normal(state)))
                               : counts.of_bits(::curand(state));
                });
        }
    }

    std::uint64_t restart_offset() const override { return turns_; }

  private:
    State* next_state() { return &states_[turns_++ % states_.size()]; }

    std::vector<State> states_;
    std::uint64_t turns_;
};

// Measured on an H200: cuRAND's numbers of states, and the distance of seeds. The dynamic ordering
// depends on the device: for MRG32k3a it is one state for each thread that it can hold.
constexpr std::size_t kDynamicXorwowStates = 2816;
constexpr std::size_t kDynamicMrgStates = 270336;
constexpr std::size_t kXorwowStates = 4096;
constexpr std::uint64_t kXorwowSeedStep = 3133713;
constexpr std::size_t kMrgStates = 81920;
constexpr std::size_t kLegacyMrgStates = 4096;

}  // namespace

std::unique_ptr<Sequence> make_interleaved_sequence(const Start& start) {
    if (start.type == CURAND_RNG_PSEUDO_MRG32K3A) {
        const std::size_t count = start.ordering == CURAND_ORDERING_PSEUDO_LEGACY ? kLegacyMrgStates
                                  : start.ordering == CURAND_ORDERING_PSEUDO_DYNAMIC
                                      ? kDynamicMrgStates
                                      : kMrgStates;
        return std::make_unique<InterleavedSequence<curandStateMRG32k3a>>(count, start, 0);
    }
    const bool is_seeded = start.ordering == CURAND_ORDERING_PSEUDO_SEEDED;
    return std::make_unique<InterleavedSequence<curandStateXORWOW>>(
        start.ordering == CURAND_ORDERING_PSEUDO_DYNAMIC ? kDynamicXorwowStates : kXorwowStates,
        start, is_seeded ? kXorwowSeedStep : 0);
}

}  // namespace emulator::curand
