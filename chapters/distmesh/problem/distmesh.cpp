// SPDX-License-Identifier: MIT
// The problem and main() of chapter distmesh.
#include "problem/distmesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/harness/command_line.hpp"
#include "common/input/inputs.hpp"

namespace distmesh {

using course::text;

namespace {

constexpr std::int64_t kFewestPoints = 3;

void write_csv(std::ostream& out, const Output& output) {
    out << "x1,y1,x2,y2,x3,y3,quality\n";
    std::string line;
    for (const auto& [a, b, c] : output.triangles) {
        line.clear();
        const Point p = output.points[a], q = output.points[b], r = output.points[c];
        course::append_csv(line, p.x, p.y, q.x, q.y, r.x, r.y, quality(p, q, r));
        out << line;
    }
}

// The legacy format of VTK 3.0, as text.
void write_vtk(std::ostream& out, const Output& output) {
    out << "# vtk DataFile Version 3.0\ndistmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS "
        << output.points.size() << " double\n";
    std::string line;
    for (const Point& point : output.points) {
        line.clear();
        course::append_number(line, point.x);
        line += ' ';
        course::append_number(line, point.y);
        out << line << " 0\n";
    }
    const std::size_t triangles = output.triangles.size();
    out << "CELLS " << triangles << ' ' << 4 * triangles << '\n';
    for (const auto& [a, b, c] : output.triangles) out << "3 " << a << ' ' << b << ' ' << c << '\n';
    out << "CELL_TYPES " << triangles << '\n';
    for (std::size_t i = 0; i < triangles; ++i) out << "5\n";
    out << "CELL_DATA " << triangles << "\nSCALARS quality double 1\nLOOKUP_TABLE default\n";
    for (const auto& [a, b, c] : output.triangles) {
        line.clear();
        course::append_csv(line, quality(output.points[a], output.points[b], output.points[c]));
        out << line;
    }
}

class DistMesh final : public course::Problem {
  public:
    explicit DistMesh(GenerateMesh generate_mesh) : generate_mesh_(generate_mesh) {}

    std::string_view chapter() const override { return "distmesh"; }
    std::string_view summary() const override {
        return "Distmesh: covers a domain with triangles, by bars that push their ends apart";
    }
    std::string_view n_help() const override { return "approximate number of points; sets h0"; }
    std::string_view input_help() const override {
        return "a name that --domain takes, or the file of a polygon: lines `x y`; the last line "
               "repeats the first";
    }

    void add_options(course::CommandLine& command_line) override {
        command_line.add_choice("--domain", domain_,
                                {"circle", "ellipse", "polygon", "square-hole", "ring", "wing"},
                                "what to mesh");
        command_line.add_real(
            "--h0", h0_,
            "spacing of the points at the start, and length of the shortest bars; "
            "replaces --n");
        command_line.add_text("--fixed", fixed_, "file of points that stay in place: lines `x y`");
        command_line.add_text(
            "--minus", minus_,
            "shape to cut out of the domain: circle, ellipse, square or wing; NAME "
            "or NAME:x,y,scale");
        command_line.add_text("--plus", plus_, "shape to add to the domain, before --minus");
        command_line.add_real("--grading", grading_,
                              "bars are longer by this factor times the distance from the boundary "
                              "of the last shape; default: the domain's own",
                              0, 1e6);
        command_line.add_integer("--max-iterations", input_.max_iterations,
                                 "limit of iterations; reaching it is no failure; 0: the lattice",
                                 0);
        command_line_ = &command_line;
    }

    std::int64_t default_n(std::string_view engine, bool check) const override {
        if (check) return 300;
        if (engine == "gpu") return 10'000;
        return engine == "cpu" ? 5000 : 500;
    }
    // At most, per point: two copies of it; six edges with ends, lengths and force; twelve
    // half-edges with corner, twin, edge and place in a list; and the lists of repairs.
    double device_bytes(std::int64_t n) const override { return 600.0 * static_cast<double>(n); }
    double host_bytes(std::int64_t n) const override { return 2000.0 * static_cast<double>(n); }

    void prepare(const course::StageOptions& options, const course::Backend&) override {
        const Region region = find_region(options);
        refuse_unresolved(region);
        const Box box = region.box();
        const double width = std::fmin(box.width(), box.height());
        if (command_line_->given("--h0")) {
            if (options.n_given) throw course::UsageError("--h0 and --n cannot be combined");
            if (!(h0_ > 0)) throw course::UsageError(text("--h0 ", h0_, ": must be above 0"));
            if (h0_ > width) {
                throw course::UsageError(
                    text("--h0 ", h0_, ": larger than the domain, which is ", width, " wide"));
            }
        } else {
            if (options.n < kFewestPoints) {
                throw course::UsageError(
                    text("--n ", options.n, ": a mesh has at least ", kFewestPoints, " points"));
            }
            h0_ = spacing_for(region, options.n);
        }
        refuse_unresolved(region, h0_);
        input_.h0 = h0_;
        std::vector<Point> fixed;
        if (!fixed_.empty()) fixed = read_fixed(fixed_, region.at_hand(), h0_);
        place_points(input_, region, fixed, options.seed);
        n_ = command_line_->given("--h0") ? input_.count() : options.n;
        const bool altered = !minus_.empty() || !plus_.empty() || !fixed_.empty() ||
                             command_line_->given("--grading");
        expected_ = expected_of(altered ? "" : input_name_, region, h0_);
    }

