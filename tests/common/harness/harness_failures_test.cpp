// SPDX-License-Identifier: MIT
// run_problem where the command line, the problem or the device is wrong.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <limits>
#include <new>
#include <stdexcept>

#include "common/harness/expected_time.hpp"
#include "tests/common/harness/harness_fixture.hpp"

namespace {

using course_test::Harness;

TEST_F(Harness, AWrongResultIsFailureAndNoRow) {
    script.wrong_in_run = 1;
    expect_failure({}, 1, "WRONG RESULT in the first run: largest error 3 at value 999 of 1000");
    EXPECT_EQ(script.runs, 1);
}

TEST_F(Harness, AWrongLastRunIsFailureAndNoRow) {
    script.wrong_in_run = 7;
    expect_failure({}, 1, "WRONG RESULT after the timed runs: largest error 3 at value 999");
}

TEST_F(Harness, NaNIsAWrongResult) {
    script.wrong_in_run = 1;
    script.wrong_value = std::numeric_limits<double>::quiet_NaN();
    expect_failure({"--check"}, 1, "cannot be compared: nan, expected 3");
}

TEST_F(Harness, AStaleOutputIsAWrongResult) {
    script.forgets_to_write_in_run = 7;  // the six runs before left the right answer
    expect_failure({}, 1, "WRONG RESULT after the timed runs: value 0 of 1000 cannot be compared");
}

// 24 merge passes over 2^25 ints in 1.48 ms on a card of 760 GB/s, as once published.
TEST_F(Harness, AnImpossibleTimeIsFailureAndNoRow) {
    device.cached_limits.bytes_per_second = 690e9;
    course::fill_from_attributes(device.cached_limits,
                                 {8, 6, 68, 1.71e9, 9.501e9, 40.0, 5.0 * (1 << 20)});
    device.fresh_limits = device.cached_limits;
    script.work = {24.0 * 2 * 4 * (1 << 25), 0.0, 2.0 * 4 * (1 << 25)};
    device.kernel_ms = 1.48;
    expect_failure({}, 1,
                   "kernels of repeat 1: 1.48 ms for 6.44 GB is 4.35 TB/s, above the memory "
                   "peak of this device");
    EXPECT_NE(device.log.find("remeasure"), std::string::npos);
    device.kernel_ms = 9.5;
    EXPECT_EQ(run({}), 0);
    EXPECT_TRUE(out_has("% of this device's memory limit")) << out;
}

TEST_F(Harness, OneImpossibleRepeatAmongGoodOnesIsRefused) {
    device.cached_limits.peak_bytes_per_second = 1e9;
    device.fresh_limits = device.cached_limits;
    script.work = {1e6, 0.0, 0.0};  // 1 ms at the peak
    device.kernel_ms = 1.1;
    script.on_run = [&] { device.kernel_ms = script.runs == 6 ? 0.9 : 1.1; };
    expect_failure({}, 1, "kernels of repeat 4: 0.9 ms");
}

TEST_F(Harness, ALimitThatWasMeasuredTooLowIsMeasuredAgain) {
    device.cached_limits.peak_bytes_per_second = 1e8;  // a busy device, once
    device.fresh_limits.peak_bytes_per_second = 1e10;
    script.work = {1e6, 0.0, 0.0};
    EXPECT_EQ(run({}), 0);
    EXPECT_EQ(device.log.find("remeasure"), device.log.rfind("remeasure"));  // once
}

TEST_F(Harness, TimesThatAreNoTimesAreRefused) {
    device.kernel_ms = std::numeric_limits<double>::quiet_NaN();
    expect_failure({}, 1, "is impossible");
    device.kernel_ms = -1.0;
    expect_failure({}, 1, "is impossible");
}

TEST_F(Harness, BadFlags) {
    expect_failure({"--n", "0"}, 2, "--n '0' is below 1");
    expect_failure({"--n", "-1"}, 2, "--n '-1' is below 1");
    expect_failure({"--n", "many"}, 2, "--n 'many' is not a number");
    expect_failure({"--n", "1e30"}, 2, "--n '1e30' is out of range");
    expect_failure({"--repeats", "0"}, 2, "--repeats '0' is below 1");
    expect_failure({"--repeats", "-3"}, 2, "--repeats '-3' is below 1");
    expect_failure({"--warmup", "-1"}, 2, "--warmup '-1' is below 0");
    expect_failure({"--warmup", "2147483647"}, 2, "--warmup '2147483647' is above 100000");
    expect_failure({"--repeats", "100001"}, 2, "--repeats '100001' is above 100000");
    expect_failure({"--device", "-1"}, 2, "--device '-1' is below 0");
    expect_failure({"--device", "7"}, 2, "there are 2 devices");
    expect_failure({"--platform", "0"}, 2, "--platform is for stages in OpenCL only");
    expect_failure({"--seed", "x"}, 2, "--seed 'x' is not a number");
    expect_failure({"--factor", "0"}, 2, "--factor '0' is below 1");
    expect_failure({"--unknown"}, 2, "not a flag of this program: --unknown");
    expect_failure({"--profile", "--check"}, 2, "--check and --profile cannot be combined");
    expect_failure({"--check", "--csv", "-"}, 2, "--check measures no times: --csv and");
    expect_failure({"--profile", "--csv", "-"}, 2, "--profile measures no times: --csv and");
    expect_failure({"--csv", "-", "--json", "-"}, 2, "only one of");
    EXPECT_EQ(script.calls, "");
}

TEST_F(Harness, AMessageIsOneShortLine) {
    expect_failure({"--n", "1\n2"}, 2, "--n '1?2' is not a number");
    expect_failure({"--n", std::string(100'000, '7')}, 2,
                   "--n '" + std::string(40, '7') + "...' is out of range");
    expect_failure({"--bo\ngus"}, 2, "not a flag of this program: --bo?gus");
    for (const std::string& word : {"--" + std::string(100'000, 'x'), std::string(100'000, '\n')}) {
        expect_failure({word}, 2, "not a flag of this program: '");
        EXPECT_LT(err.size(), 200u);
    }
    expect_failure(std::vector<std::string>(10'000, "word"), 2, " word ... (--help lists them)");
    EXPECT_LT(err.size(), 200u);
    EXPECT_EQ(run({"--output", std::string(5000, 'x') + "/y"}), 1);
    EXPECT_NE(err.find("cannot be written"), std::string::npos);
    EXPECT_LT(err.size(), 1100u);
}

TEST_F(Harness, ARunOfHoursIsRefusedUnlessItIsForced) {
    device.engine_name = "cpu";
    script.serial_seconds = 1000;  // five repeats, a warm-up, a first run and the oracle
    expect_failure({}, 2, "n = 1000 takes about 2 hours on engine cpu: choose a smaller size, or");
    EXPECT_EQ(script.calls, "prepare ");
    EXPECT_EQ(run({"--force"}), 0);
    EXPECT_NE(err.find("about 2 hours"), std::string::npos);
    // A single run is announced; --quiet is silent.
    EXPECT_EQ(run({"--check"}), 0);
    EXPECT_NE(err.find("about 30 minutes\n"), std::string::npos);
    EXPECT_EQ(run({"--check", "--quiet"}), 0);
    EXPECT_EQ(err, "");
    // A GPU's time is unknown.
    device.engine_name = "gpu";
    EXPECT_EQ(run({"--quiet"}), 0);
    EXPECT_EQ(err, "");
}

TEST(ExpectedTime, HasOneDigitAndAUnit) {
    EXPECT_EQ(course::format_duration(0.2), "less than a second");
    EXPECT_EQ(course::format_duration(1.4), "1 second");
    EXPECT_EQ(course::format_duration(134), "2 minutes");
    EXPECT_EQ(course::format_duration(12.6 * 3600), "10 hours");
    EXPECT_EQ(course::format_duration(40.0 * 31557600), "40 years");
    EXPECT_EQ(course::format_duration(1e300), "more than a million years");
    EXPECT_EQ(course::format_duration(std::numeric_limits<double>::quiet_NaN()),
              "more than a million years");
}

TEST_F(Harness, MoreThanTheDeviceHoldsIsRefusedBeforeAnyWork) {
    expect_failure({"--n", "62501"}, 2, "--n 62501 needs 1.00 MB of device memory, 1.00 MB are");
    expect_failure({"--n", "9223372036854775807"}, 2, "needs 148 EB of device memory, 1.00 MB are");
    EXPECT_EQ(script.calls, "");
    script.n_of_file = 62501;
    expect_failure({}, 1, "ones: n = 62501 needs 1.00 MB of device memory");
    EXPECT_EQ(script.calls, "prepare ");
}

TEST_F(Harness, MoreThanTheHostHoldsIsRefusedBeforeAnyWork) {
    device.free_bytes = std::numeric_limits<std::int64_t>::max();
    expect_failure({"--n", "1e15"}, 2, "--n 1000000000000000 needs 16.0 PB of host memory");
    EXPECT_EQ(script.calls, "");
}

TEST_F(Harness, FilesThatAreWrong) {
    expect_failure({"--input", "missing.txt"}, 1, "missing.txt: cannot be read: No such file");
    script.calls.clear();
    expect_failure({"--csv", folder.path()}, 1, "cannot be written: Is a directory");
    expect_failure({"--csv", folder / "no/rows.csv"}, 1, "cannot be written: No such file");
    EXPECT_EQ(script.calls, "");  // before any work is done
    expect_failure({"--csv", "/dev/full"}, 1, "/dev/full: cannot be written: No space left");
}

TEST_F(Harness, FailuresAtRunTime) {
    script.on_run = [] { throw std::runtime_error("a kernel failed"); };
    expect_failure({}, 1, "a kernel failed");
    script.on_run = [] { throw std::bad_alloc(); };
    expect_failure({}, 1, "the host's memory is too small");
    script.on_run = [] { throw 42; };
    expect_failure({}, 1, "an exception of unknown type");
    script.on_run = [this] { device.fail = true; };
    expect_failure({}, 1, "the device failed");
}

TEST_F(Harness, NoDeviceIsSkipped) {
    remove_device();
    expect_failure({}, 77, "no usable CUDA device: the driver lists none");
}

TEST_F(Harness, AnInterruptLeavesNoPartialFile) {
    const pid_t child = fork();
    if (child == 0) {
        script.on_run = [] { raise(SIGINT); };
        run({"--csv", folder / "rows.csv", "--json", folder / "rows.json"});
        _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGINT);
    EXPECT_EQ(folder.count(), 0);
}

}  // namespace
