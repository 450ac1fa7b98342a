// SPDX-License-Identifier: MIT
#include "common/harness/stage.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <utility>

#include "common/harness/atomic_file.hpp"
#include "common/harness/progress_bar.hpp"
#include "common/harness/text.hpp"
#include "common/input/numbers.hpp"
#include "common/limits/host_memory.hpp"
#include "version.hpp"

namespace course {

namespace {

// The output of a run was wrong. The message is the verdict's.
class WrongResultError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Rows of "count" are of the same runs as rows of "emu", with longer times still.
bool is_emulated(std::string_view engine) { return engine == "emu" || engine == "count"; }

// Counting takes ten times as long and needs no large size: its default is the checks' size.
std::int64_t default_n(const Problem& problem, std::string_view engine, bool check) {
    return problem.default_n(engine, check || engine == "count");
}

constexpr int kEmulatedRepeats = 1;
constexpr int kEmulatedWarmup = 0;

std::string program_name(int argc, char** argv, std::string_view stage_name) {
    const std::string_view path = argc > 0 ? argv[0] : stage_name;
    return std::string(path.substr(path.rfind('/') + 1));
}

// A file that was asked for or not: its flag, and the path that the command line sets.
struct FurtherOutput {
    OutputFile file;
    std::string path;
};

std::vector<FurtherOutput> further_outputs(const Problem& problem) {
    std::vector<FurtherOutput> outputs;
    for (const OutputFile& file : problem.further_outputs()) {
        outputs.push_back({file, ""});
    }
    return outputs;
}

void add_common_options(CommandLine& line, StageOptions& options,
                        std::vector<FurtherOutput>& further, const Problem& problem) {
    line.add_integer(
        "--n", options.n,
        text(problem.n_help(), " (default: ", default_n(problem, "gpu", false), " on gpu, ",
             default_n(problem, "emu", false), " on emu, ", default_n(problem, "count", false),
             " on count, ", default_n(problem, "cpu", false), " on cpu, ",
             default_n(problem, "opencl", false), " on opencl)"));
    line.add_text("--input", options.input, std::string(problem.input_help()));
    line.add_text("--output", options.output, "write the result to a file, or to stdout for -");
    for (FurtherOutput& output : further) {
        line.add_text(output.file.flag, output.path,
                      output.file.help + " to a file, or to stdout for -");
    }
    line.add_unsigned("--seed", options.seed, "of random inputs and generators");
    line.add_integer("--repeats", options.repeats,
                     text("timed runs (on emu and count: ", kEmulatedRepeats, ")"));
    line.add_integer(
        "--warmup", options.warmup,
        text("runs before them that are not timed (on emu and count: ", kEmulatedWarmup, ")"), 0);
    line.add_integer("--device", options.device, "number of the device", 0);
    line.add_text("--platform", options.platform,
                  "on opencl: number of the platform, or a part of its name (default: one with a "
                  "GPU, else PoCL)");
    line.add_flag("--check", options.check, "one run of a small size, verified and not timed");
    line.add_text("--csv", options.csv, "write one row a repeat to a file, or to stdout for -");
    line.add_text("--json", options.json, "write rows and summary to a file, or to stdout for -");
    line.add_flag("--profile", options.profile,
                  "one run for a profiler: no warm-up, no verification, no times");
    line.add_flag("--quiet", options.quiet, "no summary and no progress bar");
    line.add_flag("--no-races", options.no_races, "on count: no search for races, for large sizes");
    line.add_text("--counters", options.counters,
                  "on count: write the counters as JSON to a file, or to stdout for -");
    line.add_text("--trace", options.trace, "on count: write every access to a file, as CSV");
}

// The flags that say "-".
std::vector<std::string> data_on_stdout(const StageOptions& options,
                                        const std::vector<FurtherOutput>& further) {
    std::vector<std::string> flags;
    const auto add = [&flags](const std::string& flag, const std::string& path) {
        if (path == "-") {
            flags.push_back(flag);
        }
    };
    add("--output", options.output);
    for (const FurtherOutput& output : further) {
        add(output.file.flag, output.path);
    }
    add("--csv", options.csv);
    add("--json", options.json);
    add("--counters", options.counters);
    return flags;
}

void refuse_contradictions(const StageOptions& options, const std::vector<FurtherOutput>& further) {
    const std::vector<std::string> on_stdout = data_on_stdout(options, further);
    if (on_stdout.size() > 1) {
        throw UsageError(
            text(on_stdout[0], " and ", on_stdout[1], ": only one of them can go to stdout"));
    }
    if (options.check && options.profile) {
        throw UsageError("--check verifies and --profile does not: only one of them");
    }
    if ((options.check || options.profile) && !(options.csv.empty() && options.json.empty())) {
        throw UsageError(text(options.check ? "--check" : "--profile",
                              " times nothing: no --csv and no --json"));
    }
    if (options.profile && !options.output.empty()) {
        throw UsageError("--profile verifies nothing: no --output");
    }
    for (const FurtherOutput& output : further) {
        if (options.profile && !output.path.empty()) {
            throw UsageError(text("--profile verifies nothing: no ", output.file.flag));
        }
    }
}

// One line before anything is allocated, instead of a failure (or an endless swapping) after it.
// `Error` says whom to blame: the flag, or the file that set n; `prefix` names it.
template <typename Error>
void refuse_without_memory(const Problem& problem, std::int64_t n, const Backend& backend,
                           const std::string& prefix) {
    const double device_free = static_cast<double>(backend.free_memory_bytes());
    const double host_free = static_cast<double>(available_host_bytes());
    const double device = problem.device_bytes(n);
    const double host = problem.host_bytes(n);
    const auto refuse = [&prefix](const char* where, double needed, double free) {
        throw Error(text(prefix, " needs ", format_bytes(needed), " of ", where, " memory, ",
                         format_bytes(free), " are free"));
    };
    // Written so that NaN is refused.
    if (!(device <= device_free)) {
        refuse("device", device, device_free);
    }
    const double needed = backend.has_own_memory() ? host : device + host;
    if (!(needed <= host_free)) {
        refuse("host", needed, host_free);
    }
}

struct Run {
    PhaseTimes times;
    Grid grid;
    Work work;
};

Run run_once(Problem& problem, Backend& backend) {
    problem.poison_output();
    PhaseTimer timer(backend);
    problem.run(timer);
    timer.end();
    return {timer.times(), timer.grid(), timer.work()};
}

Verdict verify(Problem& problem, const char* when) {
    Verdict verdict = problem.verify();
    if (!verdict.passed) {
        throw WrongResultError(text("WRONG RESULT ", when, ": ", verdict.message));
    }
    return verdict;
}

std::vector<Run> timed_runs(Problem& problem, Backend& backend, const StageOptions& options) {
    ProgressBar progress("runs", options.warmup + options.repeats, !options.quiet);
    for (int i = 0; i < options.warmup; ++i) {
        run_once(problem, backend);
        progress.advance();
    }
    std::vector<Run> runs;
    for (int i = 0; i < options.repeats; ++i) {
        runs.push_back(run_once(problem, backend));
        progress.advance();
    }
    return runs;
}

// Refuses every repeat that is faster than the device can be. The limits that it was compared with
// are returned for the summary.
DeviceLimits refuse_impossible_runs(const std::vector<Run>& runs, const Problem& problem,
                                    Backend& backend) {
    const double memory = problem.device_bytes(problem.n());
    DeviceLimits limits = backend.limits();
    bool fresh = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const PhaseTimes& times = runs[i].times;
        const std::string repeat = text(" of repeat ", i + 1);
        const double seconds = times.kernels_ms * 1e-3;
        const std::string kernels = "kernels" + repeat;
        if (!fresh && impossible_time(kernels, runs[i].work, seconds, limits, memory)) {
            limits = backend.remeasure_limits();
            fresh = true;
        }
        refuse_impossible_time(kernels, runs[i].work, seconds, limits, memory);
        // The other phases declare no work; a clock that runs backwards shows in them too.
        const std::pair<const char*, double> others[] = {{"setup", times.setup_ms},
                                                         {"copy in", times.copy_in_ms},
                                                         {"copy out", times.copy_out_ms},
                                                         {"total", times.total_ms}};
        for (const auto& [name, milliseconds] : others) {
            refuse_impossible_time(name + repeat, Work{}, milliseconds * 1e-3, limits, memory);
        }
    }
    return limits;
}

std::string describe(const Grid& grid) {
    return grid.blocks > 0 ? text(grid.blocks, "x", grid.threads) : "";
}

std::vector<Row> make_rows(const std::vector<Run>& runs, const Problem& problem,
                           const Backend& backend, const StageOptions& options,
                           std::string_view stage_name) {
    Row row;
    row.date = utc_date();
    row.version = kVersion;
    row.chapter = problem.chapter();
    row.stage = stage_name.substr(stage_name.find('/') + 1);
    row.engine = backend.engine();
    row.device = backend.device_name();
    row.n = problem.n();
    row.parameters = problem.parameters();
    row.input = problem.input_name();
    row.seed = options.seed;
    row.verified = true;  // a wrong result has left long before
    std::vector<Row> rows;
    for (const Run& run : runs) {
        ++row.repeat;
        row.grid = describe(run.grid);
        row.setup_ms = run.times.setup_ms;
        row.copy_in_ms = run.times.copy_in_ms;
        row.kernels_ms = run.times.kernels_ms;
        row.copy_out_ms = run.times.copy_out_ms;
        row.total_ms = run.times.total_ms;
        row.bytes = run.work.bytes;
        row.operations = run.work.operations;
        rows.push_back(row);
    }
    return rows;
}

Summary summarize_column(const std::vector<Row>& rows, double Row::*column) {
    std::vector<double> values;
    for (const Row& row : rows) {
        values.push_back(row.*column);
    }
    return summarize(values);
}

Results make_results(std::vector<Row> rows, const Work& work, const DeviceLimits& limits,
                     const Problem& problem, const Verdict& verdict) {
    Results results;
    results.setup_ms = summarize_column(rows, &Row::setup_ms);
    results.copy_in_ms = summarize_column(rows, &Row::copy_in_ms);
    results.kernels_ms = summarize_column(rows, &Row::kernels_ms);
    results.copy_out_ms = summarize_column(rows, &Row::copy_out_ms);
    results.total_ms = summarize_column(rows, &Row::total_ms);
    results.limit = share_of_limit(work, results.kernels_ms.median * 1e-3, limits,
                                   problem.device_bytes(problem.n()));
    results.device_limits = limits;
    results.report = problem.report();
    results.verdict = verdict.message;
    results.verified = verdict.passed;
    results.rows = std::move(rows);
    return results;
}

void print_line(std::ostream& out, std::string name, const std::string& value) {
    name.resize(std::max<std::size_t>(name.size() + 1, 16), ' ');
    out << "  " << name << value << '\n';
}

void print_summary(std::ostream& out, const Results& results, std::string_view stage_name) {
    const Row& row = results.rows.front();
    out << stage_name << " on " << row.device << " (" << row.engine << ")\n";
    print_line(out, "n", std::to_string(row.n));
    print_line(out, "input", text(row.input, ", seed ", row.seed));
    if (!row.parameters.empty()) {
        print_line(out, "parameters", row.parameters);
    }
    if (!row.grid.empty()) {
        print_line(out, "grid", row.grid + " (blocks x threads)");
    }
    const std::pair<const char*, const Summary&> phases[] = {{"setup", results.setup_ms},
                                                             {"copy in", results.copy_in_ms},
                                                             {"kernels", results.kernels_ms},
                                                             {"copy out", results.copy_out_ms},
                                                             {"total", results.total_ms}};
    for (const auto& [name, summary] : phases) {
        char line[128];
        std::snprintf(line, sizeof line, "%12.4f ms   [%.4f, %.4f]", summary.median,
                      summary.lower_quartile, summary.upper_quartile);
        print_line(out, name, line);
    }
    print_line(out, "",
               text("median [quartiles] of ", results.total_ms.count,
                    results.total_ms.count == 1 ? " run" : " runs"));
    if (is_emulated(row.engine)) {
        print_line(out, "", "times are the CPU engine's: they say nothing about a GPU");
    }
    const LimitShare& limit = results.limit;
    if (limit.kind != LimitKind::kNone) {
        const auto format =
            limit.kind == LimitKind::kArithmetic ? format_operation_rate : format_byte_rate;
        print_line(
            out, "rate",
            text(format(limit.rate), ", ", fixed(limit.share * 100.0, 1), " % of this device's ",
                 name_of(limit.kind), " limit, ", format(limit.limit)));
    }
    for (const ReportField& field : results.report) {
        print_line(out, field.name, field.value);
    }
    print_line(out, "verified", results.verdict);
}

bool asks_for_counting(const StageOptions& options) {
    return options.no_races || !options.counters.empty() || !options.trace.empty();
}

// Whoever wants no summary wants no table of counters either.
void set_counting(Backend& backend, const StageOptions& options) {
    backend.set_counting({options.no_races, options.quiet, options.counters, options.trace});
}

// An output file that was asked for, opened before any work is done for it.
std::unique_ptr<AtomicFile> open_file(const std::string& path) {
    return path.empty() ? nullptr : std::make_unique<AtomicFile>(path);
}

// Throws what went wrong; returns where all went well.
void run_or_throw(int argc, char** argv, const std::string& program, std::string_view stage_name,
                  Problem& problem) {
    StageOptions options;
    CommandLine line(program, text(stage_name, ": ", problem.summary()), kVersion);
    std::vector<FurtherOutput> further = further_outputs(problem);
    add_common_options(line, options, further, problem);
    problem.add_options(line);
    if (const auto answer = line.parse(argc, argv)) {
        std::cout << *answer << std::flush;
        return;
    }
    refuse_contradictions(options, further);

    const std::unique_ptr<Backend> backend = open_backend(options.device, options.platform);
    options.n_given = line.given("--n");
    if (!options.n_given) {
        options.n = default_n(problem, backend->engine(), options.check);
    }
    const bool counting = backend->engine() == "count";
    if (!counting && asks_for_counting(options)) {
        set_counting(*backend, options);  // refuses
    }
    if (is_emulated(backend->engine())) {
        options.repeats = line.given("--repeats") ? options.repeats : kEmulatedRepeats;
        options.warmup = line.given("--warmup") ? options.warmup : kEmulatedWarmup;
    }
    refuse_without_memory<UsageError>(problem, options.n, *backend, text("--n ", options.n));

    remove_temporary_files_on_signals();
    const std::unique_ptr<AtomicFile> output = open_file(options.output);
    std::vector<std::unique_ptr<AtomicFile>> further_files;  // nullptr where not asked for
    for (const FurtherOutput& file : further) {
        further_files.push_back(open_file(file.path));
    }
    const std::unique_ptr<AtomicFile> csv = open_file(options.csv);
    const std::unique_ptr<AtomicFile> json = open_file(options.json);
    if (counting) {
        // The engine writes them when the program ends, however it does; whether it can is known
        // now.
        open_file(options.counters);
        open_file(options.trace);
    }
    std::ostream& messages = data_on_stdout(options, further).empty() ? std::cout : std::cerr;

    problem.prepare(options, *backend);
    if (problem.n() != options.n) {
        refuse_without_memory<InputError>(problem, problem.n(), *backend,
                                          text(problem.input_name(), ": n = ", problem.n()));
    }
    if (counting) {
        set_counting(*backend, options);
    }

    if (options.profile) {
        run_once(problem, *backend);
        return;
    }

    // A single timed run without warm-up is verified after it, once: long runs need no second one.
    const bool single_run = !options.check && options.repeats == 1 && options.warmup == 0;
    Verdict verdict;
    if (!single_run) {
        run_once(problem, *backend);
        verdict = verify(problem, "in the first run");
    }
    Results results;
    if (!options.check) {
        const std::vector<Run> runs = timed_runs(problem, *backend, options);
        verdict = verify(problem, "after the timed runs");
        const DeviceLimits limits = refuse_impossible_runs(runs, problem, *backend);
        results = make_results(make_rows(runs, problem, *backend, options, stage_name),
                               runs.back().work, limits, problem, verdict);
    }

    if (output) {
        PhaseTimer timer(*backend);
        problem.write_output(output->stream(), timer);
    }
    for (std::size_t i = 0; i < further.size(); ++i) {
        if (further_files[i]) {
            problem.write_further_output(further[i].file.flag, further_files[i]->stream());
        }
    }
    if (output) {
        output->commit();
    }
    for (const std::unique_ptr<AtomicFile>& file : further_files) {
        if (file) {
            file->commit();
        }
    }
    if (csv) {
        write_csv(csv->stream(), results.rows);
        csv->commit();
    }
    if (json) {
        write_json(json->stream(), results);
        json->commit();
    }
    if (!options.quiet) {
        if (options.check) {
            messages << "OK " << stage_name << " n=" << problem.n() << ' ' << verdict.message
                     << '\n';
        } else {
            print_summary(messages, results, stage_name);
        }
        messages << std::flush;
        if (!messages) {
            throw InputError("the summary cannot be written");
        }
    }
}

}  // namespace

int run_stage(int argc, char** argv, std::string_view stage_name, Problem& problem) {
    std::string program(stage_name);
    const auto fail = [&program](const char* message, ExitStatus status) {
        std::fprintf(stderr, "%s: %s\n", program.c_str(), message);
        return status;
    };
    try {
        program = program_name(argc, argv, stage_name);
        run_or_throw(argc, argv, program, stage_name, problem);
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

}  // namespace course
