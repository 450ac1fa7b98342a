// SPDX-License-Identifier: MIT
// Inputs, files and verdicts of chapter nbody.
#include "problem/nbody.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <tuple>

#include "common/base/error.hpp"
#include "tests/chapters/stage_run.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course_test::message_of, course_test::ScratchFolder;
using nbody::Body, nbody::Input, nbody::make_input, nbody::Output, nbody::read_input;
using nbody::Vector3, nbody::Verifier;

// Equation 6.1 and leapfrog in double precision: this answer must pass.
Output solve(const Input& input, std::int64_t steps, double dt) {
    struct State {
        double x[3], v[3], a[3];
    };
    std::vector<State> states(input.bodies.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
        const Body& b = input.bodies[i];
        const Vector3& v = input.velocities[i];
        states[i] = {{b.x, b.y, b.z}, {v.x, v.y, v.z}, {}};
    }
    const auto evaluate = [&] {
        for (State& s : states) {
            s.a[0] = s.a[1] = s.a[2] = 0;
            for (std::size_t j = 0; j < states.size(); ++j) {
                double d[3], r2 = input.softening_squared();
                for (int k = 0; k < 3; ++k) {
                    d[k] = states[j].x[k] - s.x[k];
                    r2 += d[k] * d[k];
                }
                for (int k = 0; k < 3; ++k) {
                    s.a[k] += input.bodies[j].mass * d[k] / (r2 * std::sqrt(r2));
                }
            }
        }
    };
    evaluate();
    for (std::int64_t step = 0; step < steps; ++step) {
        for (State& s : states) {
            for (int k = 0; k < 3; ++k) s.v[k] += 0.5 * dt * s.a[k], s.x[k] += dt * s.v[k];
        }
        evaluate();
        for (State& s : states) {
            for (int k = 0; k < 3; ++k) s.v[k] += 0.5 * dt * s.a[k];
        }
    }
    Output output;
    for (std::size_t i = 0; i < states.size(); ++i) {
        const auto vector = [](const double* v) -> Vector3 {
            return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
        };
        const Vector3 x = vector(states[i].x);
        output.bodies.push_back({x.x, x.y, x.z, input.bodies[i].mass});
        output.velocities.push_back(vector(states[i].v));
        output.accelerations.push_back(vector(states[i].a));
    }
    return output;
}

Output solve(const Input& input) { return solve(input, input.steps, input.dt); }

bool passes(const Input& input, const Output& output) {
    return Verifier(input, 1).verify(output).passed;
}

TEST(Inputs, HaveTheRequestedNumberOfBodiesAndACentreOfMassAtRest) {
    for (const std::string_view name : nbody::kInputNames) {
        for (const std::int64_t count : {1, 2, 3, 9, 1000}) {
            if (name == "solar" && count != 9) continue;
            if (name == "figure-eight" && count != 3) continue;
            const Input input = make_input(name, count, 7);
            ASSERT_EQ(input.count(), count) << name;
            ASSERT_EQ(input.velocities.size(), input.bodies.size());
            double mass = 0, centre[3] = {}, momentum[3] = {};
            for (int i = 0; i < input.count(); ++i) {
                const Body& b = input.bodies[i];
                const Vector3& v = input.velocities[i];
                EXPECT_GE(b.mass, 0);
                mass += b.mass;
                centre[0] += b.mass * b.x, centre[1] += b.mass * b.y, centre[2] += b.mass * b.z;
                momentum[0] += b.mass * v.x, momentum[1] += b.mass * v.y,
                    momentum[2] += b.mass * v.z;
            }
            EXPECT_GT(mass, 0);
            for (int k = 0; k < 3; ++k) {
                EXPECT_NEAR(centre[k] / mass, 0, 1e-5) << name;
                EXPECT_NEAR(momentum[k] / mass, 0, 1e-6) << name;
            }
        }
    }
}

TEST(Inputs, DependOnTheSeedAlone) {
    const Input a = make_input("plummer", 100, 1), b = make_input("plummer", 100, 1);
    const Input c = make_input("plummer", 100, 2);
    EXPECT_EQ(a.bodies[57].x, b.bodies[57].x);
    EXPECT_NE(a.bodies[57].x, c.bodies[57].x);
}

