// SPDX-License-Identifier: MIT
// main() of a merge sort whose keys know their places in the input: equal keys must keep their
// order. A stage with kernels must do with device memory for two lists and 5 % more.
//     test SEGMENT [--flag value]...
// The kernels are the stage's own, compiled with another Key (keyed/common/sorting). Selection sort
// is not stable. So each SEGMENT keys of a list are in order: there it exchanges nothing. SEGMENT
// 1: no order; then lists of all named inputs, longer than a tile, are sorted, too.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "common/ranks/ranks.hpp"
#include "device_memory.hpp"
#include "named_keys.hpp"
#include "problem/mergesort.hpp"

namespace mergesort {

namespace {

std::vector<Key> with_places(const std::vector<std::int32_t>& keys) {
    std::vector<Key> list(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) list[i] = {keys[i], static_cast<std::int32_t>(i)};
    return list;
}

std::vector<Key> make_list(std::int64_t count, std::uint32_t different, std::int64_t segment) {
    std::mt19937 random(static_cast<std::uint32_t>(count));
    std::vector<std::int32_t> keys(count);
    for (std::int32_t& key : keys) key = static_cast<std::int32_t>(random() % different);
    for (std::int64_t begin = 0; begin < count; begin += segment) {
        std::sort(keys.begin() + begin, keys.begin() + std::min(begin + segment, count));
    }
    return with_places(keys);
}

// Runs of 1024 keys whose keys alternate, or come one run after the other from the last to the
// first; the ends of the range; and three runs.
std::vector<Key> make_runs(std::int64_t count, int kind) {
    std::vector<std::int32_t> keys(count);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t run = i / 1024, place = i % 1024;
        const std::int64_t key = kind == 0    ? place * 8 + run % 8
                                 : kind == 1  ? place / 2 - 1024 * run
                                 : kind == 3  ? i % (count / 3 + 1) / 8
                                 : i % 2 == 0 ? std::numeric_limits<std::int32_t>::min()
                                              : std::numeric_limits<std::int32_t>::max();
        keys[i] = static_cast<std::int32_t>(key);
    }
    return with_places(keys);
}

// device_memory: bytes that the stage was allowed; 0: two lists and 5 %. Several ranks need more.
// Rank 0 has the result.
bool is_stable(SortKeys sort_keys, const std::vector<Key>& list,
               const course::sorting::Options& options, std::int64_t device_memory,
               course::Ranks& ranks) {
    std::vector<Key> answer = list;
    std::stable_sort(answer.begin(), answer.end());
    std::vector<Key> sorted(list.size(), {-1, -1});
    const auto backend = course::open_backend(0);
    backend->join_ranks(ranks);
    PhaseTimer timer(*backend);
    Output output{sorted, {}};
    watch_device_memory();
    sort_keys({list, options}, output, timer);
    if (!ranks.is_first()) return true;
    const double bytes = static_cast<double>(most_device_memory());
    // Short lists have the smallest tables there are.
    const double two_lists = 2.0 * static_cast<double>(list.size() * sizeof(Key));
    const double most = device_memory > 0 ? static_cast<double>(device_memory) : 1.05 * two_lists;
    if (ranks.count() == 1 && list.size() >= 4096 && bytes > most) {
        std::printf("n=%zu: %.0f bytes of device memory\n", list.size(), bytes);
        return false;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (sorted[i].key != answer[i].key || sorted[i].place != answer[i].place) {
            std::printf("n=%zu: at %zu is key %d of place %d instead of key %d of place %d\n",
                        list.size(), i, sorted[i].key, sorted[i].place, answer[i].key,
                        answer[i].place);
            return false;
        }
    }
    return true;
}

}  // namespace

int run_stage(int argc, char** argv, std::string_view stage_name, SortKeys sort_keys, LargestN,
              const std::vector<Option>& options, double) {
    std::map<std::string, std::int64_t> values;
    for (const Option& option : options) values[option.name] = option.value;
    for (int i = 2; i + 1 < argc; i += 2) values[argv[i]] = std::stoll(argv[i + 1]);
    const std::int64_t segment = std::stoll(argv[1]);
    const std::int64_t device_memory =
        values.contains("--device-memory") ? values["--device-memory"] : 0;
    const std::unique_ptr<course::Ranks> ranks = course::open_ranks();
    int failures = 0;
    for (const std::int64_t count : {1, 2, 3, 513, 1024, 1025, 3000}) {
        if (values.contains("--size-i") && values["--size-i"] > count) continue;
        for (const std::uint32_t different : {1u, 2u, 7u, 1000u}) {
            failures += !is_stable(sort_keys, make_list(count, different, segment),
                                   course::sorting::Options(values), device_memory, *ranks);
        }
    }
    for (const std::int64_t count : {5000, 9000, 20'000}) {
        const course::sorting::Options chosen(values);
        if (segment > 1 || values.contains("--size-i")) break;
        failures += !is_stable(sort_keys, make_list(count, 7, 1), chosen, device_memory, *ranks);
        for (const int kind : {0, 1, 2, 3}) {
            failures +=
                !is_stable(sort_keys, make_runs(count, kind), chosen, device_memory, *ranks);
        }
        for (const std::string_view name : input_names()) {
            if (count > 9000 && name != "zipf" && name != "reverse" && name != "one-sided")
                continue;
            failures += !is_stable(sort_keys, with_places(named_keys(name, count)), chosen,
                                   device_memory, *ranks);
        }
    }
    std::printf("%.*s: %s\n", static_cast<int>(stage_name.size()), stage_name.data(),
                failures == 0 ? "equal keys keep their order" : "NOT STABLE, or too much memory");
    return failures == 0 ? 0 : 1;
}

}  // namespace mergesort
