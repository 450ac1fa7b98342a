// SPDX-License-Identifier: MIT
// Distmesh: a mesh of triangles by the balance of forces of Persson and Strang (A simple mesh
// generator in MATLAB, SIAM Review 46, 2004), with the corrections of its later version 1.1.
//
// Points start on a hexagonal lattice of spacing h0, with fewer points where bars should be longer.
// The edges of their Delaunay triangulation are bars that push and never pull: F = max(L0 - L, 0).
// L0 is 1.2 times the wanted length, scaled so that the squares of all bars have the same total.
// Points move by 0.2 F. Those outside go back along the numerical gradient of the distance. When a
// point has moved 0.1 h0, all points are triangulated anew. The iterations end when no interior
// point moves 0.001 h0. Every 30 iterations, ends of bars that are much too short (L0 > 2 L) are
// dropped.
//
// All numbers are doubles. A step of the numerical gradient is sqrt(epsilon) h0. In float that is
// 0.0003 h0 with an error of the same size, a third of the limit that ends the iterations. The
// published counts of nodes and triangles are those of a program in double, too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/phase_timer.hpp"
#include "common/harness/problem.hpp"
#include "problem/geometry.hpp"

namespace distmesh {

using course::Phase;
using course::PhaseTimer;

inline constexpr double kStopTolerance = 0.001;  // dptol, of h0
inline constexpr double kSlideTolerance = 0.002;  // of h0, for points at the boundary
inline constexpr double kTriangulateTolerance = 0.1;  // ttol, of h0
inline constexpr double kPressure = 1.2;  // Fscale
inline constexpr double kTimeStep = 0.2;  // deltat
inline constexpr double kGradientStep = 0x1.0p-26;  // deps, of h0: the root of double's epsilon
inline constexpr int kDensityInterval = 30;
inline constexpr double kCrowded = 2;  // a bar with L0 > 2 L has one end too many

// The least number of operations per bar and iteration, for the check against the device's limits:
// 9 for its length and both sums (differences, squares, their sum, a root, another square,
// additions), 6 for its push (rest length, difference, maximum, quotient, products), and 4 to add
// the push to both ends.
inline constexpr double kOperationsPerBar = 19;

inline constexpr int kMostMendings = 10;

inline constexpr std::int64_t kMaxPoints = 100'000'000;  // three bars each fit 31 bits

// The ends of a bar, as indices of points, a < b. Laid out as CUDA's int2.
struct alignas(8) Bar {
    std::int32_t a, b;

