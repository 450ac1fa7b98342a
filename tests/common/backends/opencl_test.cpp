// SPDX-License-Identifier: MIT
// A device of OpenCL as stages and the harness have it. Exit 77 where there is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "common/backends/opencl/bandwidth_probe.hpp"
#include "common/backends/opencl/device.hpp"
#include "common/harness/problem.hpp"
#include "probe.cl.hpp"
#include "tests/common/scratch_folder.hpp"
#include "wrong.cl.hpp"

namespace {

using course::Phase;
using course::PhaseTimer;
using course::opencl::Device;
using course_test::message_of;
using course_test::ScratchFolder;

constexpr course::opencl::Source kDoubling{"doubling.cl", R"(
__kernel void double_kernel(__global int* values, long count) {
    const long i = get_global_id(0);
    if (i < count) values[i] *= 2;
})"};

std::unique_ptr<Device> open_device() {
    return std::make_unique<Device>(course::opencl::find_device("", 0));
}

TEST(OpenClDevice, RunsKernelsInOrder) {
    const auto device = open_device();
    constexpr int kCount = 1000;
    std::vector<int> values(kCount);
    std::iota(values.begin(), values.end(), 0);
    const cl::Buffer d_values = device->buffer<int>(kCount);
    device->queue().enqueueWriteBuffer(d_values, CL_BLOCKING, 0, kCount * sizeof(int),
                                       values.data());
    cl::KernelFunctor<cl::Buffer, cl_long> double_kernel(device->program(kDoubling),
                                                         "double_kernel");
    const cl::EnqueueArgs grid(device->queue(), cl::NDRange(1024), cl::NDRange(32));
    const cl::Event first = double_kernel(grid, d_values, kCount);
    const cl::Event second = double_kernel(grid, d_values, kCount);
    device->queue().enqueueReadBuffer(d_values, CL_BLOCKING, 0, kCount * sizeof(int),
                                      values.data());
    for (int i = 0; i < kCount; ++i) ASSERT_EQ(values[i], 4 * i);
    EXPECT_GT(course::opencl::milliseconds_of(first), 0.0);
    // From end to end: at least the second one itself.
    EXPECT_GE(course::opencl::milliseconds_between(first, second),
              course::opencl::milliseconds_of(second));
}

TEST(OpenClDevice, AProgramIsBuiltOnce) {
    const auto device = open_device();
    EXPECT_EQ(device->build_ms(), 0.0);
    const cl_program first = device->program(kDoubling)();
    const double took = device->build_ms();
    EXPECT_GT(took, 0.0);
    EXPECT_EQ(device->program(kDoubling)(), first);
    EXPECT_EQ(device->build_ms(), took);
    EXPECT_NE(device->program(kDoubling, "-DOTHER=1")(), first);
}

TEST(OpenClDevice, AFailedBuildShowsTheLogWithFileAndLine) {
    const auto device = open_device();
    const std::string said = message_of<std::runtime_error>([&] { device->program(wrong_cl); });
    EXPECT_TRUE(said.starts_with("wrong.cl: does not build for " + device->name() + ":\n")) << said;
    EXPECT_NE(said.find("wrong.cl:4:"), std::string::npos) << said;
    EXPECT_NE(said.find("undeclared"), std::string::npos) << said;
}

TEST(OpenClDevice, MoreThanItAllows) {
    const auto device = open_device();
    EXPECT_NE(message_of<std::runtime_error>([&] {
                  device->buffer<int>(std::numeric_limits<std::int64_t>::max());
              }).find("CL_DEVICE_MAX_MEM_ALLOC_SIZE"),
              std::string::npos);
    EXPECT_THROW(device->buffer<int>(-1), std::runtime_error);
    device->check_group_size("--threads", 1);
    const std::string said =
        message_of<course::UsageError>([&] { device->check_group_size("--threads", 1 << 30); });
    EXPECT_TRUE(said.starts_with("--threads 1073741824: ")) << said;
    EXPECT_NE(said.find(" allows at most "), std::string::npos) << said;
}

TEST(OpenClDevice, ErrorsHaveNames) {
    const auto device = open_device();
    EXPECT_EQ(message_of<course::opencl::OpenClError>([&] {
                  course::opencl::name_errors(
                      [&] { cl::Kernel(device->program(kDoubling), "no_kernel"); });
              }),
              "clCreateKernel: CL_INVALID_KERNEL_NAME (-46)");
    EXPECT_STREQ(course::opencl::OpenClError(cl::Error(-9999, "clFinish")).what(),
                 "clFinish: error (-9999)");
}

// The probe's kernel tells of a key of all that it reads: hidden anywhere, it is found.
TEST(OpenClDevice, TheProbeReadsAllThatItSays) {
    const auto device = open_device();
    constexpr cl_uint kKey = 0x9e3779b9;
    constexpr cl_long kVectors = 1003;
    const cl::Buffer d_memory = device->buffer<cl_uint4>(kVectors);
    const cl::Buffer d_sink = device->buffer<cl_uint>(1);
    cl::CommandQueue& queue = device->queue();
    cl::KernelFunctor<cl::Buffer, cl_long, cl_int, cl::Buffer> read_kernel(
        device->program(probe_cl), "read_kernel");
    for (const std::size_t hidden : {0, 127, 128, 511, 512, 513, 4007, 4011}) {
        queue.enqueueFillBuffer(d_memory, cl_uint{0}, 0, kVectors * sizeof(cl_uint4));
        queue.enqueueFillBuffer(d_sink, cl_uint{0}, 0, sizeof(cl_uint));
        queue.enqueueWriteBuffer(d_memory, CL_BLOCKING, hidden * sizeof(cl_uint), sizeof(cl_uint),
                                 &kKey);
        read_kernel(cl::EnqueueArgs(queue, cl::NDRange(128), cl::NDRange(32)), d_memory, kVectors,
                    1, d_sink);
        cl_uint found = 0;
        queue.enqueueReadBuffer(d_sink, CL_BLOCKING, 0, sizeof(cl_uint), &found);
        EXPECT_EQ(found, kKey) << hidden;
    }
}

TEST(OpenClDevice, RatesAreMeasured) {
    const auto device = open_device();
    const course::MeasuredRates rates = course::opencl::measure_rates(*device, 1 << 24);
    EXPECT_GT(rates.bytes_per_second, 1e8);
    EXPECT_LT(rates.bytes_per_second, 1e14);
    EXPECT_GT(rates.l2_bytes_per_second, 1e8);
    EXPECT_LT(rates.l2_bytes_per_second, 1e15);
}

TEST(OpenClBackend, SaysWhatItIs) {
    const ScratchFolder folder;
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    const auto backend = course::open_backend(0);
    EXPECT_EQ(backend->engine(), "opencl");
    EXPECT_EQ(backend->device_name(), open_device()->name());
    EXPECT_GT(backend->free_memory_bytes(), 1 << 20);
    const course::DeviceLimits limits = backend->limits();
    EXPECT_GT(limits.bytes_per_second, 1e8);
    // Where nothing is known of the processor's caches, no peak is.
    if (limits.peak_bytes_per_second > 0.0) {
        EXPECT_GE(limits.peak_bytes_per_second, limits.bytes_per_second);
    }
    EXPECT_EQ(course::open_backend(0)->limits().bytes_per_second, limits.bytes_per_second);
    unsetenv("XDG_CACHE_HOME");
}

// Doubles numbers in OpenCL, with a program that does or does not build.
class Doubling final : public course::Problem {
  public:
    Doubling(const course::opencl::Source& source, double work_bytes)
        : source_(source), work_bytes_(work_bytes) {}

