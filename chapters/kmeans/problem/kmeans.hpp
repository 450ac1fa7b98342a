// SPDX-License-Identifier: MIT
// K-means: n points of the plane in k clusters, by Lloyd's iterations (1957, published 1982).
//
// An iteration labels each point with the nearest centroid (the first of equally near ones). Then
// it moves each centroid to the mean of its points, coordinate by coordinate, truncated toward
// zero. A centroid without points does not move. The run has converged when no centroid moves.
//
// Everything is an integer, and exact for every input that is not refused:
//   - coordinates are at most 2^30 away from 0, so a difference is at most 2^31, its square at most
//     2^62, and a squared distance at most 2^63: it fits 64 bits without a sign;
//   - there are fewer than 2^33 points, so a sum of coordinates is below 2^33 * 2^30 = 2^63;
//   - means are between the least and the greatest coordinate, so centroids stay within the range;
//   - the sum of all squared distances is below 2^33 * 2^63 = 2^96, and has 128 bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/phase_timer.hpp"
#include "common/harness/problem.hpp"

namespace kmeans {

using course::Phase;
using course::PhaseTimer;

inline constexpr std::int64_t kMaxCoordinate = std::int64_t{1} << 30;  // and -2^30 is the least
inline constexpr std::int64_t kMaxPoints = (std::int64_t{1} << 33) - 1;

// Has the layout of CUDA's int2, so that a list is copied to the device without conversion.
struct alignas(8) Point {
    std::int32_t x, y;

    bool operator==(const Point&) const = default;
};

// The number of centroids that fit the 48 KB of shared memory that every device gives to a block.
inline constexpr std::int64_t kMaxCentroids = 48 * 1024 / sizeof(Point);

// The layout of the points in memory: point after point, or all x and then all y.
enum class Layout { kPoints, kLists };

// What a stage is asked to do.
struct Input {
    // At least one point, at most kMaxPoints, in the layout that the stage asked for. So no stage
    // spends measured time on a conversion. The other list is empty.
    std::vector<Point> points;
    std::vector<std::int32_t> lists;
    std::vector<Point> centroids;  // the initial ones: not more than points
    std::int64_t max_iterations = 20;  // at least 1
    bool all_iterations = false;  // true: goes on to max_iterations even after convergence

