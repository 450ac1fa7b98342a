// SPDX-License-Identifier: MIT
#include "common/ranks/watchdog.hpp"

#include <cmath>
#include <cstdlib>
#include <utility>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace course {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks(50);
constexpr double kDefaultLimit = 600;

}  // namespace

Watchdog::Watchdog(Seconds limit, Seconds patience, Error error,
                   std::function<void(const std::string&)> end)
    : limit_(limit),
      patience_(patience),
      error_(std::move(error)),
      end_(std::move(end)),
      thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(mutex_);
        leaves_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Watchdog::begin() {
    {
        const std::lock_guard lock(mutex_);
        runs_ = true;
        begun_ = Clock::now();
        said_.clear();
    }
    changed_.notify_all();
}

void Watchdog::end() {
    const std::lock_guard lock(mutex_);
    runs_ = false;
}

std::string Watchdog::reason(Clock::time_point now) {
    if (said_.empty()) {
        said_ = error_();
        failed_ = now;
    }
    if (!said_.empty() && now - failed_ >= patience_) return said_;
    if (limit_.count() > 0 && now - begun_ > limit_) {
        return text("the run has taken ", limit_.count(),
                    " s: do all ranks call the same operations? RANKS_TIME_LIMIT=SECONDS allows "
                    "more, 0 any time");
    }
    return "";
}

void Watchdog::watch() {
    std::unique_lock lock(mutex_);
    while (!leaves_) {
        if (!runs_) {
            changed_.wait(lock, [this] { return runs_ || leaves_; });
            continue;
        }
        changed_.wait_for(lock, kBetweenLooks, [this] { return leaves_; });
        if (!runs_ || leaves_) continue;
        const std::string why = reason(Clock::now());
        if (why.empty()) continue;
        lock.unlock();
        end_(why);
        return;
    }
}

Watchdog::Seconds ranks_time_limit(const char* value) {
    if (value == nullptr || *value == '\0') return Watchdog::Seconds(kDefaultLimit);
    char* end = nullptr;
    const double seconds = std::strtod(value, &end);
    if (*end != '\0' || !std::isfinite(seconds) || seconds < 0) {
        throw UsageError(text("RANKS_TIME_LIMIT=", value, ": not a number of seconds"));
    }
    return Watchdog::Seconds(seconds);
}

}  // namespace course
