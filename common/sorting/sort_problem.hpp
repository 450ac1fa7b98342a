// SPDX-License-Identifier: MIT
// The problem of both sorting chapters: keys in, the same keys in order out.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/phase_timer.hpp"
#include "common/harness/problem.hpp"
#include "common/sorting/keys.hpp"
#include "common/sorting/sort_verifier.hpp"

namespace course::sorting {

// A flag that a stage adds, its name with the dashes. Without choices its value is an integer.
struct Option {
    std::string name;  // "--threads"
    std::string help;
    std::int64_t value = 0;  // default, minimum <= value <= maximum
    std::int64_t minimum = 0;
    std::int64_t maximum = CommandLine::kNoMaximum;
    std::vector<std::string> choices = {};  // the first is the default
    bool at_most_n = false;  // a number of keys: above n it is refused, or set to n by default
};

// The values of a stage's own flags.
class Options {
  public:
    std::int64_t integer(const std::string& name) const { return integers_.at(name); }
    const std::string& choice(const std::string& name) const { return choices_.at(name); }

  private:
    friend class SortProblem;
    std::map<std::string, std::int64_t> integers_;
    std::map<std::string, std::string> choices_;
};

template <typename AnyKey>
struct InputOf {
    std::span<const AnyKey> keys;  // at least one
    Options options;
    std::uint64_t seed = 1;  // for stages that draw random numbers

    std::int64_t count() const { return static_cast<std::int64_t>(keys.size()); }
};
using Input = InputOf<Key>;

// What a stage answers. `keys` has the input's size on entry; the report is empty then.
template <typename AnyKey>
struct OutputOf {
    std::span<AnyKey> keys;
    std::vector<ReportField> report;
};
using Output = OutputOf<Key>;

// A stage: sorts input.keys into output.keys, marking its phases.
using SortKeys = void (*)(const Input&, Output&, PhaseTimer&);

// The largest n that a stage takes on the current device.
using LargestN = std::int64_t (*)();

struct SortStage {
    std::string_view chapter;
    std::string_view summary;
    SortKeys sort_keys = nullptr;
    LargestN largest_n = nullptr;  // nullptr: as much as fits memory
    std::vector<Option> options = {};
    double device_bytes_per_key = 8;  // the keys, and the second list that most stages need
};

// A stage with a largest n gets kLimitedN as default of --n, or its largest n if that is less.
class SortProblem : public Problem {
  public:
    static constexpr std::int64_t kLimitedN = 2048;

    explicit SortProblem(SortStage stage);

    std::string_view chapter() const override { return stage_.chapter; }
    std::string_view summary() const override { return stage_.summary; }
    std::string_view n_help() const override;
    std::string_view input_help() const override { return input_help_; }
    void add_options(CommandLine& command_line) override;
    std::int64_t default_n(std::string_view engine, bool check) const override;
    double device_bytes(std::int64_t n) const override;
    double host_bytes(std::int64_t n) const override;
    void prepare(const StageOptions& options, const Backend& backend) override;
    std::int64_t n() const override { return static_cast<std::int64_t>(keys_.size()); }
    double serial_seconds() const override {
        return 4e-9 * static_cast<double>(n()) * std::log2(static_cast<double>(n()) + 1);
    }
    std::string input_name() const override { return input_name_; }
    std::string parameters() const override;
    void poison_output() override;
    void run(PhaseTimer& timer) override;
    Verdict verify() override;
    void exchange_result(ResultFile& file) override { file.list(output_.keys); }
    std::vector<ReportField> report() const override { return output_.report; }
    void write_output(std::ostream& out, PhaseTimer& timer) override;

  protected:
    const Input& input() const { return input_; }  // after prepare
    bool raw_output() const { return raw_output_; }

  private:
    void bound_by_n(const Option& option);

    SortStage stage_;
    const CommandLine* command_line_ = nullptr;  // until prepare has returned
    std::string input_help_;
    std::string input_name_;
    std::vector<Key> keys_;
    std::vector<Key> sorted_;
    bool raw_output_ = false;
    Input input_;
    Output output_;
    std::optional<Verifier> verifier_;
};

// main() of every stage of a sorting chapter. Returns an ExitStatus.
int run_sort(int argc, char** argv, std::string_view stage_name, const SortStage& stage);

}  // namespace course::sorting