    std::int64_t count() const { return std::ssize(points) + std::ssize(lists) / 2; }
    // For either layout.
    Point point(std::int64_t i) const {
        return lists.empty() ? points[i] : Point{lists[i], lists[count() + i]};
    }
    int k() const { return static_cast<int>(centroids.size()); }
    // True if iteration number `iteration`, counted from 1, is the last one.
    bool ends_after(std::int64_t iteration, bool converged) const {
        return iteration == max_iterations || (converged && !all_iterations);
    }
};

// What a stage answers after the last iteration. The lists have the right size on entry.
struct Output {
    std::vector<std::int32_t> labels;  // the nearest of the centroids before that iteration
    std::vector<Point> centroids;  // the means of the points with these labels
    std::vector<std::int64_t> sizes;  // the number of points with each label
    std::int64_t iterations = 0;
    bool converged = false;  // no centroid moved in the last iteration
    // Of the kernels' time, what is done once before the iterations, as the sort by cells; else 0.
    double preparation_ms = 0;
};

// A stage: runs the iterations, and marks its phases.
using FindClusters = void (*)(const Input&, Output&, PhaseTimer&);

// The least arithmetic per point and centroid, for the check against the device's limits: two
// differences, two squares, their sum, and a comparison. (In 32-bit operations it would be more.)
inline constexpr double kOperationsPerDistance = 6;
// The least traffic of a point in an iteration with two kernels (stages 01 to 05): the first reads
// its coordinates and writes its label; the second reads both again for the means.
inline constexpr double kBytesPerPointInTwoPasses = 24;
// The same for an iteration with one pass (from limit/01 on), which reads the coordinates and
// writes no label. After the last iteration these stages read each point once more and write its
// label.
inline constexpr double kBytesPerPointInOnePass = 8;
inline constexpr double kBytesPerLabelledPoint = 12;
// The least traffic of a point that is sorted by cells (from limit/06 on). Each of two partitions
// reads it once to count and once to move it; keys have 4 bytes at least. Then each key is read
// once per point and iteration.
inline constexpr double kBytesPerPointToSort = 8 + 12 + 4 + 8;
inline constexpr double kBytesPerSortedPoint = 4;

// The device memory of a stage: coordinates and labels.
inline constexpr double kDeviceBytesPerPoint = 12;

// main() of every stage. Returns the exit status (error.hpp).
int run_stage(int argc, char** argv, std::string_view stage_name, FindClusters find_clusters,
              Layout layout = Layout::kPoints,
              double device_bytes_per_point = kDeviceBytesPerPoint);

// --- Host copies between a list of points and two lists ------------------------------------------

// All x, then all y.
std::vector<std::int32_t> to_lists(std::span<const Point> points);
// The inverse; `points` has half the size of `lists`.
void from_lists(std::span<const std::int32_t> lists, std::span<Point> points);

// --- Inputs --------------------------------------------------------------------------------------

inline constexpr std::string_view kInputNames[] = {"uniform", "gaussians", "rings", "grid",
                                                   "all-equal"};

// `count` points of a named input. They depend only on the arguments, not on the machine:
//   uniform    every point of the range is equally probable
//   gaussians  k round clouds of equal weight. Their centres are at least 6/8 of a grid's pitch
//              apart; no point is farther than 3/16 of the pitch from the centre of its cloud
//              (before coordinates are rounded)
//   rings      three rings around the origin, which no k centroids can separate
//   grid       a square grid over the range, line by line: many points are equally near to two
//              centroids
//   all-equal  one point, `count` times
// The range is the square of all points whose coordinates are at most `max_coordinate` away from 0
// (1 <= max_coordinate <= kMaxCoordinate). If `clouds` is not empty, it has `count` elements and
// gets the number of each point's cloud (for gaussians only).
// Errors: UsageError for an unknown name, a count above kMaxPoints, and a range with fewer places
// than `grid` needs.
std::vector<Point> make_points(std::string_view name, std::int64_t count, int k, std::uint64_t seed,
                               std::span<std::int32_t> clouds = {},
                               std::int64_t max_coordinate = kMaxCoordinate);

// Reads text lines `x y` or `x,y` (common/input/text_reader.hpp).
// Errors: InputError that names file and line, for a line without exactly two fields, a field that
// is not an integer, and a coordinate out of range. InputError for a file that is missing or holds
// no point.
std::vector<Point> read_points(const std::string& path);

// The k initial centroids; k is at most the number of points:
//   first     the first k points
//   random    k points with different numbers; every choice is equally probable (the thesis'
//             centroids are "randomly generated")
//   plusplus  a random point; then each next point is drawn with a probability proportional to its
//             squared distance from the nearest centroid so far (k-means++, Arthur and
//             Vassilvitskii 2007). Exact, on all cores, in n * k steps and 8 n bytes
// or the name of a file with k points. Errors: InputError as from read_points, and for a file with
// another number of points.
std::vector<Point> make_centroids(const std::string& init, std::span<const Point> points, int k,
                                  std::uint64_t seed);

// --- Oracle --------------------------------------------------------------------------------------

// Runs all iterations itself, on all cores. It compares every label, centroid and size, the number
// of iterations, and `converged`: exactly, for every size of the input.
//
// A grid of cells makes that affordable. Compare, for one cell, the least distance of a centroid
// with the greatest distance of another: if the least is more, the first centroid cannot be the
// nearest of any point in the cell. A point is compared only with the centroids that remain in its
// cell, mostly one or two. (This is the filter of Kanungo et al. 2002, on a grid.) It works less
// well when all points crowd into few cells: in one cell it takes n * k steps.
class Verifier {
  public:
    explicit Verifier(const Input& input);  // the input must outlive the verifier
    ~Verifier();
    course::Verdict verify(const Output& output);
    // The sum of the squared distances of all points from the final centroids of their clusters, in
    // decimal, for the last output that passed.
    const std::string& sse() const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

// The most bytes of host memory that a Verifier takes in addition to its input.
double oracle_bytes(std::int64_t count, std::int64_t k);

}  // namespace kmeans
