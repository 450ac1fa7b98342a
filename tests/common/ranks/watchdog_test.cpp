// SPDX-License-Identifier: MIT
#include "common/ranks/watchdog.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "common/base/error.hpp"

namespace {

using course::ranks_time_limit, course::Watchdog;
using Seconds = Watchdog::Seconds;

constexpr Seconds kShort(0.2), kLong(30);

// What the watchdog says first.
class Said {
  public:
    void operator()(const std::string& why) { message_.set_value(why); }
    std::string wait_for(Seconds time) {
        const bool came = future_.wait_for(time) == std::future_status::ready;
        return came ? future_.get() : "";
    }

  private:
    std::promise<std::string> message_;
    std::future<std::string> future_ = message_.get_future();
};

std::string no_error() { return ""; }

TEST(Watchdog, ARunBeyondTheLimitEnds) {
    Said said;
    Watchdog watchdog(kShort, kShort, no_error, [&](const std::string& why) { said(why); });
    watchdog.begin();
    EXPECT_NE(said.wait_for(kLong).find("the run has taken 0.2 s"), std::string::npos);
}

TEST(Watchdog, TimeBetweenRunsDoesNotCount) {
    Said said;
    Watchdog watchdog(kShort, kShort, no_error, [&](const std::string& why) { said(why); });
    for (int i = 0; i < 4; ++i) {
        watchdog.begin();
        std::this_thread::sleep_for(kShort / 4);
        watchdog.end();
        std::this_thread::sleep_for(kShort / 2);
    }
    EXPECT_EQ(said.wait_for(2 * kShort), "");
}

TEST(Watchdog, WithoutALimitARunMayTakeAnyTime) {
    Said said;
    Watchdog watchdog(Seconds(0), kShort, no_error, [&](const std::string& why) { said(why); });
    watchdog.begin();
    EXPECT_EQ(said.wait_for(2 * kShort), "");
}

TEST(Watchdog, AnErrorEndsTheRunAfterAWhile) {
    Said said;
    std::atomic<bool> fails = false;
    Watchdog watchdog(
        Seconds(0), kShort, [&] { return fails ? std::string("lost") : std::string(); },
        [&](const std::string& why) { said(why); });
    watchdog.begin();
    std::this_thread::sleep_for(kShort);
    const auto begin = std::chrono::steady_clock::now();
    fails = true;
    EXPECT_EQ(said.wait_for(kLong), "lost");
    EXPECT_GE(std::chrono::steady_clock::now() - begin, kShort);
}

TEST(Watchdog, ARunThatEndsBeforeSaysMore) {
    Said said;
    Watchdog watchdog(
        Seconds(0), kLong, [] { return std::string("lost"); },
        [&](const std::string& why) { said(why); });
    watchdog.begin();
    EXPECT_EQ(said.wait_for(kShort), "");
    watchdog.end();
}

TEST(Watchdog, LimitsAreSeconds) {
    EXPECT_EQ(ranks_time_limit(nullptr), Seconds(600));
    EXPECT_EQ(ranks_time_limit(""), Seconds(600));
    EXPECT_EQ(ranks_time_limit("2.5"), Seconds(2.5));
    EXPECT_EQ(ranks_time_limit("0"), Seconds(0));
    for (const char* const wrong : {"-1", "ten", "5 s", "nan", "inf"}) {
        EXPECT_THROW(ranks_time_limit(wrong), course::UsageError) << wrong;
    }
}

}  // namespace