TEST(Inputs, PlummerHasEnergyMinusAQuarter) {
    const Input input = make_input("plummer", 4000, 3);
    double kinetic = 0, potential = 0;
    for (int i = 0; i < input.count(); ++i) {
        const Vector3& v = input.velocities[i];
        kinetic += 0.5 * input.bodies[i].mass * (v.x * v.x + v.y * v.y + v.z * v.z);
        for (int j = 0; j < i; ++j) {
            const double dx = input.bodies[i].x - input.bodies[j].x;
            const double dy = input.bodies[i].y - input.bodies[j].y;
            const double dz = input.bodies[i].z - input.bodies[j].z;
            potential -= input.bodies[i].mass * input.bodies[j].mass /
                         std::sqrt(dx * dx + dy * dy + dz * dz);
        }
    }
    EXPECT_NEAR(kinetic, 0.25, 0.02);
    EXPECT_NEAR(potential, -0.5, 0.03);
}

TEST(Inputs, PlanetsAreWhereTheElementsPutThem) {
    const Input solar = make_input("solar", 0, 1);
    const auto distance = [&](int planet) {
        const Body &s = solar.bodies[0], &p = solar.bodies[planet];
        return std::hypot(p.x - s.x, p.y - s.y, p.z - s.z);
    };
    EXPECT_NEAR(distance(3), 0.9833, 2e-4);  // the Earth, two days before its perihelion
    for (int planet = 1; planet <= 8; ++planet) {
        const double bounds[9][2] = {{0, 0},         {0.307, 0.467}, {0.718, 0.729},
                                     {0.983, 1.017}, {1.381, 1.667}, {4.95, 5.46},
                                     {9.02, 10.06},  {18.2, 20.1},   {29.8, 30.4}};
        EXPECT_GT(distance(planet), bounds[planet][0]) << planet;
        EXPECT_LT(distance(planet), bounds[planet][1]) << planet;
    }
}

TEST(Inputs, FigureEightReturnsAfterItsPeriod) {
    const Input input = make_input("figure-eight", 0, 1);
    constexpr double kPeriod = 6.32591398;
    const Output end = solve(input, 10'000, kPeriod / 10'000);
    for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(end.bodies[i].x, input.bodies[i].x, 2e-3);
        EXPECT_NEAR(end.bodies[i].y, input.bodies[i].y, 2e-3);
    }
}

TEST(Inputs, RefuseAnotherNumberOfBodies) {
    EXPECT_THROW(make_input("solar", 10, 1), course::UsageError);
    EXPECT_THROW(make_input("figure-eight", 2, 1), course::UsageError);
    EXPECT_THROW(make_input("plummer", std::int64_t{1} << 31, 1), course::UsageError);
    EXPECT_THROW(make_input("andromeda", 10, 1), course::UsageError);
}

TEST(Lists, OfVectorsAndBackGiveTheSameVectors) {
    const std::vector<Vector3> vectors = {{1, 2, 3}, {4, 5, 6}};
    const std::vector<float> lists = nbody::to_lists(vectors);
    EXPECT_EQ(lists, (std::vector<float>{1, 4, 2, 5, 3, 6}));
    std::vector<Vector3> back(2);
    nbody::from_lists(lists, back);
    EXPECT_EQ(back[1].y, 5);
}

class BodiesFile : public testing::Test {
  protected:
    // The message that read_input throws for a file with this text; empty if it throws nothing.
    std::string error_of(const std::string& content) const {
        return message_of<course::InputError>(
            [&] { read_input(folder_.write("bodies", content)); });
    }
    std::string place(int line) const {
        return (folder_ / "bodies") + ":" + std::to_string(line) + ":";
    }

    ScratchFolder folder_;
};

TEST_F(BodiesFile, IsReadInOrder) {
    EXPECT_EQ(error_of("# two bodies\n\n1 2 3 4 5 6 7\n0.5 -1 -2 -3 0 0 0 # light\n"), "");
    const Input input = read_input(folder_ / "bodies");
    ASSERT_EQ(input.count(), 2);
    EXPECT_EQ(input.bodies[0].mass, 1);
    EXPECT_EQ(input.bodies[0].z, 4);
    EXPECT_EQ(input.velocities[0].z, 7);
    EXPECT_EQ(input.bodies[1].x, -1);
}

