// SPDX-License-Identifier: MIT
// The problem, the independent count and main() of chapter montecarlo.
#include "problem/montecarlo.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/harness/command_line.hpp"
#include "common/harness/problem.hpp"
#include "common/input/parallel_ranges.hpp"

namespace montecarlo {

using course::fixed, course::text;

namespace {

// --- The reference generator -------------------------------------------------------------------
// XORWOW's five xorshift words are 160 bits, and each step maps them linearly over GF(2). So a jump
// of any length is a matrix of 160 x 160 bits. The matrix of one step, squared 67 times, jumps 2^67
// steps, from one cuRAND subsequence to the next.

using State = std::array<std::uint32_t, 5>;  // oldest word first

State step(State s) {
    const std::uint32_t mixed = s[0] ^ (s[0] >> 2);
    return {s[1], s[2], s[3], s[4], (s[4] ^ (s[4] << 4)) ^ mixed ^ (mixed << 1)};
}

class JumpMatrix {
  public:
    static JumpMatrix one_step() {
        JumpMatrix matrix;
        for (int bit = 0; bit < 160; ++bit) {
            State unit{};
            unit[bit / 32] = 1u << (bit % 32);
            matrix.images_[bit] = step(unit);
        }
        return matrix;
    }

    State apply(const State& state) const {
        State result{};
        for (int word = 0; word < 5; ++word) {
            for (std::uint32_t bits = state[word]; bits != 0; bits &= bits - 1) {
                const State& image = images_[32 * word + std::countr_zero(bits)];
                for (int i = 0; i < 5; ++i) result[i] ^= image[i];
            }
        }
        return result;
    }

    JumpMatrix squared() const {
        JumpMatrix square;
        for (int bit = 0; bit < 160; ++bit) square.images_[bit] = apply(images_[bit]);
        return square;
    }

  private:
    std::array<State, 160> images_{};  // images_[b]: the image of the state with only bit b set
};

// powers[e] jumps 2^e subsequences, that is 2^(67 + e) numbers.
std::vector<JumpMatrix> subsequence_jumps() {
    JumpMatrix matrix = JumpMatrix::one_step();
    for (int doubling = 0; doubling < 67; ++doubling) matrix = matrix.squared();
    std::vector<JumpMatrix> powers;
    for (int e = 0; e < 63; ++e) {
        powers.push_back(matrix);
        matrix = matrix.squared();
    }
    return powers;
}

struct Seeded {
    State state;
    std::uint32_t weyl;  // grows by 362437 per number; a jump of 2^67 numbers does not change it
};

Seeded seed_as_curand(std::uint64_t seed) {
    const std::uint32_t low = 1099087573u * (static_cast<std::uint32_t>(seed) ^ 0xaad26b49u);
    const std::uint32_t high = 2591861531u * (static_cast<std::uint32_t>(seed >> 32) ^ 0xf7dcefddu);
    return {
        {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low},
        6615241u + low + high};
}

std::uint64_t count_one_generator(State state, std::uint32_t weyl, std::int64_t samples) {
    std::uint64_t inside = 0;
    const auto draw = [&] {
        state = step(state);
        weyl += 362437u;
        // (k + 1/2) / 2^32, rounded to float, as curand_uniform defines it.
        return static_cast<float>(state[4] + weyl) * 0x1p-32f + 0x1p-33f;
    };
    for (std::int64_t i = 0; i < samples; ++i) {
        const float x = draw();
        const float y = draw();
        // The same roundings as in the stages: y * y is rounded, then the sum is rounded once.
        inside += std::fmaf(x, x, y * y) < 1.0f;
    }
    return inside;
}

}  // namespace

std::uint64_t count_inside_reference(std::int64_t samples, std::uint64_t seed,
                                     std::int64_t generators) {
    static const std::vector<JumpMatrix> kJumps = subsequence_jumps();
    const auto [start, weyl] = seed_as_curand(seed);
    // The loop ends before generators without points.
    const std::int64_t active = std::min(generators, samples);
    const auto count_range = [&, start = start, weyl = weyl](std::int64_t begin, std::int64_t end) {
        State state = start;
        for (std::size_t e = 0; e < kJumps.size(); ++e) {
            if (begin >> e & 1) state = kJumps[e].apply(state);
        }
        std::uint64_t inside = 0;
        for (std::int64_t g = begin; g < end; ++g) {
            const std::int64_t points = samples / generators + (g < samples % generators ? 1 : 0);
            inside += count_one_generator(state, weyl, points);
            state = kJumps[0].apply(state);
        }
        return inside;
    };

    std::atomic<std::uint64_t> inside = 0;
    course::parallel_ranges(
        active, [&](std::int64_t begin, std::int64_t end) { inside += count_range(begin, end); });
    return inside;
}

Estimate estimate_pi(std::uint64_t inside, std::int64_t samples) {
    constexpr double kPi = std::numbers::pi;
    const double n = static_cast<double>(samples);
    const double estimate = 4.0 * static_cast<double>(inside) / n;
    // For one point, 4 * inside has the variance pi * (4 - pi). This is the true variance; that of
    // a sample would be zero for one point.
    const double error = std::sqrt(kPi * (4.0 - kPi) / n);
    return {estimate, error, (estimate - kPi) / error};
}

namespace {

class MonteCarlo final : public course::Problem {
  public:
    MonteCarlo(CountInside count_inside, std::uint64_t max_samples)
        : count_inside_(count_inside), max_samples_(max_samples) {}

