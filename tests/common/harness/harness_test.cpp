// SPDX-License-Identifier: MIT
// run_problem with a problem and a device that can be made to fail in every way.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "common/harness/comparison.hpp"
#include "common/harness/problem.hpp"
#include "fake_backend.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course::Phase;
using course::PhaseTimer;
using course_test::FakeBackend;
using course_test::read_file;
using course_test::ScratchFolder;

// The device that open_backend hands out; a test sets it up and reads its log.
FakeBackend* g_device = nullptr;
int g_opened = 0;  // calls of open_backend

class Borrowed final : public course::Backend {
  public:
    std::string_view engine() const override { return g_device->engine(); }
    std::string device_name() const override { return g_device->device_name(); }
    std::int64_t free_memory_bytes() const override { return g_device->free_memory_bytes(); }
    void synchronize() override { g_device->synchronize(); }
    void start_kernel_clock() override { g_device->start_kernel_clock(); }
    double stop_kernel_clock_ms() override { return g_device->stop_kernel_clock_ms(); }
    course::DeviceLimits limits() override { return g_device->limits(); }
    course::DeviceLimits remeasure_limits() override { return g_device->remeasure_limits(); }
    void set_counting(const course::CountingOptions& options) override {
        g_device->set_counting(options);
    }
};

}  // namespace

std::unique_ptr<course::Backend> course::open_backend(int device, const std::string& platform) {
    refuse_platform(platform);
    if (g_device == nullptr) {
        throw NoDeviceError("no usable CUDA device: the driver lists none");
    }
    if (device > 1) {
        throw UsageError("--device 7: there are 2 devices, 0 to 1");
    }
    ++g_opened;
    return std::make_unique<Borrowed>();
}

namespace {

// What a test tells every problem to do, and what the problems did.
struct Script {
    std::string calls;
    course::StageOptions options;
    std::int64_t n_of_file = 0;
    int runs = 0;
    int wrong_in_run = 0;
    int forgets_to_write_in_run = 0;
    double wrong_value = 0.0;
    course::Work work;
    bool further_output_fails = false;
    std::function<void()> on_run;
};

// Doubles n numbers, 16 bytes of device memory each.
class Doubling final : public course::Problem {
  public:
    explicit Doubling(Script& script) : script_(script) {}

    std::string_view chapter() const override { return "doubling"; }
    std::string_view summary() const override { return "doubles numbers"; }
    void add_options(course::CommandLine& line) override {
        line.add_integer("--factor", factor_, "by how much");
    }
    std::int64_t default_n(std::string_view engine, bool check) const override {
        return check ? 10 : engine == "emu" ? 100 : 1000;
    }
    double device_bytes(std::int64_t n) const override { return 16.0 * static_cast<double>(n); }
    void prepare(const course::StageOptions& given, const course::Backend&) override {
        script_.calls += "prepare ";
        script_.options = given;
        if (given.input == "missing.txt") {
            throw course::InputError("missing.txt: cannot be read: No such file or directory");
        }
        input_.assign(static_cast<std::size_t>(script_.n_of_file > 0 ? script_.n_of_file : given.n),
                      1.5);
        output_.resize(input_.size());
    }
    std::int64_t n() const override { return static_cast<std::int64_t>(input_.size()); }
    std::string input_name() const override { return "ones"; }
    std::string parameters() const override { return "factor=2"; }
    void poison_output() override {
        script_.calls += "poison ";
        std::fill(output_.begin(), output_.end(), std::numeric_limits<double>::quiet_NaN());
    }
    void run(PhaseTimer& timer) override {
        script_.calls += "run ";
        ++script_.runs;
        timer.note_grid(4, 256);
        timer.begin(Phase::kKernels);
        timer.declare_work(script_.work);
        if (script_.runs != script_.forgets_to_write_in_run) {
            for (std::size_t i = 0; i < input_.size(); ++i) {
                output_[i] = 2.0 * input_[i];
            }
        }
        if (script_.runs == script_.wrong_in_run) {
            output_.back() = script_.wrong_value;
        }
        if (script_.on_run) {
            script_.on_run();
        }
        timer.end();
    }
    course::Verdict verify() override {
        script_.calls += "verify ";
        course::ErrorMeter meter;
        for (std::size_t i = 0; i < input_.size(); ++i) {
            meter.add(output_[i], input_[i] + input_[i]);
        }
        return {meter.passes(1e-12), meter.describe(1e-12)};
    }
    std::vector<course::ReportField> report() const override { return {{"sum", "3000"}}; }
    void write_output(std::ostream& out, PhaseTimer&) override {
        for (const double value : output_) {
            out << value << '\n';
        }
    }
    std::vector<course::OutputFile> further_outputs() const override {
        return {{"--halves", "write the halves"}, {"--signs", "write the signs"}};
    }
    void write_further_output(std::string_view flag, std::ostream& out) override {
        script_.calls += flag;
        for (const double value : input_) {
            out << (flag == "--halves" ? value / 2.0 : 1.0) << '\n';
        }
        if (script_.further_output_fails) {
            throw std::runtime_error("half written");
        }
    }

