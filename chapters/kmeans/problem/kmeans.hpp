// SPDX-License-Identifier: MIT
// K-means: n points of the plane in k clusters, by Lloyd's iterations (1957, published 1982).
//
// An iteration labels each point with the nearest centroid (of equally near ones the first), and
// moves each centroid to the mean of its points, coordinate by coordinate, truncated toward zero.
// A centroid without points stays where it is. No centroid moved: converged.
//
// Everything is an integer, and exact for every input that is not refused:
//   - coordinates lie within 2^30 of 0, so a difference of two is within 2^31, its square at most
//     2^62, and a squared distance at most 2^63: it fits 64 bits without a sign;
//   - there are less than 2^33 points, so a sum of coordinates is below 2^33 * 2^30 = 2^63;
//   - means lie between the least and the greatest coordinate: centroids stay within the range;
//   - the sum of all squared distances is below 2^33 * 2^63 = 2^96, and gets 128 bits.
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

inline constexpr std::int64_t kMaxCoordinate = std::int64_t{1} << 30;  // and as much below 0
inline constexpr std::int64_t kMaxPoints = (std::int64_t{1} << 33) - 1;

// Laid out as CUDA's int2, so that a list of them is copied to the device as it is.
struct alignas(8) Point {
    std::int32_t x, y;

    bool operator==(const Point&) const = default;
};

// As many centroids as fit the 48 KB of shared memory that every device gives a block.
inline constexpr std::int64_t kMaxCentroids = 48 * 1024 / sizeof(Point);

// How the points lie in memory: one behind the other, or x of all and then y of all.
enum class Layout { kPoints, kLists };

// What a stage is asked to do.
struct Input {
    // At least one point, at most kMaxPoints, in the layout that the stage asked for, so that none
    // has to be moved while the clock runs. The other list is empty.
    std::vector<Point> points;
    std::vector<std::int32_t> lists;
    std::vector<Point> centroids;  // the initial ones: at most as many as points
    std::int64_t max_iterations = 20;  // at least 1
    bool all_iterations = false;  // true: goes on to max_iterations when converged, too

    std::int64_t count() const { return std::ssize(points) + std::ssize(lists) / 2; }
    // Whatever the layout.
    Point point(std::int64_t i) const {
        return lists.empty() ? points[i] : Point{lists[i], lists[count() + i]};
    }
    int k() const { return static_cast<int>(centroids.size()); }
    // Whether iteration `iteration`, counted from 1, is the last.
    bool ends_after(std::int64_t iteration, bool converged) const {
        return iteration == max_iterations || (converged && !all_iterations);
    }
};

// What a stage answers after the last iteration. The lists have the right size on entry.
struct Output {
    std::vector<std::int32_t> labels;  // that iteration's: nearest of the centroids before it
    std::vector<Point> centroids;  // the means of the points so labelled
    std::vector<std::int64_t> sizes;  // how many points have each label
    std::int64_t iterations = 0;
    bool converged = false;  // no centroid moved in the last iteration
};

// A stage: runs the iterations, marking its phases.
using FindClusters = void (*)(const Input&, Output&, PhaseTimer&);

// The least arithmetic of a point and a centroid, for the check against the device's limits: two
// differences, two squares, their sum, a comparison. (In 32 bits it would be more.)
inline constexpr double kOperationsPerDistance = 6;
// The least traffic of a point in an iteration on a GPU: to label it, its coordinates are read and
// a label is written; for the means both are read again.
inline constexpr double kBytesPerPoint = 24;

// main() of every stage. Returns the exit status (error.hpp).
int run_stage(int argc, char** argv, std::string_view stage_name, FindClusters find_clusters,
              Layout layout = Layout::kPoints);

// --- Host copies between a list of points and two lists ------------------------------------------

// x of all, then y of all.
std::vector<std::int32_t> to_lists(std::span<const Point> points);
// The inverse; `points` has half the size of `lists`.
void from_lists(std::span<const std::int32_t> lists, std::span<Point> points);

// --- Inputs --------------------------------------------------------------------------------------

inline constexpr std::string_view kInputNames[] = {"uniform", "gaussians", "rings", "grid",
                                                   "all-equal"};

// `count` points of a named input, which depend on the arguments only, not on the machine:
//   uniform    every point of the range is equally probable
//   gaussians  k round clouds of equal weight whose centres are at least 6/8 of a grid's pitch
//              apart; no point is further than 3/16 of it from the centre of its cloud
//   rings      three rings about the origin, which no k centroids can tell apart
//   grid       a square grid over the range, line by line: many points are equally near to two
//              centroids
//   all-equal  one point, `count` times
// `clouds`, where it is not empty, has `count` elements and gets the number of each point's cloud
// (of gaussians only). Errors: UsageError for an unknown name or a count above kMaxPoints.
std::vector<Point> make_points(std::string_view name, std::int64_t count, int k, std::uint64_t seed,
                               std::span<std::int32_t> clouds = {});

// Text lines `x y` or `x,y`; blank lines and `#` comments are skipped.
// Errors: InputError naming file and line: not two fields, no integer, a coordinate out of range;
// a file that is missing or holds no point.
std::vector<Point> read_points(const std::string& path);

// The k initial centroids, k at most the number of points:
//   first     the first k points
//   random    k different ones of the points (by number), every choice equally probable: the
//             thesis' centroids are "randomly generated"
//   plusplus  a random point, then each next one drawn with a probability proportional to its
//             squared distance from the nearest so far (k-means++, Arthur and Vassilvitskii 2007):
//             exactly, on all cores, in n * k steps and 8 n bytes
// or a file's, which must hold k points. Errors: InputError as read_points, and for another number.
std::vector<Point> make_centroids(const std::string& init, std::span<const Point> points, int k,
                                  std::uint64_t seed);

// --- Oracle --------------------------------------------------------------------------------------

// Runs all iterations on its own, on all cores, and compares every label, centroid and size, the
// number of iterations and `converged`: exactly, whatever the size.
//
// What makes that affordable is a grid of cells: a centroid whose least distance from a cell is
// more than another one's greatest cannot be the nearest of any point in it. A point is compared
// with the others of its cell only, which mostly is one or two. (The filter of Kanungo et al. 2002,
// on a grid.) Clumped inputs lose some of that: all points in one cell take n * k steps.
class Verifier {
  public:
    explicit Verifier(const Input& input);  // which must live on
    ~Verifier();
    course::Verdict verify(const Output& output);
    // Squared distances of the points from their clusters' final centroids, added up; decimal. Of
    // the last output that passed.
    const std::string& sse() const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

// Bytes of host memory that a Verifier takes at most beside its input.
double oracle_bytes(std::int64_t count, std::int64_t k);

}  // namespace kmeans