    std::string_view chapter() const override { return "montecarlo"; }
    std::string_view summary() const override {
        return "Monte Carlo: pi from the share of random points inside a quarter circle";
    }
    std::string_view n_help() const override { return "points to draw, exactly"; }
    std::string_view input_help() const override { return "not used: the points come from --seed"; }

    void add_options(course::CommandLine& command_line) override {
        command_line.add_integer(
            "--blocks", input_.blocks,
            "thread blocks; 0: as many as the device holds at once. The count depends on them", 0,
            kMaxBlocks);
    }

    // One count per block, next to nothing.
    double device_bytes(std::int64_t) const override { return 0; }

    std::int64_t default_n(std::string_view engine, bool check) const override {
        if (check) return 100'000;
        return engine == "gpu" ? 1'000'000'000 : 10'000'000;
    }

    void prepare(const course::StageOptions& options, const course::Backend&) override {
        if (!options.input.empty()) {
            throw course::UsageError(
                "--input " + options.input +
                ": this chapter has no input; it draws its points from --seed");
        }
        if (static_cast<std::uint64_t>(options.n) > max_samples_) {
            throw course::UsageError(
                text("--n ", options.n, ": this stage counts in 32 bits, so at most ", max_samples_,
                     " points (03_64bit_counts has no such limit)"));
        }
        input_.samples = options.n;
        input_.seed = options.seed;
    }

    std::int64_t n() const override { return input_.samples; }
    double serial_seconds() const override { return 4e-9 * static_cast<double>(input_.samples); }
    std::string input_name() const override { return "xorwow"; }
    std::string parameters() const override { return text("blocks=", input_.blocks); }

    void poison_output() override {
        output_.inside = std::numeric_limits<std::uint64_t>::max();
        output_.generators = -1;
    }

    void run(PhaseTimer& timer) override { count_inside_(input_, output_, timer); }

    course::Verdict verify() override {
        if (output_.generators < 1) {
            return {false, "the stage did not set the number of generators"};
        }
        if (output_.inside > static_cast<std::uint64_t>(input_.samples)) {
            return {false, text(output_.inside, " points are inside, but only ", input_.samples,
                                " were drawn")};
        }
        const double z = estimate_pi(output_.inside, input_.samples).z;
        if (!(std::abs(z) <= kMaxZ)) {
            return {false, text("z = ", fixed(z, 2), ": the estimate is more than ", kMaxZ,
                                " standard errors away from pi")};
        }
        if (input_.samples > kMaxExactSamples) {
            return {true, text("|z| = ", fixed(std::abs(z), 2), " <= ", kMaxZ)};
        }
        if (reference_generators_ != output_.generators) {
            reference_ = count_inside_reference(input_.samples, input_.seed, output_.generators);
            reference_generators_ = output_.generators;
        }
        if (output_.inside != reference_) {
            return {false, text(output_.inside, " points are inside, but ", reference_,
                                " by the verifier's own XORWOW")};
        }
        return {true, text("the count equals the verifier's own, |z| = ", fixed(std::abs(z), 2))};
    }

    std::vector<course::ReportField> report() const override {
        const Estimate estimate = estimate_pi(output_.inside, input_.samples);
        return {{"samples", std::to_string(input_.samples)},
                {"inside", std::to_string(output_.inside)},
                {"estimate", fixed(estimate.pi, 12)},
                {"standard_error", text(estimate.standard_error)},
                {"z", fixed(estimate.z, 4)}};
    }

    void write_output(std::ostream& out, PhaseTimer&) override {
        std::string names, values;
        for (const course::ReportField& field : report()) {
            names += (names.empty() ? "" : ",") + field.name;
            values += (values.empty() ? "" : ",") + field.value;
        }
        out << names << '\n' << values << '\n';
    }

  private:
    static constexpr std::int64_t kMaxBlocks =
        (std::int64_t{1} << 31) / 1024;  // thread numbers have 32 bits

    CountInside count_inside_;
    std::uint64_t max_samples_;
    Input input_;
    Output output_;
    std::uint64_t reference_ = 0;
    std::int64_t reference_generators_ = 0;  // those of reference_; 0: there is none yet
};

}  // namespace

int run_stage(int argc, char** argv, std::string_view stage_name, CountInside count_inside,
              std::uint64_t max_samples) {
    return course::run_problem(argc, argv, stage_name, [&] {
        return std::make_unique<MonteCarlo>(count_inside, max_samples);
    });
}

}  // namespace montecarlo
