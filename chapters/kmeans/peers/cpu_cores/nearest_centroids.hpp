// SPDX-License-Identifier: MIT
// The nearest centroids of many points, in vectors, for stage peers/cpu_cores.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/cores/every_cpu.hpp"
#include "problem/kmeans.hpp"

namespace kmeans {

// |c|^2 - 2 p c is square + p.x * x + p.y * y. The lowest bits of this double are replaced by the
// label, so that the least of several values says whose it is.
struct Centroids {
    std::vector<Point> points;
    std::vector<double> x, y, square;
    int label_bits;

    explicit Centroids(const std::vector<Point>& list)
        : points(list), label_bits(std::bit_width(list.size() - 1)) {
        for (const Point c : points) {
            x.push_back(-2.0 * c.x);
            y.push_back(-2.0 * c.y);
            square.push_back(
                static_cast<double>(std::int64_t{c.x} * c.x + std::int64_t{c.y} * c.y));
        }
    }

    // Of two values that are no farther apart, the greater one may seem to be the less. With
    // coordinates of at most r, they are below 6 r^2. Five roundings change a value by a part of
    // 2^-53 each, and the label by 2^label_bits parts of 2^-52. If all integers up to there leave
    // the lowest bits free, only equal values are in doubt.
    double margin(double r) const {
        const double largest = 6 * r * r, label = std::ldexp(largest, label_bits - 52);
        return label < 0.25 ? 0.5 : 2 * (5 * largest * 0x1p-53 + label);
    }
};

inline void label_exactly(const std::int32_t* x, const std::int32_t* y, int count,
                          const std::vector<Point>& centroids, std::int32_t* labels) {
    for (int i = 0; i < count; ++i) {
        std::uint64_t least = ~std::uint64_t{0};
        for (std::size_t c = 0; c < centroids.size(); ++c) {
            const std::int64_t dx = std::int64_t{x[i]} - centroids[c].x;
            const std::int64_t dy = std::int64_t{y[i]} - centroids[c].y;
            const std::uint64_t distance =
                static_cast<std::uint64_t>(dx * dx) + static_cast<std::uint64_t>(dy * dy);
            if (distance < least) {
                least = distance;
                labels[i] = static_cast<std::int32_t>(c);
            }
        }
    }
}

// The compiler makes shorter vectors of these where the processor has no longer ones.
constexpr int kLanes = 8;
using Doubles [[gnu::vector_size(8 * kLanes)]] = double;
using Bits [[gnu::vector_size(8 * kLanes)]] = std::uint64_t;
using Integers [[gnu::vector_size(4 * kLanes), gnu::aligned(4)]] = std::int32_t;
constexpr int kVectors = 2;  // meet a centroid at a time: one waits for its results
constexpr int kPoints = kLanes * kVectors;

EVERY_CPU static void label_points(const std::int32_t* x, const std::int32_t* y, int count,
                                   const Centroids& centroids, double margin,
                                   std::int32_t* labels) {
    const double *cx = centroids.x.data(), *cy = centroids.y.data();
    const double* square = centroids.square.data();
    const std::size_t k = centroids.x.size();
    const std::uint64_t mask = (std::uint64_t{1} << centroids.label_bits) - 1;
    int i = 0;
    for (; i + kPoints <= count; i += kPoints) {
        Doubles px[kVectors], py[kVectors], least[kVectors], second[kVectors];
        for (int v = 0; v < kVectors; ++v) {
            px[v] = __builtin_convertvector(reinterpret_cast<const Integers*>(x + i)[v], Doubles);
            py[v] = __builtin_convertvector(reinterpret_cast<const Integers*>(y + i)[v], Doubles);
            least[v] = second[v] = Doubles{} + 0x1p100;
        }
        for (std::uint64_t c = 0; c < k; ++c) {
#pragma GCC unroll 2
            for (int v = 0; v < kVectors; ++v) {
                const Doubles value = px[v] * cx[c] + (py[v] * cy[c] + square[c]);
                const Doubles named = (Doubles)(((Bits)value & ~mask) | c);
                const Doubles greater = least[v] > named ? least[v] : named;
                second[v] = second[v] < greater ? second[v] : greater;
                least[v] = least[v] < named ? least[v] : named;
            }
        }
        Bits any_doubt = {};
        for (int v = 0; v < kVectors; ++v) {
            const Bits label = (Bits)least[v] & mask;
            reinterpret_cast<Integers*>(labels + i)[v] = __builtin_convertvector(label, Integers);
            any_doubt |= (Bits)(second[v] - least[v] <= margin);  // in each lane all bits or none
        }
        std::uint64_t doubts = 0;
        for (int lane = 0; lane < kLanes; ++lane) doubts |= any_doubt[lane];
        if (doubts != 0) {
            label_exactly(x + i, y + i, kPoints, centroids.points, labels + i);
        }
    }
    label_exactly(x + i, y + i, count - i, centroids.points, labels + i);  // fewer than a vector
}

}  // namespace kmeans
