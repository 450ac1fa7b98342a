// SPDX-License-Identifier: MIT
// The problem and main() of chapter storms.
#include "problem/storms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <ostream>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/harness/command_line.hpp"
#include "common/harness/memory_check.hpp"
#include "common/input/inputs.hpp"

namespace storms {

using course::text;

bool Wave::is_nearer_than(std::int64_t distance) const {
    return std::ranges::all_of(positions, [distance](std::int64_t position) {
        return -distance < position && position < distance;
    });
}

bool Wave::has_zeros() const { return std::ranges::find(values, 0) != values.end(); }

std::int64_t Input::particles() const {
    std::int64_t count = 0;
    for (const Wave& wave : waves) count += wave.count();
    return count;
}

std::int64_t particles_that_reach_all(const Input& input) {
    const auto cells = static_cast<float>(input.size);
    std::int64_t count = 0;
    for (const Wave& wave : input.waves) {
        for (std::int64_t i = 0; i < wave.count(); ++i) {
            const std::int64_t farthest = std::max(std::abs(wave.positions[i]),
                                                   std::abs(wave.positions[i] - (input.size - 1)));
            const float share = static_cast<float>(wave.values[i]) * 1000 / cells;
            count +=
                std::abs(share / std::sqrt(static_cast<float>(farthest + 1))) >= 0.001f / cells;
        }
    }
    return count;
}

double update_operations(const Input& input) {
    return kOperationsPerUpdate * static_cast<double>(input.size) *
           static_cast<double>(input.particles());
}

namespace {

// A wave with its two lists, its maximum and the expected one.
constexpr double kBytesPerWave = 160;
constexpr std::string_view kLayerFlag = "--layer";
constexpr std::string_view kDefaultInput = "small", kCheckedInput = "corners";

std::vector<std::string> split_at_commas(const std::string& names) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true) {
        const std::size_t end = names.find(',', begin);
        parts.push_back(names.substr(begin, end - begin));
        if (parts.back().empty()) {
            throw course::UsageError(text("--input ", names, ": there is no name beside a comma"));
        }
        if (end == std::string::npos) return parts;
        begin = end + 1;
    }
}

class Storms final : public course::Problem {
  public:
    Storms(BombardLayer bombard_layer, Traits traits)
        : bombard_layer_(bombard_layer), traits_(traits) {}

    std::string_view chapter() const override { return "storms"; }
    std::string_view summary() const override {
        return "Storms: waves of particles bombard a layer of cells";
    }
    std::string_view n_help() const override { return "cells of the layer, at least 3"; }
    std::string_view input_help() const override {
        return "small (default), dense, long, sparse, signed, outside, zeros, short, plateau, "
               "corners (default with --check), or files separated by commas, one wave per file: "
               "a line with the number of particles, then lines `position value`";
    }

    void add_options(course::CommandLine& command_line) override {
        command_line.add_integer("--particles", particles_,
                                 "particles per wave (default: the workload's own)");
        command_line.add_integer("--waves", waves_,
                                 "number of waves (default: the workload's own)");
        if (traits_.has_block_size) {
            command_line.add_integer("--block-size", input_.block_size, "threads per block", 1,
                                     kMaxBlockSize);
        }
        command_line_ = &command_line;
    }

    std::int64_t default_n(std::string_view engine, bool check) const override {
        if (check) return 1000;
        if (engine == "gpu") return 1'000'000;
        return engine == "cpu" ? 100'000 : 5'000;
    }
    double device_bytes(std::int64_t n) const override {
        // The layer and its copy; a value and a position for each cell (05 to limit/02); the
        // particles of all waves (from limit/03 on).
        return 20.0 * static_cast<double>(n) + 12.0 * particles();
    }
    double host_bytes(std::int64_t n) const override {
        // The output, the oracle's layer, and a stage's own copy of the layer (00, 01).
        return 12.0 * static_cast<double>(n) + oracle_bytes(n) + 36.0 * particles() +
               kBytesPerWave * waves();
    }

