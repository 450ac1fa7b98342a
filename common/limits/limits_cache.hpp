// SPDX-License-Identifier: MIT
// Keeps what was measured of a device from one run to the next, so that each run need not measure.
#pragma once

#include <optional>
#include <string>

namespace course {

struct MeasuredRates {
    double bytes_per_second = 0.0;
    double l2_bytes_per_second = 0.0;
};

// `key` names the device and everything that may change its rates: name, unique number, driver.
// A missing, unreadable or unlikely entry, or one of another key, is nothing: measure again.
std::optional<MeasuredRates> load_measured_rates(const std::string& key);

// Stores the better of `rates` and what was stored for `key`, and returns it: a measurement on a
// busy device comes out too low, never too high.
// Under $XDG_CACHE_HOME, else $HOME/.cache. Silent where that is not possible: the next run
// measures again.
MeasuredRates keep_best_rates(const std::string& key, const MeasuredRates& rates);

}  // namespace course
