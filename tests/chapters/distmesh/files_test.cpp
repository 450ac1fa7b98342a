// SPDX-License-Identifier: MIT
// Files and the command line of chapter distmesh.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numbers>
#include <sstream>

#include "common/base/error.hpp"
#include "problem/distmesh.hpp"
#include "tests/chapters/distmesh/solve.hpp"
#include "tests/chapters/stage_run.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course_test::message_of, course_test::read_file, course_test::ScratchFolder;
using distmesh::Input, distmesh::Output, distmesh::Point, distmesh::Region, distmesh::twice_area;
using distmesh_test::solve;

// ---- Files and command line

class Files : public testing::Test {
  protected:
    std::string error_of(const std::string& content) {
        return message_of<course::InputError>(
            [&] { distmesh::read_polygon(folder_.write("polygon", content)); });
    }
    course_test::RunResult run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "--check");
        return course_test::run_quietly(std::move(arguments), [](int argc, char** argv) {
            return distmesh::run_stage(
                argc, argv, "distmesh/test",
                [](const Input& in, Output& out, distmesh::PhaseTimer& timer) {
                    timer.begin(distmesh::Phase::kKernels);
                    solve(in, out);
                    timer.end();
                });
        });
    }
    // Expects this status, one line of diagnostics, and no output.
    void refuse(int status, const std::string& said, std::vector<std::string> arguments) {
        const std::string out = folder_ / "out.csv";
        arguments.insert(arguments.end(), {"--output", out});
        const auto result = run(arguments);
        EXPECT_EQ(result.status, status) << said << result.diagnostics;
        EXPECT_NE(result.diagnostics.find(said), std::string::npos) << result.diagnostics;
        EXPECT_EQ(std::ranges::count(result.diagnostics, '\n'), 1) << result.diagnostics;
        EXPECT_FALSE(std::filesystem::exists(out));
    }

    ScratchFolder folder_;
};

constexpr const char* kLetterL = "0 0\n2 0\n2 1\n1,1\n1 2\n0 2\n0 0\n";

TEST_F(Files, APolygonIsMeshed) {
    const std::string path = folder_.write("letter", kLetterL);
    const Region region = distmesh::read_polygon(path);
    EXPECT_EQ(region.fixed.size(), 6u);
    EXPECT_DOUBLE_EQ(distance(region.at_hand(), 0.5, 0.5), -0.5);
    const auto result = run({"--domain", "polygon", "--input", path, "--n", "80"});
    EXPECT_EQ(result.status, 0) << result.diagnostics;
    EXPECT_EQ(run({"--input", path, "--h0", "0.3"}).status, 0);
}

TEST_F(Files, FaultsOfPolygonsNameTheirLine) {
    const std::string start = folder_ / "polygon";
    EXPECT_EQ(error_of("0 0\n1 0\n1 1\n").find(start + ":3: the polygon is not closed"), 0u);
    EXPECT_EQ(error_of("0 0\n1 0\n0 0\n").find(start + ":3: "), 0u);
    EXPECT_EQ(error_of("0 0\n").find(start + ":1: "), 0u);
    EXPECT_EQ(error_of("0 0\n1 1\n1 0\n0 1\n0 0\n").find(start + ":4: the polygon crosses itself"),
              0u);
    EXPECT_EQ(error_of("0 0\n2 0\n1 0\n1 1\n0 0\n").find(start + ":3: "), 0u);  // and back
    EXPECT_EQ(error_of("0 0\n2 0\n2 2\n1 0\n0 2\n0 0\n").find(start + ":4: "), 0u);  // touches
    EXPECT_EQ(error_of("0 0\n1 0\n1 0\n1 1\n0 0\n").find(start + ":3: "), 0u);
    EXPECT_EQ(error_of("0 0\n1 x\n1 1\n0 0\n").find(start + ":2: "), 0u);
    EXPECT_EQ(error_of("0 0\n1 nan\n1 1\n0 0\n").find(start + ":2: "), 0u);
    EXPECT_EQ(error_of("0 0\n1 2 3\n1 1\n0 0\n").find(start + ":2: "), 0u);
    EXPECT_NE(error_of(""), "");
    EXPECT_EQ(error_of(kLetterL), "");
    EXPECT_THROW(distmesh::read_polygon("no/such/file"), course::InputError);
}

TEST_F(Files, RefusesADomainThatItsCoordinatesDoNotResolve) {
    const std::string tiny = folder_.write(
        "tiny", "999999 999999\n999999.00000001 999999\n999999 999999.00000001\n999999 999999\n");
    refuse(2, "too little for a coordinate", {"--input", tiny, "--n", "100"});
    refuse(2, "too little for a coordinate", {"--input", tiny, "--h0", "1e-9"});
    refuse(2, "too small for a coordinate", {"--plus", "circle:1e6,0,1e-3", "--h0", "1e-3"});
    const std::string far = folder_.write("far", "999999 0\n999999 1\n999998 1\n999999 0\n");
    refuse(2, "too small for a coordinate", {"--input", far, "--n", "1000"});
    const std::string smallest = folder_.write("smallest", "0 0\n1e-200 0\n0 1e-200\n0 0\n");
    refuse(2, "too little for a coordinate", {"--input", smallest, "--n", "100"});
}

