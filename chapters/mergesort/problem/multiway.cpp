// SPDX-License-Identifier: MIT
#include "problem/multiway.hpp"

#include <algorithm>
#include <limits>

#include "problem/multisort.hpp"

namespace mergesort {

Option ways_option() {
    return {"--ways", "runs that a pass merges at most; rounded down to a power of two", 8, 2, 16};
}

Pass make_pass(std::int64_t count, std::int64_t run, int ways, int windows, int window_keys,
               int fragments_per_gap, int windows_together) {
    Pass pass = {};
    pass.count = count;
    pass.run = run;
    pass.ways = ways;
    const int used = (windows - ways / fragments_per_gap) / windows_together * windows_together;
    pass.capacity = used * window_keys;
    const std::int64_t group = ways * run;
    pass.tiles_per_group = (group - 1) / pass.capacity + 1;
    pass.tiles =
        count / group * pass.tiles_per_group + (count % group + pass.capacity - 1) / pass.capacity;
    return pass;
}

std::vector<Pass> plan_passes(std::int64_t count, std::int64_t run, std::int64_t most_ways,
                              int windows, int window_keys, int fragments_per_gap, std::int64_t aim,
                              int windows_together) {
    int levels = merge_levels(std::min(count, aim), run), most_levels = 1;
    while (std::int64_t{4} << most_levels <= 2 * most_ways) ++most_levels;
    std::vector<Pass> passes;
    while (levels > 0) {
        const int left = (levels + most_levels - 1) / most_levels;
        const int own = (levels + left - 1) / left;
        passes.push_back(make_pass(count, run, 1 << own, windows, window_keys, fragments_per_gap,
                                   windows_together));
        run <<= own;
        levels -= own;
    }
    return passes;
}

std::vector<Pass> plan_bulk_passes(std::int64_t count, std::int64_t run, std::int64_t most_ways,
                                   int windows, int window_keys) {
    return plan_passes(count, run, most_ways, windows, window_keys, 2, count, 4);
}

std::int64_t largest_sampled_n() { return std::numeric_limits<std::int32_t>::max(); }

std::vector<std::int64_t> plan_chunks(std::int64_t count, std::int64_t most, std::int64_t least,
                                      std::int64_t tile) {
    most = std::max<std::int64_t>(1, std::min(most, count / least));
    const std::int64_t fewest = std::min<std::int64_t>(4, (4 * least * most - 1) / count + 1);
    // In quarters of a full chunk.
    const auto quarters = [&](std::int64_t i) {
        return std::max(fewest, std::min<std::int64_t>(4, most - i));
    };
    std::int64_t all = 0, before = 0, begin = 0;
    for (std::int64_t i = 0; i < most; ++i) all += quarters(i);
    std::vector<std::int64_t> chunks;
    for (std::int64_t i = 0; i < most; ++i) {
        before += quarters(i);
        const auto share = static_cast<std::int64_t>(1.0 * count * before / all);
        const std::int64_t end = i + 1 == most ? count : share / tile * tile;
        if (end > begin) chunks.push_back(end - begin);
        begin = end;
    }
    return chunks;
}

std::int64_t most_boundaries(const std::vector<Pass>& passes) {
    std::int64_t most = 0;
    for (const Pass& pass : passes) most = std::max(most, pass.tiles * pass.ways);
    return most;
}

}  // namespace mergesort
