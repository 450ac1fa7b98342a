// SPDX-License-Identifier: MIT
// Sobol' sequences of several dimensions: n results are n / d points of the first dimension, then
// those of the second one, and so on (cuRAND guide, section 2.2.3, "Order").
#include <emulator/curand/sobol.hpp>

#include "common/emulator/libraries/curand/results.hpp"
#include "common/emulator/libraries/curand/sequence.hpp"
#include "common/emulator/libraries/curand/sobol_tables.hpp"

namespace emulator::curand {
namespace {

template <class State>
class SobolSequence final : public Sequence {
  public:
    using Bits = SobolBits<State>;

    SobolSequence(const SobolTable<Bits>& table, const Start& start)
        : table_(table), dimensions_(start.dimensions), points_(start.offset) {}

    void draw(const Order& order, void* results) override {
        const std::size_t points = order.count / dimensions_;
        const auto write = [&](auto* begin, auto convert) {
            for (unsigned int dimension = 0; dimension < dimensions_; ++dimension) {
                State state;
                init_sobol(table_.vectors + dimension * 8 * sizeof(Bits),
                           table_.constants == nullptr ? Bits{0} : table_.constants[dimension],
                           static_cast<Bits>(points_), &state);
                for (std::size_t i = 0; i < points; ++i) *begin++ = convert(::curand(&state));
            }
        };
        write_from_bits<Bits>(order, results, write,
                              [](Bits bits) { return to_uniform_double(bits); });
        points_ += points;
    }

    std::uint64_t restart_offset() const override { return points_; }

  private:
    SobolTable<Bits> table_;
    unsigned int dimensions_;
    std::uint64_t points_;
};

template <class State>
std::unique_ptr<Sequence> make(const SobolTable<SobolBits<State>>& table, const Start& start) {
    if (table.vectors == nullptr || table.dimensions < start.dimensions) return nullptr;
    return std::make_unique<SobolSequence<State>>(table, start);
}

}  // namespace

std::unique_ptr<Sequence> make_sobol_sequence(const Start& start) {
    switch (start.type) {
        case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
            return make<curandStateScrambledSobol32>(sobol_table_32(true, start.dimensions), start);
        case CURAND_RNG_QUASI_SOBOL64:
            return make<curandStateSobol64>(sobol_table_64(false, start.dimensions), start);
        case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
            return make<curandStateScrambledSobol64>(sobol_table_64(true, start.dimensions), start);
        default:
            return make<curandStateSobol32>(sobol_table_32(false, start.dimensions), start);
    }
}

}  // namespace emulator::curand