  private:
    Script& script_;
    std::int64_t factor_ = 2;
    std::vector<double> input_;
    std::vector<double> output_;
};

class Harness : public testing::Test {
  protected:
    void SetUp() override {
        g_device = &device;
        g_opened = 0;
    }
    void TearDown() override { g_device = nullptr; }

    int run(std::vector<std::string> words) {
        words.insert(words.begin(), "/build/doubling_01_plain");
        std::vector<char*> argv;
        for (std::string& word : words) {
            argv.push_back(word.data());
        }
        argv.push_back(nullptr);
        problem.runs = 0;
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        const int status =
            course::run_problem(static_cast<int>(words.size()), argv.data(), "doubling/01_plain",
                                [this] { return std::make_unique<Doubling>(problem); });
        out = testing::internal::GetCapturedStdout();
        err = testing::internal::GetCapturedStderr();
        return status;
    }

    // Status, one line on stderr with `part` in it, nothing on stdout, no file written.
    void expect_failure(const std::vector<std::string>& words, int status,
                        const std::string& part) {
        std::vector<std::string> with_files = words;
        if (std::find(words.begin(), words.end(), "--check") == words.end() &&
            std::find(words.begin(), words.end(), "--csv") == words.end()) {
            with_files.insert(with_files.end(), {"--csv", folder / "rows.csv", "--json",
                                                 folder / "rows.json", "--output", folder / "out"});
        }
        EXPECT_EQ(run(with_files), status);
        EXPECT_NE(err.find(part), std::string::npos) << err;
        EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
        EXPECT_TRUE(err.starts_with("doubling_01_plain: ")) << err;
        EXPECT_EQ(out, "");
        EXPECT_EQ(folder.count(), 0);
    }

    bool out_has(const std::string& part) const { return out.find(part) != std::string::npos; }

