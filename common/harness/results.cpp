// SPDX-License-Identifier: MIT
// The only file that includes nlohmann-json, which takes seconds to compile.
#include "common/harness/results.hpp"

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "common/base/text.hpp"

namespace course {

namespace {

// The columns, for both formats: calls visit(name, value). common/tools/lib/columns.py has the same
// list, in the same order.
template <typename Visitor>
void for_each_column(const Row& row, Visitor&& visit) {
    visit("date", row.date);
    visit("version", row.version);
    visit("chapter", row.chapter);
    visit("stage", row.stage);
    visit("engine", row.engine);
    visit("device", row.device);
    visit("n", row.n);
    visit("parameters", row.parameters);
    visit("grid", row.grid);
    visit("input", row.input);
    visit("seed", row.seed);
    visit("repeat", row.repeat);
    visit("setup_ms", row.setup_ms);
    visit("copy_in_ms", row.copy_in_ms);
    visit("kernels_ms", row.kernels_ms);
    visit("copy_out_ms", row.copy_out_ms);
    visit("total_ms", row.total_ms);
    visit("bytes", row.bytes);
    visit("operations", row.operations);
    visit("verified", row.verified);
}

std::string as_csv(const std::string& value) { return quote_csv_field(value); }
std::string as_csv(bool value) { return value ? "true" : "false"; }

template <typename T>
requires std::is_arithmetic_v<T> std::string as_csv(T value) {
    std::string number;
    append_number(number, value);
    return number;
}

// Ordered, because people read the file too.
using Json = nlohmann::ordered_json;

Json as_json(const Summary& summary) {
    return {{"count", summary.count},
            {"minimum", summary.minimum},
            {"lower_quartile", summary.lower_quartile},
            {"median", summary.median},
            {"upper_quartile", summary.upper_quartile},
            {"maximum", summary.maximum}};
}

Json as_json(const DeviceLimits& limits) {
    return {{"bytes_per_second", limits.bytes_per_second},
            {"l2_bytes_per_second", limits.l2_bytes_per_second},
            {"l2_bytes", limits.l2_bytes},
            {"operations_per_second", limits.operations_per_second},
            {"peak_bytes_per_second", limits.peak_bytes_per_second},
            {"peak_l2_bytes_per_second", limits.peak_l2_bytes_per_second},
            {"peak_operations_per_second", limits.peak_operations_per_second}};
}

}  // namespace

std::string quote_csv_field(std::string_view field) {
    if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
    std::string quoted = "\"";
    for (const char c : field) {
        quoted += c;
        if (c == '"') quoted += c;
    }
    return quoted + '"';
}

void write_csv(std::ostream& out, std::span<const Row> rows) {
    const auto write_line = [&out](const Row& row, const auto& field) {
        const char* separator = "";
        for_each_column(row, [&](const char* name, const auto& value) {
            out << separator << field(name, value);
            separator = ",";
        });
        out << '\n';
    };
    write_line(Row{}, [](const char* name, const auto&) { return name; });
    for (const Row& row : rows) {
        write_line(row, [](const char*, const auto& value) { return as_csv(value); });
    }
}

void write_json(std::ostream& out, const Results& results) {
    Json rows = Json::array();
    for (const Row& row : results.rows) {
        Json columns = Json::object();
        for_each_column(row, [&](const char* name, const auto& value) { columns[name] = value; });
        rows.push_back(std::move(columns));
    }
    Json report = Json::object();
    for (const ReportField& field : results.report) report[field.name] = field.value;
    const Json document = {{"rows", std::move(rows)},
                           {"summary",
                            {{"setup_ms", as_json(results.setup_ms)},
                             {"copy_in_ms", as_json(results.copy_in_ms)},
                             {"kernels_ms", as_json(results.kernels_ms)},
                             {"copy_out_ms", as_json(results.copy_out_ms)},
                             {"host_ms", as_json(results.host_ms)},
                             {"total_ms", as_json(results.total_ms)}}},
                           {"limit",
                            {{"kind", name_of(results.limit.kind)},
                             {"share", results.limit.share},
                             {"rate", results.limit.rate},
                             {"limit", results.limit.limit}}},
                           {"device_limits", as_json(results.device_limits)},
                           {"report", std::move(report)},
                           {"verdict", results.verdict},
                           {"verified", results.verified}};
    // A file name may hold bytes that are not UTF-8; dump() would throw on them.
    out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

std::string utc_date() {
    const std::time_t now = std::time(nullptr);
    std::tm calendar{};
    gmtime_r(&now, &calendar);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &calendar);
    return text.data();
}

}  // namespace course
