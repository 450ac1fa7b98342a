// SPDX-License-Identifier: MIT
// The oracle of chapter kmeans.
#include <algorithm>
#include <mutex>
#include <optional>

#include "common/base/text.hpp"
#include "common/input/parallel_ranges.hpp"
#include "problem/kmeans.hpp"

namespace kmeans {

using course::text;
using UInt128 = unsigned __int128;

namespace {

// The size of the grid. With more cells, each has fewer centroids, but finding them takes longer.
constexpr int kMaxSideBits = 8;
constexpr std::int64_t kPointsPerCell = 8;

int side_bits(std::int64_t count) {
    int bits = 0;
    while (bits < kMaxSideBits && kPointsPerCell << (2 * (bits + 1)) <= count) ++bits;
    return bits;
}

std::uint64_t squared(std::int64_t value) { return static_cast<std::uint64_t>(value * value); }

std::string decimal(UInt128 value) {
    std::string digits;
    do {
        digits.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
        value /= 10;
    } while (value > 0);
    return {digits.rbegin(), digits.rend()};
}

std::string describe(const Point& point) { return text('(', point.x, ", ", point.y, ')'); }

// One axis of the grid: cells of 2^shift coordinates each; the first one begins at `low`.
struct Axis {
    std::int64_t low = 0, high = 0;  // the least and the greatest coordinate of the points
    int shift = 0;

    void include(std::int64_t least, std::int64_t greatest) {
        low = std::min(low, least);
        high = std::max(high, greatest);
    }
    void fit(int bits) {
        while ((high - low) >> shift >= std::int64_t{1} << bits) ++shift;
    }
    std::int64_t cell(std::int64_t value) const { return (value - low) >> shift; }

    struct Distances {
        std::uint64_t least, greatest;  // squared
    };
    // The distances from `value` to all coordinates in the cell that a point may have.
    Distances from(std::int64_t value, std::int64_t cell) const {
        const std::int64_t first = low + (cell << shift);
        const std::int64_t last = std::min(high, first + (std::int64_t{1} << shift) - 1);
        const std::int64_t outside = std::max({first - value, value - last, std::int64_t{0}});
        return {squared(outside), squared(std::max(value - first, last - value))};
    }
};

// Finds the centroids that may be the nearest of a point, by the cells of a grid over all points.
class Grid {
  public:
    explicit Grid(const Input& input) : bits_(side_bits(input.count())) {
        const Point some = input.point(0);
        x_.low = x_.high = some.x;
        y_.low = y_.high = some.y;
        std::mutex mutex;
        course::parallel_ranges(input.count(), [&](std::int64_t begin, std::int64_t end) {
            Point least = some, greatest = some;
            for (std::int64_t i = begin; i < end; ++i) {
                const Point point = input.point(i);
                least = {std::min(least.x, point.x), std::min(least.y, point.y)};
                greatest = {std::max(greatest.x, point.x), std::max(greatest.y, point.y)};
            }
            const std::lock_guard lock(mutex);
            x_.include(least.x, greatest.x);
            y_.include(least.y, greatest.y);
        });
        x_.fit(bits_);
        y_.fit(bits_);
        candidates_.resize(std::size_t{1} << (2 * bits_));
        only_.resize(candidates_.size());
    }

    // Must be called before nearest(), which then finds the nearest of these.
    void set_centroids(std::span<const Point> centroids) {
        centroids_ = centroids;
        course::parallel_ranges(std::ssize(candidates_), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t cell = begin; cell < end; ++cell) find_candidates(cell);
        });
    }

    std::int32_t nearest(const Point& point) const {
        const std::int64_t cell = y_.cell(point.y) << bits_ | x_.cell(point.x);
        if (only_[cell] != kSeveral) return only_[cell];
        const std::vector<std::int32_t>& candidates = candidates_[cell];
        std::int32_t label = candidates[0];
        std::uint64_t least = distance(point, label);
        for (std::size_t i = 1; i < candidates.size(); ++i) {
            const std::uint64_t another = distance(point, candidates[i]);
            if (another < least) {  // candidates ascend: the first of equally near ones stays
                least = another;
                label = candidates[i];
            }
        }
        return label;
    }

    std::uint64_t distance(const Point& point, std::int32_t label) const {
        const Point& centroid = centroids_[label];
        return squared(std::int64_t{point.x} - centroid.x) +
               squared(std::int64_t{point.y} - centroid.y);
    }

  private:
    void find_candidates(std::int64_t cell) {
        const std::int64_t column = cell & ((std::int64_t{1} << bits_) - 1), row = cell >> bits_;
        candidates_[cell].clear();
        // No point is in a cell behind the last point, and such a cell may be out of range.
        if (column > x_.cell(x_.high) || row > y_.cell(y_.high)) return;
        std::uint64_t least_greatest = ~std::uint64_t{0};
        for (const Point& centroid : centroids_) {
            least_greatest = std::min(least_greatest, x_.from(centroid.x, column).greatest +
                                                          y_.from(centroid.y, row).greatest);
        }
        for (std::int32_t label = 0; label < std::ssize(centroids_); ++label) {
            const Point& centroid = centroids_[label];
            if (x_.from(centroid.x, column).least + y_.from(centroid.y, row).least <=
                least_greatest) {
                candidates_[cell].push_back(label);
            }
        }
        only_[cell] = candidates_[cell].size() == 1 ? candidates_[cell][0] : kSeveral;
    }

    static constexpr std::int32_t kSeveral = -1;

