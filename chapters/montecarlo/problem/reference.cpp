// SPDX-License-Identifier: MIT
// Own generators of chapter montecarlo, and the count that they give.
#include "problem/reference.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <vector>

#include "common/input/parallel_ranges.hpp"
#include "common/input/splitmix64.hpp"

namespace montecarlo {
namespace {

using course::next_splitmix64;

// Each generator below is a class of streams:
//   Streams(seed)     at stream 0
//   skip(count)       to the stream `count` further on
//   Generator start() the generator at the beginning of the stream; its next() gives a word
// Each step of a generator is linear over GF(2), so a jump of any length is a matrix of bits, or a
// polynomial.

// A linear map of states of kBits bits, which State gives as 32-bit words.
template <std::size_t kWords>
class LinearMap {
  public:
    using State = std::array<std::uint32_t, kWords>;

    template <class Step>
    static LinearMap of(const Step& step) {
        LinearMap map;
        for (std::size_t bit = 0; bit < 32 * kWords; ++bit) {
            State unit{};
            unit[bit / 32] = 1u << (bit % 32);
            map.images_[bit] = step(unit);
        }
        return map;
    }

    State apply(const State& state) const {
        State result{};
        for (std::size_t word = 0; word < kWords; ++word) {
            for (std::uint32_t bits = state[word]; bits != 0; bits &= bits - 1) {
                const State& image = images_[32 * word + std::countr_zero(bits)];
                for (std::size_t i = 0; i < kWords; ++i) result[i] ^= image[i];
            }
        }
        return result;
    }

    // First the other map, then this one.
    LinearMap after(const LinearMap& first) const {
        LinearMap both;
        for (std::size_t bit = 0; bit < 32 * kWords; ++bit) {
            both.images_[bit] = apply(first.images_[bit]);
        }
        return both;
    }

  private:
    std::array<State, 32 * kWords> images_{};  // images_[b]: the image of the state with only bit b
};

// powers[e] is the map applied 2^e times.
template <std::size_t kWords>
std::vector<LinearMap<kWords>> powers_of(LinearMap<kWords> map, int count) {
    std::vector<LinearMap<kWords>> powers;
    for (int e = 0; e < count; ++e) {
        powers.push_back(map);
        map = map.after(map);
    }
    return powers;
}

template <std::size_t kWords>
void apply_powers(const std::vector<LinearMap<kWords>>& powers, std::uint64_t times,
                  std::array<std::uint32_t, kWords>& state) {
    for (std::size_t e = 0; times >> e != 0; ++e) {
        if (times >> e & 1) state = powers.at(e).apply(state);
    }
}

// --- XORWOW: five xorshift words are the linear part, 160 bits -----------------------

struct Xorwow {
    std::array<std::uint32_t, 5> state;  // oldest word first
    std::uint32_t weyl;  // grows by 362437 per number; a jump of 2^67 numbers does not change it

    static std::array<std::uint32_t, 5> step(const std::array<std::uint32_t, 5>& s) {
        const std::uint32_t mixed = s[0] ^ (s[0] >> 2);
        return {s[1], s[2], s[3], s[4], (s[4] ^ (s[4] << 4)) ^ mixed ^ (mixed << 1)};
    }
    std::uint32_t next() {
        state = step(state);
        weyl += 362437u;
        return state[4] + weyl;
    }
};

class XorwowStreams {
  public:
    explicit XorwowStreams(std::uint64_t seed) : first_(first_of(seed)) {}
    void skip(std::uint64_t count) {
        // powers[67 + e] jumps 2^e subsequences.
        static const auto kJumps = [] {
            auto powers = powers_of(LinearMap<5>::of(Xorwow::step), 67 + 63);
            powers.erase(powers.begin(), powers.begin() + 67);
            return powers;
        }();
        apply_powers(kJumps, count, first_.state);
    }
    Xorwow start() const { return first_; }

