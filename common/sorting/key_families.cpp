// SPDX-License-Identifier: MIT
// Families of keys as they come from elsewhere: sizes, text, measurements, addresses, times.
#include <bit>
#include <charconv>
#include <cmath>
#include <system_error>

#include "common/sorting/generators.hpp"

namespace course::sorting {

namespace {

// An octave: of kOctaves, octave e has a probability proportional to 2^(e halves / 2).
template <int kOctaves>
class Octaves {
  public:
    explicit Octaves(int halves) {
        std::array<double, kOctaves> weights;
        double sum = 0;
        for (int e = 0; e < kOctaves; ++e) {  // sqrt is exact to the last bit everywhere
            weights[e] = std::ldexp((e * halves) % 2 != 0 ? std::sqrt(2.0) : 1.0,
                                    static_cast<int>(std::floor(e * halves / 2.0)));
            sum += weights[e];
        }
        double before = 0;
        for (int e = 0; e < kOctaves; ++e) {
            before += weights[e];
            ends_[e] = static_cast<std::uint64_t>(before / sum * 4294967296.0);
        }
        ends_.back() = std::uint64_t{1} << 32;
    }
    int operator()(std::uint64_t bits) const {  // of 32 bits
        int e = 0;
        while (bits >= ends_[e]) ++e;
        return e;
    }

  private:
    std::array<std::uint64_t, kOctaves> ends_;
};

// A rank from 1 to 2^kOctaves - 1 with a probability proportional to rank^(-power / 2), by
// rejection: draw an octave, then a rank within it, and keep it with probability
// (2^octave / rank)^(power / 2).
template <int kOctaves, int kPower>
std::uint64_t power_law_rank(std::uint64_t i, const RandomAt& random) {
    static const Octaves<kOctaves> octave_of(2 - kPower);
    for (std::uint64_t draw = 0;; draw += 2) {
        const std::uint64_t bits = random(i, draw), chance = upper_half(random(i, draw + 1));
        const int octave = octave_of(upper_half(bits));
        const std::uint64_t first = std::uint64_t{1} << octave;
        const std::uint64_t rank = first + (bits & (first - 1));
        const double ratio = static_cast<double>(first) / static_cast<double>(rank);
        double keep = 1;
        for (int k = 0; k < kPower; ++k) keep *= ratio;
        const double drawn = static_cast<double>(chance) / 4294967296.0;
        if (drawn * drawn < keep) return rank;
    }
}

// Spreads ranks over the range: multiplication by an odd number is a bijection.
Key spread(std::uint64_t rank) {
    return static_cast<Key>(static_cast<std::uint32_t>(rank) * 0x9e3779b1u);
}

template <int kPower>
Key zipf_key(std::uint64_t i, std::uint64_t, const RandomAt& random) {
    return spread(power_law_rank<20, kPower>(i, random));
}

Key exponential_size_key(std::uint64_t i, std::uint64_t, const RandomAt& random) {
    const auto size = static_cast<Key>(power_law_rank<31, 2>(i, random));
    return random(i, ~std::uint64_t{0}) % 2 == 0 ? size : -size;
}

constexpr std::uint64_t kTeeth = 100;

Key sawtooth_key(std::uint64_t i, std::uint64_t n, const RandomAt&) {
    const std::uint64_t tooth = (n - 1) / kTeeth + 1;
    return sorted_key(i % tooth, tooth);
}

constexpr std::uint64_t kClusters = 256;
constexpr int kWidthBits = 24;

Key cluster_key(std::uint64_t i, std::uint64_t, const RandomAt& random) {
    const std::uint64_t bits = random(i), cluster = upper_half(bits) % kClusters;
    const std::uint64_t of_cluster = random(~cluster);
    const std::uint64_t width = std::uint64_t{1} << of_cluster % (kWidthBits + 1);
    return to_key(upper_half(of_cluster) + (bits & (width - 1)));
}

// The sum of twelve uniform numbers, less six, is nearly normal, with a deviation of 1.
Key normal_float_key(std::uint64_t i, std::uint64_t, const RandomAt& random) {
    std::int64_t sum = -6 * (std::int64_t{1} << 32);
    for (std::uint64_t draw = 0; draw < 6; ++draw) {
        const std::uint64_t bits = random(i, draw);
        sum += static_cast<std::int64_t>(upper_half(bits) + (bits & 0xffffffff));
    }
    return std::bit_cast<Key>(static_cast<float>(static_cast<double>(sum) / 4294967296.0));
}

Key time_stamp_key(std::uint64_t i, std::uint64_t n, const RandomAt& random) {
    constexpr std::uint64_t kDay = 86'400'000'000, kLate = 1000;  // microseconds
    return static_cast<Key>(static_cast<std::uint32_t>(scale(i, kDay, n) + random(i) % kLate));
}

constexpr std::uint64_t kNetworks = 16;

Key network_key(std::uint64_t i, std::uint64_t, const RandomAt& random) {
    const std::uint64_t bits = random(i), network = power_law_rank<4, 2>(i, random) % kNetworks;
    const std::uint64_t of_network = random(~network);
    const std::uint64_t host_bits = 8 + of_network % 17;  // networks of /24 to /8
    const std::uint64_t mask = (std::uint64_t{1} << host_bits) - 1;
    const std::uint64_t address = (upper_half(of_network) & ~mask) | (bits & mask);
    return static_cast<Key>(static_cast<std::uint32_t>(address));
}

Key heavy_ends_key(std::uint64_t i, std::uint64_t, const RandomAt& random) {
    const std::uint64_t bits = random(i), kind = bits % 20;
    return to_key(kind < 9 ? 0 : kind < 18 ? 0xffffffff : upper_half(bits));
}

Key one_other_key(std::uint64_t i, std::uint64_t n, const RandomAt& random) {
    const std::uint64_t bits = random(0);
    return to_key(
        upper_half(i == scale(upper_half(random(1)), n, std::uint64_t{1} << 32) ? ~bits : bits));
}

}  // namespace

KeyOfFamily family_of(std::string_view name) {
    constexpr struct {
        std::string_view name;
        KeyOfFamily key;
    } kFamilies[] = {{"exponential-sizes", exponential_size_key},
                     {"sawtooth", sawtooth_key},
                     {"clusters", cluster_key},
                     {"zipf-half", zipf_key<1>},
                     {"zipf-three-halves", zipf_key<3>},
                     {"zipf-two", zipf_key<4>},
                     {"normal-floats", normal_float_key},
                     {"time-stamps", time_stamp_key},
                     {"networks", network_key},
                     {"heavy-ends", heavy_ends_key},
                     {"one-other", one_other_key}};
    for (const auto& family : kFamilies) {
        if (name == family.name) return family.key;
    }
    return nullptr;
}

std::optional<Stairs> stairs_of(std::string_view name) {
    constexpr struct {
        std::string_view begin;
        Stairs::Order order;
    } kOrders[] = {{"stairs-up-", Stairs::Order::kUp},
                   {"stairs-down-", Stairs::Order::kDown},
                   {"stairs-shuffled-", Stairs::Order::kShuffled}};
    for (const auto& [begin, order] : kOrders) {
        if (!name.starts_with(begin)) continue;
        const std::string_view digits = name.substr(begin.size());
        std::uint64_t step = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), step);
        const bool whole = error == std::errc() && end == digits.data() + digits.size();
        if (whole && kShortestStep <= step && step <= kLongestStep) return Stairs{order, step};
    }
    return std::nullopt;
}

}  // namespace course::sorting
