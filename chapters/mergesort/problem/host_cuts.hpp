// SPDX-License-Identifier: MIT
// Where sorted runs in host memory are cut (stage host/01, for lists longer than the device's
// memory).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "problem/mergesort.hpp"

namespace mergesort {

// How many keys of each run are among the first `rank` keys of their merge; equal keys are taken in
// the order of the runs. rank: at most the number of all keys. The method is that of
// blocks/multiway_cuts/multiway_cuts.cuh, one run after the other.
inline std::vector<std::int64_t> cut_host_runs(const std::vector<std::span<const Key>>& runs,
                                               std::int64_t rank) {
    const std::size_t ways = runs.size();
    std::vector<std::int64_t> low(ways, 0), high(ways), less(ways), not_greater(ways);
    for (std::size_t j = 0; j < ways; ++j) high[j] = static_cast<std::int64_t>(runs[j].size());
    const auto sum = [](const std::vector<std::int64_t>& values) {
        return std::accumulate(values.begin(), values.end(), std::int64_t{0});
    };
    while (true) {
        std::size_t owner = 0;
        for (std::size_t j = 1; j < ways; ++j) {
            if (high[j] - low[j] > high[owner] - low[owner]) owner = j;
        }
        if (high[owner] == low[owner]) return low;
        const Key pivot = runs[owner][(low[owner] + high[owner]) / 2];
        for (std::size_t j = 0; j < ways; ++j) {
            const Key* const keys = runs[j].data();
            const Key* const first = std::lower_bound(keys + low[j], keys + high[j], pivot);
            less[j] = first - keys;
            not_greater[j] = std::upper_bound(first, keys + high[j], pivot) - keys;
        }
        if (rank <= sum(less)) {
            high = less;
        } else if (rank > sum(not_greater)) {
            low = not_greater;
        } else {
            std::int64_t left = rank - sum(less);
            for (std::size_t j = 0; j < ways; ++j) {
                const std::int64_t taken = std::min(left, not_greater[j] - less[j]);
                less[j] += taken;
                left -= taken;
            }
            return less;
        }
    }
}

}  // namespace mergesort