// The lattice starts 0.0005 h0 beside a corner of this square.
TEST_F(Files, ACornerBesideTheLatticeIsKept) {
    const std::string square = folder_.write(
        "square",
        "0.7070261869647182 0.7071873662235004\n-0.7071873662235002 0.7070261869647184\n"
        "-0.7070261869647184 -0.7071873662235002\n0.7071873662235001 -0.7070261869647185\n"
        "0.7070261869647182 0.7071873662235004\n");
    const auto result = run({"--input", square, "--n", "21"});
    EXPECT_EQ(result.status, 0) << result.diagnostics;
}

// Meshes that are too coarse for the domain, or a corner that is too sharp: no stage is accused.
TEST_F(Files, RefusesADomainWithoutARightMesh) {
    const std::string said = "too coarse for this domain, or a corner is too sharp";
    const std::string spike =
        folder_.write("spike", "0 0\n1 0\n1 0.49999\n3 0.5\n1 0.50001\n1 1\n0 1\n0 0\n");
    refuse(2, said, {"--input", spike, "--n", "100", "--max-iterations", "200"});
    refuse(
        2, said,
        {"--domain", "wing", "--minus", "square:0,0,0.2", "--n", "100", "--max-iterations", "200"});
    refuse(2, said,
           {"--domain", "ellipse", "--minus", "square:0.004,0.964,0.551", "--n", "30",
            "--max-iterations", "200"});
    refuse(2, said, {"--domain", "wing", "--n", "13"});
}

TEST_F(Files, RefusesWhatCannotBeRight) {
    refuse(2, "--h0", {"--h0", "0"});
    refuse(2, "--h0", {"--h0", "-1"});
    refuse(2, "--h0", {"--h0", "nan"});
    refuse(2, "larger than the domain", {"--h0", "2.1"});
    refuse(2, "lattice", {"--h0", "1e-6"});
    refuse(2, "--n", {"--h0", "0.2", "--n", "5"});
    refuse(2, "--n 2", {"--n", "2"});
    refuse(2, "--domain", {"--domain", "torus"});
    refuse(2, "--domain polygon", {"--domain", "polygon"});
    refuse(2, "--domain ring", {"--domain", "ring", "--input", "circle"});
    refuse(2, "--domain ring", {"--domain", "ring", "--input", folder_.write("letter", kLetterL)});
    refuse(2, "--max-iterations", {"--max-iterations", "-1"});
    refuse(2, "--minus", {"--minus", "torus"});
    refuse(2, "--grading", {"--grading", "-1"});
    refuse(2, "empty", {"--minus", "circle"});
    refuse(2, "a mesh needs at least three", {"--minus", "circle", "--h0", "0.2"});
    refuse(2, "too coarse for the domain: no triangle of its 3 points",
           {"--domain", "ring", "--n", "6"});
    refuse(1, "polygon:4: ", {"--input", folder_.write("polygon", "0 0\n1 1\n1 0\n0 1\n0 0\n")});
    refuse(1, "no/such/file", {"--input", "no/such/file"});
    refuse(1, "no/such/file", {"--fixed", "no/such/file"});
    refuse(1, "fixed:2: the point is 0.4142", {"--fixed", folder_.write("fixed", "0 0.5\n1 1\n")});
    refuse(1, "fixed:1: ", {"--fixed", folder_.write("fixed", "0 x\n")});
}

TEST_F(Files, FixedPointsStay) {
    const std::string out = folder_ / "out.vtk";
    const auto result = run(
        {"--h0", "0.3", "--fixed", folder_.write("fixed", "0.1 0.2\n-0.5,0\n"), "--output", out});
    ASSERT_EQ(result.status, 0) << result.diagnostics;
    EXPECT_NE(read_file(out).find("double\n-0.5 0 0\n0.1 0.2 0\n"), std::string::npos)
        << read_file(out);
}

TEST_F(Files, AreVtkOrCsv) {
    const std::string vtk = folder_ / "mesh.vtk", csv = folder_ / "mesh";
    ASSERT_EQ(run({"--h0", "0.2", "--output", vtk}).status, 0);
    ASSERT_EQ(run({"--h0", "0.2", "--output", csv}).status, 0);
    std::istringstream in(read_file(vtk));
    std::string line, word;
    std::getline(in, line);
    EXPECT_EQ(line, "# vtk DataFile Version 3.0");
    std::size_t points = 0, cells = 0, numbers = 0;
    in >> word >> word >> word >> word >> word >> points >> word;
    ASSERT_EQ(points, 88u);
    std::vector<Point> places(points);
    double zero = 1;
    for (Point& p : places) in >> p.x >> p.y >> zero;
    in >> word >> cells >> numbers;
    ASSERT_EQ(cells, 143u);
    EXPECT_EQ(numbers, 4 * cells);
    double area = 0;
    for (std::size_t i = 0; i < cells; ++i) {
        std::size_t three, a, b, c;
        in >> three >> a >> b >> c;
        ASSERT_TRUE(three == 3 && std::max({a, b, c}) < points);
        area += twice_area(places[a], places[b], places[c]) / 2;
    }
    EXPECT_NEAR(area, std::numbers::pi, 0.04);
    std::istringstream table(read_file(csv));
    std::getline(table, line);
    EXPECT_EQ(line, "x1,y1,x2,y2,x3,y3,quality");
    std::size_t rows = 0;
    while (std::getline(table, line)) {
        EXPECT_EQ(std::ranges::count(line, ','), 6);
        ++rows;
    }
    EXPECT_EQ(rows, 143u);
}

}  // namespace