    FakeBackend device;
    Script problem;
    ScratchFolder folder;
    std::string out;
    std::string err;
};

TEST_F(Harness, TimesRepeatsAfterVerifyingAndWarmingUp) {
    EXPECT_EQ(run({"--repeats", "3", "--warmup", "2"}), 0);
    EXPECT_EQ(problem.calls,
              "prepare poison run verify poison run poison run poison run poison run poison run "
              "verify ");
    EXPECT_EQ(err, "");
    for (const char* part :
         {"doubling/01_plain on Fake 1 (gpu)", "n               1000", "ones, seed 1", "factor=2",
          "4x256", "kernels", "1.0000 ms", "of 3 runs", "sum             3000",
          "verified        largest error"}) {
        EXPECT_TRUE(out_has(part)) << part << '\n' << out;
    }
}

TEST_F(Harness, DefaultsAreFiveRepeatsAndOneWarmUp) {
    EXPECT_EQ(run({"--quiet"}), 0);
    EXPECT_EQ(problem.runs, 1 + 1 + 5);
    EXPECT_EQ(out, "");
    EXPECT_EQ(err, "");
}

TEST_F(Harness, TheCpuEngineRunsOnceAndSaysSo) {
    device.engine_name = "emu";
    EXPECT_EQ(run({}), 0);
    EXPECT_EQ(problem.calls, "prepare poison run verify ");
    EXPECT_TRUE(out_has("n               100\n")) << out;
    EXPECT_TRUE(out_has("they say nothing about a GPU")) << out;
    EXPECT_EQ(run({"--repeats", "2", "--warmup", "1"}), 0);
    EXPECT_EQ(problem.runs, 1 + 1 + 2);
}

TEST_F(Harness, CountingRunsTheChecksSizeOnce) {
    device.engine_name = "count";
    EXPECT_EQ(run({}), 0);
    EXPECT_EQ(problem.calls, "prepare poison run verify ");
    EXPECT_TRUE(out_has("n               10\n")) << out;
    EXPECT_TRUE(out_has("they say nothing about a GPU")) << out;
    EXPECT_FALSE(device.counting.no_races);
    EXPECT_FALSE(device.counting.no_table);
}

TEST_F(Harness, TheFlagsOfCountingReachTheEngine) {
    device.engine_name = "count";
    EXPECT_EQ(run({"--no-races", "--counters", folder / "counters.json", "--trace",
                   folder / "trace.csv", "--quiet"}),
              0);
    EXPECT_TRUE(device.counting.no_races);
    EXPECT_TRUE(device.counting.no_table);
    EXPECT_EQ(device.counting.counters, folder / "counters.json");
    EXPECT_EQ(device.counting.trace, folder / "trace.csv");
    EXPECT_EQ(folder.count(), 0);  // the engine's to write
    EXPECT_EQ(run({"--counters", "-", "--check"}), 0);
    EXPECT_EQ(out, "");
    EXPECT_TRUE(err.starts_with("OK ")) << err;
    expect_failure({"--counters", folder / "none/counters.json"}, 1, "none");
    expect_failure({"--counters", "-", "--csv", "-"}, 2, "only one of");
}

TEST_F(Harness, OtherEnginesRefuseTheFlagsOfCounting) {
    for (const char* engine : {"gpu", "emu", "cpu"}) {
        device.engine_name = engine;
        expect_failure({"--no-races"}, 2, "--no-races");
        expect_failure({"--counters", "-"}, 2, "--counters");
        expect_failure({"--trace", folder / "trace.csv"}, 2, "--trace");
    }
}

TEST_F(Harness, ASingleRunIsVerifiedOnce) {
    EXPECT_EQ(run({"--repeats", "1", "--warmup", "0"}), 0);
    EXPECT_EQ(problem.calls, "prepare poison run verify ");
    problem.wrong_in_run = 1;
    expect_failure({"--repeats", "1", "--warmup", "0"}, 1, "WRONG RESULT after the timed runs");
}

TEST_F(Harness, CheckVerifiesOneRun) {
    EXPECT_EQ(run({"--check"}), 0);
    EXPECT_EQ(problem.calls, "prepare poison run verify ");
    EXPECT_EQ(out, "OK doubling/01_plain n=10 largest error 0 at value 0 of 10, tolerance 1e-12\n");
    EXPECT_EQ(device.log.find("limits"), std::string::npos);  // nothing is timed
    EXPECT_EQ(run({"--check", "--n", "33"}), 0);
    EXPECT_TRUE(out_has("n=33 "));
}

TEST_F(Harness, CheckRunsEverySizeOfAList) {
    EXPECT_EQ(run({"--check", "--n", "3,1,1e2"}), 0);
    EXPECT_EQ(problem.calls,
              "prepare poison run verify prepare poison run verify prepare poison run verify ");
    const std::string rest = ", tolerance 1e-12\n";
    EXPECT_EQ(out, "OK doubling/01_plain n=3 largest error 0 at value 0 of 3" + rest +
                       "OK doubling/01_plain n=1 largest error 0 at value 0 of 1" + rest +
                       "OK doubling/01_plain n=100 largest error 0 at value 0 of 100" + rest);
    EXPECT_EQ(err, "");
    EXPECT_EQ(g_opened, 1);
    EXPECT_TRUE(problem.options.n_given);
    EXPECT_EQ(problem.options.n, 100);
}

TEST_F(Harness, AWrongSizeDoesNotHideTheOthers) {
    problem.wrong_in_run = 2;
    EXPECT_EQ(run({"--check", "--n", "3,2,1"}), 1);
    EXPECT_EQ(problem.runs, 3);
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2);
    EXPECT_TRUE(out_has("n=3 ") && out_has("n=1 ")) << out;
    EXPECT_EQ(err,
              "doubling_01_plain: n=2: WRONG RESULT in the first run: largest error 3 at value 1 "
              "of 2, tolerance 1e-12\n");
}

