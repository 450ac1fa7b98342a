// SPDX-License-Identifier: MIT
// A progress bar on stderr, for a terminal only and for work of more than two seconds only.
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
    ~ProgressBar();  // takes the bar off the screen

    // `steps` more of `total` are done.
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
