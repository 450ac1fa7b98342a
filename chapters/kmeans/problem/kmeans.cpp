// SPDX-License-Identifier: MIT
// The problem and main() of chapter kmeans.
#include "problem/kmeans.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/harness/command_line.hpp"
#include "common/input/inputs.hpp"

namespace kmeans {

using course::text;

std::vector<std::int32_t> to_lists(std::span<const Point> points) {
    const std::size_t count = points.size();
    std::vector<std::int32_t> lists(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
        lists[i] = points[i].x;
        lists[count + i] = points[i].y;
    }
    return lists;
}

void from_lists(std::span<const std::int32_t> lists, std::span<Point> points) {
    const std::size_t count = points.size();
    for (std::size_t i = 0; i < count; ++i) points[i] = {lists[i], lists[count + i]};
}

namespace {

constexpr std::string_view kCentroidsFlag = "--centroids";
constexpr int kDefaultK = 4;

// Writes a line of CSV for each number: point(i) and the number.
template <class Number, class PointAt>
void write_lines(std::ostream& out, const std::vector<Number>& numbers, const PointAt& point) {
    std::string line;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        line.clear();
        course::append_csv(line, point(i).x, point(i).y, numbers[i]);
        out << line;
    }
}

class KMeans final : public course::Problem {
  public:
    KMeans(FindClusters find_clusters, Layout layout, double device_bytes_per_point)
        : find_clusters_(find_clusters),
          layout_(layout),
          device_bytes_per_point_(device_bytes_per_point) {}

    std::string_view chapter() const override { return "kmeans"; }
    std::string_view summary() const override {
        return "K-means: points of the plane in k clusters, by Lloyd's iterations on integers";
    }
    std::string_view n_help() const override { return "points"; }
    std::string_view input_help() const override { return input_help_; }

    void add_options(course::CommandLine& command_line) override {
        command_line.add_integer("--k", k_,
                                 "clusters, at most n (the default is 4, or n if that is less)", 1,
                                 static_cast<int>(kMaxCentroids));
        command_line.add_text("--init", init_,
                              "initial centroids: first, random, plusplus, or a file of k lines "
                              "`x y` or `x,y`");
        command_line.add_integer("--max-iterations", input_.max_iterations,
                                 "the most iterations; ending there is not a failure");
        command_line.add_flag("--all-iterations", input_.all_iterations,
                              "go on to --max-iterations even when no centroid moves any more, so "
                              "that runs of all sizes do the same number of iterations");
        command_line.add_integer("--max-coordinate", max_coordinate_,
                                 "named inputs keep their coordinates within this distance of 0", 1,
                                 kMaxCoordinate);
        command_line_ = &command_line;
    }

    std::int64_t default_n(std::string_view engine, bool check) const override {
        if (check) return 1000;
        if (engine == "gpu") return 16'000'000;
        return engine == "cpu" ? 1'000'000 : 20'000;
    }
    double device_bytes(std::int64_t n) const override {
        // Per cluster, a centroid, a size, and partial sums (04 and 05): two for each of some
        // hundred multiprocessors.
        return device_bytes_per_point_ * static_cast<double>(n) + 8192.0 * k_;
    }
    double host_bytes(std::int64_t n) const override {
        // First the points, and in addition the weights of plusplus or the copy as two lists; later
        // the points in one layout, the labels and the oracle.
        const bool twice = init_ == "plusplus" || layout_ == Layout::kLists;
        const double points = 8.0 * static_cast<double>(n);
        return std::max(twice ? 2 * points : points, 1.5 * points + oracle_bytes(n, k_));
    }

