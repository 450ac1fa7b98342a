// SPDX-License-Identifier: MIT
// The command line of a stage: the flags that all stages share, and the chapter's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/command_line.hpp"
#include "common/harness/problem.hpp"

namespace course {

// Rows of "count" come from the same runs as rows of "emu"; counting only makes them slower.
inline bool is_emulated(std::string_view engine) { return engine == "emu" || engine == "count"; }

// Divides the command line into several runs with --check, one after the other in one process.
inline constexpr std::string_view kThen = "--then";

// A file beside --output, and the path that the command line gives it; empty: not wanted.
struct FurtherFile {
    OutputFile file;
    std::string path;
};

// Bound to the problem's members: the problem must live as long.
class StageCommandLine {
  public:
    StageCommandLine(const std::string& program, std::string_view stage_name, Problem& problem);

    // Returns the text to print on stdout for --help and --version, and nothing if the stage is to
    // run. Errors: UsageError, also for flags that contradict one another.
    std::optional<std::string> parse(int argc, const char* const* argv);

    // After parse: the sizes to run, in the order given; without --n the engine's default alone.
    std::vector<std::int64_t> sizes(std::string_view engine) const;

    // After parse: the flags for a run of size `n` on that engine.
    StageOptions options_for(std::int64_t n, std::string_view engine) const;

    // After parse.
    const StageOptions& options() const { return options_; }
    const std::vector<FurtherFile>& further_files() const { return further_files_; }
    bool data_goes_to_stdout() const { return !flags_of_stdout().empty(); }

  private:
    void add_common_options();
    void refuse_contradictions() const;
    void refuse_with_results() const;
    std::vector<std::string> flags_of_stdout() const;

    Problem& problem_;
    CommandLine line_;
    StageOptions options_;
    std::vector<std::int64_t> sizes_;
    bool then_ = false;  // for --help only: the command line is divided before it is parsed
    std::vector<FurtherFile> further_files_;
};

}  // namespace course
