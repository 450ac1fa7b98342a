// SPDX-License-Identifier: MIT
// The problem and main() of chapter matmul.
#include "problem/matmul.hpp"

#include <algorithm>
#include <ostream>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/harness/command_line.hpp"
#include "common/harness/problem.hpp"
#include "common/input/inputs.hpp"

namespace matmul {

using course::text;

namespace {

class Matmul final : public course::Problem {
  public:
    Matmul(Multiply multiply, Format format) : multiply_(multiply), format_(format) {}

    std::string_view chapter() const override { return "matmul"; }
    std::string_view summary() const override {
        return format_ == Format::kFloat ? "Matmul: the product of two matrices of 32-bit floats"
                                         : "Matmul: the product of two matrices of bfloat16";
    }
    std::string_view n_help() const override { return "columns of B and C"; }
    std::string_view input_help() const override { return input_help_; }

    void add_options(course::CommandLine& command_line) override {
        command_line.add_integer("--m", m_, "rows of A and C (default: as --n)", 1, kMaxSide);
        command_line.add_integer("--k", k_, "columns of A, rows of B (default: as --n)", 0,
                                 kMaxSide);
    }

    std::int64_t default_n(std::string_view engine, bool check) const override {
        if (check) return 200;
        if (engine == "gpu") return 4096;
        return engine == "cpu" ? 1024 : 256;
    }

    // The three matrices. n may be any number that --n takes.
    double device_bytes(std::int64_t n) const override {
        const auto columns = static_cast<double>(n);
        const double rows = m_ < 0 ? columns : static_cast<double>(m_);
        const double depth = k_ < 0 ? columns : static_cast<double>(k_);
        const double bytes = format_ == Format::kFloat ? 4.0 : 2.0;
        return bytes * (rows * depth + depth * columns + rows * columns);
    }
    // The oracle has another copy of B. On the host, all numbers are floats, beside copies in the
    // device's format.
    double host_bytes(std::int64_t n) const override {
        return (format_ == Format::kFloat ? 2.0 : 5.0) * device_bytes(n);
    }

    void prepare(const course::StageOptions& options, const course::Backend&) override {
        input_name_ = options.input.empty() ? "random" : options.input;
        seed_ = options.seed;
        input_ = make_input(input_name_, m_ < 0 ? options.n : m_, options.n,
                            k_ < 0 ? options.n : k_, seed_, format_);
        output_.c.resize(static_cast<std::size_t>(input_.cells()));
    }

    std::int64_t n() const override { return input_.n; }
    double serial_seconds() const override { return 0.2e-9 * input_.products(); }
    std::string input_name() const override { return input_name_; }
    std::string parameters() const override { return text("m=", input_.m, ";k=", input_.k); }

    // No input has a sum of this size.
    void poison_output() override {
        std::ranges::fill(output_.c, std::numeric_limits<float>::max());
    }

    void run(PhaseTimer& timer) override { multiply_(input_, output_, timer); }

    course::Verdict verify() override {
        if (!verifier_) verifier_.emplace(input_, seed_);
        const Verifier::Result result = verifier_->check(output_);
        if (result.fault) return {false, *result.fault};
        const std::string cells = text(result.checked, " of ", input_.cells(), " cells ");
        if (input_.exact) return {true, text(cells, "are exact")};
        return {true, text(cells, "are within the bound of their error; the largest error is ",
                           result.share_of_bound, " of it")};
    }

    void exchange_result(course::ResultFile& file) override { file.list(output_.c); }

    // One row per line, separated by commas. Each number reads back as the same float.
    void write_output(std::ostream& out, PhaseTimer&) override {
        out.precision(std::numeric_limits<float>::max_digits10);
        for (std::int64_t i = 0; i < input_.m; ++i) {
            for (std::int64_t j = 0; j < input_.n; ++j) {
                out << (j > 0 ? "," : "") << output_.c[i * input_.n + j];
            }
            out << '\n';
        }
    }

  private:
    const std::string input_help_ = course::names_for_help(kInputNames);
    Multiply multiply_;
    Format format_;
    std::int64_t m_ = -1, k_ = -1;  // -1: as n
    std::string input_name_;
    std::uint64_t seed_ = 1;
    Input input_;
    Output output_;
    std::optional<Verifier> verifier_;
};

}  // namespace

int run_stage(int argc, char** argv, std::string_view stage_name, Multiply multiply,
              Format format) {
    return course::run_problem(argc, argv, stage_name,
                               [&] { return std::make_unique<Matmul>(multiply, format); });
}

}  // namespace matmul
