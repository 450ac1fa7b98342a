// SPDX-License-Identifier: MIT
// The first triangulation of stage limit/06_rows is Delaunay's, and covers what the host's covers,
// on domains whose fixed points are on rows.
#define main stage_main
#include "limit/06_rows/distmesh.cu"
#undef main

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/backends/backend.hpp"
#include "tests/chapters/distmesh/solve.hpp"

namespace {

using course::cuda_check, course::resident_blocks;
using distmesh::Join, distmesh::kGhost, distmesh::Point, distmesh::Region, distmesh::Triangle;

struct Case {
    std::string domain, minus;
    double grading;
    int count;
};

double area_of(const std::vector<Point>& points, const std::vector<Triangle>& triangles) {
    double twice = 0;
    for (const auto& [a, b, c] : triangles) {
        twice += distmesh::twice_area(points[a], points[b], points[c]);
    }
    return twice / 2;
}

class FirstTriangulation : public testing::TestWithParam<Case> {};

TEST_P(FirstTriangulation, IsTheHosts) {
    const auto& [domain, minus, grading, count] = GetParam();
    Region region = distmesh::make_region(domain);
    if (!minus.empty()) add_shape(region, Join::kDifference, "--minus", minus);
    if (grading > 0) {
        region.domain.grading = grading;
        region.domain.graded_shape = region.domain.count - 1;
    }
    const auto input = distmesh_test::make_input(region, spacing_for(region, count));
    const Rows rows = rows_of(*input);
    ASSERT_TRUE(rows.loose.empty());
    distmesh_test::Mesh host(*input);
    ASSERT_TRUE(host.triangulate());

    const auto backend = course::open_backend(0);
    PhaseTimer timer(*backend);
    ResidentMesh resident(
        *input, {distmesh::iterate_kernel, resident_blocks(distmesh::iterate_kernel, kBlockSize)},
        timer);
    ASSERT_TRUE(triangulate_rows(rows, resident, timer));
    std::vector<Triangle> triangles(2 * resident.mesh.bar_count / 3);
    std::vector<int> twins(2 * resident.mesh.bar_count), edges(twins.size());
    cuda_check(cudaMemcpy(triangles.data(), resident.triangles.corners,
                          triangles.size() * sizeof(Triangle), cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(twins.data(), resident.triangles.twins, twins.size() * sizeof(int),
                          cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(edges.data(), resident.triangles.edges, edges.size() * sizeof(int),
                          cudaMemcpyDeviceToHost));
    std::vector<int> corners;
    for (const auto& [a, b, c] : triangles) corners.insert(corners.end(), {a, b, c});
    std::vector<int> seen(resident.mesh.bar_count, 0);
    for (int h = 0; h < static_cast<int>(twins.size()); ++h) {
        const int g = twins[h];
        ASSERT_EQ(twins[g], h);
        ASSERT_EQ(corners[g], corners[h % 3 == 2 ? h - 2 : h + 1]);
        ASSERT_EQ(edges[g], edges[h]);
        ++seen.at(edges[h]);
    }
    EXPECT_EQ(std::ranges::count(seen, 2), static_cast<std::ptrdiff_t>(seen.size()));
    std::erase_if(triangles, [&](const Triangle& triangle) {
        const auto& [a, b, c] = triangle;
        return a == kGhost || b == kGhost || c == kGhost ||
               !is_inside(input->domain, input->h0, input->points[a], input->points[b],
                          input->points[c]);
    });
    for (const auto& [a, b, c] : triangles) {
        const std::vector<Point>& points = input->points;
        for (const Point& point : points) {
            ASSERT_LE(distmesh::in_circle(points[a], points[b], points[c], point), 0);
        }
    }
    // Of four points on one circle, the host may have the other diagonal. Elsewhere all is the
    // same.
    EXPECT_EQ(triangles.size(), host.triangles.size());
    EXPECT_NEAR(area_of(input->points, triangles), area_of(input->points, host.triangles), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Domains, FirstTriangulation,
                         testing::Values(Case{"circle", "", 0, 60}, Case{"circle", "", 0, 300},
                                         Case{"ellipse", "", 0, 300}, Case{"ring", "", 0, 300},
                                         Case{"circle", "circle:0,0,0.3", 4, 300},
                                         Case{"circle", "circle:0,0,0.3", 12, 1500},
                                         Case{"circle", "circle:0.3,0,0.3", 0, 1500}));

}  // namespace
