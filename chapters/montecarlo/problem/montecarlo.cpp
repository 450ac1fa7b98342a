// SPDX-License-Identifier: MIT
// The problem, the verdict and main() of chapter montecarlo.
#include "problem/montecarlo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/harness/command_line.hpp"
#include "common/harness/problem.hpp"
#include "problem/reference.hpp"

namespace montecarlo {

using course::fixed, course::text;

Estimate estimate_pi(std::uint64_t inside, std::int64_t samples) {
    constexpr double kPi = std::numbers::pi;
    const double n = static_cast<double>(samples);
    const double estimate = 4.0 * static_cast<double>(inside) / n;
    // For one point, 4 * inside has the variance pi * (4 - pi). This is the true variance; that of
    // a sample would be zero for one point.
    const double error = std::sqrt(kPi * (4.0 - kPi) / n);
    return {estimate, error, (estimate - kPi) / error};
}

ScoreSummary summarise_scores(std::span<const double> scores) {
    double sum = 0, squares = 0;
    for (const double z : scores) {
        sum += z;
        squares += z * z;
    }
    const auto count = static_cast<double>(scores.size());
    // The quantiles of chi-squared by Wilson and Hilferty (1931).
    const auto root_at = [&](double quantile) {
        const double spread = 2 / (9 * count);
        return std::sqrt(std::pow(std::max(0.0, 1 - spread + quantile * std::sqrt(spread)), 3));
    };
    constexpr double kQuantile = 3.09;  // one in a thousand lies above, one in a thousand below
    ScoreSummary summary{.mean = sum / count,
                         .root_mean_square = std::sqrt(squares / count),
                         .largest_mean = kQuantile / std::sqrt(count),
                         .least_root = root_at(-kQuantile),
                         .largest_root = root_at(kQuantile)};
    summary.passed = std::abs(summary.mean) <= summary.largest_mean &&
                     summary.root_mean_square >= summary.least_root &&
                     summary.root_mean_square <= summary.largest_root;
    return summary;
}

namespace {

class MonteCarlo final : public course::Problem {
  public:
    MonteCarlo(CountInside count_inside, std::uint64_t max_samples, const Method& method)
        : count_inside_(count_inside), max_samples_(max_samples), method_(method) {}

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
        command_line.add_integer("--seeds", seeds_,
                                 "verify the z-scores of so many seeds, from --seed on", 1, 4096);
        if (!draws_by_library()) return;
        command_line.add_choice("--generator", generator_, {"xorwow", "philox"},
                                "cuRAND's generator");
        command_line.add_integer("--chunk", input_.chunk,
                                 text("points per call of cuRAND, a multiple of ", kChunkUnit,
                                      ": their numbers are in memory at once"),
                                 kChunkUnit, std::int64_t{1} << 30);
    }

    // The numbers of a chunk, or the states of all generators. Counts per block are next to
    // nothing. An upper bound: without --blocks, no device has more threads at once than this.
    double device_bytes(std::int64_t n) const override {
        constexpr double kMostThreads = 1 << 20;
        if (draws_by_library()) return 8.0 * static_cast<double>(std::min(n, input_.chunk));
        const double threads = input_.blocks > 0
                                   ? kBlockThreads * static_cast<double>(input_.blocks)
                                   : std::min(kMostThreads, static_cast<double>(n) + kBlockThreads);
        return static_cast<double>(method_.bytes_per_generator) * threads;
    }

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
        if (words_per_point(method_.test) == 1 && options.n > kMaxWordSamples) {
            throw course::UsageError(
                text("--n ", options.n, ": at most ", kMaxWordSamples,
                     " points: with 16 bits per coordinate, the bias of the test would come near "
                     "a standard error"));
        }
        if (draws_by_library()) {
            if (input_.chunk % kChunkUnit != 0) {
                throw course::UsageError(
                    text("--chunk ", input_.chunk, ": not a multiple of ", kChunkUnit));
            }
            method_.generator =
                generator_ == "philox" ? Generator::kCurandPhilox : Generator::kCurandXorwow;
        }
        input_.generator = method_.generator;
        input_.samples = options.n;
        input_.seed = options.seed;
    }

    std::int64_t n() const override { return input_.samples; }
    double serial_seconds() const override { return 4e-9 * static_cast<double>(input_.samples); }
    std::string input_name() const override { return std::string(name_of(method_.generator)); }
    std::string parameters() const override {
        std::string words = draws_by_library()
                                ? text("generator=", generator_, ";chunk=", input_.chunk)
                                : text("blocks=", input_.blocks);
        if (method_.test != PointTest::kTwoFloats) words += text(";test=", name_of(method_.test));
        if (seeds_ > 1) words += text(";seeds=", seeds_);
        return words;
    }

