// SPDX-License-Identifier: MIT
// The named inputs of chapter kmeans, the reader of files of points, and the initial centroids.
#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <unordered_set>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/input/parallel_ranges.hpp"
#include "common/input/random.hpp"
#include "common/input/text_reader.hpp"
#include "problem/kmeans.hpp"

namespace kmeans {

using course::text;
using UInt128 = unsigned __int128;

namespace {

std::int32_t to_coordinate(double value) { return static_cast<std::int32_t>(std::lrint(value)); }

// points[i] = point(random, i). Each run of kChunk points has its own generator: so a core can
// start at any run, and the points depend only on the seed.
template <class MakePoint>
void fill(std::vector<Point>& points, std::uint64_t seed, const MakePoint& point) {
    constexpr std::int64_t kChunk = 1 << 14;
    const auto count = static_cast<std::int64_t>(points.size());
    course::parallel_ranges(
        (count + kChunk - 1) / kChunk, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t chunk = begin; chunk < end; ++chunk) {
                // The factor is odd, so that no two runs of a seed have the same state.
                course::Random random(seed ^
                                      (static_cast<std::uint64_t>(chunk + 1) * 0xd1342543de82ef95));
                const std::int64_t last = std::min(count, (chunk + 1) * kChunk);
                for (std::int64_t i = chunk * kChunk; i < last; ++i) points[i] = point(random, i);
            }
        });
}

Point uniform_point(course::Random& random, std::int64_t range) {
    const auto width = static_cast<std::uint64_t>(2 * range + 1);
    const auto x = static_cast<std::int64_t>(random.below(width)) - range;
    const auto y = static_cast<std::int64_t>(random.below(width)) - range;
    return {static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)};
}

std::int64_t ceil_sqrt(std::int64_t value) {
    auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(value)));
    while (root * root < value) ++root;
    while ((root - 1) * (root - 1) >= value) --root;
    return root;
}

void make_gaussians(std::vector<Point>& points, int k, std::uint64_t seed, double range,
                    std::span<std::int32_t> clouds) {
    const std::int64_t side = ceil_sqrt(k);
    const double pitch = 2 * range / static_cast<double>(side);
    struct Centre {
        double x, y;
    };
    std::vector<Centre> centres;
    course::Random random(seed);
    for (int cloud = 0; cloud < k; ++cloud) {
        const auto coordinate = [&](std::int64_t cell) {
            return pitch * (static_cast<double>(cell) + 0.5 + random.uniform(-0.125, 0.125)) -
                   range;
        };
        const double x = coordinate(cloud % side);
        centres.push_back({x, coordinate(cloud / side)});
    }
    const double sigma = pitch / 32;
    fill(points, random.next(), [&](course::Random& own, std::int64_t i) -> Point {
        const auto cloud = static_cast<std::int32_t>(own.below(static_cast<std::uint64_t>(k)));
        if (!clouds.empty()) clouds[i] = cloud;
        const auto offset = [&] {  // cut off at four sigma, so that clouds do not touch
            double value;
            do {
                value = own.normal();
            } while (std::abs(value) > 4);
            return sigma * value;
        };
        const double x = centres[cloud].x + offset();
        return {to_coordinate(x), to_coordinate(centres[cloud].y + offset())};
    });
}

// Avoids sine and cosine, whose last bit differs from one library to another.
Point ring_point(course::Random& random, double range) {
    constexpr int kRings = 3;
    const double ring = static_cast<double>(random.below(kRings) + 1) / kRings;
    const double radius = range * 0.95 * ring * (1 + random.uniform(-0.03, 0.03));
    double x, y, squared;
    do {
        x = random.uniform(-1, 1);
        y = random.uniform(-1, 1);
        squared = x * x + y * y;
    } while (!(squared > 0.01 && squared <= 1));
    const double scale = radius / std::sqrt(squared);
    return {to_coordinate(scale * x), to_coordinate(scale * y)};
}

void make_grid(std::vector<Point>& points, std::int64_t range) {
    const std::int64_t side = ceil_sqrt(static_cast<std::int64_t>(points.size()));
    const std::int64_t pitch = 2 * range / std::max<std::int64_t>(side - 1, 1);
    if (pitch == 0) {
        throw course::UsageError(text("--max-coordinate ", range, ": a grid of ", points.size(),
                                      " points needs at least ", side / 2));
    }
    fill(points, 0, [&](course::Random&, std::int64_t i) -> Point {
        return {static_cast<std::int32_t>(pitch * (i % side) - range),
                static_cast<std::int32_t>(pitch * (i / side) - range)};
    });
}

// The same seed as for the points, but another stream of random numbers.
course::Random random_of_centroids(std::uint64_t seed) {
    return course::Random(~seed * 0x9e3779b97f4a7c15);
}

std::vector<Point> random_centroids(std::span<const Point> points, int k, std::uint64_t seed) {
    course::Random random = random_of_centroids(seed);
    // Floyd's sample (Bentley and Floyd 1987): `below` grows, so that each step finds a new number.
    std::unordered_set<std::uint64_t> numbers;
    std::vector<Point> centroids;
    for (std::uint64_t below = points.size() - k; below < points.size(); ++below) {
        std::uint64_t number = random.below(below + 1);
        if (!numbers.insert(number).second) numbers.insert(number = below);
        centroids.push_back(points[number]);
    }
    // The last numbers of such a sample tend to be large, so the order is shuffled.
    for (std::uint64_t rest = centroids.size(); rest > 1; --rest) {
        std::swap(centroids[rest - 1], centroids[random.below(rest)]);
    }
    return centroids;
}

