// SPDX-License-Identifier: MIT
#include "common/sorting/pairs.hpp"

#include <algorithm>
#include <atomic>

#include "common/base/text.hpp"
#include "common/input/parallel_ranges.hpp"

namespace course::sorting {

SplitPairs::SplitPairs(std::span<const Pair> pairs) : keys(pairs.size()), values(pairs.size()) {
    parallel_ranges(static_cast<std::int64_t>(pairs.size()),
                    [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t i = begin; i < end; ++i) {
                            keys[i] = key_of(pairs[i]);
                            values[i] = value_of(pairs[i]);
                        }
                    });
}

void SplitPairs::join(std::span<Pair> pairs) const {
    parallel_ranges(static_cast<std::int64_t>(pairs.size()),
                    [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t i = begin; i < end; ++i) {
                            pairs[i] = pair_of(keys[i], values[i]);
                        }
                    });
}

Verdict verify_pairs(std::span<const Key> keys, std::span<const Pair> output) {
    const auto count = static_cast<std::int64_t>(keys.size());
    if (output.size() != keys.size()) {
        return {false, text(output.size(), " pairs in the output, of ", count)};
    }
    const auto of_the_input = [&](Pair pair) {
        return value_of(pair) < keys.size() && keys[value_of(pair)] == key_of(pair);
    };
    const auto falls_after = [&](std::int64_t i) {
        return i + 1 < count && key_of(output[i]) > key_of(output[i + 1]);
    };
    std::vector<std::uint64_t> seen(keys.size() / 64 + 1, 0);  // a bit for each value
    // The first place in [begin, end) that is wrong, or that has a value which was seen before.
    const auto first_wrong = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            if (!of_the_input(output[i]) || falls_after(i)) return i;
            const Value value = value_of(output[i]);
            const std::uint64_t bit = std::uint64_t{1} << value % 64;
            std::atomic_ref<std::uint64_t> word(seen[value / 64]);
            if ((word.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return i;
        }
        return end;
    };
    std::atomic<bool> is_right = true;
    parallel_ranges(count, [&](std::int64_t begin, std::int64_t end) {
        if (first_wrong(begin, end) != end) is_right = false;
    });
    if (is_right) {
        return {true, text("all ", count, " pairs in the order of their keys, none of them lost")};
    }
    // Which of two equal values was seen first depends on the threads. One thread finds the place.
    std::fill(seen.begin(), seen.end(), 0);
    const std::int64_t i = first_wrong(0, count);
    const Value value = value_of(output[i]);
    const auto said = [&](const auto&... what) -> Verdict {
        return {false, text("pair ", i, " of ", count, " has key ", key_of(output[i]),
                            " and value ", value, what...)};
    };
    if (value >= keys.size()) return said(": no pair of the input has this value");
    if (!of_the_input(output[i])) return said(": its key in the input is ", keys[value]);
    if (falls_after(i)) {
        return said(", and the next one has key ", key_of(output[i + 1]), ": not in order");
    }
    return said(": another one has this value, too");
}

void write_pairs(std::ostream& out, std::span<const Pair> pairs, bool raw) {
    for (const Pair pair : pairs) {
        if (raw) {
            const Key both[] = {key_of(pair), static_cast<Key>(value_of(pair))};
            write_keys(out, both, true);
        } else {
            out << text(key_of(pair), ' ', value_of(pair), '\n');
        }
    }
}

}  // namespace course::sorting