TEST_F(BodiesFile, FaultsNameTheirLine) {
    const std::string good = "1 0 0 0 0 0 0\n";
    for (const char* bad : {"1 2 3 4 5 6", "1 2 3 4 5 6 7 8", "1 2 x 4 5 6 7", "1 nan 0 0 0 0 0",
                            "1 0 0 0 inf 0 0", "-1 0 0 0 0 0 0", "1 1e6 0 0 0 0 0",
                            "1e16 0 0 0 0 0 0", "nan 0 0 0 0 0 0", "1 0 0 0 0 0 1e999"}) {
        const std::string error = error_of(good + bad + "\n");
        EXPECT_EQ(error.rfind(place(2), 0), 0u) << bad << " -> " << error;
    }
    EXPECT_NE(error_of(""), "");
    EXPECT_NE(error_of("# nothing\n"), "");
    EXPECT_THROW(read_input("no/such/file"), course::InputError);
    EXPECT_THROW(read_input(std::filesystem::temp_directory_path().string()), course::InputError);
}

class Verdicts : public testing::TestWithParam<std::int64_t> {
  protected:
    Input input_ = make_input("plummer", 60, 5);
    void SetUp() override { input_.steps = GetParam(); }
};

TEST_P(Verdicts, PassTheRightAnswer) {
    const course::Verdict verdict = Verifier(input_, 1).verify(solve(input_));
    EXPECT_TRUE(verdict.passed) << verdict.message;
}

TEST_P(Verdicts, FailOneWrongAcceleration) {
    Output output = solve(input_);
    output.accelerations[59].z *= 1.001f;
    EXPECT_FALSE(passes(input_, output));
    output = solve(input_);
    std::swap(output.accelerations[3], output.accelerations[4]);
    EXPECT_FALSE(passes(input_, output));
    output = solve(input_);
    output.accelerations[0] = {0, 0, 0};
    EXPECT_FALSE(passes(input_, output));
}

TEST_P(Verdicts, FailTheWrongSign) {  // appendix D of the thesis has it twice
    Output output = solve(input_);
    for (Vector3& a : output.accelerations) a = {-a.x, -a.y, -a.z};
    EXPECT_FALSE(passes(input_, output));
}

TEST_P(Verdicts, FailEveryNaN) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const Output right = solve(input_);
    Output output = right;
    output.accelerations[30].x = kNan;
    EXPECT_FALSE(passes(input_, output));
    output = right;
    output.bodies[30].x = kNan;
    EXPECT_FALSE(passes(input_, output));
    output = right;
    output.velocities[30].x = std::numeric_limits<float>::infinity();
    EXPECT_FALSE(passes(input_, output));
}

TEST_P(Verdicts, FailAChangedMassAndALostBody) {
    Output output = solve(input_);
    output.bodies[7].mass *= 2;
    EXPECT_FALSE(passes(input_, output));
    output = solve(input_);
    output.accelerations.pop_back();
    EXPECT_FALSE(passes(input_, output));
}

INSTANTIATE_TEST_SUITE_P(Steps, Verdicts, testing::Values(0, 1, 20));

TEST(Steps, OfTheWrongNumberOrLengthFail) {
    Input input = make_input("plummer", 60, 5);
    for (const std::int64_t steps : {100, 20}) {
        input.steps = steps;
        EXPECT_TRUE(passes(input, solve(input)));
        EXPECT_FALSE(passes(input, solve(input, steps - 1, input.dt)));
        EXPECT_FALSE(passes(input, solve(input, steps + 1, input.dt)));
    }
    EXPECT_FALSE(passes(input, solve(input, 0, input.dt)));
    EXPECT_FALSE(passes(input, solve(input, 20, 0)));  // the appendix's `const int dt`
    EXPECT_FALSE(passes(input, solve(input, 20, -input.dt)));
    input.steps = 0;
    EXPECT_FALSE(passes(input, solve(input, 1, input.dt)));
}

TEST(Steps, ThatDoNotConserveFailEvenWithoutAReference) {
    Input input = make_input("figure-eight", 0, 5);
    input.steps = Verifier::kMaxReferenceSteps + 1;
    const Output right = solve(input);
    EXPECT_TRUE(passes(input, right));
    Output output = right;
    output.velocities[1].x += 0.5f;  // momentum
    EXPECT_FALSE(passes(input, output));
    output = right;
    for (Vector3& v : output.velocities) {
        v = {-v.x, -v.y, -v.z};  // angular momentum is zero: energy
    }
    for (Vector3& v : output.velocities) v = {2 * v.x, 2 * v.y, 2 * v.z};
    EXPECT_FALSE(passes(input, output));
}