TEST_F(Harness, TheStatusOfAListIsItsWorst) {
    EXPECT_EQ(run({"--check", "--n", "62501,5"}), 2);  // the first is too large for the device
    EXPECT_TRUE(err.starts_with("doubling_01_plain: n=62501: --n 62501 needs 1.00 MB")) << err;
    EXPECT_TRUE(out_has("OK doubling/01_plain n=5 ")) << out;
    problem.wrong_in_run = 1;
    EXPECT_EQ(run({"--check", "--n", "5,62501"}), 2);
    EXPECT_EQ(out, "");
    EXPECT_NE(err.find("n=5: WRONG RESULT"), std::string::npos) << err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 2) << err;
}

TEST_F(Harness, CountingStartsOnceForAList) {
    device.engine_name = "count";
    EXPECT_EQ(run({"--check", "--n", "62501,5,7", "--counters", folder / "counters.json"}), 2);
    EXPECT_EQ(device.times_counting_was_set, 1);
    EXPECT_EQ(device.counting.counters, folder / "counters.json");
    EXPECT_TRUE(out_has("n=5 ") && out_has("n=7 ")) << out;
}

TEST_F(Harness, AListIsForChecksOfSizesAlone) {
    expect_failure({"--n", "1,2"}, 2, "--n: only --check takes a list of sizes");
    expect_failure({"--n", "1,2", "--check", "--output", folder / "out"}, 2,
                   "--n: with a list of sizes there is no --output");
    expect_failure({"--n", "1,2", "--check", "--halves", "-"}, 2,
                   "--n: with a list of sizes there is no --halves");
    expect_failure({"--n", "1,0", "--check"}, 2, "--n '0' is below 1");
    expect_failure({"--n", "1,,2", "--check"}, 2, "--n '' is empty");
    expect_failure({"--n", "1,2,", "--check"}, 2, "--n '' is empty");
    expect_failure({"--n", "1 2", "--check"}, 2, "--n '1 2' is not a number");
    EXPECT_EQ(problem.calls, "");
}

TEST_F(Harness, ProfileIsOneBareRun) {
    EXPECT_EQ(run({"--profile"}), 0);
    EXPECT_EQ(problem.calls, "prepare poison run ");
    EXPECT_EQ(out, "");
}

TEST_F(Harness, EveryRepeatIsOneRow) {
    problem.work = {64.0, 32.0};
    EXPECT_EQ(run({"--csv", folder / "rows.csv", "--json", folder / "rows.json", "--output",
                   folder / "out", "--repeats", "2", "--n", "7", "--seed", "9"}),
              0);
    std::istringstream csv(read_file(folder / "rows.csv"));
    std::string line;
    std::getline(csv, line);
    EXPECT_EQ(line, course::kCsvHeader);
    for (int repeat = 1; repeat <= 2; ++repeat) {
        ASSERT_TRUE(std::getline(csv, line));
        const std::string middle = ",doubling,01_plain,gpu,Fake 1,7,factor=2,4x256,ones,9," +
                                   std::to_string(repeat) + ",0,0,1,0,";
        EXPECT_NE(line.find(middle), std::string::npos) << line;
        EXPECT_TRUE(line.ends_with(",64,32,true")) << line;
    }
    EXPECT_FALSE(std::getline(csv, line));
    const auto json = nlohmann::json::parse(read_file(folder / "rows.json"));
    EXPECT_EQ(json["rows"].size(), 2U);
    EXPECT_EQ(json["verified"], true);
    EXPECT_EQ(json["summary"]["kernels_ms"]["median"], 1.0);
    EXPECT_EQ(json["report"]["sum"], "3000");
    EXPECT_EQ(read_file(folder / "out"), "3\n3\n3\n3\n3\n3\n3\n");
    EXPECT_EQ(folder.count(), 3);
}

