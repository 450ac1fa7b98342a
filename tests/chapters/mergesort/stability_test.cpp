// SPDX-License-Identifier: MIT
// main() of a merge sort whose keys know their places in the input: equal keys must keep their
// order.
//     test SEGMENT [--flag value]...
// The kernels are the stage's own, compiled with another Key (keyed/common/sorting). Selection sort
// is not stable. So each SEGMENT keys of a list are in order: there it exchanges nothing. SEGMENT
// 1: no order.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "problem/mergesort.hpp"

namespace mergesort {

namespace {

std::vector<Key> make_list(std::int64_t count, std::uint32_t different, std::int64_t segment) {
    std::mt19937 random(static_cast<std::uint32_t>(count));
    std::vector<Key> list(count);
    for (Key& key : list) key.key = static_cast<std::int32_t>(random() % different);
    for (std::int64_t begin = 0; begin < count; begin += segment) {
        std::sort(list.begin() + begin, list.begin() + std::min(begin + segment, count));
    }
    for (std::int64_t i = 0; i < count; ++i) list[i].place = static_cast<std::int32_t>(i);
    return list;
}

bool is_stable(SortKeys sort_keys, const std::vector<Key>& list,
               const course::sorting::Options& options) {
    std::vector<Key> answer = list;
    std::stable_sort(answer.begin(), answer.end());
    std::vector<Key> sorted(list.size(), {-1, -1});
    const auto backend = course::open_backend(0);
    PhaseTimer timer(*backend);
    Output output{sorted, {}};
    sort_keys({list, options}, output, timer);
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
              const std::vector<Option>& options) {
    std::map<std::string, std::int64_t> values;
    for (const Option& option : options) values[option.name] = option.value;
    for (int i = 2; i + 1 < argc; i += 2) values[argv[i]] = std::stoll(argv[i + 1]);
    const std::int64_t segment = std::stoll(argv[1]);
    int failures = 0;
    for (const std::int64_t count : {1, 2, 3, 513, 1024, 1025, 3000}) {
        if (values.contains("--size-i") && values["--size-i"] > count) continue;
        for (const std::uint32_t different : {1u, 2u, 7u, 1000u}) {
            failures += !is_stable(sort_keys, make_list(count, different, segment),
                                   course::sorting::Options(values));
        }
    }
    std::printf("%.*s: %s\n", static_cast<int>(stage_name.size()), stage_name.data(),
                failures == 0 ? "equal keys keep their order" : "NOT STABLE");
    return failures == 0 ? 0 : 1;
}

}  // namespace mergesort