    auto operator<=>(const Bar&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct Triangle {
    std::int32_t a, b, c;  // counter-clockwise
};

// What a stage is asked to do. It cannot be copied, as the domain points into the vertices.
struct Input {
    Input() = default;
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    Domain domain{};
    std::vector<Point> vertices;  // of its polygons
    std::vector<Point> points;  // at the start; the fixed ones first
    std::int64_t fixed = 0;
    double h0 = 0;
    std::int64_t max_iterations = 10'000;

    std::int64_t count() const { return static_cast<std::int64_t>(points.size()); }
};

// What a stage answers.
struct Output {
    std::vector<Point> points;
    std::vector<Triangle> triangles;
    std::int64_t iterations = 0;
    std::int64_t triangulations = 0;
    std::int64_t host_triangulations = 0;  // of these; fewer if a stage repairs its triangulation
    bool converged = false;  // false: --max-iterations ended it
};

// How an iteration ended, as the kernels say. Each is 0 or 1.
struct Status {
    std::int32_t moving;  // an interior point moved kStopTolerance h0 or more
    std::int32_t drifted;  // a point moved kTriangulateTolerance h0 since its triangulation
    std::int32_t crowded;  // bars are much too short, and no point was moved
};

// What a launch did that makes iterations and repairs, and how it ended.
struct Launched {
    Status status;  // of the last iteration
    std::int32_t is_mesh;  // all is at rest, no triangle is turned over, and none is to be mended
    std::int64_t iterations, iterations_here;  // in all, and since the last repair
    std::int64_t repairs, bars;  // bars: the sum over all iterations
};

// What every stage leaves to the host: triangulations, and the decision which iteration is the
// last.
//     Mesh mesh(input);
//     while (mesh.triangulate()) {
//         do { ...  mesh.end_iterations(status); } while (mesh.goes_on());  // of mesh.points
//         if (mesh.is_crowded()) mesh.drop(crowded);
//     }
//     mesh.finish(output, timer);
class Mesh {
  public:
    explicit Mesh(const Input& input);  // keeps a reference to the input

    std::vector<Point> points;
    std::vector<Bar> bars;
    std::vector<Triangle> triangles;
    std::vector<Point> triangulated;  // the points at the last triangulation

    std::int64_t count() const { return static_cast<std::int64_t>(points.size()); }
    std::int64_t bar_count() const { return bar_count_; }
    std::int64_t iterations() const { return iterations_; }
    std::int64_t iterations_left() const { return input_.max_iterations - iterations_; }
    // Whether the next iteration controls the density, or the one that comes `ahead` later.
    bool controls_density(std::int64_t ahead = 0) const {
        return (iterations_ + 1 + ahead) % kDensityInterval == 0;
    }
    // The operations and the fewest bytes of the iterations so far: each reads its bars once, and
    // reads and writes its points once.
    course::Work work() const;

    // Makes the Delaunay triangulation of the points, without the triangles outside, and its bars.
    // Returns whether iterations follow. The published algorithm ends with the triangulation that
    // the points had on their way to rest, of which they may have turned triangles over. Here the
    // mesh is ready when the first iteration of a triangulation finds all points at rest, those at
    // the boundary too, and turns no triangle over. Errors: UsageError where no triangle is left.
    bool triangulate();

    // In place of the first triangulate(), for a stage that triangulates the points at the start on
    // its device. False: triangulate() is next, as no iterations follow. Each point must have a
    // triangle, of the mesh or beside it.
    bool begin_on_device();
    // How many bars the device has, which work() is about. triangulate() counts its own.
    void count_bars(std::int64_t bars) { bar_count_ = bars; }

    // Lists the bars of each point, one point after the other: those of point i are at
    // [offsets[i], offsets[i + 1]). An entry is the bar's index, or ~index if the bar ends at the
    // point.
    void list_bars_of_points(std::vector<std::int32_t>& offsets,
                             std::vector<std::int32_t>& list) const;

    // Counts `iterations` iterations, of which the last one ended with this status.
    void end_iterations(const Status& status, std::int64_t iterations = 1);
    // Whether the next iteration can use the same triangulation.
    bool goes_on() const { return !ended_ && iterations_left() > 0; }
    // Whether the last iteration found crowded points, which drop() must be told of.
    bool is_crowded() const { return crowded_; }

    // For a stage that goes on with the triangulation on its device, after end_iterations():
    //     if (at_rest()) ...  // copies `points`, `triangulated` and its triangles to the host
    //     if (begin_repair() && end_repair(...)) ...  // the next iterations; else triangulate()
    // Whether the last iteration was a triangulation's first and found no interior point moving.
    bool at_rest() const { return converged_; }
    // Leaves out the triangles that do not belong to the mesh, of all that were on the device.
    void leave_out_others();
    // Begins a repair on the device, which counts as a triangulation. False: triangulate() is next,
    // as the mesh may be ready, bars are crowded, or a point has no triangle, which no repair
    // gives it.
    bool begin_repair();
    // Returns `done`. A repair that is not done does not count, and triangulate() is next.
    bool end_repair(bool done);

    // Drops the marked points except the fixed ones, unless the iterations are over.
    void drop(std::span<const std::int32_t> crowded);

    // For a stage that makes repairs in the launch of its iterations: what the launch did.
    void end_launch(const Launched& launched);
    // Whether a repair is enough: every point has a triangle.
    bool can_repair() const { return all_joined_; }

    // Points without triangles are left out.
    void finish(Output& output) const;
    // The same, timed as the host's.
    void finish(Output& output, PhaseTimer& timer) const;

  private:
    bool is_inside(const Triangle& triangle) const;
    // Whether all points rest and no triangle is turned over, after a first iteration at rest.
    bool is_at_rest() const;
    // Moves points at rest that are just behind an edge of the boundary onto the boundary. Returns
    // whether there were any.
    bool mend();

    const Input& input_;
    std::int64_t iterations_ = 0, triangulations_ = 0, repairs_ = 0;
    std::int64_t bar_count_ = 0, bars_done_ = 0, points_done_ = 0;
    std::int64_t iterations_here_ = 0;  // of this triangulation
    bool crowded_ = false;  // in the last iteration
    bool ended_ = false;  // the last iteration was the last one of its triangulation
    bool all_joined_ = false;  // every point has a triangle
    int mendings_ = 0;
    bool converged_ = false;
};

// The Delaunay triangulation of all points: it fills their convex hull. Of equal points only one
// has triangles.
std::vector<Triangle> delaunay(std::span<const Point> points);

// A triangulation in which every edge has a triangle on both sides. Triangle t has the half-edges
// 3 t, 3 t + 1 and 3 t + 2, counter-clockwise. Half-edge h goes from corners[h] to the start of the
// next one in its triangle. Its twin, twins[h], goes back on the other side. Beyond the edges of
// the boundary are ghost triangles with the corner kGhost, one fan round each loop of the boundary.
struct HalfEdges {
    std::vector<std::int32_t> corners, twins;
    std::vector<std::int32_t> edges;  // 0, 1, 2 ... the same for both half-edges
    std::vector<Bar> bars;  // of each edge: from its lower half-edge on; of a ghost's: kNoBar
    std::vector<std::int32_t> leaving;  // of each point: the first half-edge, or kNoHalfEdge

    std::int64_t triangle_count() const { return static_cast<std::int64_t>(corners.size()) / 3; }
    std::int64_t edge_count() const { return static_cast<std::int64_t>(corners.size()) / 2; }
};

inline constexpr std::int32_t kGhost = -1;
inline constexpr std::int32_t kNoHalfEdge = 0x7f7f7f7f;  // above all others; four equal bytes
inline constexpr Bar kNoBar = {-1, -1};

// The triangles must be counter-clockwise, and no edge may occur twice in one direction.
HalfEdges with_ghosts(std::span<const Point> points, std::span<const Triangle> triangles);

// The rows of the lattice that the points at the start lie on, from the lowest one up.
struct Rows {
    std::vector<std::int32_t> points;  // their indices, row by row, each row sorted by x
    std::vector<std::int32_t> begins;  // of each row in `points`, none empty; then the end
    std::vector<std::int32_t> loose;  // fixed points that are on no row

    std::int64_t count() const { return static_cast<std::int64_t>(begins.size()) - 1; }
};
Rows rows_of(const Input& input);

// A stage: runs the iterations, marking its phases.
using GenerateMesh = void (*)(const Input&, Output&, PhaseTimer&);

// main() of every stage. Returns the exit status (error.hpp).
int run_stage(int argc, char** argv, std::string_view stage_name, GenerateMesh generate_mesh);

// --- Inputs --------------------------------------------------------------------------------------

// The names that --domain takes besides `polygon`.
inline constexpr std::string_view kDomainNames[] = {"circle", "ellipse", "square-hole", "ring",
                                                    "wing"};

struct Box {
    double left, bottom, right, top;

    double width() const { return right - left; }
    double height() const { return top - bottom; }
};

// A domain with its vertices and its own fixed points: corners, and the vertices of polygons.
struct Region {
    Domain domain{};
    std::vector<Point> vertices;
    std::vector<Point> fixed;

    // The domain, pointing to the vertices at their present address.
    Domain at_hand() const;
    Box box() const;
    // The least side of a shape's bounding box.
    double narrowest() const;
    // The area in units of the wanted length squared; without grading, the area. It is measured on
    // a grid with cells of side grid_cell().
    double weighted_area() const;
    double grid_cell() const;
};

// Refuses a domain so small and so far from the origin that its coordinates do not resolve it, and
// with h0, a spacing whose numerical gradient they do not resolve. Errors: UsageError.
void refuse_unresolved(const Region& region, std::optional<double> h0 = std::nullopt);

// Errors: UsageError for a name that is not known.
Region make_region(std::string_view name);

// The last line repeats the vertex of the first line. Errors: InputError `file:line: …` for a
// polygon that is not closed or crosses itself.
Region read_polygon(const std::string& path);

// Adds a shape: `NAME` or `NAME:x,y,scale`, NAME of circle, ellipse, square, wing.
// Errors: UsageError that starts with `flag`.
void add_shape(Region& region, Join join, const std::string& flag, const std::string& text);

// Lines `x y`. Errors: InputError `file:line: …`, also for a point outside.
std::vector<Point> read_fixed(const std::string& path, const Domain& domain, double h0);

// The lattice spacing that fills a region with about `count` points. Errors: UsageError for a
// region without an area.
double spacing_for(const Region& region, std::int64_t count);

// Places the fixed points, then the lattice points inside. Grading drops some of these at random.
// Errors: UsageError for a domain of less than three points, or too many.
void place_points(Input& input, const Region& region, std::span<const Point> fixed,
                  std::uint64_t seed);

// --- Oracle --------------------------------------------------------------------------------------

struct Measures {
    double least_quality = 0, mean_quality = 0, area = 0;
    double largest_movement = 0;  // of an interior point in one more iteration, in h0
    double farthest_outside = 0;  // in h0
};

// What makes any mesh right. Every triangle is counter-clockwise, every edge has one or two
// triangles, every point has one. Points are inside, within geps. Fixed points are in place. If the
// mesh converged, no interior point moves more than dptol h0 (but for the change of the last step),
// the area is within h0^2 of the domain's, and the quality is high enough.
struct Expected {
    double area = 0;
    double area_tolerance = 0;
    double least_quality = 0;
    int holes = -1;  // below 0: not known
};
Expected expected_of(std::string_view name, const Region& region, double h0);
course::Verdict verdict_of(const Input& input, const Expected& expected, const Output& output,
                           Measures& measures);

// The same iterations, serially on the host. A test may replace the distance by a wrong one.
using Distance = double (*)(const Domain&, double x, double y);
void make_reference(const Input& input, Output& output, Distance distance = distmesh::distance);

// Asked before a mesh is called wrong. The method has no answer where bars are too long for a
// domain: at a sharp corner no triangle is left, and where two boundaries meet in an angle a point
// does not come back. Errors: UsageError that says why, if the reference gives no right mesh
// either, from the same points or from points that are moved by rounding.
void refuse_unfit_domain(const Input& input, const Expected& expected);

}  // namespace distmesh
