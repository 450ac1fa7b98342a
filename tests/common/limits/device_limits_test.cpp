// SPDX-License-Identifier: MIT
#include "common/limits/device_limits.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>

#include "common/base/error.hpp"
#include "common/limits/limits_cache.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course::CudaAttributes;
using course::DeviceLimits;
using course::LimitKind;
using course::Work;

// The card of the published times that cannot be true: GeForce RTX 3080, 760 GB/s, 5 MB of L2.
DeviceLimits rtx3080(double measured_copy = 690e9) {
    DeviceLimits limits;
    limits.bytes_per_second = measured_copy;
    limits.l2_bytes_per_second = 2.5e12;
    course::fill_from_attributes(limits, {8, 6, 68, 1.71e9, 9.501e9, 40.0, 5.0 * (1 << 20)});
    return limits;
}

// An H200 as measured: copy 4229 GB/s, fp32 56 of the 66.9 Top/s that its attributes give.
DeviceLimits h200() {
    DeviceLimits limits;
    limits.bytes_per_second = 4229e9;
    limits.l2_bytes_per_second = 7e12;
    course::fill_from_attributes(limits, {9, 0, 132, 1.98e9, 3.201e9, 768.0, 60.0 * (1 << 20)});
    return limits;
}

// 24 merge passes over 2^25 ints, each read and written once: 6.4 GB.
constexpr double kListBytes = 4.0 * (1 << 25);
constexpr Work kMergePasses{24 * 2 * kListBytes, 0.0, 0.0};

TEST(DeviceLimits, PublishedImpossibleTimeIsRefused) {
    const auto message = course::impossible_time("kernels of repeat 1", kMergePasses, 1.48e-3,
                                                 rtx3080(), 2 * kListBytes);
    ASSERT_TRUE(message);
    EXPECT_NE(message->find("kernels of repeat 1: 1.48 ms for 6.44 GB is 4.35 TB/s, above the "
                            "memory peak of this device, 8"),
              std::string::npos)
        << *message;
    EXPECT_THROW(
        course::refuse_impossible_time("kernels", kMergePasses, 1.48e-3, rtx3080(), 2 * kListBytes),
        course::LimitError);
}

TEST(DeviceLimits, TrueTimesAreNotRefused) {
    // At the pins' 760 GB/s it takes 8.48 ms.
    EXPECT_FALSE(
        course::impossible_time("kernels", kMergePasses, 8.5e-3, rtx3080(), 2 * kListBytes));
    // An H200 reads faster than it copies.
    const Work reading{16e9, 0.0, 0.0};
    EXPECT_FALSE(course::impossible_time("kernels", reading, 16e9 / 4.7e12, h200(), 16e9));
    // A list that stays in its L2 is sorted faster than memory could deliver it.
    const Work cached{24 * 2 * 4.0 * (1 << 20), 0.0, 0.0};
    EXPECT_FALSE(course::impossible_time("kernels", cached, cached.bytes / 7e12, h200(),
                                         2 * 4.0 * (1 << 20)));
    // Twice the L2: half of the bytes may hit.
    const Work half{1e9, 0.0, 0.0};
    EXPECT_FALSE(course::impossible_time("kernels", half, 0.5e9 / 4.5e12 + 0.5e9 / 7e12, h200(),
                                         2 * 60.0 * (1 << 20)));
    // Measured fp32 rate.
    const Work arithmetic{0.0, 56e12, 0.0};
    EXPECT_FALSE(course::impossible_time("kernels", arithmetic, 1.0, h200(), 0.0));
}

TEST(DeviceLimits, EachLimitRefuses) {
    const Work arithmetic{0.0, 100e12, 0.0};
    const auto operations = course::impossible_time("kernels", arithmetic, 1.0, h200(), 0.0);
    ASSERT_TRUE(operations);
    EXPECT_NE(operations->find("is 100 Top/s, above the arithmetic peak of this device, 83.6"),
              std::string::npos)
        << *operations;

    const Work cached{1e9, 0.0, 1e6};
    const auto l2 = course::impossible_time("kernels", cached, 1e9 / 60e12, h200(), 1e9);
    ASSERT_TRUE(l2);
    EXPECT_NE(l2->find("above the L2 peak"), std::string::npos) << *l2;

    const Work memory{10e9, 0.0, 0.0};
    EXPECT_TRUE(course::impossible_time("kernels", memory, 10e9 / 6e12, h200(), 10e9));
}

TEST(DeviceLimits, TimesThatAreNoTimesAreRefused) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double seconds : {nan, infinity, -infinity, -1e-9}) {
        EXPECT_TRUE(course::impossible_time("total", Work{}, seconds, DeviceLimits{}, 0.0));
    }
    EXPECT_TRUE(course::impossible_time("kernels", kMergePasses, 0.0, rtx3080(), 1e9));
    EXPECT_FALSE(course::impossible_time("setup", Work{}, 0.0, rtx3080(), 1e9));
}