    std::string_view chapter() const override { return "doubling"; }
    std::string_view summary() const override { return "doubles numbers"; }
    std::int64_t default_n(std::string_view, bool) const override { return 100; }
    double device_bytes(std::int64_t n) const override { return 4.0 * static_cast<double>(n); }
    void prepare(const course::StageOptions& options, const course::Backend&) override {
        values_.resize(static_cast<std::size_t>(options.n));
    }
    std::int64_t n() const override { return static_cast<std::int64_t>(values_.size()); }
    std::string input_name() const override { return "ones"; }
    void poison_output() override { std::fill(values_.begin(), values_.end(), 1); }
    void run(PhaseTimer& timer) override {
        timer.begin(Phase::kSetup);
        Device& device = course::opencl::device_of(timer.backend());
        cl::KernelFunctor<cl::Buffer, cl_long> double_kernel(device.program(source_),
                                                             "double_kernel");
        const std::size_t bytes = values_.size() * sizeof(int);
        const cl::Buffer d_values = device.buffer<int>(n());
        timer.begin(Phase::kCopyIn);
        device.queue().enqueueWriteBuffer(d_values, CL_BLOCKING, 0, bytes, values_.data());
        timer.begin(Phase::kKernels);
        timer.declare_work({.bytes = work_bytes_, .working_set_bytes = work_bytes_});
        double_kernel(cl::EnqueueArgs(device.queue(), cl::NDRange(values_.size())), d_values, n());
        timer.begin(Phase::kCopyOut);
        device.queue().enqueueReadBuffer(d_values, CL_BLOCKING, 0, bytes, values_.data());
        timer.end();
    }
    course::Verdict verify() override {
        return {std::count(values_.begin(), values_.end(), 2) == n(), "all 2"};
    }
    void exchange_result(course::ResultFile& file) override { file.list(values_); }
    void write_output(std::ostream&, PhaseTimer&) override {}

  private:
    course::opencl::Source source_;
    double work_bytes_;
    std::vector<int> values_;
};

struct Outcome {
    int status = 0;
    std::string out, err;
};

Outcome run(const course::opencl::Source& source, std::vector<std::string> words,
            double work_bytes = 0.0) {
    words.insert(words.begin(), "doubling");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = course::run_problem(
        static_cast<int>(pointers.size()), pointers.data(), "doubling/01_opencl",
        [&] { return std::make_unique<Doubling>(source, work_bytes); });
    return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(OpenClHarness, RunsAStage) {
    const Outcome outcome = run(kDoubling, {"--repeats", "2", "--csv", "-", "--quiet"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(",opencl," + open_device()->name()), std::string::npos)
        << outcome.out;
}

TEST(OpenClHarness, AStageThatDoesNotBuildExitsWithTheLog) {
    const Outcome outcome = run(wrong_cl, {"--check"});
    EXPECT_EQ(outcome.status, course::kExitFailure);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("doubling: wrong.cl: does not build for "), std::string::npos);
    EXPECT_NE(outcome.err.find("wrong.cl:4:"), std::string::npos) << outcome.err;
}

TEST(OpenClHarness, AnImpossibleTimeIsRefused) {
    const Outcome outcome = run(kDoubling, {"--repeats", "1"}, 1e18);
    if (course::open_backend(0)->limits().peak_bytes_per_second == 0.0) {
        GTEST_SKIP() << "nothing is known of this processor's caches";
    }
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find("memory peak"), std::string::npos) << outcome.err;
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    try {
        course::open_backend(0);
    } catch (const course::NoDeviceError& error) {
        std::fprintf(stderr, "skipped: %s\n", error.what());
        return course::kExitNoDevice;
    }
    return RUN_ALL_TESTS();
}
