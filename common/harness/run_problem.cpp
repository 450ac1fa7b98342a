// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/atomic_file.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/harness/expected_time.hpp"
#include "common/harness/measured_runs.hpp"
#include "common/harness/memory_check.hpp"
#include "common/harness/problem.hpp"
#include "common/harness/run_output.hpp"
#include "common/harness/stage_command_line.hpp"
#include "common/ranks/ranks.hpp"

namespace course {

namespace {

bool asks_for_counting(const StageOptions& options) {
    return options.no_races || !options.counters.empty() || !options.trace.empty();
}

// --quiet also omits the table of counters.
void set_counting(Backend& backend, const StageOptions& options) {
    backend.set_counting({options.no_races, options.quiet, options.counters, options.trace});
}

void print_result(std::ostream& out, const Results& results, const Problem& problem, bool check,
                  std::string_view stage_name) {
    if (check) {
        out << "OK " << stage_name << " n=" << problem.n() << ' ' << results.verdict << '\n';
    } else {
        print_summary(out, results, stage_name);
    }
    out << std::flush;
    if (!out) throw InputError("the summary cannot be written");
}

// The flags of one run, behind the program's name. A process has several of them where --then
// divides the command line.
using Arguments = std::vector<std::string>;

std::vector<Arguments> split_at_then(int argc, char** argv) {
    std::vector<Arguments> all(1);
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == kThen) {
            all.emplace_back();
        } else {
            all.back().emplace_back(argv[i]);
        }
    }
    if (all.size() > 1 && std::any_of(all.begin(), all.end(), [](const Arguments& arguments) {
            return std::find(arguments.begin(), arguments.end(), "--check") == arguments.end();
        })) {
        throw UsageError(text(kThen, ": every run before and after it needs --check"));
    }
    return all;
}

// One process of a stage. Its backend is opened once for all runs on the same device.
class StageProcess {
  public:
    StageProcess(std::string program, std::string_view stage_name, const MakeProblem& make_problem,
                 Ranks& ranks)
        : program_(std::move(program)),
          stage_name_(stage_name),
          make_problem_(make_problem),
          ranks_(ranks) {}

    // Returns the sizes to run; none where the command line asks for --help or --version only.
    std::vector<std::int64_t> open(const Arguments& arguments) {
        argv_ = {program_.c_str()};
        for (const std::string& argument : arguments) argv_.push_back(argument.c_str());
        const std::unique_ptr<Problem> problem = make_problem_();
        StageCommandLine line(program_, stage_name_, *problem);
        if (const auto answer = line.parse(static_cast<int>(argv_.size()), argv_.data())) {
            if (ranks_.is_first()) std::cout << *answer << std::flush;
            return {};
        }
        const StageOptions& options = line.options();
        open_backend_of(ranks_.device(options.device), options.platform);
        if (!counts() && asks_for_counting(options)) {
            set_counting(*backend_, options);  // throws
        }
        remove_temporary_files_on_signals();
        return line.sizes(backend_->engine());
    }

    // Every size gets a new problem, so that no size sees what the one before left.
    void run(std::int64_t n) {
        const std::unique_ptr<Problem> problem = make_problem_();
        StageCommandLine line(program_, stage_name_, *problem);
        line.parse(static_cast<int>(argv_.size()), argv_.data());
        const StageOptions options = line.options_for(n, backend_->engine());
        std::optional<OutputFiles> files;
        ranks_.together([&] {
            refuse_without_memory<UsageError>(*problem, n, *backend_, text("--n ", n));
            files.emplace(options, line.further_files(), ranks_.is_first());
            prepare(*problem, options);
            refuse_endless_run(*problem, backend_->engine(), options_of_rank(options), stage_name_);
        });
        if (options.profile) {
            run_once(*problem, *backend_);
            return;
        }
        if (!options.save_result.empty()) {
            save_result(*problem, options.save_result);
            return;
        }
        const bool prints = !options.quiet && ranks_.is_first();
        if (!options.judge_result.empty()) {
            const Results results = judge(*problem, *backend_, options.judge_result);
            if (prints) print_result(std::cout, results, *problem, true, stage_name_);
            return;
        }
        const Results results = options.check ? check(*problem, *backend_)
                                              : measure(*problem, *backend_, options, stage_name_);
        files->write(*problem, *backend_, results);
        if (prints) {
            for (const std::string& note : problem->notes()) std::cerr << one_line(note) << '\n';
            print_result(line.data_goes_to_stdout() ? std::cerr : std::cout, results, *problem,
                         options.check, stage_name_);
        }
    }

