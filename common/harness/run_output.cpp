// SPDX-License-Identifier: MIT
#include "common/harness/run_output.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "common/base/text.hpp"

namespace course {

namespace {

std::unique_ptr<AtomicFile> open_file(const std::string& path) {
    return path.empty() ? nullptr : std::make_unique<AtomicFile>(path);
}

void commit(const std::unique_ptr<AtomicFile>& file) {
    if (file) file->commit();
}

void print_line(std::ostream& out, std::string name, const std::string& value) {
    name.resize(std::max<std::size_t>(name.size() + 1, 16), ' ');
    out << "  " << name << value << '\n';
}

void print_times(std::ostream& out, const Results& results) {
    const std::pair<const char*, const Summary&> phases[] = {
        {"setup", results.setup_ms},     {"copy in", results.copy_in_ms},
        {"kernels", results.kernels_ms}, {"copy out", results.copy_out_ms},
        {"host", results.host_ms},       {"total", results.total_ms}};
    for (const auto& [name, summary] : phases) {
        if (name == std::string_view("host") && summary.maximum == 0.0) {
            continue;  // most stages do no work on the host
        }
        char line[128];
        std::snprintf(line, sizeof line, "%12.4f ms   [%.4f, %.4f]", summary.median,
                      summary.lower_quartile, summary.upper_quartile);
        print_line(out, name, line);
    }
    print_line(out, "",
               text("median [quartiles] of ", results.total_ms.count,
                    results.total_ms.count == 1 ? " run" : " runs"));
}

void print_limit(std::ostream& out, const LimitShare& limit) {
    if (limit.kind == LimitKind::kNone) return;
    const auto format =
        limit.kind == LimitKind::kArithmetic ? format_operation_rate : format_byte_rate;
    print_line(out, "rate",
               text(format(limit.rate), ", ", fixed(limit.share * 100.0, 1), " % of this device's ",
                    name_of(limit.kind), " limit, ", format(limit.limit)));
}

}  // namespace

OutputFiles::OutputFiles(const StageOptions& options, const std::vector<FurtherFile>& further_files,
                         bool is_first_rank)
    : further_files_(further_files), only_takes_part_(!is_first_rank && !options.output.empty()) {
    if (!is_first_rank) {
        further_.resize(further_files.size());
        return;
    }
    output_ = open_file(options.output);
    for (const FurtherFile& further : further_files) further_.push_back(open_file(further.path));
    csv_ = open_file(options.csv);
    json_ = open_file(options.json);
}

void OutputFiles::write(Problem& problem, Backend& backend, const Results& results) {
    if (output_ || only_takes_part_) {
        std::ostream nowhere(nullptr);
        PhaseTimer timer(backend);
        problem.write_output(output_ ? output_->stream() : nowhere, timer);
    }
    for (std::size_t i = 0; i < further_.size(); ++i) {
        if (further_[i]) {
            problem.write_further_output(further_files_[i].file.flag, further_[i]->stream());
        }
    }
    commit(output_);
    for (const File& file : further_) commit(file);
    if (csv_) {
        write_csv(csv_->stream(), results.rows);
        csv_->commit();
    }
    if (json_) {
        write_json(json_->stream(), results);
        json_->commit();
    }
}

void write_result(AtomicFile& file, Problem& problem) {
    ResultFile result(file.stream());
    problem.exchange_result(result);
    file.commit();
}

void refuse_unwritable(const std::string& path) { open_file(path); }

void print_summary(std::ostream& out, const Results& results, std::string_view stage_name) {
    const Row& row = results.rows.front();
    out << stage_name << " on " << row.device << " (" << row.engine << ")\n";
    print_line(out, "n", std::to_string(row.n));
    print_line(out, "input", text(row.input, ", seed ", row.seed));
    if (!row.parameters.empty()) print_line(out, "parameters", row.parameters);
    if (!row.grid.empty() && row.engine == "cpu") {
        print_line(out, "cores", row.grid.substr(row.grid.find('x') + 1));
    } else if (!row.grid.empty()) {
        print_line(out, "grid", row.grid + " (blocks x threads)");
    }
    print_times(out, results);
    if (is_emulated(row.engine)) {
        print_line(out, "", "these are times of the CPU engine: they say nothing about a GPU");
    }
    print_limit(out, results.limit);
    for (const ReportField& field : results.report) print_line(out, field.name, field.value);
    print_line(out, "verified", results.verdict);
}

}  // namespace course
