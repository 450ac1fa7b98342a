// SPDX-License-Identifier: MIT
#include "tests/common/harness/harness_fixture.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>

#include "common/harness/comparison.hpp"

namespace {

using course_test::FakeBackend;
using course_test::Script;

// The device that open_backend hands out; a test sets it up and reads its log.
FakeBackend* g_device = nullptr;
int g_times_opened = 0;
course::Ranks* g_ranks = nullptr;

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

// The harness owns what it opens, and the test owns its ranks.
class BorrowedRanks final : public course::Ranks {
  public:
    int rank() const override { return g_ranks->rank(); }
    int count() const override { return g_ranks->count(); }
    std::string parameters() const override { return g_ranks->parameters(); }
    int device(int first) const override { return g_ranks->device(first); }
    void begin_run() override { g_ranks->begin_run(); }
    void end_run() override { g_ranks->end_run(); }
    void meet() const override { g_ranks->meet(); }
    void take_largest(std::span<double> values) const override { g_ranks->take_largest(values); }
    bool speaks() const override { return g_ranks->speaks(); }
    std::string prefix() const override { return g_ranks->prefix(); }
    bool must_end_all() const override { return g_ranks->must_end_all(); }
    void end_all(int status, const std::string& message) const override {
        g_ranks->end_all(status, message);
    }
    bool is_there_failure(bool failed) override { return g_ranks->is_there_failure(failed); }
};

}  // namespace

std::unique_ptr<course::Backend> course::open_backend(int device, const std::string& platform) {
    refuse_platform(platform);
    if (g_device == nullptr) throw NoDeviceError("no usable CUDA device: the driver lists none");
    if (device > 1) throw UsageError("--device 7: there are 2 devices, 0 to 1");
    ++g_times_opened;
    return std::make_unique<Borrowed>();
}

std::unique_ptr<course::Ranks> course::open_ranks() {
    if (g_ranks == nullptr) return std::make_unique<course::Ranks>();
    return std::make_unique<BorrowedRanks>();
}

namespace {

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
    double serial_seconds() const override { return script_.serial_seconds; }
    std::string input_name() const override { return "ones"; }
    std::string parameters() const override { return "factor=2"; }
    void poison_output() override {
        script_.calls += "poison ";
        std::fill(output_.begin(), output_.end(), std::numeric_limits<double>::quiet_NaN());
    }
    void run(course::PhaseTimer& timer) override {
        script_.calls += "run ";
        ++script_.runs;
        timer.note_grid(4, 256);
        timer.begin(course::Phase::kKernels);
        timer.declare_work(script_.work);
        if (script_.runs != script_.forgets_to_write_in_run) {
            for (std::size_t i = 0; i < input_.size(); ++i) output_[i] = 2.0 * input_[i];
        }
        if (script_.runs == script_.wrong_in_run) output_.back() = script_.wrong_value;
        if (script_.host_works) {
            timer.begin(course::Phase::kHost);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        if (script_.on_run) script_.on_run();
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
    void exchange_result(course::ResultFile& file) override {
        script_.calls += "exchange ";
        file.list(output_);
        file.flag(script_.flag);
        file.sized_list(script_.extra);
    }
    std::vector<course::ReportField> report() const override { return {{"sum", "3000"}}; }
    void write_output(std::ostream& out, course::PhaseTimer&) override {
        for (const double value : output_) out << value << '\n';
    }
    std::vector<course::OutputFile> further_outputs() const override {
        return {{"--halves", "write the halves"}, {"--signs", "write the signs"}};
    }
    void write_further_output(std::string_view flag, std::ostream& out) override {
        script_.calls += flag;
        for (const double value : input_) out << (flag == "--halves" ? value / 2.0 : 1.0) << '\n';
        if (script_.further_output_fails) throw std::runtime_error("half written");
    }

  private:
    Script& script_;
    std::int64_t factor_ = 2;
    std::vector<double> input_;
    std::vector<double> output_;
};

}  // namespace

namespace course_test {

void Harness::use_ranks(course::Ranks* ranks) { g_ranks = ranks; }

void Harness::SetUp() {
    g_device = &device;
    g_times_opened = 0;
}

void Harness::TearDown() { g_device = nullptr; }

void Harness::remove_device() { g_device = nullptr; }

int Harness::times_opened() { return g_times_opened; }

int Harness::run(std::vector<std::string> words) {
    words.insert(words.begin(), "/build/doubling_01_plain");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    script.runs = 0;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status =
        course::run_problem(static_cast<int>(words.size()), argv.data(), "doubling/01_plain",
                            [this] { return std::make_unique<Doubling>(script); });
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return status;
}

void Harness::expect_failure(const std::vector<std::string>& words, int status,
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

}  // namespace course_test
