// SPDX-License-Identifier: MIT
// K-means, stage 00: one thread on the CPU.
// Idea: find the nearest of k centroids for each point; then move each centroid to the mean of its
// points; repeat until no centroid moves.
// Limit now: one core, and on it the two multiplications of each of n * k distances.
// Thesis 5.2.
#include "problem/kmeans.hpp"

#include <cstdint>
#include <vector>

using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer, kmeans::Point;

// Sums of the coordinates of `count` points.
struct Sum {
    std::int64_t x, y, count;
};

// At most 2^63, because coordinates are at most 2^30 away from 0.
std::uint64_t squared_distance(Point a, Point b) {
    const std::int64_t dx = std::int64_t{a.x} - b.x;
    const std::int64_t dy = std::int64_t{a.y} - b.y;
    return static_cast<std::uint64_t>(dx * dx) + static_cast<std::uint64_t>(dy * dy);
}

void assign_points(const Point* points, std::int64_t count, const Point* centroids, int k,
                   int* labels) {
    for (std::int64_t i = 0; i < count; ++i) {
        const Point point = points[i];
        int nearest = 0;
        std::uint64_t least = squared_distance(point, centroids[0]);
        for (int c = 1; c < k; ++c) {
            const std::uint64_t distance = squared_distance(point, centroids[c]);
            if (distance < least) {  // of equally near centroids, the first one stays
                least = distance;
                nearest = c;
            }
        }
        labels[i] = nearest;
    }
}

void update_centroids(const Point* points, const int* labels, std::int64_t count, Point* centroids,
                      int k, std::int64_t* sizes) {
    std::vector<Sum> sums(k, Sum{0, 0, 0});
    for (std::int64_t i = 0; i < count; ++i) {
        Sum& sum = sums[labels[i]];
        sum.x += points[i].x;
        sum.y += points[i].y;
        ++sum.count;
    }
    for (int c = 0; c < k; ++c) {
        const Sum sum = sums[c];
        sizes[c] = sum.count;
        if (sum.count == 0) continue;  // a centroid without points does not move
        centroids[c] = {static_cast<int>(sum.x / sum.count), static_cast<int>(sum.y / sum.count)};
    }
}

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int k = input.k();
    timer.begin(Phase::kSetup);
    std::vector<Point> previous;
    output.centroids = input.centroids;
    output.iterations = 0;

    timer.begin(Phase::kKernels);
    do {
        previous = output.centroids;
        assign_points(input.points.data(), count, output.centroids.data(), k, output.labels.data());
        update_centroids(input.points.data(), output.labels.data(), count, output.centroids.data(),
                         k, output.sizes.data());
        output.converged = output.centroids == previous;
    } while (!input.ends_after(++output.iterations, output.converged));
    timer.end();
    timer.note_grid(1, 1);
    timer.declare_work(
        {.bytes = 0, .operations = kmeans::kOperationsPerDistance * count * k * output.iterations});
}

int main(int argc, char** argv) { return kmeans::run_stage(argc, argv, STAGE_NAME, find_clusters); }
