// SPDX-License-Identifier: MIT
// Keeps the measured rates of a device from one run to the next, so that each run need not measure.
#pragma once

#include <optional>
#include <string>

namespace course {

struct MeasuredRates {
    double bytes_per_second = 0.0;
    double l2_bytes_per_second = 0.0;
};

// `key` names the device and everything that may change its rates: name, unique number, driver.
// Returns nothing if the entry is missing, unreadable, unlikely, or of another key: measure again.
std::optional<MeasuredRates> load_measured_rates(const std::string& key);

// Stores the better of `rates` and the stored rates of `key`, and returns it: a measurement on a
// busy device is too low, never too high. The file is under $XDG_CACHE_HOME, else $HOME/.cache. If
// it cannot be written, nothing is said: the next run measures again.
MeasuredRates keep_best_rates(const std::string& key, const MeasuredRates& rates);

}  // namespace course