TEST_F(Harness, DataOnStdoutSendsTheSummaryToStderr) {
    EXPECT_EQ(run({"--csv", "-", "--repeats", "1"}), 0);
    EXPECT_TRUE(out.starts_with(course::kCsvHeader));
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2);
    EXPECT_NE(err.find("verified"), std::string::npos);
    EXPECT_EQ(run({"--json", "-", "--quiet"}), 0);
    EXPECT_TRUE(nlohmann::json::parse(out)["verified"]);
    EXPECT_EQ(err, "");
    EXPECT_EQ(run({"--output", "-", "--n", "2", "--check"}), 0);
    EXPECT_EQ(out, "3\n3\n");
}

TEST_F(Harness, FurtherOutputsAreWrittenWhereAskedFor) {
    EXPECT_EQ(run({"--halves", folder / "halves", "--n", "2", "--check"}), 0);
    EXPECT_EQ(read_file(folder / "halves"), "0.75\n0.75\n");
    EXPECT_EQ(folder.count(), 1);
    EXPECT_TRUE(problem.calls.ends_with("--halves"));
    EXPECT_EQ(run({"--signs", "-", "--n", "2"}), 0);
    EXPECT_EQ(out, "1\n1\n");
    EXPECT_NE(err.find("verified"), std::string::npos);
}

TEST_F(Harness, FurtherOutputsAreCompleteOrAbsent) {
    expect_failure({"--halves", "-", "--output", "-", "--check"}, 2, "only one of");
    expect_failure({"--halves", "-", "--signs", "-", "--check"}, 2,
                   "--halves and --signs: only one of");
    EXPECT_EQ(run({"--halves", folder / "halves", "--profile"}), 2);
    EXPECT_NE(err.find("--profile verifies nothing: no --halves"), std::string::npos) << err;
    expect_failure({"--halves", folder / "no/halves"}, 1, "No such file or directory");
    EXPECT_EQ(problem.calls, "");
    problem.wrong_in_run = 7;
    expect_failure({"--halves", folder / "halves"}, 1, "WRONG RESULT");
    problem.wrong_in_run = 0;
    problem.further_output_fails = true;
    expect_failure({"--halves", folder / "halves"}, 1, "half written");
}

TEST_F(Harness, AWrongResultIsFailureAndNoRow) {
    problem.wrong_in_run = 1;
    expect_failure({}, 1, "WRONG RESULT in the first run: largest error 3 at value 999 of 1000");
    EXPECT_EQ(problem.runs, 1);
}

TEST_F(Harness, AWrongLastRunIsFailureAndNoRow) {
    problem.wrong_in_run = 7;
    expect_failure({}, 1, "WRONG RESULT after the timed runs: largest error 3 at value 999");
}

TEST_F(Harness, NaNIsAWrongResult) {
    problem.wrong_in_run = 1;
    problem.wrong_value = std::numeric_limits<double>::quiet_NaN();
    expect_failure({"--check"}, 1, "cannot be compared: nan, expected 3");
}

TEST_F(Harness, AStaleOutputIsAWrongResult) {
    problem.forgets_to_write_in_run = 7;  // the six runs before left the right answer
    expect_failure({}, 1, "WRONG RESULT after the timed runs: value 0 of 1000 cannot be compared");
}

// 24 merge passes over 2^25 ints in 1.48 ms on a card of 760 GB/s, as once published.
TEST_F(Harness, AnImpossibleTimeIsFailureAndNoRow) {
    device.cached_limits.bytes_per_second = 690e9;
    course::fill_from_attributes(device.cached_limits,
                                 {8, 6, 68, 1.71e9, 9.501e9, 40.0, 5.0 * (1 << 20)});
    device.fresh_limits = device.cached_limits;
    problem.work = {24.0 * 2 * 4 * (1 << 25), 0.0, 2.0 * 4 * (1 << 25)};
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
    problem.work = {1e6, 0.0, 0.0};  // 1 ms at the peak
    device.kernel_ms = 1.1;
    problem.on_run = [&] { device.kernel_ms = problem.runs == 6 ? 0.9 : 1.1; };
    expect_failure({}, 1, "kernels of repeat 4: 0.9 ms");
}

