// SPDX-License-Identifier: MIT
// The rows of the lattice that the points at the start lie on.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "problem/distmesh.hpp"

namespace distmesh {

Rows rows_of(const Input& input) {
    Rows rows;
    const std::vector<Point>& points = input.points;
    const auto fixed = static_cast<std::size_t>(input.fixed);
    if (points.size() == fixed) return rows;
    // Points of one row have the same y to the bit.
    const double height = input.h0 * std::numbers::sqrt3 / 2, origin = points[fixed].y;
    const auto row_of = [&](const Point& point) { return std::lrint((point.y - origin) / height); };
    long lowest = 0, highest = 0;
    for (std::size_t i = fixed; i < points.size(); ++i) {
        lowest = std::min(lowest, row_of(points[i]));
        highest = std::max(highest, row_of(points[i]));
    }
    std::vector<std::int32_t> counts(highest - lowest + 1, 0);
    std::vector<double> heights(counts.size());
    for (std::size_t i = fixed; i < points.size(); ++i) {
        const long row = row_of(points[i]) - lowest;
        ++counts[row];
        heights[row] = points[i].y;
    }
    // The fixed points come first, and most of them are on no row.
    std::vector<std::int32_t> listed;
    std::vector<bool> mixed(counts.size(), false);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto index = static_cast<std::int32_t>(i);
        const long row = row_of(points[i]) - lowest;
        if (i >= fixed) {
            listed.push_back(index);
        } else if (row >= 0 && row <= highest - lowest && counts[row] > 0 &&
                   heights[row] == points[i].y) {
            listed.push_back(index);
            ++counts[row];
            mixed[row] = true;
        } else {
            rows.loose.push_back(index);
        }
    }
    // The lattice is made column by column, so each row stays sorted by x.
    std::vector<std::int32_t> places(counts.size(), 0);
    for (std::size_t row = 1; row < counts.size(); ++row) {
        places[row] = places[row - 1] + counts[row - 1];
    }
    rows.points.resize(listed.size());
    for (const std::int32_t i : listed) rows.points[places[row_of(points[i]) - lowest]++] = i;
    rows.begins.push_back(0);
    for (std::size_t row = 0; row < counts.size(); ++row) {
        if (counts[row] == 0) continue;
        const auto first = rows.points.begin() + rows.begins.back();
        if (mixed[row]) {
            std::sort(first, first + counts[row],
                      [&](auto i, auto j) { return points[i].x < points[j].x; });
        }
        rows.begins.push_back(places[row]);
    }
    return rows;
}

}  // namespace distmesh
