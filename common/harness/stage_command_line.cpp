// SPDX-License-Identifier: MIT
#include "common/harness/stage_command_line.hpp"

#include <utility>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/version.hpp"

namespace course {

namespace {

constexpr int kEmulatedRepeats = 1;
constexpr int kEmulatedWarmup = 0;

// Counting takes ten times as long and needs no large size: its default is the size of --check.
std::int64_t default_size(const Problem& problem, std::string_view engine, bool check) {
    return problem.default_n(engine, check || engine == "count");
}

std::string describe_sizes(const Problem& problem) {
    std::string defaults;
    for (const char* engine : {"gpu", "emu", "count", "cpu", "opencl"}) {
        defaults += text(defaults.empty() ? "" : ", ", default_size(problem, engine, false), " on ",
                         engine);
    }
    return text(problem.n_help(), " (default: ", defaults,
                "); with --check also a list such as 1,2,31: each size is checked in turn");
}

}  // namespace

StageCommandLine::StageCommandLine(const std::string& program, std::string_view stage_name,
                                   Problem& problem)
    : problem_(problem), line_(program, text(stage_name, ": ", problem.summary()), kVersion) {
    for (const OutputFile& file : problem.further_outputs()) {
        further_files_.push_back({file, ""});
    }
    add_common_options();
    problem.add_options(line_);
}

void StageCommandLine::add_common_options() {
    line_.add_integers("--n", sizes_, describe_sizes(problem_));
    line_.add_text("--input", options_.input, std::string(problem_.input_help()));
    line_.add_text("--output", options_.output, "write the result to a file, or to stdout for -");
    for (FurtherFile& further : further_files_) {
        line_.add_text(further.file.flag, further.path,
                       further.file.help + " to a file, or to stdout for -");
    }
    line_.add_unsigned("--seed", options_.seed, "seed of random inputs and generators");
    line_.add_integer("--repeats", options_.repeats,
                      text("timed runs (on emu and count: ", kEmulatedRepeats, ")"), 1, kMostRuns);
    line_.add_integer("--warmup", options_.warmup,
                      text("runs before the timed ones (on emu and count: ", kEmulatedWarmup, ")"),
                      0, kMostRuns);
    line_.add_integer("--device", options_.device, "number of the device", 0);
    line_.add_text(
        "--platform", options_.platform,
        "on opencl: number of the platform, or part of its name (default: one with a GPU, "
        "else PoCL)");
    line_.add_flag("--check", options_.check, "one run of a small size, verified and not timed");
    line_.add_flag(std::string(kThen), then_,
                   "between two runs with --check: one process does both, one after the other");
    line_.add_text("--csv", options_.csv, "write one row per repeat to a file, or to stdout for -");
    line_.add_text("--json", options_.json, "write rows and summary to a file, or to stdout for -");
    line_.add_flag("--profile", options_.profile,
                   "one run for a profiler: no warm-up, no verification, no times");
    line_.add_text("--save-result", options_.save_result,
                   "one run without verification: write the whole result to a file, for "
                   "--judge-result");
    line_.add_text(
        "--judge-result", options_.judge_result,
        "no run: verify the result in a file that --save-result wrote, for the same input");
    line_.add_flag("--quiet", options_.quiet, "no summary and no progress bar");
    line_.add_flag("--force", options_.force,
                   "run sizes too that take more than an hour on this engine");
    line_.add_flag("--no-races", options_.no_races,
                   "on count: do not search for races (for large sizes)");
    line_.add_text("--counters", options_.counters,
                   "on count: write the counters as JSON to a file, or to stdout for -");
    line_.add_text("--trace", options_.trace, "on count: write every access to a file, as CSV");
}

std::optional<std::string> StageCommandLine::parse(int argc, const char* const* argv) {
    std::optional<std::string> answer = line_.parse(argc, argv);
    if (!answer) refuse_contradictions();
    return answer;
}

// The flags whose file is "-".
std::vector<std::string> StageCommandLine::flags_of_stdout() const {
    std::vector<std::string> flags;
    const auto add = [&flags](const std::string& flag, const std::string& path) {
        if (path == "-") flags.push_back(flag);
    };
    add("--output", options_.output);
    for (const FurtherFile& further : further_files_) add(further.file.flag, further.path);
    add("--csv", options_.csv);
    add("--json", options_.json);
    add("--counters", options_.counters);
    return flags;
}

void StageCommandLine::refuse_contradictions() const {
    const std::vector<std::string> on_stdout = flags_of_stdout();
    if (on_stdout.size() > 1) {
        throw UsageError(
            text(on_stdout[0], " and ", on_stdout[1], ": only one of them can go to stdout"));
    }
    if (options_.check && options_.profile) {
        throw UsageError("--check and --profile cannot be combined: only --check verifies");
    }
    if ((options_.check || options_.profile) && !(options_.csv.empty() && options_.json.empty())) {
        throw UsageError(text(options_.check ? "--check" : "--profile",
                              " measures no times: --csv and --json are not possible"));
    }
    refuse_with_results();
    if (sizes_.size() > 1 && !options_.check) {
        throw UsageError("--n: a list of sizes needs --check");
    }
    const auto refuse_result = [this](const std::string& flag, const std::string& path) {
        if (options_.profile && !path.empty()) {
            throw UsageError(text("--profile verifies nothing: ", flag, " is not possible"));
        }
        if (sizes_.size() > 1 && !path.empty()) {
            throw UsageError(text("--n: ", flag, " is not possible with a list of sizes"));
        }
    };
    refuse_result("--output", options_.output);
    for (const FurtherFile& further : further_files_) {
        refuse_result(further.file.flag, further.path);
    }
}

// Results that are saved or judged belong to a single run, which is neither timed nor verified
// otherwise.
void StageCommandLine::refuse_with_results() const {
    const auto refuse = [this](const std::string& flag, const std::string& path) {
        if (path.empty()) return;
        if (path == "-") throw UsageError(flag + " -: it needs a file");
        const std::pair<const char*, bool> others[] = {{"--check", options_.check},
                                                       {"--profile", options_.profile},
                                                       {"--csv", !options_.csv.empty()},
                                                       {"--json", !options_.json.empty()},
                                                       {"--output", !options_.output.empty()}};
        for (const auto& [other, chosen] : others) {
            if (chosen) throw UsageError(text(flag, " and ", other, " cannot be combined"));
        }
        for (const FurtherFile& further : further_files_) {
            if (!further.path.empty()) {
                throw UsageError(text(flag, " and ", further.file.flag, " cannot be combined"));
            }
        }
    };
    refuse("--save-result", options_.save_result);
    refuse("--judge-result", options_.judge_result);
    if (!options_.save_result.empty() && !options_.judge_result.empty()) {
        throw UsageError("--save-result and --judge-result cannot be combined");
    }
}

std::vector<std::int64_t> StageCommandLine::sizes(std::string_view engine) const {
    return sizes_.empty() ? std::vector{default_size(problem_, engine, options_.check)} : sizes_;
}

StageOptions StageCommandLine::options_for(std::int64_t n, std::string_view engine) const {
    StageOptions options = options_;
    options.n = n;
    options.n_given = line_.given("--n");
    if (is_emulated(engine)) {
        options.repeats = line_.given("--repeats") ? options.repeats : kEmulatedRepeats;
        options.warmup = line_.given("--warmup") ? options.warmup : kEmulatedWarmup;
    }
    return options;
}

}  // namespace course
