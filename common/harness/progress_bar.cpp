// SPDX-License-Identifier: MIT
#include "common/harness/progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace course {

namespace {

constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::milliseconds kRedraw{100};
constexpr int kWidth = 40;

}  // namespace

ProgressBar::ProgressBar(std::string label, std::int64_t total, bool enabled)
    : label_(std::move(label)),
      total_(std::max<std::int64_t>(1, total)),
      enabled_(enabled && isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
    if (drawn_) {
        std::fprintf(stderr, "\r\033[K");  // back to the first column, erase the line
        std::fflush(stderr);
    }
}

void ProgressBar::advance(std::int64_t steps) {
    done_ = std::min(total_, done_ + steps);
    if (!enabled_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - start_ >= kPatience && now - last_draw_ >= kRedraw) {
        last_draw_ = now;
        draw();
    }
}

void ProgressBar::draw() noexcept {
    const double fraction = static_cast<double>(done_) / static_cast<double>(total_);
    const int filled = static_cast<int>(fraction * kWidth);
    std::fprintf(stderr, "\r%s [", label_.c_str());
    for (int i = 0; i < kWidth; ++i) std::fputc(i < filled ? '#' : '.', stderr);
    std::fprintf(stderr, "] %3d %%", static_cast<int>(fraction * 100.0));
    std::fflush(stderr);
    drawn_ = true;
}

}  // namespace course
