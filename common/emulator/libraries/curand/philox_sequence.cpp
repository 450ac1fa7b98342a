// SPDX-License-Identifier: MIT
// The sequence of Philox4x32-10: 65536 subsequences give four results each in turn (measured on an
// H200). Any position can be computed by itself.
#include <algorithm>
#include <array>
#include <emulator/curand/draws.hpp>

#include "common/emulator/libraries/curand/sequence.hpp"

namespace emulator::curand {
namespace {

constexpr std::uint64_t kSubsequences = 65536;
constexpr std::uint64_t kDynamicSubsequences = 67584;  // on an H200
constexpr std::uint64_t kTurn = 4;  // results of one turn

class PhiloxSequence final : public Sequence {
  public:
    explicit PhiloxSequence(const Start& start)
        : key_(make_uint2(static_cast<unsigned int>(start.seed),
                          static_cast<unsigned int>(start.seed >> 32))),
          subsequences_(start.ordering == CURAND_ORDERING_PSEUDO_DYNAMIC ? kDynamicSubsequences
                                                                         : kSubsequences),
          position_(start.offset) {}

    void draw(const Order& order, void* results) override {
        const auto mean = static_cast<float>(order.mean);
        const auto deviation = static_cast<float>(order.deviation);
        switch (order.distribution) {
            case Distribution::bits:
                return write(order, static_cast<unsigned int*>(results), [&](Turn turn) {
                    const uint4 bits = bits_of(turn, 0);
                    return std::array{bits.x, bits.y, bits.z, bits.w};
                });
            case Distribution::long_bits:
                return;
            case Distribution::uniform:
                return write(order, static_cast<float*>(results), [&](Turn turn) {
                    const uint4 bits = bits_of(turn, 0);
                    return std::array{to_uniform(bits.x), to_uniform(bits.y), to_uniform(bits.z),
                                      to_uniform(bits.w)};
                });
            case Distribution::uniform_double:
                return write(order, static_cast<double*>(results), [&](Turn turn) {
                    const uint4 low = bits_of(turn, 0);
                    const uint4 high = bits_of(turn, 1);
                    return std::array{
                        to_uniform_double(low.x, low.y), to_uniform_double(low.z, low.w),
                        to_uniform_double(high.x, high.y), to_uniform_double(high.z, high.w)};
                });
            case Distribution::normal:
                return write(order, static_cast<float*>(results), [&](Turn turn) {
                    auto normals = normals_of(turn);
                    for (float& normal : normals) normal = mean + deviation * normal;
                    return normals;
                });
            case Distribution::log_normal:
                return write(order, static_cast<float*>(results), [&](Turn turn) {
                    auto normals = normals_of(turn);
                    for (float& normal : normals) normal = log_normal(normal, mean, deviation);
                    return normals;
                });
            case Distribution::normal_double:
                return write(order, static_cast<double*>(results), [&](Turn turn) {
                    auto normals = double_normals_of(turn);
                    for (double& normal : normals) normal = order.mean + order.deviation * normal;
                    return normals;
                });
            case Distribution::log_normal_double:
                return write(order, static_cast<double*>(results), [&](Turn turn) {
                    auto normals = double_normals_of(turn);
                    for (double& normal : normals) {
                        normal = log_normal(normal, order.mean, order.deviation);
                    }
                    return normals;
                });
            case Distribution::poisson:
                return write(order, static_cast<unsigned int*>(results), [&](Turn turn) {
                    const PoissonCounts& counts = *order.poisson;
                    const uint4 bits = bits_of(turn, 0);
                    std::array results_of_turn{counts.of_bits(bits.x), counts.of_bits(bits.y),
                                               counts.of_bits(bits.z), counts.of_bits(bits.w)};
                    if (counts.rounds_normals()) {
                        const auto normals = normals_of(turn);
                        for (std::size_t i = 0; i < kTurn; ++i) {
                            results_of_turn[i] = counts.of_normal(static_cast<double>(normals[i]));
                        }
                    }
                    return results_of_turn;
                });
        }
    }

    std::uint64_t restart_offset() const override {
        return position_ < kTurn ? position_ : position_ / kTurn;  // as measured
    }

  private:
    struct Turn {
        std::uint64_t subsequence, number;
    };

    // The four draws of a turn; doubles need a second four.
    uint4 bits_of(Turn turn, std::uint64_t further) const {
        const std::uint64_t counter = turn.number + further;
        return philox(
            make_uint4(static_cast<unsigned int>(counter), static_cast<unsigned int>(counter >> 32),
                       static_cast<unsigned int>(turn.subsequence), 0),
            key_);
    }
    std::array<float, kTurn> normals_of(Turn turn) const {
        const uint4 bits = bits_of(turn, 0);
        const float2 first = box_muller(bits.x, bits.y);
        const float2 second = box_muller(bits.z, bits.w);
        return {first.x, first.y, second.x, second.y};
    }
    std::array<double, kTurn> double_normals_of(Turn turn) const {
        const double2 first = box_muller_double(bits_of(turn, 0));
        const double2 second = box_muller_double(bits_of(turn, 1));
        return {first.x, first.y, second.x, second.y};
    }

    template <class T, class Function>
    void write(const Order& order, T* results, Function results_of) {
        for (std::size_t done = 0; done < order.count;) {
            const std::uint64_t group = position_ / kTurn;
            const auto values = results_of(Turn{group % subsequences_, group / subsequences_});
            for (std::size_t i = position_ % kTurn; i < kTurn && done < order.count; ++i) {
                results[done++] = values[i];
                ++position_;
            }
        }
    }

    uint2 key_;
    std::uint64_t subsequences_;
    std::uint64_t position_;
};

}  // namespace

std::unique_ptr<Sequence> make_philox_sequence(const Start& start) {
    return std::make_unique<PhiloxSequence>(start);
}

}  // namespace emulator::curand