    void prepare(const course::StageOptions& options, const course::Backend&) override {
        input_name_ = options.input.empty() ? "uniform" : options.input;
        const bool named = course::is_one_of(kInputNames, input_name_);
        std::vector<Point> points;
        if (!named) {
            if (command_line_->given("--max-coordinate")) {
                throw course::UsageError(text("--max-coordinate ", max_coordinate_, ": ",
                                              input_name_, " is a file, not a named input"));
            }
            points = read_points(input_name_);
            course::refuse_other_n(options.n_given ? options.n : 0, input_name_, std::ssize(points),
                                   "points");
        }
        const std::int64_t count = named ? options.n : std::ssize(points);
        if (k_ > count) {
            if (command_line_->given("--k")) {
                throw course::UsageError(text("--k ", k_, ": ", input_name_, " has only ", count,
                                              count == 1 ? " point" : " points"));
            }
            k_ = static_cast<int>(count);
        }
        if (named) points = make_points(input_name_, count, k_, options.seed, {}, max_coordinate_);
        input_.centroids = make_centroids(init_, points, k_, options.seed);
        if (layout_ == Layout::kLists) {
            input_.lists = to_lists(points);
            points = std::vector<Point>();  // frees their memory for the labels
        } else {
            input_.points = std::move(points);
        }
        output_.labels.resize(count);
        output_.centroids.resize(input_.centroids.size());
        output_.sizes.resize(input_.centroids.size());
    }

    std::int64_t n() const override { return input_.count(); }
    double serial_seconds() const override {
        // Most inputs converge within a hundred iterations.
        const std::int64_t iterations = input_.all_iterations
                                            ? input_.max_iterations
                                            : std::min<std::int64_t>(input_.max_iterations, 100);
        return 1e-9 * static_cast<double>(n()) * k_ * static_cast<double>(iterations);
    }
    std::string input_name() const override { return input_name_; }
    std::string parameters() const override {
        return text(
            "k=", k_, ";init=", init_, ";max-iterations=", input_.max_iterations,
            input_.all_iterations ? ";all-iterations=1" : "",
            max_coordinate_ == kMaxCoordinate ? "" : text(";max-coordinate=", max_coordinate_));
    }

    void poison_output() override {
        constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::min();
        std::ranges::fill(output_.labels, -1);
        std::ranges::fill(output_.centroids, Point{kNone, kNone});
        std::ranges::fill(output_.sizes, -1);
        output_.iterations = -1;
        output_.converged = false;
        output_.preparation_ms = 0;
    }

    void run(PhaseTimer& timer) override { find_clusters_(input_, output_, timer); }

    course::Verdict verify() override {
        if (!verifier_) verifier_.emplace(input_);
        return verifier_->verify(output_);
    }

    void exchange_result(course::ResultFile& file) override {
        file.list(output_.labels);
        file.list(output_.centroids);
        file.list(output_.sizes);
        file.number(output_.iterations);
        file.flag(output_.converged);
    }

    std::vector<course::ReportField> report() const override {
        std::vector<course::ReportField> fields = {
            {"iterations", text(output_.iterations)},
            {"converged", output_.converged ? "yes" : "not converged"},
            {"sse", verifier_ ? verifier_->sse() : ""}};
        if (output_.preparation_ms > 0) {
            fields.emplace_back("preparation_ms", output_.preparation_ms);
        }
        return fields;
    }

    void write_output(std::ostream& out, PhaseTimer&) override {
        out << "x,y,label\n";
        write_lines(out, output_.labels, [&](std::size_t i) { return input_.point(i); });
    }

    std::vector<course::OutputFile> further_outputs() const override {
        return {
            {std::string(kCentroidsFlag), "write the centroids and the sizes of their clusters"}};
    }
    void write_further_output(std::string_view, std::ostream& out) override {
        out << "x,y,size\n";
        write_lines(out, output_.sizes, [&](std::size_t i) { return output_.centroids[i]; });
    }

  private:
    const std::string input_help_ =
        course::names_for_help(kInputNames) + ", or a file of lines `x y` or `x,y`";
    FindClusters find_clusters_;
    Layout layout_;
    double device_bytes_per_point_;
    const course::CommandLine* command_line_ = nullptr;
    std::string input_name_;
    std::string init_ = "random";
    int k_ = kDefaultK;
    std::int64_t max_coordinate_ = kMaxCoordinate;
    Input input_;
    Output output_;
    std::optional<Verifier> verifier_;
};

}  // namespace

int run_stage(int argc, char** argv, std::string_view stage_name, FindClusters find_clusters,
              Layout layout, double device_bytes_per_point) {
    return course::run_problem(argc, argv, stage_name, [&] {
        return std::make_unique<KMeans>(find_clusters, layout, device_bytes_per_point);
    });
}

}  // namespace kmeans
