// SPDX-License-Identifier: MIT
#include "common/harness/results.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace {

using course::Row;

Row sample_row() {
    Row row;
    row.date = "2016-06-30T12:00:00Z";
    row.version = "v1";
    row.chapter = "nbody";
    row.stage = "03_shared_tiles";
    row.engine = "gpu";
    row.device = "NVIDIA GeForce, \"980\"";
    row.n = 4000000000000;
    row.parameters = "steps=100;dt=0.01";
    row.grid = "128x256";
    row.input = "two\nlines";
    row.seed = 18446744073709551615ULL;
    row.repeat = 2;
    row.setup_ms = 0.1;
    row.copy_in_ms = 1.0 / 3.0;
    row.kernels_ms = 1e-7;
    row.copy_out_ms = 12345.678;
    row.total_ms = 0.0;
    row.bytes = 6442450944.0;
    row.operations = 1e15;
    row.verified = true;
    return row;
}

TEST(Csv, RowsKeepOrderAndEveryDigit) {
    std::ostringstream out;
    course::write_csv(out, std::vector<Row>{sample_row()});
    EXPECT_EQ(out.str(),
              "date,version,chapter,stage,engine,device,n,parameters,grid,input,seed,repeat,"
              "setup_ms,copy_in_ms,kernels_ms,copy_out_ms,total_ms,bytes,operations,verified\n"
              "2016-06-30T12:00:00Z,v1,nbody,03_shared_tiles,gpu,"
              "\"NVIDIA GeForce, \"\"980\"\"\",4000000000000,steps=100;dt=0.01,128x256,"
              "\"two\nlines\",18446744073709551615,2,0.1,0.3333333333333333,1e-07,12345.678,0,"
              "6442450944,1e+15,true\n");
}

TEST(Csv, FieldsAreQuotedWhereTheyMust) {
    EXPECT_EQ(course::quote_csv_field(""), "");
    EXPECT_EQ(course::quote_csv_field("plain text"), "plain text");
    EXPECT_EQ(course::quote_csv_field("a,b"), "\"a,b\"");
    EXPECT_EQ(course::quote_csv_field("a\"b"), "\"a\"\"b\"");
    EXPECT_EQ(course::quote_csv_field("a\nb"), "\"a\nb\"");
}

TEST(Json, ReadsBackTheSame) {
    course::Results results;
    results.rows = {sample_row(), sample_row()};
    results.kernels_ms = {2, 1.0, 1.25, 1.5, 1.75, 2.0};
    results.host_ms = {2, 3.0, 3.25, 3.5, 3.75, 4.0};
    results.limit = {course::LimitKind::kMemory, 0.5, 1e12, 2e12};
    results.device_limits = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
    results.report = {{"estimate", "3.14159"}, {"note", "a \"quoted\" one"}};
    results.verdict = "equal";
    results.verified = true;
    std::ostringstream out;
    course::write_json(out, results);

    const auto json = nlohmann::json::parse(out.str());
    ASSERT_EQ(json["rows"].size(), 2U);
    const auto& row = json["rows"][0];
    EXPECT_EQ(row["n"], 4000000000000);
    EXPECT_EQ(row["seed"], 18446744073709551615ULL);
    EXPECT_EQ(row["device"], "NVIDIA GeForce, \"980\"");
    EXPECT_EQ(row["input"], "two\nlines");
    EXPECT_EQ(row["copy_in_ms"], 1.0 / 3.0);
    EXPECT_EQ(row["verified"], true);
    EXPECT_EQ(row.size(), 20U);
    EXPECT_EQ(json["summary"]["kernels_ms"]["median"], 1.5);
    EXPECT_EQ(json["summary"]["kernels_ms"]["count"], 2);
    EXPECT_EQ(json["summary"]["host_ms"]["median"], 3.5);
    EXPECT_EQ(json["limit"]["kind"], "memory");
    EXPECT_EQ(json["limit"]["share"], 0.5);
    EXPECT_EQ(json["device_limits"], (nlohmann::json{{"bytes_per_second", 1.0},
                                                     {"l2_bytes_per_second", 2.0},
                                                     {"l2_bytes", 3.0},
                                                     {"operations_per_second", 4.0},
                                                     {"peak_bytes_per_second", 5.0},
                                                     {"peak_l2_bytes_per_second", 6.0},
                                                     {"peak_operations_per_second", 7.0}}));
    EXPECT_EQ(json["report"]["estimate"], "3.14159");
    EXPECT_EQ(json["report"]["note"], "a \"quoted\" one");
    EXPECT_EQ(json["verdict"], "equal");
    EXPECT_EQ(json["verified"], true);
}

TEST(Json, TextThatIsNotUtf8IsReplaced) {
    course::Results results;
    results.rows = {sample_row()};
    results.rows[0].input = "bodies-\xff.txt";
    std::ostringstream out;
    course::write_json(out, results);
    EXPECT_EQ(nlohmann::json::parse(out.str())["rows"][0]["input"], "bodies-\xef\xbf\xbd.txt");
}

TEST(ReportField, NumbersAreWrittenInDecimal) {
    EXPECT_EQ(course::ReportField("blocks", 528).value, "528");
    EXPECT_EQ(course::ReportField("keys", std::int64_t{-5'000'000'000}).value, "-5000000000");
    EXPECT_EQ(course::ReportField("global_ms", 5.1719314).value, "5.171931");
    EXPECT_EQ(course::ReportField("pinned", "yes").value, "yes");
}

TEST(Date, IsUtcInIsoForm) {
    const std::string date = course::utc_date();
    ASSERT_EQ(date.size(), 20U);
    EXPECT_EQ(date[4], '-');
    EXPECT_EQ(date[10], 'T');
    EXPECT_EQ(date[19], 'Z');
    EXPECT_GE(date, "2020");
}

}  // namespace
