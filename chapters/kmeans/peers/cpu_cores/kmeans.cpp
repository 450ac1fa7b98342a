// SPDX-License-Identifier: MIT
// K-means, stage peers/cpu_cores: all cores of the CPU, with SIMD.
// Idea: each lane of a vector has a point, and meets one centroid after the other. |p - c|^2 and
// |c|^2 - 2 p c have the same least centroid, and the latter takes two multiply-adds of doubles.
// Where rounding may have decided, the point is searched again in integers. Each core adds up its
// own points, while their labels are in its cache.
// Compared with 00_cpu: threads, vectors, doubles with a bound of their error, one pass.
// Limit now: arithmetic for many centroids, the sums of points for few.
// Not of the thesis.
#include "problem/kmeans.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "peers/cpu_cores/nearest_centroids.hpp"

using kmeans::Centroids, kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer,
    kmeans::Point;

constexpr int kBlock = 1024;  // points whose labels are found before they are added up
// Neighbours in a list of sums. A point's sum waits for that of the point before, so points with
// equal labels take turns.
constexpr int kCopies = 4;

struct Sum {
    std::int64_t x, y, count;
};

void add_point(std::int32_t x, std::int32_t y, Sum& sum) {
    sum.x += x;
    sum.y += y;
    ++sum.count;
}

// Copy j of centroid c's sum is sums[kCopies * c + j].
void add_points(const std::int32_t* x, const std::int32_t* y, const std::int32_t* labels, int count,
                Sum* sums) {
    int i = 0;
    for (; i + kCopies <= count; i += kCopies) {
        for (int j = 0; j < kCopies; ++j) {
            add_point(x[i + j], y[i + j], sums[kCopies * labels[i + j] + j]);
        }
    }
    for (; i < count; ++i) add_point(x[i], y[i], sums[kCopies * labels[i]]);
}

// One iteration: labels all points, and moves the centroids.
void iterate(const Input& input, double largest_coordinate, Output& output) {
    const std::int64_t count = input.count();
    const int k = input.k();
    const std::int32_t *x = input.lists.data(), *y = x + count;
    std::int32_t* labels = output.labels.data();
    const Centroids centroids(output.centroids);
    const double margin = centroids.margin(largest_coordinate);
    std::vector<Sum> all(k, Sum{0, 0, 0});
#pragma omp parallel
    {
        std::vector<Sum> sums(std::size_t{kCopies} * k, Sum{0, 0, 0});
#pragma omp for schedule(static) nowait
        for (std::int64_t begin = 0; begin < count; begin += kBlock) {
            const int points = static_cast<int>(std::min<std::int64_t>(kBlock, count - begin));
            kmeans::label_points(x + begin, y + begin, points, centroids, margin, labels + begin);
            add_points(x + begin, y + begin, labels + begin, points, sums.data());
        }
#pragma omp critical
        for (int s = 0; s < kCopies * k; ++s) {
            Sum& sum = all[s / kCopies];
            sum = {sum.x + sums[s].x, sum.y + sums[s].y, sum.count + sums[s].count};
        }
    }
    for (int c = 0; c < k; ++c) {
        const Sum sum = all[c];
        output.sizes[c] = sum.count;
        if (sum.count == 0) continue;  // a centroid without points does not move
        output.centroids[c] = {static_cast<std::int32_t>(sum.x / sum.count),
                               static_cast<std::int32_t>(sum.y / sum.count)};
    }
}

// Of points and centroids: later centroids are means of the points.
double largest_coordinate(const Input& input) {
    std::int32_t largest = 0;
    for (const Point c : input.centroids) {
        largest = std::max({largest, std::abs(c.x), std::abs(c.y)});
    }
    const std::int32_t* lists = input.lists.data();
#pragma omp parallel for simd reduction(max : largest)
    for (std::int64_t i = 0; i < 2 * input.count(); ++i) {
        largest = std::max(largest, std::abs(lists[i]));
    }
    return largest;
}

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    std::vector<Point> previous;
    output.centroids = input.centroids;
    output.iterations = 0;

    timer.begin(Phase::kKernels);
    const double largest = largest_coordinate(input);
    do {
        previous = output.centroids;
        iterate(input, largest, output);
        output.converged = output.centroids == previous;
    } while (!input.ends_after(++output.iterations, output.converged));
    timer.end();
    timer.note_grid(1, omp_get_max_threads());
    timer.declare_work({.bytes = 0,
                        .operations = kmeans::kOperationsPerDistance * input.count() * input.k() *
                                      output.iterations});
}

int main(int argc, char** argv) {
    return kmeans::run_stage(argc, argv, STAGE_NAME, find_clusters, kmeans::Layout::kLists);
}