  private:
    static Xorwow first_of(std::uint64_t seed) {
        const std::uint32_t low = 1099087573u * (static_cast<std::uint32_t>(seed) ^ 0xaad26b49u);
        const std::uint32_t high =
            2591861531u * (static_cast<std::uint32_t>(seed >> 32) ^ 0xf7dcefddu);
        return {{123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high,
                 5783321u + low},
                6615241u + low + high};
    }

    Xorwow first_;
};

// --- xoroshiro64*: 64 bits -----------------------------------------------------------

struct Xoroshiro {
    std::array<std::uint32_t, 2> state;

    static std::array<std::uint32_t, 2> step(const std::array<std::uint32_t, 2>& s) {
        const std::uint32_t mixed = s[0] ^ s[1];
        return {std::rotl(s[0], 26) ^ mixed ^ (mixed << 9), std::rotl(mixed, 13)};
    }
    std::uint32_t next() {
        const std::uint32_t word = state[0] * 0x9e3779bbu;
        state = step(state);
        return word;
    }
};

class XoroshiroStreams {
  public:
    explicit XoroshiroStreams(std::uint64_t seed) {
        std::uint64_t bits = 0;
        while (bits == 0) bits = next_splitmix64(seed);
        first_.state = {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
    }
    void skip(std::uint64_t count) {
        static const auto kJumps = [] {
            const auto steps = powers_of(LinearMap<2>::of(Xoroshiro::step), 40);
            LinearMap<2> jump = LinearMap<2>::of([](const auto& state) { return state; });
            for (int e = 0; e < 40; ++e) {
                if (1'000'000'000'000u >> e & 1) jump = steps[e].after(jump);
            }
            return powers_of(jump, 63);
        }();
        apply_powers(kJumps, count, first_.state);
    }
    Xoroshiro start() const { return first_; }

  private:
    Xoroshiro first_;
};

// --- Four taps: 89 words -------------------------------------------------------------

struct FourTap {
    std::array<std::uint32_t, 89> words;  // the oldest at `next_`
    int oldest = 0;

