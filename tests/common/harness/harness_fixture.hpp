// SPDX-License-Identifier: MIT
// run_problem on a problem that doubles numbers and a device, both of which a test can make fail.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/harness/problem.hpp"
#include "tests/common/harness/fake_backend.hpp"
#include "tests/common/scratch_folder.hpp"

namespace course_test {

// What a test tells every problem to do, and what the problems did.
struct Script {
    std::string calls;
    course::StageOptions options;
    std::int64_t n_of_file = 0;
    double serial_seconds = 0;
    int runs = 0;
    int wrong_in_run = 0;
    int forgets_to_write_in_run = 0;
    double wrong_value = 0.0;
    course::Work work;
    bool host_works = false;
    bool further_output_fails = false;
    bool flag = true;  // these two are further parts of the result
    std::vector<int> extra = {3, 1, 4};
    std::function<void()> on_run;
};

class Harness : public testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;

    // The exit status; sets out and err.
    int run(std::vector<std::string> words);

    // Status, one line on stderr with `part` in it, nothing on stdout, no file written.
    void expect_failure(const std::vector<std::string>& words, int status, const std::string& part);

    bool out_has(const std::string& part) const { return out.find(part) != std::string::npos; }

    // As on a machine without a device.
    static void remove_device();
    // The ranks that open_ranks() hands out; nullptr: one rank.
    static void use_ranks(course::Ranks* ranks);
    // How often the test opened the device.
    static int times_opened();

    FakeBackend device;
    Script script;
    ScratchFolder folder;
    std::string out;
    std::string err;
};

}  // namespace course_test