std::uint64_t squared_distance(const Point& a, const Point& b) {
    const std::int64_t dx = std::int64_t{a.x} - b.x, dy = std::int64_t{a.y} - b.y;
    return static_cast<std::uint64_t>(dx * dx) + static_cast<std::uint64_t>(dy * dy);
}

// A number from [0, n) without bias: draws as many bits as n has, until the number is below n.
UInt128 below(UInt128 n, course::Random& random) {
    const auto high = static_cast<std::uint64_t>((n - 1) >> 64);
    const auto low = static_cast<std::uint64_t>(n - 1);
    const int bits = high > 0 ? 64 + std::bit_width(high) : std::bit_width(low);
    const UInt128 mask = (UInt128{1} << bits) - 1;
    UInt128 value;
    do {
        value = (UInt128{random.next()} << 64 | random.next()) & mask;
    } while (value >= n);
    return value;
}

// Weights are integers and their sums are exact, so the result does not depend on how the points
// are cut into ranges.
std::vector<Point> plusplus_centroids(std::span<const Point> points, int k, std::uint64_t seed) {
    course::Random random = random_of_centroids(seed);
    const auto count = static_cast<std::int64_t>(points.size());
    std::vector<std::uint64_t> weights(points.size(), ~std::uint64_t{0});
    std::vector<Point> centroids = {points[random.below(points.size())]};
    struct Range {
        std::int64_t begin, end;
        UInt128 weight;
    };
    while (static_cast<int>(centroids.size()) < k) {
        std::vector<Range> ranges;
        std::mutex mutex;
        course::parallel_ranges(count, [&](std::int64_t begin, std::int64_t end) {
            UInt128 weight = 0;
            for (std::int64_t i = begin; i < end; ++i) {
                weights[i] = std::min(weights[i], squared_distance(points[i], centroids.back()));
                weight += weights[i];
            }
            const std::lock_guard lock(mutex);
            ranges.push_back({begin, end, weight});
        });
        std::ranges::sort(ranges, {}, &Range::begin);
        UInt128 total = 0;
        for (const Range& range : ranges) total += range.weight;
        if (total == 0) {  // every point is a centroid already: take any
            centroids.push_back(points[random.below(points.size())]);
            continue;
        }
        UInt128 rest = below(total, random);
        auto range = ranges.begin();
        for (; rest >= range->weight; ++range) rest -= range->weight;
        std::int64_t i = range->begin;
        for (; rest >= weights[i]; ++i) rest -= weights[i];
        centroids.push_back(points[i]);
    }
    return centroids;
}

}  // namespace

std::vector<Point> make_points(std::string_view name, std::int64_t count, int k, std::uint64_t seed,
                               std::span<std::int32_t> clouds, std::int64_t max_coordinate) {
    if (count > kMaxPoints) {
        throw course::UsageError(text("--n ", count, ": with more than ", kMaxPoints,
                                      " points, sums of coordinates may not fit 64 bits"));
    }
    std::vector<Point> points(count);
    const auto range = static_cast<double>(max_coordinate);
    if (name == "uniform") {
        fill(points, seed, [&](course::Random& random, std::int64_t) {
            return uniform_point(random, max_coordinate);
        });
    } else if (name == "gaussians") {
        make_gaussians(points, k, seed, range, clouds);
    } else if (name == "rings") {
        fill(points, seed,
             [&](course::Random& random, std::int64_t) { return ring_point(random, range); });
    } else if (name == "grid") {
        make_grid(points, max_coordinate);
    } else if (name == "all-equal") {
        course::Random random(seed);
        std::ranges::fill(points, uniform_point(random, max_coordinate));
    } else {
        throw course::UsageError(text("--input ", name, ": there is no such input"));
    }
    return points;
}

std::vector<Point> read_points(const std::string& path) {
    std::vector<Point> points;
    course::TextReader reader(path);
    while (reader.next_row("x y")) {
        const auto coordinate = [&](std::size_t index, std::string_view name) {
            return static_cast<std::int32_t>(
                reader.integer(index, name, -kMaxCoordinate, kMaxCoordinate));
        };
        const std::int32_t x = coordinate(0, "x");
        points.push_back({x, coordinate(1, "y")});
    }
    return points;
}

std::vector<Point> make_centroids(const std::string& init, std::span<const Point> points, int k,
                                  std::uint64_t seed) {
    if (init == "first") return {points.begin(), points.begin() + k};
    if (init == "random") return random_centroids(points, k, seed);
    if (init == "plusplus") return plusplus_centroids(points, k, seed);
    std::vector<Point> centroids = read_points(init);
    if (centroids.size() != static_cast<std::size_t>(k)) {
        throw course::InputError(
            text(init, ": holds ", centroids.size(), " centroids, but --k asks for ", k));
    }
    return centroids;
}

}  // namespace kmeans