    std::uint32_t next() {
        const auto back = [&](int distance) { return words[(oldest + 89 - distance) % 89]; };
        const std::uint32_t word = back(20) ^ back(51) ^ back(60) ^ words[oldest];
        words[oldest] = word;
        oldest = oldest == 88 ? 0 : oldest + 1;
        return word;
    }
};

class FourTapStreams {
  public:
    explicit FourTapStreams(std::uint64_t seed) {
        for (int i = 0; i < 89; ++i) {
            words_[i] = static_cast<std::uint32_t>(next_splitmix64(seed) >> 32);
        }
        for (int i = 89; i < 177; ++i) {
            words_[i] = words_[i - 20] ^ words_[i - 51] ^ words_[i - 60] ^ words_[i - 89];
        }
    }
    void skip(std::uint64_t count) {
        // The jump of one stream, squared for each bit of the count.
        static const Bits kJump = power(2, 100'000'000'000'000'000u);
        position_ = product(position_, power(kJump, count));
    }
    FourTap start() const {
        FourTap generator{};
        for (int i = 0; i < 89; ++i) {
            for (int j = 0; j < 89; ++j) {
                if (position_ >> j & 1) generator.words[i] ^= words_[i + j];
            }
        }
        return generator;
    }

  private:
    // A polynomial over GF(2) modulo x^89 + x^69 + x^38 + x^29 + 1, the coefficient of x^j in bit
    // j.
    __extension__ using Bits = unsigned __int128;

    static Bits product(Bits a, Bits b) {
        Bits sum = 0;
        for (; b != 0; b >>= 1) {
            if (b & 1) sum ^= a;
            a <<= 1;
            if (a >> 89 & 1) a ^= Bits{1} << 89 | Bits{1} << 69 | Bits{1} << 38 | 1u << 29 | 1u;
        }
        return sum;
    }
    static Bits power(Bits base, std::uint64_t exponent) {
        Bits result = 1;
        for (; exponent != 0; exponent >>= 1) {
            if (exponent & 1) result = product(result, base);
            base = product(base, base);
        }
        return result;
    }

    std::array<std::uint32_t, 177> words_{};
    Bits position_ = 1;  // the stream begins with the word of this polynomial
};

// --- The tests of points -------------------------------------------------------------

// (k + 1/2) / 2^32, rounded to float, as curand_uniform defines it.
float uniform(std::uint32_t word) { return static_cast<float>(word) * 0x1p-32f + 0x1p-33f; }

bool is_inside_of_integers(std::uint32_t word) {
    const std::int64_t x = static_cast<std::int16_t>(word >> 16);
    const std::int64_t y = static_cast<std::int16_t>(word);
    return x * x + x + y * y < 1 << 30;
}

bool is_inside_of_floats(std::uint32_t word) {
    const auto x = static_cast<float>(static_cast<std::int32_t>(word));
    const auto y = static_cast<float>(static_cast<std::int32_t>(word << 16));
    return std::fmaf(-x, x, std::fmaf(-y, y, 0x1p62f)) > 0.0f;
}

// Calls count(begin, end) on all cores for parts of [0, total), and adds up the results.
template <class Count>
std::uint64_t sum_of_parts(std::int64_t total, const Count& count) {
    std::atomic<std::uint64_t> sum = 0;
    course::parallel_ranges(
        total, [&](std::int64_t begin, std::int64_t end) { sum += count(begin, end); });
    return sum;
}

template <class Streams, class IsInside>
std::uint64_t count_streams(std::int64_t samples, std::uint64_t seed, std::int64_t generators,
                            const IsInside& is_inside) {
    // The loop ends before generators without points.
    const std::int64_t active = std::min(generators, samples);
    return sum_of_parts(active, [&](std::int64_t begin, std::int64_t end) {
        Streams streams(seed);
        streams.skip(begin);
        std::uint64_t inside = 0;
        for (std::int64_t g = begin; g < end; ++g) {
            const std::int64_t points = samples / generators + (g < samples % generators ? 1 : 0);
            auto generator = streams.start();
            for (std::int64_t i = 0; i < points; ++i) inside += is_inside(generator);
            streams.skip(1);
        }
        return inside;
    });
}

template <class Streams>
std::uint64_t count_words(std::int64_t samples, std::uint64_t seed, std::int64_t generators,
                          PointTest test) {
    switch (test) {
        case PointTest::kIntegers:
            return count_streams<Streams>(samples, seed, generators, [](auto& generator) {
                return is_inside_of_integers(generator.next());
            });
        case PointTest::kFloats:
            return count_streams<Streams>(samples, seed, generators, [](auto& generator) {
                return is_inside_of_floats(generator.next());
            });
        case PointTest::kTwoFloats:
            break;
    }
    return count_streams<Streams>(samples, seed, generators, [](auto& generator) {
        const std::uint32_t x = generator.next();
        return is_inside(x, generator.next());
    });
}

// Number m of the sequence is number m / 4096 of subsequence m % 4096, so that point i has its x
// and its y from two neighbours.
std::uint64_t count_curand_xorwow(std::int64_t samples, std::uint64_t seed) {
    constexpr std::int64_t kPairs = 4096 / 2;
    return sum_of_parts(kPairs, [&](std::int64_t begin, std::int64_t end) {
        XorwowStreams streams(seed);
        streams.skip(2 * begin);
        std::uint64_t inside = 0;
        for (std::int64_t pair = begin; pair < end; ++pair) {
            Xorwow x = streams.start();
            streams.skip(1);
            Xorwow y = streams.start();
            streams.skip(1);
            for (std::int64_t i = pair; i < samples; i += kPairs) {
                inside += is_inside(x.next(), y.next());
            }
        }
        return inside;
    });
}

// Four numbers, and so two points, are one value of Philox: that of subsequence i % 65536 with the
// counter i / 65536.
std::uint64_t count_curand_philox(std::int64_t samples, std::uint64_t seed) {
    constexpr std::uint64_t kSubsequences = 65536;
    return sum_of_parts((samples + 1) / 2, [&](std::int64_t begin, std::int64_t end) {
        std::uint64_t inside = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            const std::uint64_t counter = static_cast<std::uint64_t>(i) / kSubsequences;
            const auto words = philox(
                {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                 static_cast<std::uint32_t>(i % kSubsequences), 0},
                seed);
            inside += is_inside(words[0], words[1]);
            if (2 * i + 1 < samples) inside += is_inside(words[2], words[3]);
        }
        return inside;
    });
}

template <class Streams>
std::vector<std::uint32_t> words_of_stream(std::uint64_t seed, std::uint64_t stream,
                                           std::int64_t count) {
    Streams streams(seed);
    streams.skip(stream);
    auto generator = streams.start();
    std::vector<std::uint32_t> words;
    for (std::int64_t i = 0; i < count; ++i) words.push_back(generator.next());
    return words;
}

}  // namespace

std::uint64_t count_inside_reference(std::int64_t samples, std::uint64_t seed,
                                     std::int64_t generators, const Method& method) {
    switch (method.generator) {
        case Generator::kXoroshiro:
            return count_words<XoroshiroStreams>(samples, seed, generators, method.test);
        case Generator::kFourTap:
            return count_words<FourTapStreams>(samples, seed, generators, method.test);
        case Generator::kCurandXorwow:
            return count_curand_xorwow(samples, seed);
        case Generator::kCurandPhilox:
            return count_curand_philox(samples, seed);
        case Generator::kXorwow:
            break;
    }
    return count_words<XorwowStreams>(samples, seed, generators, method.test);
}

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key) {
    auto key_low = static_cast<std::uint32_t>(key);
    auto key_high = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t first = std::uint64_t{0xd2511f53} * counter[0];
        const std::uint64_t second = std::uint64_t{0xcd9e8d57} * counter[2];
        counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key_low,
                   static_cast<std::uint32_t>(second),
                   static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key_high,
                   static_cast<std::uint32_t>(first)};
        key_low += 0x9e3779b9u;
        key_high += 0xbb67ae85u;
    }
    return counter;
}

