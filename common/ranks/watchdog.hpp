// SPDX-License-Identifier: MIT
// Ends a run that waits for ever. On GPUs, a rank that leaves out a collective, or whose link is
// lost, leaves all others in a kernel that never ends: no call returns an error.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace course {

class Watchdog {
  public:
    using Seconds = std::chrono::duration<double>;

    // What the library says of a failure that no call has returned; empty: nothing.
    using Error = std::function<std::string()>;

    // `end` gets the message, and ends the process. It runs in a thread of its own. limit: how long
    // a run may take; 0: for ever. patience: how long after an error the run may take to end by
    // itself, because it can say more.
    Watchdog(Seconds limit, Seconds patience, Error error,
             std::function<void(const std::string&)> end);
    ~Watchdog();

    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // Around a run.
    void begin();
    void end();

  private:
    using Clock = std::chrono::steady_clock;

    void watch();
    // Why the run must end; empty: it need not.
    std::string reason(Clock::time_point now);

    const Seconds limit_, patience_;
    const Error error_;
    const std::function<void(const std::string&)> end_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool runs_ = false, leaves_ = false;
    Clock::time_point begun_, failed_;
    std::string said_;  // by error_, first at failed_
    std::thread thread_;  // the last member: it uses the others
};

// The value of RANKS_TIME_LIMIT: seconds, 0 for no limit; 600 without the variable. Errors:
// UsageError if it is no such number.
Watchdog::Seconds ranks_time_limit(const char* text);

}  // namespace course
