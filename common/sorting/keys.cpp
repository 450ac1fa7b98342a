// SPDX-License-Identifier: MIT
#include "common/sorting/keys.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "common/base/error.hpp"
#include "common/base/host_memory.hpp"
#include "common/base/text.hpp"
#include "common/input/inputs.hpp"
#include "common/input/parallel_ranges.hpp"
#include "common/input/text_reader.hpp"
#include "common/sorting/generators.hpp"

namespace course::sorting {

namespace {

static_assert(std::endian::native == std::endian::little,
              "raw files are copied without a change of byte order");

struct Place {
    std::uint64_t processor;  // which of kProcessors holds the key
    std::uint64_t begin, end;  // that processor's keys
};

Place place_of(std::uint64_t i, std::uint64_t n) {
    const std::uint64_t processor = scale(i, kProcessors, n);
    // The first i with floor(i p / n) = processor: ceil(processor n / p).
    const auto first = [n](std::uint64_t p) {
        return scale(p, n, kProcessors) + (scale(p, n, kProcessors) * kProcessors != p * n);
    };
    return {processor, first(processor), first(processor + 1)};
}

// The part, of `parts` equal parts of its processor's keys, that key i is in.
std::uint64_t part_of(std::uint64_t i, const Place& place, std::uint64_t parts) {
    return scale(i - place.begin, parts, place.end - place.begin);
}

Key within_bucket(std::uint64_t bucket, std::uint64_t bits) {
    constexpr std::uint64_t kWidth = (std::uint64_t{1} << 32) / kProcessors;
    return to_key(bucket * kWidth + upper_half(bits) % kWidth);
}

Key gaussian_key(std::uint64_t i, const RandomAt& random) {
    const std::uint64_t a = random(i, 0), b = random(i, 1);
    return to_key((upper_half(a) + (a & 0xffffffff) + upper_half(b) + (b & 0xffffffff)) / 4);
}

Key nearly_sorted_key(std::uint64_t i, std::uint64_t n, const RandomAt& random) {
    const std::uint64_t bits = random(i);
    return (bits & 0xffffffff) % 100 == 0 ? to_key(upper_half(bits)) : sorted_key(i, n);
}

// By rejection: draw an octave e of 20, then a rank r in [2^e, 2^(e+1)), and keep r with
// probability 2^e / r. Each rank is then kept with a probability proportional to 1 / r.
Key zipf_key(std::uint64_t i, const RandomAt& random) {
    constexpr std::uint64_t kOctaves = 20;
    for (std::uint64_t draw = 0;; draw += 2) {
        const std::uint64_t bits = random(i, draw);
        const std::uint64_t first = std::uint64_t{1}
                                    << scale(upper_half(bits), kOctaves, 1ull << 32);
        const std::uint64_t rank = first + (bits & (first - 1));
        if (upper_half(random(i, draw + 1)) * rank < first << 32) {
            // Spreads the ranks over the range: multiplication by an odd number is a bijection.
            return static_cast<Key>(static_cast<std::uint32_t>(rank) * 0x9e3779b1u);
        }
    }
}

Key staggered_key(std::uint64_t i, std::uint64_t n, const RandomAt& random) {
    constexpr std::uint64_t p = kProcessors;
    const std::uint64_t processor = place_of(i, n).processor;
    return within_bucket(processor < p / 2 ? 2 * processor + 1 : 2 * processor - p, random(i));
}

Key g_group_key(std::uint64_t i, std::uint64_t n, const RandomAt& random) {
    constexpr std::uint64_t p = kProcessors, g = kGroup;
    const Place place = place_of(i, n);
    const std::uint64_t group = place.processor / g;
    return within_bucket((group * g + p / 2 + part_of(i, place, g)) % p, random(i));
}

// log2 of 0 counts as 0.
Key log2_of(std::uint64_t value) {
    return value == 0 ? 0 : static_cast<Key>(std::bit_width(value)) - 1;
}

Key deterministic_duplicates_key(std::uint64_t i, std::uint64_t n) {
    const Place place = place_of(i, n);
    // How often `all` can be halved so that the last half still holds the last `rest` things.
    const auto halvings = [](std::uint64_t rest, std::uint64_t all) {
        int count = 0;
        while (rest <= all / 2) {
            all -= (all + 1) / 2;
            ++count;
        }
        return count;
    };
    if (place.processor + 1 < kProcessors) {
        return log2_of(n >> halvings(kProcessors - place.processor, kProcessors));
    }
    const std::uint64_t own = n / kProcessors;
    return log2_of(own >> halvings(place.end - i, place.end - place.begin));
}

// Place i of the numbers below the next power of two, in the order of their reversed bits.
Key bit_reversed_key(std::uint64_t i, std::uint64_t n) {
    const int bits = std::bit_width(n - 1);
    std::uint64_t reversed = 0;
    for (int bit = 0; bit < bits; ++bit) reversed |= (i >> bit & 1) << (bits - 1 - bit);
    return sorted_key(reversed, std::uint64_t{1} << bits);
}

Key interleaved_runs_key(std::uint64_t i, std::uint64_t n) {
    const Place place = place_of(i, n);
    const std::uint64_t longest = (n - 1) / kProcessors + 1;
    return sorted_key((i - place.begin) * kProcessors + place.processor, longest * kProcessors);
}

Key one_sided_key(std::uint64_t i, std::uint64_t n) {
    const Place place = place_of(i, n);
    return sorted_key(n - place.end + (i - place.begin), n);
}

Key one_heavy_key(std::uint64_t i, const RandomAt& random) {
    const std::uint64_t bits = random(i);
    return to_key(upper_half(bits % 8 == 0 ? bits : random(0)));
}

Key anded_key(std::uint64_t i, const RandomAt& random) {
    return static_cast<Key>(
        static_cast<std::uint32_t>(upper_half(random(i, 0) & random(i, 1) & random(i, 2))));
}

// "values-30" has 30 values; 0 for a name of another kind.
std::uint64_t values_of(std::string_view name) {
    for (const std::uint64_t values : {30, 255, 500}) {
        if (name == text("values-", values)) return values;
    }
    return 0;
}

// keys[i] = key(i), on all cores.
template <typename KeyAt>
void fill(std::span<Key> keys, const KeyAt& key) {
    parallel_ranges(static_cast<std::int64_t>(keys.size()),
                    [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t i = begin; i < end; ++i) {
                            keys[i] = key(static_cast<std::uint64_t>(i));
                        }
                    });
}

void fill_stairs(std::span<Key> keys, const Stairs& stairs, const RandomAt& random) {
    const std::uint64_t steps = (keys.size() - 1) / stairs.step + 1;
    const Permutation shuffled(steps, random);
    fill(keys, [&](std::uint64_t i) {
        std::uint64_t step = i / stairs.step;
        if (stairs.order == Stairs::Order::kDown) step = steps - 1 - step;
        if (stairs.order == Stairs::Order::kShuffled) step = shuffled(step);
        return sorted_key(step, steps);
    });
}

std::vector<Key> read_raw_keys(const std::string& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) throw InputError(path + ": is a directory");
    errno = 0;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw InputError(text(path, ": cannot be read: ", std::strerror(errno)));
    const std::int64_t bytes = file.tellg();
    if (bytes < 0) throw InputError(path + ": cannot be read: its size is unknown");
    if (bytes == 0) throw InputError(path + ": holds no data");
    if (bytes % 4 != 0) {
        throw InputError(text(path, ": ", bytes, " bytes are not a whole number of int32 keys"));
    }
    if (bytes > available_host_bytes()) {  // such as a file that is mostly a hole
        throw InputError(text(path, ": its ", bytes, " bytes are more than the free memory"));
    }
    std::vector<Key> keys(static_cast<std::size_t>(bytes / 4));
    file.seekg(0);
    if (!file.read(reinterpret_cast<char*>(keys.data()), bytes)) {
        throw InputError(text(path, ": cannot be read: ", std::strerror(errno)));
    }
    return keys;
}

}  // namespace

