// SPDX-License-Identifier: MIT
#include "common/sorting/sort_problem.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/input/inputs.hpp"
#include "common/input/parallel_ranges.hpp"

namespace course::sorting {

SortProblem::SortProblem(SortStage stage)
    : stage_(std::move(stage)),
      input_help_("uniform (default) or another of: " + all_input_names() +
                  "; or a file of integers (.i32: raw little-endian int32)") {
    for (const Option& option : stage_.options) {
        if (option.choices.empty()) {
            input_.options.integers_[option.name] = option.value;
        } else {
            input_.options.choices_[option.name] = option.choices.front();
        }
    }
}

std::string_view SortProblem::n_help() const {
    return stage_.largest_n == nullptr ? "keys" : "keys, up to this stage's limit on the device";
}

void SortProblem::add_options(CommandLine& command_line) {
    command_line_ = &command_line;
    for (const Option& option : stage_.options) {
        if (option.choices.empty()) {
            command_line.add_integer(option.name, input_.options.integers_[option.name],
                                     option.help, option.minimum, option.maximum);
        } else {
            command_line.add_choice(option.name, input_.options.choices_[option.name],
                                    option.choices, option.help);
        }
    }
}

std::int64_t SortProblem::default_n(std::string_view engine, bool check) const {
    if (check) return 1000;
    if (stage_.largest_n != nullptr) return kLimitedN;
    if (engine == "gpu") return std::int64_t{1} << 24;
    if (engine == "cpu") return std::int64_t{1} << 22;
    if (engine == "opencl") return std::int64_t{1} << 20;  // the device may be a CPU
    return std::int64_t{1} << 14;  // selection sort waits at 5000 barriers per segment
}

double SortProblem::device_bytes(std::int64_t n) const {
    return stage_.device_bytes_per_key * static_cast<double>(n);
}

// The keys, the output, a list of the stage, and the list of the verifier.
double SortProblem::host_bytes(std::int64_t n) const {
    return 12.0 * static_cast<double>(n) +
           4.0 * static_cast<double>(std::min(n, Verifier::kMaxExact));
}

void SortProblem::prepare(const StageOptions& options, const Backend&) {
    input_name_ = options.input.empty() ? "uniform" : options.input;
    raw_output_ = is_raw_name(options.output);
    const std::int64_t largest = stage_.largest_n != nullptr ? stage_.largest_n() : 0;
    const auto refuse = [&](const std::string& what) {
        throw UsageError(
            text(what, ": this stage sorts at most ", largest, " keys on this device"));
    };
    if (is_input_name(input_name_)) {
        std::int64_t count = options.n;
        if (largest > 0 && count > largest) {
            if (options.n_given) refuse(text("--n ", count));
            count = largest;
        }
        keys_.resize(static_cast<std::size_t>(count));
        make_keys(input_name_, options.seed, keys_);
    } else {
        keys_ = read_keys(input_name_);
        refuse_other_n(options.n_given ? options.n : 0, input_name_, n(), "keys");
        if (largest > 0 && n() > largest) refuse(text(input_name_, ": ", n(), " keys"));
    }
    for (const Option& option : stage_.options) {
        if (option.at_most_n) bound_by_n(option);
    }
    sorted_.resize(keys_.size());
    input_.keys = keys_;
    input_.seed = options.seed;
    output_.keys = sorted_;
}

void SortProblem::bound_by_n(const Option& option) {
    std::int64_t& value = input_.options.integers_.at(option.name);
    if (value <= n()) return;
    if (command_line_ != nullptr && command_line_->given(option.name)) {
        throw UsageError(text(option.name, ' ', value, ": there are only ", n(), " keys"));
    }
    value = n();
}

std::string SortProblem::parameters() const {
    std::string parameters;
    for (const Option& option : stage_.options) {
        const std::string value = option.choices.empty()
                                      ? std::to_string(input_.options.integer(option.name))
                                      : input_.options.choice(option.name);
        parameters += (parameters.empty() ? "" : ";") + option.name.substr(2) + '=' + value;
    }
    return parameters;
}

// Scrambles the keys, so that an output that is never written does not pass, nor zeros, nor the
// output of an earlier run. Every key changes: the addend is odd, the multiplier less one is even.
void SortProblem::poison_output() {
    parallel_ranges(n(), [this](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            sorted_[i] =
                static_cast<Key>(static_cast<std::uint32_t>(keys_[i]) * 0x9e3779b1u + 0x7f4a7c15u);
        }
    });
}

void SortProblem::run(PhaseTimer& timer) {
    output_.report.clear();
    stage_.sort_keys(input_, output_, timer);
}

Verdict SortProblem::verify() {
    if (!verifier_) verifier_.emplace(keys_);
    return verifier_->verify(sorted_);
}

void SortProblem::write_output(std::ostream& out, PhaseTimer&) {
    write_keys(out, sorted_, raw_output_);
}

int run_sort(int argc, char** argv, std::string_view stage_name, const SortStage& stage) {
    return run_problem(argc, argv, stage_name,
                       [&] { return std::make_unique<SortProblem>(stage); });
}

}  // namespace course::sorting