    void prepare(const course::StageOptions& options, const course::Backend& backend) override {
        check_ = options.check;
        if (options.input.empty()) {
            input_name_ = check_ ? kCheckedInput : kDefaultInput;
        } else {
            input_name_ = options.input;
        }
        input_.size = options.n;
        if (const Workload* found = find_workload(input_name_)) {
            Workload workload = *found;
            if (command_line_->given("--particles")) workload.particles = particles_;
            if (command_line_->given("--waves")) workload.waves = waves_;
            if (workload.cells > 0 && !options.n_given && !check_) input_.size = workload.cells;
            refuse_too_few_cells();
            announced_particles_ =
                static_cast<double>(workload.particles) * static_cast<double>(workload.waves);
            announced_waves_ = static_cast<double>(workload.waves);
            course::refuse_without_memory<course::UsageError>(
                *this, input_.size, backend,
                text("--particles ", workload.particles, " in --waves ", workload.waves));
            input_.waves = make_waves(workload, input_.size, options.seed);
        } else {
            for (const char* flag : {"--particles", "--waves"}) {
                if (command_line_->given(flag)) {
                    throw course::UsageError(
                        text(flag, " goes with a named input, not with files"));
                }
            }
            refuse_too_few_cells();
            for (const std::string& path : split_at_commas(input_name_)) {
                input_.waves.push_back(read_wave(path));
            }
        }
        output_.layer.resize(input_.size);
        output_.maxima.resize(input_.waves.size());
    }

    std::int64_t n() const override { return input_.size; }
    double serial_seconds() const override {
        return 2e-9 * static_cast<double>(input_.size) * static_cast<double>(input_.particles());
    }
    std::string input_name() const override { return input_name_; }
    std::string parameters() const override {
        const std::string waves =
            text("waves=", input_.waves.size(), ";particles=", input_.particles());
        return traits_.has_block_size ? text(waves, ";block-size=", input_.block_size) : waves;
    }

    void poison_output() override {
        std::ranges::fill(output_.layer, std::numeric_limits<float>::quiet_NaN());
        std::ranges::fill(output_.maxima, Maximum{-1, std::numeric_limits<float>::quiet_NaN()});
    }

    void run(PhaseTimer& timer) override { bombard_layer_(input_, output_, timer); }

    course::Verdict verify() override {
        if (!verifier_) verifier_.emplace(input_);
        if (!traits_.blocks_race) return verifier_->verify(output_);
        course::Verdict verdict = verifier_->verify_race(output_, input_.block_size);
        if (check_ || !verdict.passed) return verdict;
        return {false, text(verdict.message,
                            " (a race on purpose: --check shows it, and no times are reported)")};
    }

    void exchange_result(course::ResultFile& file) override {
        file.list(output_.layer);
        file.list(output_.maxima);
    }

    std::vector<course::ReportField> report() const override {
        constexpr std::size_t kShown = 6;
        std::vector<course::ReportField> fields;
        for (std::size_t i = 0; i < std::min(kShown, output_.maxima.size()); ++i) {
            fields.push_back({text("wave ", i + 1), describe(output_.maxima[i])});
        }
        return fields;
    }

    void write_output(std::ostream& out, PhaseTimer&) override {
        for (const Maximum& maximum : output_.maxima) out << describe(maximum) << '\n';
    }

    std::vector<course::OutputFile> further_outputs() const override {
        return {{std::string(kLayerFlag), "write the layer after the last wave"}};
    }
    void write_further_output(std::string_view, std::ostream& out) override {
        out << "cell,energy\n";
        std::string line;
        for (std::size_t k = 0; k < output_.layer.size(); ++k) {
            line.clear();
            course::append_csv(line, k, output_.layer[k]);
            out << line;
        }
    }

  private:
    // Of all waves: what there is, or what the flags announce before there is any.
    double particles() const {
        return std::fmax(announced_particles_, static_cast<double>(input_.particles()));
    }
    double waves() const {
        return std::fmax(announced_waves_, static_cast<double>(input_.waves.size()));
    }
    void refuse_too_few_cells() const {
        if (input_.size < kMinCells) {
            throw course::UsageError(
                text("--n ", input_.size, ": a layer needs at least ", kMinCells, " cells"));
        }
    }

    // With six digits after the point, as in the exercise.
    static std::string describe(const Maximum& maximum) {
        return text(maximum.position, ' ', course::fixed(maximum.value, 6));
    }

    BombardLayer bombard_layer_;
    Traits traits_;
    const course::CommandLine* command_line_ = nullptr;
    std::string input_name_;
    std::int64_t particles_ = 0, waves_ = 0;
    double announced_particles_ = 0, announced_waves_ = 0;
    bool check_ = false;
    Input input_;
    Output output_;
    std::optional<Verifier> verifier_;
};

}  // namespace

int run_stage(int argc, char** argv, std::string_view stage_name, BombardLayer bombard_layer,
              Traits traits) {
    return course::run_problem(argc, argv, stage_name,
                               [&] { return std::make_unique<Storms>(bombard_layer, traits); });
}

}  // namespace storms
