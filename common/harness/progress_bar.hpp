// SPDX-License-Identifier: MIT
// A progress bar on stderr: only on a terminal, and only after two seconds of work.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace course {

class ProgressBar {
  public:
    ProgressBar(std::string label, std::int64_t total, bool enabled = true);
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;
    ~ProgressBar();  // erases the bar

    // Reports that `steps` more of `total` are done.
    void advance(std::int64_t steps = 1);

  private:
    void draw() noexcept;

    std::string label_;
    std::int64_t total_;
    std::int64_t done_ = 0;
    bool enabled_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point last_draw_;
};

}  // namespace course