    std::int64_t n() const override { return n_; }
    double serial_seconds() const override {
        // Most meshes are at rest within some hundred iterations.
        const auto iterations =
            static_cast<double>(std::min<std::int64_t>(input_.max_iterations, 300));
        return 0.5e-6 * static_cast<double>(n_) * iterations;
    }
    std::string input_name() const override { return input_name_; }
    std::string parameters() const override {
        std::string result = text("max-iterations=", input_.max_iterations);
        if (command_line_->given("--h0")) result += text(";h0=", h0_);  // else it follows from n
        if (!plus_.empty()) result += ";plus=" + plus_;
        if (!minus_.empty()) result += ";minus=" + minus_;
        if (command_line_->given("--grading")) result += text(";grading=", grading_);
        if (!fixed_.empty()) result += ";fixed=" + fixed_;
        return result;
    }

    void poison_output() override {
        constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
        output_.points.assign(3, Point{kNan, kNan});
        output_.triangles.assign(1, Triangle{-1, -1, -1});
        output_.iterations = output_.triangulations = -1;
        output_.host_triangulations = -1;
        output_.converged = true;
    }

    void run(PhaseTimer& timer) override {
        generate_mesh_(input_, output_, timer);
        times_ = timer.times();
    }

    course::Verdict verify() override {
        course::Verdict verdict = verdict_of(input_, expected_, output_, measures_);
        // A stage that wrote nothing is wrong for any domain.
        const bool wrote = output_.triangulations > 0 && !output_.triangles.empty();
        if (!verdict.passed && wrote) refuse_unfit_domain(input_, expected_);
        return verdict;
    }

    void exchange_result(course::ResultFile& file) override {
        file.sized_list(output_.points);
        file.sized_list(output_.triangles);
        file.number(output_.iterations);
        file.number(output_.triangulations);
        file.number(output_.host_triangulations);
        file.flag(output_.converged);
    }

    std::vector<course::ReportField> report() const override {
        return {{"h0", text(h0_)},
                {"iterations", text(output_.iterations)},
                {"triangulations", text(output_.triangulations)},
                {"host_triangulations", text(output_.host_triangulations)},
                {"converged", output_.converged ? "yes" : "not converged"},
                {"nodes", text(output_.points.size())},
                {"triangles", text(output_.triangles.size())},
                {"min_quality", text(measures_.least_quality)},
                {"mean_quality", text(measures_.mean_quality)},
                {"area", text(measures_.area)},
                // Of the last repeat. The triangulations on the host belong to no phase.
                {"copies_ms", text(times_.copy_in_ms + times_.copy_out_ms)},
                {"triangulations_ms",
                 text(std::fmax(0.0, times_.total_ms - times_.setup_ms - times_.copy_in_ms -
                                         times_.kernels_ms - times_.copy_out_ms))}};
    }

    void write_output(std::ostream& out, PhaseTimer&) override {
        if (vtk_) {
            write_vtk(out, output_);
        } else {
            write_csv(out, output_);
        }
    }

  private:
    Region find_region(const course::StageOptions& options) {
        vtk_ = options.output.ends_with(".vtk");
        const bool named = course::is_one_of(kDomainNames, options.input);
        input_name_ = options.input.empty() ? domain_ : options.input;
        if (command_line_->given("--domain") && !options.input.empty() &&
            (named ? options.input != domain_ : domain_ != "polygon")) {
            throw course::UsageError(
                text("--domain ", domain_, ": --input ", options.input, " names another domain"));
        }
        if (options.input.empty() && domain_ == "polygon") {
            throw course::UsageError("--domain polygon: --input must name its file");
        }
        Region region =
            named || options.input.empty() ? make_region(input_name_) : read_polygon(input_name_);
        if (!plus_.empty()) add_shape(region, Join::kUnion, "--plus", plus_);
        if (!minus_.empty()) add_shape(region, Join::kDifference, "--minus", minus_);
        if (command_line_->given("--grading")) {
            region.domain.grading = grading_;
            region.domain.graded_shape = region.domain.count - 1;
        }
        return region;
    }

    GenerateMesh generate_mesh_;
    const course::CommandLine* command_line_ = nullptr;
    std::string domain_ = "circle";
    std::string fixed_, minus_, plus_, input_name_;
    double h0_ = 0.2;
    double grading_ = 0;
    bool vtk_ = false;
    std::int64_t n_ = 0;
    Input input_;
    Output output_;
    Expected expected_;
    Measures measures_;
    course::PhaseTimes times_;
};

}  // namespace

int run_stage(int argc, char** argv, std::string_view stage_name, GenerateMesh generate_mesh) {
    return course::run_problem(argc, argv, stage_name,
                               [&] { return std::make_unique<DistMesh>(generate_mesh); });
}

}  // namespace distmesh
