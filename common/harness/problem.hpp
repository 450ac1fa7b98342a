// SPDX-License-Identifier: MIT
// What a chapter tells the harness about its problem, and run_problem, the main() of every stage.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/backends/backend.hpp"
#include "common/base/error.hpp"
#include "common/harness/command_line.hpp"
#include "common/harness/phase_timer.hpp"
#include "common/harness/result_file.hpp"
#include "common/harness/results.hpp"

namespace course {

struct Verdict {
    bool passed = false;
    std::string message;  // one line: what was compared, the largest error and the tolerance
};

// A file besides --output, with its own flag.
struct OutputFile {
    std::string flag;  // "--next-hop"
    std::string help;  // "write the matrix of next hops"
};

// What a chapter gives the harness. Any member may throw UsageError or InputError; other
// exceptions are failures at run time.
class Problem {
  public:
    Problem() = default;
    Problem(const Problem&) = delete;
    Problem& operator=(const Problem&) = delete;
    virtual ~Problem() = default;

    virtual std::string_view chapter() const = 0;
    virtual std::string_view summary() const = 0;  // the first line of --help
    virtual std::string_view n_help() const { return "problem size"; }
    virtual std::string_view input_help() const { return "named input, or a file"; }

    // The chapter's own flags, bound to the problem's members.
    virtual void add_options(CommandLine&) {}

    // The default of --n. `check` asks for a small size.
    virtual std::int64_t default_n(std::string_view engine, bool check) const = 0;

    // Device memory, in bytes, that a run of size n needs: a double, so that no n overflows. Called
    // before anything is allocated, and again if a file has set n.
    virtual double device_bytes(std::int64_t n) const = 0;

    // Host memory, in bytes: for the input, the output and the oracle.
    virtual double host_bytes(std::int64_t n) const { return device_bytes(n); }

    // Makes the input (options.n elements), or reads it from a file.
    virtual void prepare(const StageOptions& options, const Backend& backend) = 0;

    // After prepare.
    virtual std::int64_t n() const = 0;  // the size of the run: a file may have set it
    virtual std::string input_name() const = 0;  // "plummer", or the file's path
    virtual std::string parameters() const { return ""; }  // "steps=100;dt=0.01"
    // What the user must know of the input, such as the format that a file was read as: one line
    // each on stderr after a right run, unless --quiet was given.
    virtual std::vector<std::string> notes() const { return {}; }

    // About how long one run takes the serial stage on one core, in seconds. 0: unknown.
    virtual double serial_seconds() const { return 0; }

    // Fills the output with values that no right result has, so that a stale output cannot pass.
    virtual void poison_output() = 0;

    // Calls the stage's function once.
    virtual void run(PhaseTimer& timer) = 0;

    // Compares the output of the last run with the oracle.
    virtual Verdict verify() = 0;

    // Names all parts of the output that verify() looks at, to save them or to read them. Where
    // they are read, prepare() and poison_output() have been called, and no run().
    virtual void exchange_result(ResultFile& file) = 0;

    // Such as {"estimate", "3.14159"}. The fields are printed and written to the JSON.
    virtual std::vector<ReportField> report() const { return {}; }

    // Writes --output. It may run the stage again; the times of this timer are not used.
    virtual void write_output(std::ostream& out, PhaseTimer& timer) = 0;

    // Files besides --output. The same rules hold: they are opened before any work, "-" is stdout,
    // and nothing is written after a failure. write_further_output is called after write_output,
    // for each flag that was given.
    virtual std::vector<OutputFile> further_outputs() const { return {}; }
    virtual void write_further_output(std::string_view flag, std::ostream& out) {
        static_cast<void>(flag);
        static_cast<void>(out);
    }
};

using MakeProblem = std::function<std::unique_ptr<Problem>()>;

// main() of every stage. Reads the command line, opens the backend and runs the problem: at one
// size or, with --check, at each size of a list in turn. Each size gets a new problem from
// `make_problem`. A run checks the memory, opens the output files, prepares, verifies a first run
// (but not before a single timed one), warms up, times the repeats, verifies again, refuses
// impossible times, writes the files and prints the summary. Nothing is written unless all went
// well. `stage_name` is "nbody/03_shared_tiles". Catches every error; returns an ExitStatus, of
// several sizes the largest.
int run_problem(int argc, char** argv, std::string_view stage_name,
                const MakeProblem& make_problem);

}  // namespace course
