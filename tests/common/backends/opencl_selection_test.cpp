// SPDX-License-Identifier: MIT
// Which OpenCL device a run is on, on machines that are not this one.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/backends/opencl/selection.hpp"
#include "common/base/error.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course::NoDeviceError;
using course::UsageError;
using course::opencl::PlatformEntry;
using course::opencl::select_device;
using course_test::message_of;

const PlatformEntry kPocl{"Portable Computing Language", {{"pthread", false}}};
const PlatformEntry kNvidia{"NVIDIA CUDA", {{"NVIDIA H200", true}, {"NVIDIA H100", true}}};
const PlatformEntry kMixed{"AMD Accelerated", {{"Ryzen", false}, {"Radeon", true}}};
const PlatformEntry kIntel{"Intel OpenCL", {{"Xeon", false}}};
const PlatformEntry kEmpty{"Clover", {}};

// "1.0": the device 0 of platform 1, as the lists number them.
std::string selected(const std::vector<PlatformEntry>& platforms, std::string_view platform = "",
                     int device = 0) {
    const auto [its, number] = select_device(platforms, platform, device);
    return std::to_string(its) + "." + std::to_string(number);
}

TEST(OpenClSelection, PrefersAGpuThenPoclThenAnything) {
    EXPECT_EQ(selected({kPocl, kNvidia}), "1.0");
    EXPECT_EQ(selected({kNvidia, kPocl}), "0.0");
    EXPECT_EQ(selected({kPocl, kMixed}), "1.1");
    EXPECT_EQ(selected({kIntel, kEmpty, kPocl}), "2.0");
    EXPECT_EQ(selected({kEmpty, kIntel}), "1.0");
}

TEST(OpenClSelection, GpusAreNumberedFirst) {
    EXPECT_EQ(selected({kMixed}, "", 0), "0.1");
    EXPECT_EQ(selected({kMixed}, "", 1), "0.0");
    EXPECT_EQ(selected({kPocl, kNvidia}, "", 1), "1.1");
}

TEST(OpenClSelection, APlatformByNumberOrByAPartOfItsName) {
    EXPECT_EQ(selected({kPocl, kNvidia}, "0"), "0.0");
    EXPECT_EQ(selected({kPocl, kNvidia}, "1", 1), "1.1");
    EXPECT_EQ(selected({kPocl, kNvidia}, "portable"), "0.0");
    EXPECT_EQ(selected({kPocl, kNvidia}, "NVIDIA CUDA"), "1.0");
    EXPECT_EQ(selected({kNvidia, kIntel, kPocl}, "cl"), "1.0");
}

TEST(OpenClSelection, Refusals) {
    const auto said = [](const std::vector<PlatformEntry>& platforms, std::string_view platform,
                         int device) {
        return message_of<UsageError>([&] { select_device(platforms, platform, device); });
    };
    const std::string both = "0 (Portable Computing Language), 1 (NVIDIA CUDA)";
    for (const char* wanted : {"2", "-1", "99999999999999999999", "ROCm"}) {
        EXPECT_EQ(
            said({kPocl, kNvidia}, wanted, 0),
            std::string("--platform ") + wanted + ": there is no such platform, only " + both);
    }
    EXPECT_EQ(said({kPocl, kNvidia}, "a", 0),
              "--platform a: this is part of several names; there are " + both);
    EXPECT_EQ(said({kNvidia}, "", 2), "--device 2: platform NVIDIA CUDA has 2 devices, 0 to 1");
    EXPECT_EQ(said({kPocl}, "", -1),
              "--device -1: platform Portable Computing Language has 1 device, number 0");
}

TEST(OpenClSelection, WithoutADevice) {
    const auto said = [](const std::vector<PlatformEntry>& platforms, std::string_view platform) {
        return message_of<NoDeviceError>([&] { select_device(platforms, platform, 0); });
    };
    EXPECT_EQ(said({}, ""), "no usable OpenCL device: there is no OpenCL platform");
    EXPECT_EQ(said({}, "NVIDIA"), "no usable OpenCL device: there is no OpenCL platform");
    EXPECT_EQ(said({kEmpty}, ""), "no usable OpenCL device: platform Clover lists none");
    EXPECT_EQ(said({kPocl, kEmpty}, "clover"),
              "no usable OpenCL device: platform Clover lists none");
}

}  // namespace