TEST(DeviceLimits, NothingIsComparedWithWhatIsUnknown) {
    EXPECT_FALSE(course::impossible_time("kernels", kMergePasses, 1e-9, DeviceLimits{}, 1e9));
    EXPECT_EQ(course::share_of_limit(kMergePasses, 1e-9, DeviceLimits{}, 1e9).kind,
              LimitKind::kNone);
    EXPECT_EQ(course::share_of_limit(Work{}, 1.0, h200(), 1e9).kind, LimitKind::kNone);
    EXPECT_EQ(course::share_of_limit(kMergePasses, 0.0, h200(), 1e9).kind, LimitKind::kNone);
}

TEST(DeviceLimits, TheShareIsOfTheLimitThatBinds) {
    const Work memory{4229e9, 1e9, 0.0};
    auto share = course::share_of_limit(memory, 2.0, h200(), 1e14);
    EXPECT_EQ(share.kind, LimitKind::kMemory);
    EXPECT_NEAR(share.share, 0.5, 1e-4);
    EXPECT_NEAR(share.rate, 4229e9 / 2, 1.0);
    EXPECT_NEAR(share.limit, 4229e9, 1e8);

    const Work cached{7e12, 0.0, 1e6};
    share = course::share_of_limit(cached, 4.0, h200(), 1e12);
    EXPECT_EQ(share.kind, LimitKind::kL2);
    EXPECT_NEAR(share.share, 0.25, 1e-9);

    const Work arithmetic{1e9, 33.45e12, 0.0};
    share = course::share_of_limit(arithmetic, 1.0, h200(), 1e9);
    EXPECT_EQ(share.kind, LimitKind::kArithmetic);
    EXPECT_NEAR(share.share, 0.5, 1e-3);
}

TEST(DeviceLimits, PeaksComeFromAttributes) {
    const DeviceLimits limits = h200();
    EXPECT_NEAR(limits.operations_per_second, 66.9e12, 0.1e12);
    EXPECT_NEAR(limits.peak_bytes_per_second, 4917e9 * 1.05, 1e9);
    // A driver that tells no memory clock, or a wrong one: the measured rate and its slack.
    DeviceLimits unknown;
    unknown.bytes_per_second = 100e9;
    CudaAttributes attributes{9, 0, 132, 1.98e9, 0.0, 768.0, 60e6};
    course::fill_from_attributes(unknown, attributes);
    EXPECT_DOUBLE_EQ(unknown.peak_bytes_per_second, 125e9);
    attributes.memory_clock_hz = 1e6;
    course::fill_from_attributes(unknown, attributes);
    EXPECT_DOUBLE_EQ(unknown.peak_bytes_per_second, 125e9);
}

TEST(DeviceLimits, LanesByComputeCapability) {
    const int known[][3] = {{5, 0, 128}, {5, 2, 128}, {6, 0, 64},   {6, 1, 128},
                            {7, 0, 64},  {7, 5, 64},  {8, 0, 64},   {8, 6, 128},
                            {8, 9, 128}, {9, 0, 128}, {10, 0, 128}, {12, 0, 128}};
    for (const auto& [major, minor, lanes] : known) {
        EXPECT_EQ(course::fp32_lanes(major, minor), lanes) << major << '.' << minor;
    }
}

class LimitsCache : public testing::Test {
  protected:
    void SetUp() override { setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
    void TearDown() override { unsetenv("XDG_CACHE_HOME"); }

    std::string only_file() const {
        return std::filesystem::directory_iterator(folder_ / "gpu-algorithms")->path().string();
    }

    course_test::ScratchFolder folder_;
};

TEST_F(LimitsCache, KeepsTheBest) {
    EXPECT_FALSE(course::load_measured_rates("gpu|1"));
    course::keep_best_rates("gpu|1", {4229.0625e9, 1.0 / 3.0});
    auto rates = course::load_measured_rates("gpu|1");
    ASSERT_TRUE(rates);
    EXPECT_EQ(rates->bytes_per_second, 4229.0625e9);
    EXPECT_EQ(rates->l2_bytes_per_second, 1.0 / 3.0);
    EXPECT_FALSE(course::load_measured_rates("gpu|2"));

    const auto best = course::keep_best_rates("gpu|1", {1e9, 5e12});
    EXPECT_EQ(best.bytes_per_second, 4229.0625e9);
    EXPECT_EQ(best.l2_bytes_per_second, 5e12);
}

TEST_F(LimitsCache, ADamagedFileIsMeasuredAgain) {
    course::keep_best_rates("gpu|1", {1e12, 5e12});
    const std::string path = only_file();
    for (const char* content :
         {"", "gpu|1", "gpu|1\nabc\n1\n", "gpu|1\n1e12\n", "gpu|1\nnan\n1\n", "gpu|1\n-1\n1\n",
          "gpu|1\n0\n1\n", "gpu|1\n1e30\n1\n", "gpu|9\n1e12\n5e12\n"}) {
        std::ofstream(path) << content;
        EXPECT_FALSE(course::load_measured_rates("gpu|1")) << content;
    }
}

TEST_F(LimitsCache, WithoutAPlaceItStillWorks) {
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    EXPECT_EQ(course::keep_best_rates("gpu|1", {1e12, 5e12}).bytes_per_second, 1e12);
    EXPECT_FALSE(course::load_measured_rates("gpu|1"));
}

}  // namespace