TEST(Sampling, CoversLargeSystemsWithinItsTolerance) {
    Input input = make_input("uniform", Verifier::kMaxAllBodies + 1000, 2);
    Output output = solve(input);
    EXPECT_TRUE(passes(input, output));
    // Each error is below the bound for a single body, but 95 % of the errors are too large.
    for (Vector3& a : output.accelerations) a.x *= 1.0005f;
    const course::Verdict verdict = Verifier(input, 1).verify(output);
    EXPECT_FALSE(verdict.passed);
    EXPECT_NE(verdict.message.find("95 % of"), std::string::npos) << verdict.message;
    for (Vector3& a : output.accelerations) a.x *= 1.01f;
    EXPECT_FALSE(passes(input, output));
}

TEST(OneBody, FeelsNothing) {
    const Input input = make_input("plummer", 1, 1);
    EXPECT_TRUE(passes(input, solve(input)));
    Output output = solve(input);
    output.accelerations[0].y = 1e-3f;
    EXPECT_FALSE(passes(input, output));
}

bool passes_with_logarithms(const Input& input, const Output& output) {
    return Verifier(input, 1, nbody::error_of_log_pull).verify(output).passed;
}

TEST(Logarithms, MayErrAsTheHardwareDocuments) {
    const Input input = make_input("solar", 0, 1);
    for (const auto& [error, usual, with_logarithms] :
         {std::tuple(1e-7f, true, true), {4e-6f, false, true}, {1e-5f, false, false}}) {
        Output output = solve(input);
        for (Vector3& a : output.accelerations) a = {a.x, a.y * (1 + error), a.z};
        EXPECT_EQ(passes(input, output), usual) << error;
        EXPECT_EQ(passes_with_logarithms(input, output), with_logarithms) << error;
    }
}

TEST(Logarithms, GiveBodiesWithoutMassTheSmallestPart) {
    Input input{.bodies = {{0, 0, 0, 2}, {0, 1, 0, 0}},
                .velocities = {{}, {}},
                .softening = 0.01f,
                .dt = 0.01f};
    for (const auto& [part, usual, with_logarithms] :
         {std::tuple(0.0f, true, true), {0x1p-60f, false, true}, {0x1p-57f, false, false}}) {
        Output output = solve(input);
        output.accelerations[0].y = 2 * part;  // the pull of a body with this part of the mass 2
        EXPECT_EQ(passes(input, output), usual) << part;
        EXPECT_EQ(passes_with_logarithms(input, output), with_logarithms) << part;
    }
}

course_test::RunResult run(std::vector<std::string> arguments) {
    return course_test::run_quietly(std::move(arguments), [](int argc, char** argv) {
        return nbody::run_stage(argc, argv, "nbody/test",
                                [](const Input& in, Output& out, nbody::PhaseTimer& timer) {
                                    timer.begin(nbody::Phase::kKernels);
                                    const Output right = solve(in);
                                    out.bodies = right.bodies;
                                    out.velocities = right.velocities;
                                    out.accelerations = right.accelerations;
                                    for (std::int64_t s = 1; s <= in.steps; ++s) {
                                        if (out.is_due(s)) out.write_step(s);
                                    }
                                    timer.end();
                                });
    });
}

TEST(CommandLine, RefusesValuesThatCannotBeRight) {
    EXPECT_EQ(run({"--check", "--n", "20"}).status, 0);
    EXPECT_EQ(run({"--check", "--n", "20", "--softening", "5e-7"}).status, 0);
    for (const auto& bad :
         std::vector<std::vector<std::string>>{{"--dt", "0"},
                                               {"--dt", "-1"},
                                               {"--dt", "nan"},
                                               {"--steps", "-1"},
                                               {"--softening", "0"},
                                               {"--softening", "4e-7"},
                                               {"--softening", "1e308"},
                                               {"--softening", "1.1e6"},
                                               {"--dt", "1e308"},
                                               {"--dt", "1e-45"},
                                               {"--output-every", "0"},
                                               {"--input", "solar", "--n", "4"}}) {
        std::vector<std::string> arguments = {"--check"};
        arguments.insert(arguments.end(), bad.begin(), bad.end());
        const auto result = run(arguments);
        EXPECT_EQ(result.status, 2) << bad[0] << ' ' << bad[1];
        EXPECT_NE(result.diagnostics.find(bad[0] == "--input" ? "--n" : bad[0]), std::string::npos)
            << result.diagnostics;
    }
}