TEST_F(Harness, ALimitThatWasMeasuredTooLowIsMeasuredAgain) {
    device.cached_limits.peak_bytes_per_second = 1e8;  // a busy device, once
    device.fresh_limits.peak_bytes_per_second = 1e10;
    problem.work = {1e6, 0.0, 0.0};
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
    expect_failure({"--device", "-1"}, 2, "--device '-1' is below 0");
    expect_failure({"--device", "7"}, 2, "there are 2 devices");
    expect_failure({"--platform", "0"}, 2, "--platform is of stages in OpenCL only");
    expect_failure({"--seed", "x"}, 2, "--seed 'x' is not a number");
    expect_failure({"--factor", "0"}, 2, "--factor '0' is below 1");
    expect_failure({"--unknown"}, 2, "not a flag of this program: --unknown");
    expect_failure({"--profile", "--check"}, 2, "--check verifies and --profile does not");
    expect_failure({"--check", "--csv", "-"}, 2, "--check times nothing");
    expect_failure({"--profile", "--csv", "-"}, 2, "--profile times nothing");
    expect_failure({"--csv", "-", "--json", "-"}, 2, "only one of");
    EXPECT_EQ(problem.calls, "");
}

TEST_F(Harness, MoreThanTheDeviceHoldsIsRefusedBeforeAnyWork) {
    expect_failure({"--n", "62501"}, 2, "--n 62501 needs 1.00 MB of device memory, 1.00 MB are");
    expect_failure({"--n", "9223372036854775807"}, 2, "needs 148 EB of device memory, 1.00 MB are");
    EXPECT_EQ(problem.calls, "");
    problem.n_of_file = 62501;
    expect_failure({}, 1, "ones: n = 62501 needs 1.00 MB of device memory");
    EXPECT_EQ(problem.calls, "prepare ");
}

TEST_F(Harness, MoreThanTheHostHoldsIsRefusedBeforeAnyWork) {
    device.free_bytes = std::numeric_limits<std::int64_t>::max();
    expect_failure({"--n", "1e15"}, 2, "--n 1000000000000000 needs 16.0 PB of host memory");
    EXPECT_EQ(problem.calls, "");
}

TEST_F(Harness, FilesThatAreWrong) {
    expect_failure({"--input", "missing.txt"}, 1, "missing.txt: cannot be read: No such file");
    problem.calls.clear();
    expect_failure({"--csv", folder.path()}, 1, "cannot be written: Is a directory");
    expect_failure({"--csv", folder / "no/rows.csv"}, 1, "cannot be written: No such file");
    EXPECT_EQ(problem.calls, "");  // before any work is done
    expect_failure({"--csv", "/dev/full"}, 1, "/dev/full: cannot be written: No space left");
}

TEST_F(Harness, FailuresAtRunTime) {
    problem.on_run = [] { throw std::runtime_error("a kernel failed"); };
    expect_failure({}, 1, "a kernel failed");
    problem.on_run = [] { throw std::bad_alloc(); };
    expect_failure({}, 1, "the host's memory is too small");
    problem.on_run = [] { throw 42; };
    expect_failure({}, 1, "an exception of unknown type");
    problem.on_run = [this] { device.fail = true; };
    expect_failure({}, 1, "the device failed");
}

TEST_F(Harness, NoDeviceIsSkipped) {
    g_device = nullptr;
    expect_failure({}, 77, "no usable CUDA device: the driver lists none");
}

TEST_F(Harness, HelpAndVersionNeedNoDevice) {
    g_device = nullptr;
    EXPECT_EQ(run({"--help"}), 0);
    for (const char* flag : {"doubling/01_plain: doubles numbers",
                             "--n ",
                             "--input",
                             "--output",
                             "--seed",
                             "--repeats",
                             "--warmup",
                             "--device",
                             "--check",
                             "with --check also a list",
                             "--csv",
                             "--json",
                             "--profile",
                             "--quiet",
                             "--version",
                             "--factor",
                             "1000 on gpu",
                             "100 on emu",
                             "1000 on opencl",
                             "--platform",
                             "--halves",
                             "write the signs to a"}) {
        EXPECT_TRUE(out_has(flag)) << flag;
    }
    EXPECT_EQ(run({"--version"}), 0);
    EXPECT_TRUE(out.starts_with("doubling_01_plain ")) << out;
}

TEST_F(Harness, AnInterruptLeavesNoPartialFile) {
    const pid_t child = fork();
    if (child == 0) {
        problem.on_run = [] { raise(SIGINT); };
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
