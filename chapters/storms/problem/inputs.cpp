// SPDX-License-Identifier: MIT
// The workloads of the chapter storms, and the reader of wave files.
#include <algorithm>
#include <limits>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/input/random.hpp"
#include "common/input/text_reader.hpp"
#include "problem/corners.hpp"
#include "problem/storms.hpp"

namespace storms {

using course::text;

namespace {

constexpr std::int32_t kMaxValue = 100;

std::int32_t positive_value(course::Random& random) {
    return static_cast<std::int32_t>(random.below(kMaxValue)) + 1;
}

Wave spread_wave(course::Random& random, std::int64_t count, std::int64_t size, bool both_signs) {
    Wave wave;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto position = static_cast<std::int64_t>(random.below(size));
        const std::int32_t value = positive_value(random);
        wave.add(position, !both_signs ? value : i % 8 == 7 ? 0 : i % 2 == 1 ? -value : value);
    }
    return wave;
}

// A value of 1 counts up to a distance of 10^12, because 1000 / 10^6 is the threshold's 0.001. The
// far particles lie about there, so some of them count and others do not.
Wave outside_wave(course::Random& random, std::int64_t count, std::int64_t size) {
    constexpr std::int64_t kReachOfOne = 1'000'000'000'000;
    constexpr std::int64_t kAbout = 1'000'000;
    Wave wave;
    for (std::int64_t i = 0; i < count; ++i) {
        if (i % 4 < 2) {
            const auto position = static_cast<std::int64_t>(random.below(3 * size)) - size;
            wave.add(position, positive_value(random));
            continue;
        }
        const std::int64_t far =
            kReachOfOne + static_cast<std::int64_t>(random.below(2 * kAbout)) - kAbout;
        wave.add(i % 4 == 2 ? far : -far, i % 8 < 4 ? 1 : -1);
    }
    return wave;
}

Wave make_wave(std::string_view name, std::int64_t number, course::Random& random,
               std::int64_t count, std::int64_t size) {
    if (name == "corners" && number == 0) return equal_peaks_wave(random, count, size);
    if (name == "corners" && number == 1) return hard_quotients_wave(random, count, size);
    if (name == "short") return short_quotients_wave(random, count, size);
    if (name == "plateau" && number == 0) return plateau_wave(random, count, size);
    if (name == "outside") return outside_wave(random, count, size);
    Wave wave = spread_wave(random, count, size, name == "signed");
    if (name == "zeros") std::ranges::fill(wave.values, 0);
    return wave;
}

}  // namespace

const Workload* find_workload(std::string_view name) {
    const auto found = std::ranges::find(kWorkloads, name, &Workload::name);
    return found == std::end(kWorkloads) ? nullptr : found;
}

std::vector<Wave> make_waves(const Workload& workload, std::int64_t size, std::uint64_t seed) {
    std::vector<Wave> waves;
    for (std::int64_t i = 0; i < workload.waves; ++i) {
        // The factor is odd, so no two waves of a seed have the same state.
        course::Random random(seed ^ (static_cast<std::uint64_t>(i + 1) * 0xd1342543de82ef95));
        const std::int64_t count = workload.particles;
        waves.push_back(make_wave(workload.name, i, random, count, size));
    }
    return waves;
}

Wave read_wave(const std::string& path) {
    using Value = std::numeric_limits<std::int32_t>;
    course::TextReader reader(path);
    reader.next_row("count");
    const std::int64_t count =
        reader.integer(0, "count", 0, std::numeric_limits<std::int32_t>::max());
    Wave wave;
    while (reader.next_row("position value")) {
        if (wave.count() == count) {
            reader.fail(text("one particle too many: the first line announces ", count));
        }
        const std::int64_t position = reader.integer(0, "position", -kMaxPosition, kMaxPosition);
        wave.add(position,
                 static_cast<std::int32_t>(reader.integer(1, "value", Value::min(), Value::max())));
    }
    if (wave.count() < count) {
        throw course::InputError(text(path, ": holds ", wave.count(),
                                      wave.count() == 1 ? " particle" : " particles",
                                      ", its first line announces ", count));
    }
    return wave;
}

}  // namespace storms
