// SPDX-License-Identifier: MIT
#include "problem/multisort.hpp"

#include <limits>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace mergesort {

Option size_i_option(std::int64_t value) {
    Option option{"--size-i", "keys per insertion sort, at most n", value, 1};
    option.at_most_n = true;
    return option;
}

Option threads_option() { return {"--threads", "threads per block", 32, 1, 1024}; }

int merge_levels(std::int64_t count, std::int64_t size_i) {
    int levels = 0;
    for (std::int64_t length = size_i; length < count; length *= 2) ++levels;
    return levels;
}

Work multisort_work(std::int64_t count, std::int64_t size_i) {
    const auto insertions = [](std::int64_t keys) { return keys > 1 ? 2 * keys - 1 : 0; };
    const std::int64_t sorted = count / size_i * insertions(size_i) + insertions(count % size_i);
    const std::int64_t merged = 2 * count * merge_levels(count, size_i);
    return {.bytes = static_cast<double>(sizeof(Key)) * static_cast<double>(sorted + merged)};
}

int blocks_for(std::int64_t items, std::int64_t block_size) {
    const std::int64_t blocks = (items - 1) / block_size + 1;
    if (blocks > std::numeric_limits<int>::max()) {
        throw course::UsageError(course::text("--threads ", block_size, ": ", items,
                                              " threads would need ", blocks,
                                              " blocks, but a grid has at most 2147483647"));
    }
    return static_cast<int>(blocks);
}

}  // namespace mergesort
