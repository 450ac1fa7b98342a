// SPDX-License-Identifier: MIT
// Runs a main() inside a test: status, and what it printed.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace course_test {

struct RunResult {
    int status;
    std::string output, diagnostics;
};

// Calls main(argc, argv) with "test" and the arguments, its stdout and stderr captured.
template <class Main>
RunResult run_quietly(std::vector<std::string> arguments, const Main& main) {
    arguments.insert(arguments.begin(), "test");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = main(static_cast<int>(arguments.size()), argv.data());
    std::string output = testing::internal::GetCapturedStdout();
    return {status, std::move(output), testing::internal::GetCapturedStderr()};
}

}  // namespace course_test