// The same formulas in float, as in the stages.
Output solve_in_float(const Input& input) {
    Output output;
    output.bodies = input.bodies;
    output.velocities = input.velocities;
    output.accelerations.resize(input.bodies.size());
    const auto evaluate = [&] {
        for (std::size_t i = 0; i < input.bodies.size(); ++i) {
            Vector3 sum = {0, 0, 0};
            const Body& body = output.bodies[i];
            for (const Body& other : output.bodies) {
                const float dx = other.x - body.x, dy = other.y - body.y, dz = other.z - body.z;
                const float squared = dx * dx + dy * dy + dz * dz + input.softening_squared();
                const float pull = other.mass / std::sqrt(squared * squared * squared);
                sum = {sum.x + dx * pull, sum.y + dy * pull, sum.z + dz * pull};
            }
            output.accelerations[i] = sum;
        }
    };
    const auto kick = [&] {
        for (std::size_t i = 0; i < input.bodies.size(); ++i) {
            const Vector3& a = output.accelerations[i];
            Vector3& v = output.velocities[i];
            const float half = 0.5f * input.dt;
            v = {v.x + a.x * half, v.y + a.y * half, v.z + a.z * half};
        }
    };
    evaluate();
    for (std::int64_t step = 0; step < input.steps; ++step) {
        kick();
        for (std::size_t i = 0; i < input.bodies.size(); ++i) {
            Body& body = output.bodies[i];
            const Vector3& v = output.velocities[i];
            body.x += v.x * input.dt, body.y += v.y * input.dt, body.z += v.z * input.dt;
        }
        evaluate();
        kick();
    }
    return output;
}

// What the verdict says of a right answer in float: "passed", "refused", or why it fails.
std::string said_of(std::vector<Body> bodies, std::vector<Vector3> velocities, float softening,
                    float dt, std::int64_t steps) {
    const Input input = {std::move(bodies), std::move(velocities), softening, dt, steps};
    try {
        const course::Verdict verdict = Verifier(input, 1).verify(solve_in_float(input));
        return verdict.passed ? "passed" : verdict.message;
    } catch (const course::UsageError& error) {
        return std::string(error.what()).find("--dt") == 0 ? "refused" : error.what();
    }
}

TEST(ExtremeSystems, AreRefusedAndTheirStagesAreNotAccused) {
    const Vector3 rest = {0, 0, 0};
    // Coincident bodies that fly apart from a third one, with a small softening.
    EXPECT_EQ(said_of({{0, 0, 0, 1e3f}, {0, 0, 0, 1e3f}, {1e-6f, 0, 0, 1e3f}}, {rest, rest, rest},
                      5e-7f, 1e-3f, 1),
              "refused");
    EXPECT_EQ(said_of({{0, 0, 0, 1e15f}, {1e-3f, 0, 0, 1e15f}}, {rest, rest}, 1.0f, 1e-3f, 10),
              "refused");
    EXPECT_EQ(said_of({{0, 0, 0, 1}, {1, 0, 0, 1}}, {{1e10f, 0, 0}, rest}, 0.01f, 1e5f, 2),
              "refused");
    EXPECT_EQ(said_of({{0, 0, 0, 1}, {1, 0, 0, 1}}, {{1e10f, 0, 0}, rest}, 0.01f, 1e30f, 2),
              "refused");
    // Extreme, but within the range of float.
    EXPECT_EQ(said_of({{0, 0, 0, 1e15f}, {0, 0, 0, 1e15f}}, {rest, rest}, 5e-7f, 1e-3f, 10),
              "passed");
    EXPECT_EQ(said_of({{0, 0, 0, 1}, {1, 0, 0, 1}}, {{1e10f, 0, 0}, rest}, 0.01f, 1e-9f, 2),
              "passed");
    // A wrong answer about an ordinary system stays wrong.
    Input input = make_input("plummer", 60, 5);
    input.steps = 3;
    Output output = solve_in_float(input);
    EXPECT_TRUE(passes(input, output));
    for (Vector3& velocity : output.velocities) velocity.x *= 1.5f;
    EXPECT_FALSE(passes(input, output));
}

TEST(Output, HoldsTheFirstStateAndEveryKthStep) {
    const auto result =
        run({"--n", "2", "--steps", "4", "--output", "-", "--output-every", "2", "--quiet"});
    ASSERT_EQ(result.status, 0) << result.diagnostics;
    std::istringstream lines(result.output);
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line, "step,body,x,y,z,vx,vy,vz");
    std::vector<std::string> keys;
    while (std::getline(lines, line)) keys.push_back(line.substr(0, 4));
    EXPECT_EQ(keys, (std::vector<std::string>{"0,0,", "0,1,", "2,0,", "2,1,", "4,0,", "4,1,"}));
}

}  // namespace
