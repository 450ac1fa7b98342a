// SPDX-License-Identifier: MIT
// The command line that all stages share, and what a chapter adds to it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace course {

// Of --warmup, and of --repeats: even the shortest runs end within minutes.
inline constexpr int kMostRuns = 100'000;

// The flags of every stage, for one size. Paths may be "-" for stdout where they are written.
struct StageOptions {
    std::int64_t n = 0;  // the chapter's default unless n_given
    bool n_given = false;
    std::string input;  // name or file; empty: the chapter's default
    std::string output;  // empty: none
    std::string csv;
    std::string json;
    std::uint64_t seed = 1;
    int repeats = 5;
    int warmup = 1;
    int device = 0;
    std::string platform;  // empty: the default
    bool check = false;
    bool profile = false;
    bool quiet = false;
    bool force = false;  // runs of more than an hour too
    bool no_races = false;  // this and the next two: only on the engine with counters
    std::string counters;
    std::string trace;
    std::string save_result;
    std::string judge_result;

    // The runs that are not verified first.
    std::int64_t runs() const { return std::int64_t{warmup} + repeats; }
};

// Named flags with typed values. A name is written with its dashes ("--steps"). The bound variable
// holds the default, which --help shows; parse sets it. A UsageError names the flag and the value
// if the value is not a number, out of range or not a choice, if a flag is unknown or lacks its
// value, and if a word is left over.
class CommandLine {
  public:
    static constexpr std::int64_t kNoMaximum = std::numeric_limits<std::int64_t>::max();

    CommandLine(std::string program, std::string summary, std::string version);
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    ~CommandLine();

    // minimum <= value <= maximum. Accepts numbers such as 1e10 and 1.5e3 that are integers. A
    // default outside the range means "not given" to the caller, and --help does not show it.
    void add_integer(const std::string& name, std::int64_t& value, const std::string& help,
                     std::int64_t minimum = 1, std::int64_t maximum = kNoMaximum);
    // The same for one integer or several, separated by commas.
    void add_integers(const std::string& name, std::vector<std::int64_t>& values,
                      const std::string& help, std::int64_t minimum = 1,
                      std::int64_t maximum = kNoMaximum);
    void add_integer(const std::string& name, int& value, const std::string& help, int minimum = 1,
                     int maximum = std::numeric_limits<int>::max());
    void add_unsigned(const std::string& name, std::uint64_t& value, const std::string& help);

    // A finite number in [minimum, maximum]. A chapter checks an open bound (dt > 0) itself.
    void add_real(const std::string& name, double& value, const std::string& help,
                  double minimum = std::numeric_limits<double>::lowest(),
                  double maximum = std::numeric_limits<double>::max());

    void add_text(const std::string& name, std::string& value, const std::string& help);
    void add_flag(const std::string& name, bool& value, const std::string& help);
    void add_choice(const std::string& name, std::string& value,
                    const std::vector<std::string>& choices, const std::string& help);

    // Sets the bound variables. Returns the text to print on stdout for --help and --version, and
    // nothing if the stage is to run. Errors: UsageError.
    std::optional<std::string> parse(int argc, const char* const* argv);

    // After parse: whether the flag was on the command line.
    bool given(const std::string& name) const;

  private:
    struct Implementation;  // hides CLI11, which takes 10 s to compile, from every other file
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace course