    void poison_output() override {
        output_.inside = std::numeric_limits<std::uint64_t>::max();
        output_.generators = -1;
    }

    void run(PhaseTimer& timer) override {
        backend_ = &timer.backend();
        count_inside_(input_, output_, timer);
    }

    course::Verdict verify() override {
        course::Verdict verdict = verify_count();
        if (verdict.passed && seeds_ > 1) verdict = verify_seeds();
        return verdict;
    }

    void exchange_result(course::ResultFile& file) override {
        file.number(output_.inside);
        file.number(output_.generators);
    }

    course::Verdict verify_count() {
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
            reference_ =
                count_inside_reference(input_.samples, input_.seed, output_.generators, method_);
            reference_generators_ = output_.generators;
        }
        if (output_.inside != reference_) {
            return {false, text(output_.inside, " points are inside, but ", reference_,
                                " by the verifier's own ", name_of(method_.generator))};
        }
        return {true, text("the count equals the verifier's own, |z| = ", fixed(std::abs(z), 2))};
    }

    // The z-scores of all seeds are independent and normal if the generator is good. Then the sum
    // of their squares is chi-squared with as many degrees of freedom as there are seeds.
    course::Verdict verify_seeds() {
        if (backend_ == nullptr) {
            throw course::UsageError("--seeds: it runs the stage, which --judge-result does not");
        }
        if (scores_.empty()) {
            for (std::int64_t i = 0; i < seeds_; ++i) {
                Input input = input_;
                input.seed += static_cast<std::uint64_t>(i);
                Output output;
                PhaseTimer timer(*backend_);
                count_inside_(input, output, timer);
                scores_.push_back(estimate_pi(output.inside, input_.samples).z);
            }
        }
        const ScoreSummary summary = summarise_scores(scores_);
        return {summary.passed,
                text("of ", seeds_, " seeds, z has the mean ", fixed(summary.mean, 3),
                     " and the root mean square ", fixed(summary.root_mean_square, 3),
                     "; allowed are ±", fixed(summary.largest_mean, 3), " and ",
                     fixed(summary.least_root, 3), " to ", fixed(summary.largest_root, 3))};
    }

    std::vector<course::ReportField> report() const override {
        const Estimate estimate = estimate_pi(output_.inside, input_.samples);
        std::vector<course::ReportField> fields = {
            {"samples", std::to_string(input_.samples)},
            {"inside", std::to_string(output_.inside)},
            {"estimate", fixed(estimate.pi, 12)},
            {"standard_error", text(estimate.standard_error)},
            {"z", fixed(estimate.z, 4)},
            {"words_per_point", std::to_string(words_per_point(method_.test))},
            {"bias", text(bias_of(method_.test))},
            {"bias_z", text(bias_of(method_.test) / estimate.standard_error)}};
        if (!scores_.empty()) {
            const ScoreSummary summary = summarise_scores(scores_);
            fields.push_back({"z_mean", fixed(summary.mean, 4)});
            fields.push_back({"z_root_mean_square", fixed(summary.root_mean_square, 4)});
        }
        return fields;
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
    bool draws_by_library() const {
        return method_.generator == Generator::kCurandXorwow ||
               method_.generator == Generator::kCurandPhilox;
    }

    // Numbers of Philox come in rounds of 65536 times 4: after such a round, a call continues the
    // sequence where the call before it ended. Those of XORWOW come in rounds of 4096.
    static constexpr std::int64_t kChunkUnit = 65536 * 4 / 2;
    static constexpr double kBlockThreads = 256;  // of every stage
    static constexpr std::int64_t kMaxBlocks =
        (std::int64_t{1} << 31) / 1024;  // thread numbers have 32 bits

    CountInside count_inside_;
    std::uint64_t max_samples_;
    Method method_;
    std::string generator_ = "xorwow";  // of --generator
    Input input_;
    Output output_;
    std::int64_t seeds_ = 1;  // of --seeds
    std::vector<double> scores_;  // z of each seed, if there are several
    course::Backend* backend_ = nullptr;  // of the last run
    std::uint64_t reference_ = 0;
    std::int64_t reference_generators_ = 0;  // those of reference_; 0: there is none yet
};

}  // namespace

int run_stage(int argc, char** argv, std::string_view stage_name, CountInside count_inside,
              std::uint64_t max_samples, const Method& method) {
    return course::run_problem(argc, argv, stage_name, [&] {
        return std::make_unique<MonteCarlo>(count_inside, max_samples, method);
    });
}

}  // namespace montecarlo
