// SPDX-License-Identifier: MIT
// Measurements as rows: one row per repeat, the same columns in all chapters.
#pragma once

#include <concepts>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/harness/phase_timer.hpp"
#include "common/harness/statistics.hpp"

namespace course {

// In the order of the columns.
struct Row {
    std::string date;  // UTC, 2016-06-30T12:00:00Z
    std::string version;  // of the course
    std::string chapter;  // "nbody"
    std::string stage;  // "03_shared_tiles"
    std::string engine;  // "gpu", "emu", "count", "cpu", "opencl"
    std::string device;
    std::int64_t n = 0;
    std::string parameters;  // "steps=100;dt=0.01"
    std::string grid;  // "128x256": blocks x threads per block; empty without kernels
    std::string input;
    std::uint64_t seed = 0;
    int repeat = 0;  // from 1
    double setup_ms = 0.0;
    double copy_in_ms = 0.0;
    double kernels_ms = 0.0;
    double copy_out_ms = 0.0;
    double total_ms = 0.0;
    double bytes = 0.0;
    double operations = 0.0;
    bool verified = false;  // "true" or "false"
};

// A number is written in decimal; a real number has six digits after the point.
struct ReportField {
    ReportField(std::string field, std::string text)
        : name(std::move(field)), value(std::move(text)) {}
    ReportField(std::string field, std::integral auto number)
        : name(std::move(field)), value(std::to_string(number)) {}
    ReportField(std::string field, std::floating_point auto number)
        : name(std::move(field)), value(std::to_string(number)) {}

    std::string name;
    std::string value;
};

// Everything that is known about the runs. Summaries are in milliseconds.
struct Results {
    std::vector<Row> rows;
    Summary setup_ms;
    Summary copy_in_ms;
    Summary kernels_ms;
    Summary copy_out_ms;
    Summary host_ms;  // not in the rows, whose columns are fixed
    Summary total_ms;
    LimitShare limit;  // of the median time of the kernels
    DeviceLimits device_limits;  // the runs were compared with them; zeros where unknown
    std::vector<ReportField> report;
    std::string verdict;
    bool verified = false;
};

// As in RFC 4180, but lines end with \n. A field with a comma, a quote or a line break is quoted.
std::string quote_csv_field(std::string_view field);

// Numbers are the shortest text that reads back as the same number. The first line has the names of
// the columns.
void write_csv(std::ostream& out, std::span<const Row> rows);

// {"rows": [{column: value, ...}, ...], "summary": {"kernels_ms": {"median": ..., ...}, ...},
//  "limit": {"kind": ..., "share": ...}, "device_limits": {"bytes_per_second": ..., ...}, "report":
//  {name: value, ...}, "verdict": ..., "verified": ...}. Bytes that are not UTF-8 are replaced.
void write_json(std::ostream& out, const Results& results);

// The current time in the format of Row::date.
std::string utc_date();

}  // namespace course