bool is_inside(std::uint32_t x_word, std::uint32_t y_word) {
    const float x = uniform(x_word), y = uniform(y_word);
    // The same roundings as in the stages: y * y is rounded, then the sum is rounded once.
    return std::fmaf(x, x, y * y) < 1.0f;
}

bool is_word_inside(std::uint32_t word, PointTest test) {
    return test == PointTest::kFloats ? is_inside_of_floats(word) : is_inside_of_integers(word);
}

std::vector<std::uint32_t> reference_words(Generator generator, std::uint64_t seed,
                                           std::uint64_t stream, std::int64_t count) {
    switch (generator) {
        case Generator::kXoroshiro:
            return words_of_stream<XoroshiroStreams>(seed, stream, count);
        case Generator::kFourTap:
            return words_of_stream<FourTapStreams>(seed, stream, count);
        case Generator::kCurandPhilox: {
            std::vector<std::uint32_t> words;
            for (std::uint32_t i = 0; std::ssize(words) < count; ++i) {
                const auto four = philox({i, 0, static_cast<std::uint32_t>(stream),
                                          static_cast<std::uint32_t>(stream >> 32)},
                                         seed);
                words.insert(words.end(), four.begin(), four.end());
            }
            words.resize(count);
            return words;
        }
        case Generator::kXorwow:
        case Generator::kCurandXorwow:
            break;
    }
    return words_of_stream<XorwowStreams>(seed, stream, count);
}

}  // namespace montecarlo
