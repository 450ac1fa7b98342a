// SPDX-License-Identifier: MIT
#include "common/harness/measured_runs.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/harness/progress_bar.hpp"

namespace course {

namespace {

struct Run {
    PhaseTimes times;
    Grid grid;
    Work work;
};

// A phase takes as long as on the rank where it takes longest.
PhaseTimes slowest(PhaseTimes times, const Ranks& ranks) {
    double all[] = {times.setup_ms,    times.copy_in_ms, times.kernels_ms,
                    times.copy_out_ms, times.host_ms,    times.total_ms};
    ranks.take_largest(all);
    return {all[0], all[1], all[2], all[3], all[4], all[5]};
}

Run timed_run(Problem& problem, Backend& backend) {
    problem.poison_output();
    PhaseTimer timer(backend);
    backend.ranks().begin_run();
    problem.run(timer);
    timer.end();
    backend.ranks().end_run();
    return {slowest(timer.times(), backend.ranks()), timer.grid(), timer.work()};
}

std::vector<Run> timed_runs(Problem& problem, Backend& backend, const StageOptions& options) {
    ProgressBar progress("runs", options.runs(), !options.quiet && backend.ranks().is_first());
    for (int i = 0; i < options.warmup; ++i) {
        run_once(problem, backend);
        progress.advance();
    }
    std::vector<Run> runs;
    for (int i = 0; i < options.repeats; ++i) {
        runs.push_back(timed_run(problem, backend));
        progress.advance();
    }
    return runs;
}

// Rank 0 has the whole result. The other ranks learn only whether it is right.
Verdict verdict_on(Problem& problem, std::string_view when, Ranks& ranks) {
    Verdict verdict{true, ""};
    ranks.together([&] {
        if (ranks.is_first()) verdict = problem.verify();
        if (!verdict.passed) {
            throw WrongResultError(text("WRONG RESULT ", when, ": ", verdict.message));
        }
    });
    return verdict;
}

Results verdict_alone(const Verdict& verdict) {
    Results results;
    results.verdict = verdict.message;
    results.verified = verdict.passed;
    return results;
}

Verdict verify_first_run(Problem& problem, Backend& backend) {
    run_once(problem, backend);
    return verdict_on(problem, "in the first run", backend.ranks());
}

// Of so many devices that work together. A stage declares the work of all ranks.
DeviceLimits limits_of_all(DeviceLimits limits, int devices) {
    for (double* limit : {&limits.bytes_per_second, &limits.l2_bytes_per_second, &limits.l2_bytes,
                          &limits.operations_per_second, &limits.peak_bytes_per_second,
                          &limits.peak_l2_bytes_per_second, &limits.peak_operations_per_second}) {
        *limit *= devices;
    }
    return limits;
}

// Refuses every repeat that is faster than the device can be. Returns the limits that it compared
// the runs with, for the summary.
DeviceLimits refuse_impossible_runs(const std::vector<Run>& runs, const Problem& problem,
                                    Backend& backend) {
    const double memory = problem.device_bytes(problem.n());
    const int devices = backend.ranks().count();
    DeviceLimits limits = limits_of_all(backend.limits(), devices);
    bool fresh = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const PhaseTimes& times = runs[i].times;
        const std::string repeat = text(" of repeat ", i + 1);
        const double seconds = times.kernels_ms * 1e-3;
        const std::string kernels = "kernels" + repeat;
        if (!fresh && impossible_time(kernels, runs[i].work, seconds, limits, memory)) {
            limits = limits_of_all(backend.remeasure_limits(), devices);
            fresh = true;
        }
        refuse_impossible_time(kernels, runs[i].work, seconds, limits, memory);
        // No work is declared for the other phases, but a clock that runs backwards shows there
        // too.
        const std::pair<const char*, double> others[] = {{"setup", times.setup_ms},
                                                         {"copy in", times.copy_in_ms},
                                                         {"copy out", times.copy_out_ms},
                                                         {"host", times.host_ms},
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

std::string parameters_of(const Problem& problem, const Ranks& ranks) {
    const std::string own = problem.parameters(), of_ranks = ranks.parameters();
    return own + (own.empty() || of_ranks.empty() ? "" : ";") + of_ranks;
}

std::vector<Row> make_rows(const std::vector<Run>& runs, const Problem& problem, Backend& backend,
                           const StageOptions& options, std::string_view stage_name) {
    Row row;
    row.date = utc_date();
    row.version = kVersion;
    row.chapter = problem.chapter();
    row.stage = stage_name.substr(stage_name.find('/') + 1);
    row.engine = backend.engine();
    row.device = backend.device_name();
    row.n = problem.n();
    row.parameters = parameters_of(problem, backend.ranks());
    row.input = problem.input_name();
    row.seed = options.seed;
    row.verified = true;  // a wrong result throws earlier
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

Summary summarize_phase(const std::vector<Run>& runs, double PhaseTimes::*phase) {
    std::vector<double> values;
    for (const Run& run : runs) values.push_back(run.times.*phase);
    return summarize(values);
}

Results make_results(const std::vector<Run>& runs, const DeviceLimits& limits,
                     const Problem& problem, const Verdict& verdict) {
    Results results;
    results.setup_ms = summarize_phase(runs, &PhaseTimes::setup_ms);
    results.copy_in_ms = summarize_phase(runs, &PhaseTimes::copy_in_ms);
    results.kernels_ms = summarize_phase(runs, &PhaseTimes::kernels_ms);
    results.copy_out_ms = summarize_phase(runs, &PhaseTimes::copy_out_ms);
    results.host_ms = summarize_phase(runs, &PhaseTimes::host_ms);
    results.total_ms = summarize_phase(runs, &PhaseTimes::total_ms);
    results.limit = share_of_limit(runs.back().work, results.kernels_ms.median * 1e-3, limits,
                                   problem.device_bytes(problem.n()));
    results.device_limits = limits;
    results.report = problem.report();
    results.verdict = verdict.message;
    results.verified = verdict.passed;
    return results;
}

}  // namespace

void run_once(Problem& problem, Backend& backend) { timed_run(problem, backend); }

Results check(Problem& problem, Backend& backend) {
    return verdict_alone(verify_first_run(problem, backend));
}

Results judge(Problem& problem, Backend& backend, const std::string& path) {
    ResultFile file(path);
    problem.poison_output();
    problem.exchange_result(file);
    file.finish();
    return verdict_alone(verdict_on(problem, "in " + path, backend.ranks()));
}

Results measure(Problem& problem, Backend& backend, const StageOptions& options,
                std::string_view stage_name) {
    // A single timed run without warm-up is itself verified: long runs need no extra run.
    if (options.runs() > 1) verify_first_run(problem, backend);
    const std::vector<Run> runs = timed_runs(problem, backend, options);
    const Verdict verdict = verdict_on(problem, "after the timed runs", backend.ranks());
    DeviceLimits limits;
    backend.ranks().together([&] { limits = refuse_impossible_runs(runs, problem, backend); });
    Results results = make_results(runs, limits, problem, verdict);
    results.rows = make_rows(runs, problem, backend, options, stage_name);
    return results;
}

}  // namespace course