    int bits_;
    Axis x_, y_;
    std::span<const Point> centroids_;
    std::vector<std::vector<std::int32_t>> candidates_;  // one ascending list per cell
    // The candidate of each cell that has only one, as most cells do. This fits a cache.
    std::vector<std::int32_t> only_;
};

}  // namespace

struct Verifier::Implementation {
    explicit Implementation(const Input& the_input) : input(the_input), grid(the_input) {
        centroids = input.centroids;
        do {
            before = std::move(centroids);
            grid.set_centroids(before);
            centroids = means();
            converged = centroids == before;
        } while (!input.ends_after(++iterations, converged));
    }

    // The centroids after one iteration from `before`, and their sizes.
    std::vector<Point> means() {
        struct Sum {
            std::int64_t x = 0, y = 0, count = 0;
        };
        std::vector<Sum> sums(before.size());
        std::mutex mutex;
        course::parallel_ranges(input.count(), [&](std::int64_t begin, std::int64_t end) {
            std::vector<Sum> own(sums.size());
            for (std::int64_t i = begin; i < end; ++i) {
                const Point point = input.point(i);
                Sum& sum = own[grid.nearest(point)];
                sum.x += point.x;
                sum.y += point.y;
                ++sum.count;
            }
            const std::lock_guard lock(mutex);
            for (std::size_t label = 0; label < sums.size(); ++label) {
                sums[label].x += own[label].x;
                sums[label].y += own[label].y;
                sums[label].count += own[label].count;
            }
        });
        std::vector<Point> result = before;
        sizes.assign(sums.size(), 0);
        for (std::size_t label = 0; label < sums.size(); ++label) {
            const Sum& sum = sums[label];
            sizes[label] = sum.count;
            if (sum.count == 0) continue;
            result[label] = {static_cast<std::int32_t>(sum.x / sum.count),
                             static_cast<std::int32_t>(sum.y / sum.count)};
        }
        return result;
    }

    // Returns what is wrong with the lists of k elements, or nothing.
    std::optional<std::string> check_clusters(const Output& output) const {
        if (std::ssize(output.labels) != input.count() ||
            output.centroids.size() != centroids.size() || output.sizes.size() != sizes.size()) {
            return "the output and the input differ in the number of points or centroids";
        }
        if (output.iterations != iterations) {
            return text("the stage did ", output.iterations, " iterations, the oracle ",
                        iterations);
        }
        if (output.converged != converged) {
            return text("the stage says that it has ", output.converged ? "" : "not ",
                        "converged; the oracle says the opposite");
        }
        for (std::size_t label = 0; label < centroids.size(); ++label) {
            if (output.centroids[label] != centroids[label]) {
                return text("centroid ", label, " is ", describe(output.centroids[label]),
                            "; the oracle's is ", describe(centroids[label]));
            }
            if (output.sizes[label] != sizes[label]) {
                return text("cluster ", label, " has ", output.sizes[label],
                            " points; the oracle's has ", sizes[label]);
            }
        }
        return std::nullopt;
    }

    // Returns what is wrong with the labels, or nothing; in that case it sets `sse`.
    std::optional<std::string> check_labels(const Output& output) {
        UInt128 total = 0;
        std::int64_t wrong = input.count();  // the first wrong point
        std::mutex mutex;
        course::parallel_ranges(input.count(), [&](std::int64_t begin, std::int64_t end) {
            UInt128 own = 0;
            std::int64_t i = begin;
            for (; i < end; ++i) {
                const Point point = input.point(i);
                const std::int32_t label = grid.nearest(point);
                if (output.labels[i] != label) break;
                const Point& centroid = centroids[label];
                own += squared(std::int64_t{point.x} - centroid.x) +
                       squared(std::int64_t{point.y} - centroid.y);
            }
            const std::lock_guard lock(mutex);
            total += own;
            if (i < end) wrong = std::min(wrong, i);
        });
        if (wrong < input.count()) {
            return text("point ", wrong, ' ', describe(input.point(wrong)), " has label ",
                        output.labels[wrong], "; the oracle's is ",
                        grid.nearest(input.point(wrong)));
        }
        sse = decimal(total);
        return std::nullopt;
    }

    const Input& input;
    Grid grid;  // its centroids are `before`
    std::vector<Point> before;  // the centroids before the last iteration, which decide the labels
    std::vector<Point> centroids;
    std::vector<std::int64_t> sizes;
    std::int64_t iterations = 0;
    bool converged = false;
    std::string sse;
};

Verifier::Verifier(const Input& input) : implementation_(std::make_unique<Implementation>(input)) {}
Verifier::~Verifier() = default;
const std::string& Verifier::sse() const { return implementation_->sse; }

course::Verdict Verifier::verify(const Output& output) {
    Implementation& oracle = *implementation_;
    if (const auto fault = oracle.check_clusters(output)) return {false, *fault};
    if (const auto fault = oracle.check_labels(output)) return {false, *fault};
    return {true, text("labels (", oracle.input.count(), "), centroids and sizes (",
                       oracle.input.k(), ") equal the oracle's after ", oracle.iterations,
                       oracle.iterations == 1 ? " iteration" : " iterations")};
}

double oracle_bytes(std::int64_t count, std::int64_t k) {
    const double cells = static_cast<double>(std::int64_t{1} << (2 * side_bits(count)));
    // The capacity of a list may be twice its length.
    return cells * (8.0 * static_cast<double>(k) + sizeof(std::vector<std::int32_t>) +
                    sizeof(std::int32_t));
}

}  // namespace kmeans