bool is_input_name(std::string_view name) {
    const auto among = [name](const auto& names) {
        return std::find(std::begin(names), std::end(names), name) != std::end(names);
    };
    return among(kInputNames) || among(kMergeInputNames) || stairs_of(name).has_value();
}

std::string all_input_names() {
    std::string names;
    const auto add = [&](std::string_view name) {
        names += names.empty() ? "" : ", ";
        names += name;
    };
    for (const std::string_view name : kInputNames) add(name);
    for (const std::string_view name : kMergeInputNames) add(name);
    return names + text(" (stairs: any number from ", kShortestStep, " to ", kLongestStep, ")");
}

void make_keys(std::string_view name, std::uint64_t seed, std::span<Key> keys) {
    const std::uint64_t n = keys.size();
    const RandomAt random(seed);
    if (name == "uniform") {
        fill(keys, [&](std::uint64_t i) { return to_key(upper_half(random(i))); });
    } else if (name == "gaussian") {
        fill(keys, [&](std::uint64_t i) { return gaussian_key(i, random); });
    } else if (name == "sorted") {
        fill(keys, [&](std::uint64_t i) { return sorted_key(i, n); });
    } else if (name == "reverse") {
        fill(keys, [&](std::uint64_t i) { return sorted_key(n - 1 - i, n); });
    } else if (name == "nearly-sorted") {
        fill(keys, [&](std::uint64_t i) { return nearly_sorted_key(i, n, random); });
    } else if (name == "few-unique") {
        // Both ends of the range, and six keys between them.
        fill(keys, [&](std::uint64_t i) { return sorted_key(random(i) >> 61, 8); });
    } else if (name == "all-equal") {
        fill(keys, [&](std::uint64_t) { return to_key(upper_half(random(0))); });
    } else if (name == "zipf") {
        fill(keys, [&](std::uint64_t i) { return zipf_key(i, random); });
    } else if (name == "bucket") {
        fill(keys, [&](std::uint64_t i) {
            return within_bucket(part_of(i, place_of(i, n), kProcessors), random(i));
        });
    } else if (name == "staggered") {
        fill(keys, [&](std::uint64_t i) { return staggered_key(i, n, random); });
    } else if (name == "g-group") {
        fill(keys, [&](std::uint64_t i) { return g_group_key(i, n, random); });
    } else if (name == "deterministic-duplicates") {
        fill(keys, [&](std::uint64_t i) { return deterministic_duplicates_key(i, n); });
    } else if (name == "permutation") {
        if (n > std::uint64_t{1} << 32) {
            throw UsageError("permutation: there are only 2^32 different keys");
        }
        const std::int64_t first = n > std::uint64_t{1} << 31 ? std::numeric_limits<Key>::min() : 0;
        const Permutation permutation(n, random);
        fill(keys, [&](std::uint64_t i) {
            return static_cast<Key>(first + static_cast<std::int64_t>(permutation(i)));
        });
    } else if (name == "organ-pipe") {
        fill(keys, [&](std::uint64_t i) {
            return sorted_key(std::min(i, n - 1 - i), std::max<std::uint64_t>((n + 1) / 2, 1));
        });
    } else if (name == "bit-reversed") {
        fill(keys, [&](std::uint64_t i) { return bit_reversed_key(i, n); });
    } else if (const std::uint64_t values = values_of(name); values > 0) {
        fill(keys, [&](std::uint64_t i) {
            return sorted_key(scale(upper_half(random(i)), values, std::uint64_t{1} << 32), values);
        });
    } else if (name == "one-heavy") {
        fill(keys, [&](std::uint64_t i) { return one_heavy_key(i, random); });
    } else if (name == "interleaved-runs") {
        fill(keys, [&](std::uint64_t i) { return interleaved_runs_key(i, n); });
    } else if (name == "one-sided") {
        fill(keys, [&](std::uint64_t i) { return one_sided_key(i, n); });
    } else if (name == "anded") {
        fill(keys, [&](std::uint64_t i) { return anded_key(i, random); });
    } else if (const KeyOfFamily key = family_of(name); key != nullptr) {
        fill(keys, [&](std::uint64_t i) { return key(i, n, random); });
    } else if (const std::optional<Stairs> stairs = stairs_of(name)) {
        fill_stairs(keys, *stairs, random);
    } else {
        throw UsageError(text("--input ", name, ": no such input; there are ", all_input_names()));
    }
}

bool is_raw_name(std::string_view path) { return path.ends_with(".i32"); }

std::vector<Key> read_keys(const std::string& path) {
    if (is_raw_name(path)) return read_raw_keys(path);
    std::vector<Key> keys;
    TextReader reader(path);
    for (bool first = true; reader.next_line(); first = false) {
        if (first && reader.is_names()) continue;
        // A list may go on after the separator at the end of a line.
        const std::size_t fields = reader.fields().size();
        const std::size_t count = fields - (fields > 1 && reader.fields().back().empty() ? 1 : 0);
        for (std::size_t field = 0; field < count; ++field) {
            keys.push_back(static_cast<Key>(reader.integer(
                field, "key", std::numeric_limits<Key>::min(), std::numeric_limits<Key>::max())));
        }
    }
    if (keys.empty()) reader.fail("the file ends after its header row");
    return keys;
}

void write_keys(std::ostream& out, std::span<const Key> keys, bool raw) {
    if (raw) {
        out.write(reinterpret_cast<const char*>(keys.data()),
                  static_cast<std::streamsize>(keys.size_bytes()));
        return;
    }
    std::string line;
    for (const Key key : keys) {
        line.clear();
        append_csv(line, key);
        out << line;
    }
}

}  // namespace course::sorting
