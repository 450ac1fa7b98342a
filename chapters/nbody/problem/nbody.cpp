// SPDX-License-Identifier: MIT
// The problem and main() of chapter nbody.
#include "problem/nbody.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/harness/command_line.hpp"
#include "common/input/inputs.hpp"

namespace nbody {

using course::fixed;
using course::text;

std::vector<float> to_lists(std::span<const Vector3> vectors) {
    const std::size_t count = vectors.size();
    std::vector<float> lists(3 * count);
    for (std::size_t i = 0; i < count; ++i) {
        lists[i] = vectors[i].x;
        lists[count + i] = vectors[i].y;
        lists[2 * count + i] = vectors[i].z;
    }
    return lists;
}

void from_lists(std::span<const float> lists, std::span<Vector3> vectors) {
    const std::size_t count = vectors.size();
    for (std::size_t i = 0; i < count; ++i) {
        vectors[i] = {lists[i], lists[count + i], lists[2 * count + i]};
    }
}

namespace {

class NBody final : public course::Problem {
  public:
    NBody(AdvanceBodies advance_bodies, PullError pull_error)
        : advance_bodies_(advance_bodies), pull_error_(pull_error) {}

    std::string_view chapter() const override { return "nbody"; }
    std::string_view summary() const override {
        return "N-body: the pull of every body on every other, and leapfrog in time";
    }
    std::string_view n_help() const override { return "bodies"; }
    std::string_view input_help() const override { return input_help_; }

    void add_options(course::CommandLine& command_line) override {
        command_line.add_integer("--steps", steps_,
                                 "leapfrog steps; 0: evaluate the accelerations once", 0);
        command_line.add_real(
            "--dt", dt_, "length of a step, from 1e-30 to 1e30; default: depends on the input");
        command_line.add_real("--softening", softening_,
                              "softening length, from 5e-7 to 1e6; default: depends on the input");
        command_line.add_integer("--output-every", output_.every,
                                 "--output holds only every N-th step");
        command_line_ = &command_line;
    }

    std::int64_t default_n(std::string_view engine, bool check) const override {
        if (check) return 1000;
        return engine == "gpu" ? 65'536 : 2048;
    }
    double device_bytes(std::int64_t n) const override { return 44.0 * static_cast<double>(n); }
    double host_bytes(std::int64_t n) const override { return 200.0 * static_cast<double>(n); }

    void prepare(const course::StageOptions& options, const course::Backend&) override {
        const std::string name = options.input.empty() ? "plummer" : options.input;
        input_name_ = name;
        if (course::is_one_of(kInputNames, name)) {
            const bool sets_n = name == "solar" || name == "figure-eight";
            input_ = make_input(name, sets_n && !options.n_given ? 0 : options.n, options.seed);
        } else {
            input_ = read_input(name);
            course::refuse_other_n(options.n_given ? options.n : 0, name, input_.count(), "bodies");
        }
        if (command_line_->given("--dt")) input_.dt = static_cast<float>(dt_);
        if (command_line_->given("--softening")) input_.softening = static_cast<float>(softening_);
        // Compared as float, so that the texts 5e-7 and 1e-30 pass.
        if (!is_in_range(input_.dt, kMinDt, kMaxDt)) {
            throw course::UsageError(
                text("--dt ", dt_, ": a step must be from ", kMinDt, " to ", kMaxDt, " long"));
        }
        if (!is_in_range(input_.softening, kMinSoftening, kMaxSoftening)) {
            throw course::UsageError(text("--softening ", softening_, ": must be from ",
                                          kMinSoftening, " to ", kMaxSoftening,
                                          ", or a pull in float is not a number"));
        }
        input_.steps = steps_;
        const std::size_t count = input_.bodies.size();
        output_.bodies.resize(count);
        output_.velocities.resize(count);
        output_.accelerations.resize(count);
        seed_ = options.seed;
    }

    std::int64_t n() const override { return input_.count(); }
    double serial_seconds() const override {
        const auto bodies = static_cast<double>(input_.count());
        return 3e-9 * bodies * bodies * (static_cast<double>(input_.steps) + 1);
    }
    std::string input_name() const override { return input_name_; }
    std::string parameters() const override {
        return text("steps=", input_.steps, ";dt=", input_.dt, ";softening=", input_.softening);
    }

    void poison_output() override {
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        std::fill(output_.bodies.begin(), output_.bodies.end(), Body{kNan, kNan, kNan, kNan});
        std::fill(output_.velocities.begin(), output_.velocities.end(), Vector3{kNan, kNan, kNan});
        std::fill(output_.accelerations.begin(), output_.accelerations.end(),
                  Vector3{kNan, kNan, kNan});
    }

    void run(PhaseTimer& timer) override { advance_bodies_(input_, output_, timer); }

    course::Verdict verify() override {
        if (!verifier_) verifier_.emplace(input_, seed_, pull_error_);
        return verifier_->verify(output_);
    }

    void exchange_result(course::ResultFile& file) override {
        file.list(output_.bodies);
        file.list(output_.velocities);
        file.list(output_.accelerations);
    }

    std::vector<course::ReportField> report() const override {
        std::vector<course::ReportField> fields = {
            {"pairs", fixed(static_cast<double>(n()) * static_cast<double>(n()) *
                                static_cast<double>(input_.steps + 1),
                            0)}};
        if (input_.steps > 0 && verifier_) {
            // From a sample it is an estimate, whose error may be larger than the drift.
            const bool sampled = n() > Verifier::kMaxAllBodies;
            fields.push_back({sampled ? "energy_drift_of_sample" : "energy_drift",
                              text(verifier_->energy_drift())});
        }
        return fields;
    }

    // Runs the stage again, and writes states on the way.
    void write_output(std::ostream& out, PhaseTimer& timer) override {
        const auto write_state = [&out](std::int64_t step, std::span<const Body> bodies,
                                        std::span<const Vector3> velocities) {
            std::string line;
            for (std::size_t i = 0; i < bodies.size(); ++i) {
                const Body& body = bodies[i];
                const Vector3& velocity = velocities[i];
                line.clear();
                course::append_csv(line, step, i, body.x, body.y, body.z, velocity.x, velocity.y,
                                   velocity.z);
                out << line;
            }
        };
        out << "step,body,x,y,z,vx,vy,vz\n";
        write_state(0, input_.bodies, input_.velocities);
        output_.write = [&](std::int64_t step, const Output& state) {
            write_state(step, state.bodies, state.velocities);
        };
        advance_bodies_(input_, output_, timer);
        output_.write = nullptr;
    }

  private:
    const std::string input_help_ =
        course::names_for_help(kInputNames) + ", or a file of lines `mass x y z vx vy vz`";
    static bool is_in_range(float value, double least, double most) {
        return static_cast<float>(least) <= value && value <= static_cast<float>(most);
    }

    AdvanceBodies advance_bodies_;
    PullError pull_error_;
    const course::CommandLine* command_line_ = nullptr;
    std::string input_name_;
    std::int64_t steps_ = 0;
    double dt_ = 0;
    double softening_ = 0;
    std::uint64_t seed_ = 1;
    Input input_;
    Output output_;
    std::optional<Verifier> verifier_;
};

}  // namespace

int run_stage(int argc, char** argv, std::string_view stage_name, AdvanceBodies advance_bodies,
              PullError pull_error) {
    return course::run_problem(argc, argv, stage_name,
                               [&] { return std::make_unique<NBody>(advance_bodies, pull_error); });
}

}  // namespace nbody
