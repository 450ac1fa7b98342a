// SPDX-License-Identifier: MIT
// Monte Carlo, stage 00: one thread on the CPU.
// Idea: draw a point, test whether it is inside the quarter circle, and count. The generator is
// XORWOW (Marsaglia, "Xorshift RNGs", 2003) with the seeding of cuRAND's default generator. So this
// loop draws the same points as thread 0 of a grid with one thread.
// Limit now: one core; each draw waits for the one before it.
// Thesis 8.2.
#include "problem/montecarlo.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

using montecarlo::Input, montecarlo::Output, montecarlo::Phase, montecarlo::PhaseTimer;

class Xorwow {
  public:
    explicit Xorwow(std::uint64_t seed) {
        // cuRAND's scrambling of the seed: its constants are cuRAND's, the five words are
        // Marsaglia's.
        const auto low = 1099087573u * (static_cast<std::uint32_t>(seed) ^ 0xaad26b49u);
        const auto high = 2591861531u * (static_cast<std::uint32_t>(seed >> 32) ^ 0xf7dcefddu);
        x_ = 123456789u + low;
        y_ = 362436069u ^ low;
        z_ = 521288629u + high;
        w_ = 88675123u ^ high;
        v_ = 5783321u + low;
        weyl_ = 6615241u + low + high;
    }

    std::uint32_t next() {
        const std::uint32_t t = x_ ^ (x_ >> 2);
        x_ = y_;
        y_ = z_;
        z_ = w_;
        w_ = v_;
        v_ = (v_ ^ (v_ << 4)) ^ (t ^ (t << 1));
        weyl_ += 362437u;
        return v_ + weyl_;
    }

    // Uniform in (0, 1], as curand_uniform: steps of 2^-32, shifted by half a step.
    float uniform() { return static_cast<float>(next()) * 0x1p-32f + 0x1p-33f; }

  private:
    std::uint32_t x_, y_, z_, w_, v_, weyl_;
};

void count_inside(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kKernels);
    Xorwow generator(input.seed);
    std::uint64_t inside = 0;
    for (std::int64_t i = 0; i < input.samples; ++i) {
        const float x = generator.uniform();
        const float y = generator.uniform();
        // fmaf fixes the roundings, one of y * y and one of the sum: then every compiler and every
        // device gives the same answer for a point on the edge.
        if (std::fmaf(x, x, y * y) < 1.0f) ++inside;
    }
    output.inside = inside;
    output.generators = 1;
    timer.end();
    timer.note_grid(1, 1);
    timer.declare_work(
        {.bytes = 0, .operations = montecarlo::Method{}.operations_per_point() * input.samples});
}

int main(int argc, char** argv) {
    return montecarlo::run_stage(argc, argv, STAGE_NAME, count_inside,
                                 std::numeric_limits<std::uint64_t>::max());
}