  private:
    // To open a device takes as long as a short run: a context of OpenCL half a second or more.
    void open_backend_of(int device, const std::string& platform) {
        if (backend_ && device == device_ && platform == platform_) return;
        backend_.reset();
        backend_ = open_backend(device, platform);
        backend_->join_ranks(ranks_);
        device_ = device;
        platform_ = platform;
    }

    bool counts() const { return backend_->engine() == "count"; }

    void save_result(Problem& problem, const std::string& path) {
        std::optional<AtomicFile> file;
        ranks_.together([&] {
            if (ranks_.is_first()) file.emplace(path);
        });
        run_once(problem, *backend_);
        if (file) write_result(*file, problem);
    }

    // Each rank counts for itself, and writes a file of its own. Rank 0 prints its table.
    StageOptions options_of_rank(StageOptions options) const {
        if (ranks_.is_first()) return options;
        options.quiet = true;
        for (std::string* path : {&options.counters, &options.trace}) {
            if (!path->empty()) *path += text(".rank", ranks_.rank());
        }
        return options;
    }

    void prepare(Problem& problem, const StageOptions& all_options) {
        const StageOptions options = options_of_rank(all_options);
        const bool counting_starts = counts() && !counting_started_;
        if (counting_starts) {
            // The engine writes them when the program ends, even after a failure.
            refuse_unwritable(options.counters);
            refuse_unwritable(options.trace);
        }
        problem.prepare(options, *backend_);
        if (problem.n() != options.n) {
            refuse_without_memory<InputError>(problem, problem.n(), *backend_,
                                              text(problem.input_name(), ": n = ", problem.n()));
        }
        if (counting_starts) {
            set_counting(*backend_, options);
            counting_started_ = true;
        }
    }

    std::string program_;
    std::vector<const char*> argv_;
    std::string_view stage_name_;
    const MakeProblem& make_problem_;
    Ranks& ranks_;
    std::unique_ptr<Backend> backend_;
    int device_ = 0;  // of the backend
    std::string platform_;
    bool counting_started_ = false;
};

// Calls `action`. An error becomes one line on stderr that starts with `prefix`. Of several ranks,
// one prints it.
template <typename Action>
ExitStatus status_of(const std::string& prefix, Ranks& ranks, const Action& action) {
    const auto fail = [&](const char* message, ExitStatus status) {
        const std::string line = one_line(prefix + ": " + ranks.prefix() + message);
        if (ranks.must_end_all()) {
            ranks.end_all(status, line);
        } else if (ranks.speaks()) {
            std::fprintf(stderr, "%s\n", line.c_str());
        }
        return status;
    };
    try {
        action();
        return kExitOk;
    } catch (const UsageError& error) {
        return fail(error.what(), kExitUsage);
    } catch (const NoDeviceError& error) {
        return fail(error.what(), kExitNoDevice);
    } catch (const std::bad_alloc&) {
        return fail("the host's memory is too small", kExitFailure);
    } catch (const std::exception& error) {
        return fail(error.what(), kExitFailure);
    } catch (...) {
        return fail("an exception of unknown type", kExitFailure);
    }
}

}  // namespace

int run_problem(int argc, char** argv, std::string_view stage_name,
                const MakeProblem& make_problem) {
    const std::string_view path = argc > 0 ? argv[0] : stage_name;
    const std::string program(path.substr(path.rfind('/') + 1));
    std::unique_ptr<Ranks> ranks = std::make_unique<Ranks>();
    ExitStatus worst = status_of(program, *ranks, [&] { ranks = open_ranks(); });
    if (worst != kExitOk) return worst;
    std::vector<Arguments> all;
    worst = status_of(program, *ranks,
                      [&] { ranks->together([&] { all = split_at_then(argc, argv); }); });
    StageProcess process(program, stage_name, make_problem, *ranks);
    for (const Arguments& arguments : all) {
        std::string prefix = program;
        for (const std::string& argument : all.size() > 1 ? arguments : Arguments()) {
            prefix += ' ' + argument;
        }
        std::vector<std::int64_t> sizes;
        worst = std::max(worst, status_of(prefix, *ranks, [&] {
                             ranks->together([&] { sizes = process.open(arguments); });
                         }));
        for (const std::int64_t n : sizes) {
            const std::string place = sizes.size() > 1 ? text(prefix, ": n=", n) : prefix;
            worst = std::max(worst, status_of(place, *ranks, [&] { process.run(n); }));
        }
    }
    return worst;
}

}  // namespace course
