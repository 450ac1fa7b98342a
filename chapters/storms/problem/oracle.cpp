// SPDX-License-Identifier: MIT
// The oracle of the chapter storms.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "common/base/text.hpp"
#include "common/input/parallel_ranges.hpp"
#include "problem/storms.hpp"

namespace storms {

using course::text;

namespace {

constexpr std::int64_t kTableSize = std::int64_t{1} << 20;

float root_of(std::int64_t distance) { return std::sqrt(static_cast<float>(distance)); }

// One particle. It adds `share` / root of the distance to each cell up to distance `reach`.
// Distances count from 1.
struct Shot {
    std::int64_t position, reach;
    float share;
};

Shot make_shot(std::int64_t position, std::int32_t value, std::int64_t size) {
    const auto cells = static_cast<float>(size);
    const float share = static_cast<float>(value) * 1000 / cells;
    const float threshold = 0.001f / cells;
    // Conversion, root and quotient are correctly rounded, so the energy never grows with the
    // distance. A particle that reaches a distance reaches all shorter ones.
    std::int64_t reach = 0, beyond = kMaxPosition + size + 1;
    while (beyond - reach > 1) {
        const std::int64_t middle = reach + (beyond - reach) / 2;
        (std::abs(share / root_of(middle)) >= threshold ? reach : beyond) = middle;
    }
    return {position, reach, share};
}

std::vector<float> make_table(std::int64_t size) {
    std::vector<float> roots(std::min(size, kTableSize) + 1);
    for (std::size_t i = 0; i < roots.size(); ++i) roots[i] = root_of(i);
    return roots;
}

// Adds the energies of one shot to the cells [begin, end).
void add_shot(const Shot& shot, const std::vector<float>& roots, std::int64_t begin,
              std::int64_t end, float* layer) {
    const auto table_size = static_cast<std::int64_t>(roots.size());
    begin = std::max(begin, shot.position - shot.reach + 1);
    end = std::min(end, shot.position + shot.reach);
    for (std::int64_t k = begin; k < end; ++k) {
        const std::int64_t distance = std::abs(shot.position - k) + 1;
        layer[k] += shot.share / (distance < table_size ? roots[distance] : root_of(distance));
    }
}

void relax(std::vector<float>& layer) {
    float left = layer[0];  // before the relaxation
    for (std::size_t k = 1; k + 1 < layer.size(); ++k) {
        const float own = layer[k];
        layer[k] = (left + own + layer[k + 1]) / 3;
        left = own;
    }
}

bool same_bits(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

std::string exactly(float value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9g", value);
    return digits;
}

std::string describe(const Maximum& maximum) {
    return text(exactly(maximum.value), " at ", maximum.position);
}

bool same(const Maximum& a, const Maximum& b) {
    return a.position == b.position && same_bits(a.value, b.value);
}

}  // namespace

Maximum find_maximum(std::span<const float> layer) {
    Maximum maximum;
    for (std::size_t k = 1; k + 1 < layer.size(); ++k) {
        if (layer[k] > layer[k - 1] && layer[k] > layer[k + 1] && layer[k] > maximum.value) {
            maximum = {static_cast<std::int64_t>(k), layer[k]};
        }
    }
    return maximum;
}

Verifier::Verifier(const Input& input) {
    std::vector<float>& layer = expected_.layer;
    layer.assign(input.size, 0.0f);
    const std::vector<float> roots = make_table(input.size);
    for (const Wave& wave : input.waves) {
        std::vector<Shot> shots;
        for (std::int64_t i = 0; i < wave.count(); ++i) {
            shots.push_back(make_shot(wave.positions[i], wave.values[i], input.size));
        }
        course::parallel_ranges(input.size, [&](std::int64_t begin, std::int64_t end) {
            // One range at a time, small enough for the L1 cache, takes all shots in order.
            constexpr std::int64_t kCells = 2048;
            for (std::int64_t first = begin; first < end; first += kCells) {
                const std::int64_t last = std::min(end, first + kCells);
                for (const Shot& shot : shots) add_shot(shot, roots, first, last, layer.data());
            }
        });
        relax(layer);
        expected_.maxima.push_back(find_maximum(layer));
    }
}

course::Verdict Verifier::verify(const Output& output) const {
    const std::vector<float>& layer = expected_.layer;
    if (output.layer.size() != layer.size() || output.maxima.size() != expected_.maxima.size()) {
        return {false, "the output and the input differ in the number of cells or waves"};
    }
    for (std::size_t i = 0; i < expected_.maxima.size(); ++i) {
        if (!same(output.maxima[i], expected_.maxima[i])) {
            return {false, text("wave ", i + 1, ": the maximum is ", describe(output.maxima[i]),
                                ", but the oracle has ", describe(expected_.maxima[i]))};
        }
    }
    for (std::size_t k = 0; k < layer.size(); ++k) {
        if (!same_bits(output.layer[k], layer[k])) {
            return {false, text("cell ", k, " holds ", exactly(output.layer[k]),
                                ", but the oracle has ", exactly(layer[k]))};
        }
    }
    return {true, text("the layer (", layer.size(), " cells) and the maxima (",
                       expected_.maxima.size(), ") have the oracle's bits")};
}

course::Verdict Verifier::verify_race(const Output& output, int block_size) const {
    const std::vector<float>& layer = expected_.layer;
    if (output.layer.size() != layer.size() || output.maxima.size() != expected_.maxima.size()) {
        return {false, "the output and the input differ in the number of cells or waves"};
    }
    const auto size = static_cast<std::int64_t>(layer.size());
    const auto waves = static_cast<std::int64_t>(expected_.maxima.size());
    std::int64_t wrong = 0;
    for (std::int64_t k = 0; k < size; ++k) {
        if (same_bits(output.layer[k], layer[k])) continue;
        // The cells b * block_size - 1 and b * block_size lie at the edge of two blocks.
        const std::int64_t before = k / block_size * block_size, after = before + block_size;
        const bool reached =
            (before > 0 && k - before < waves) || (after < size && after - 1 - k < waves);
        if (!reached) {
            return {false,
                    text("cell ", k, " holds ", exactly(output.layer[k]), ", but the oracle has ",
                         exactly(layer[k]), ", and no race of blocks of ", block_size,
                         " reaches it in ", waves, waves == 1 ? " wave" : " waves")};
        }
        ++wrong;
    }
    if (!same(output.maxima.back(), find_maximum(output.layer))) {
        return {false,
                text("the last maximum is ", describe(output.maxima.back()),
                     ", but in that layer it would be ", describe(find_maximum(output.layer)))};
    }
    if (wrong > 0) {
        return {true, text("wrong because of its race: ", wrong, " of ", size,
                           " cells, all near edges of blocks")};
    }
    if (size <= block_size) return {true, "right: there is only one block, so nothing races"};
    return {true, "right this time, although the blocks race"};
}

double oracle_bytes(std::int64_t size) {
    return 4.0 * static_cast<double>(size) + 4.0 * static_cast<double>(kTableSize);
}

}  // namespace storms
