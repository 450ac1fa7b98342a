// SPDX-License-Identifier: MIT
// N-body: the gravitational pull of every body on every other, and leapfrog in time.
//
//   a_i = sum over j of m_j (x_j - x_i) / (|x_j - x_i|^2 + softening^2)^(3/2)        (equation 6.1)
//
// in units in which the gravitational constant is 1. One step of leapfrog (equations 6.7 to 6.9) is
// half a kick, a drift, new accelerations, and half a kick.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/phase_timer.hpp"
#include "common/harness/problem.hpp"

namespace nbody {

using course::Phase;
using course::PhaseTimer;

// Has the layout of CUDA's float4, so that a list is copied to the device without conversion.
struct alignas(16) Body {
    float x, y, z, mass;
};

// Has the layout of CUDA's float3.
struct Vector3 {
    float x, y, z;
};

// What a stage is asked to do. Lengths, times and masses are in units with G = 1.
struct Input {
    std::vector<Body> bodies;
    std::vector<Vector3> velocities;  // one per body
    float softening = 0;  // from kMinSoftening to kMaxSoftening
    float dt = 0;  // length of a step, from kMinDt to kMaxDt
    std::int64_t steps = 0;  // leapfrog steps; 0: one evaluation of the accelerations

    int count() const { return static_cast<int>(bodies.size()); }
    float softening_squared() const { return softening * softening; }
};

// What a stage answers: the state after the last step and the accelerations that belong to it.
// The lists have the right size on entry.
struct Output {
    std::vector<Body> bodies;
    std::vector<Vector3> velocities;
    std::vector<Vector3> accelerations;

    // True if the state after `step` is to be written: the stage then copies bodies and velocities
    // here and calls `write_step`.
    bool is_due(std::int64_t step) const { return write && step % every == 0; }
    void write_step(std::int64_t step) const { write(step, *this); }

    std::function<void(std::int64_t step, const Output&)> write;  // empty: nothing is written
    std::int64_t every = 1;
};

// A stage: evaluates the accelerations, runs input.steps steps of leapfrog, and marks its phases.
using AdvanceBodies = void (*)(const Input&, Output&, PhaseTimer&);

// The least arithmetic per pair, for the check against the device's limits: 3 subtractions, 6
// operations for the squared distance and its softening, 2 for the cube, 1 for the inverse root, 1
// for the mass, and 6 to add up the pull. (GPU Gems 3, chapter 31, counts 20 for the same loop.)
inline constexpr double kOperationsPerPair = 19;
// The same where one visit of a pair serves both bodies: 6 operations more for the second sum and 1
// for the second mass. (With logarithms: 1 logarithm, 3 for the exponent, 1 power, 6 + 6 for the
// sums.)
inline constexpr double kOperationsPerMutualPair = 26;

// The greatest error of a single pull, in units of 2^-24 of its size. `distance_squared` has the
// softening in it; the masses are parts of the largest mass.
using PullError = double (*)(double distance_squared, double own_mass, double other_mass);
// Differences 1, squared distance 3, its cube or root 3, rsqrtf 2, products 3: 16 is above all
// forms.
double error_of_usual_pull(double distance_squared, double own_mass, double other_mass);
// The pull as a power of 2 with the sum of three logarithms as its exponent (stage limit/04). The
// hardware's log2 errs by 2^-22, relative to the logarithm or to 1, whichever is larger; so does
// 2^x, relative to its value (CUDA C++ Programming Guide, "Mathematical Functions"; PTX ISA,
// lg2.approx and ex2.approx). An error in an exponent counts ln 2 times.
double error_of_log_pull(double distance_squared, double own_mass, double other_mass);
// Stages with logarithms take any smaller mass for this part of the largest one (rounded down to a
// power of 2). So a body without mass feels all pulls.
inline constexpr double kSmallestPart = 0x1p-60;

// main() of every stage. Returns the exit status (error.hpp).
int run_stage(int argc, char** argv, std::string_view stage_name, AdvanceBodies advance_bodies,
              PullError pull_error = error_of_usual_pull);

// --- Host copies between a list of vectors and three lists ---------------------------------------

// All x, then all y, then all z.
std::vector<float> to_lists(std::span<const Vector3> vectors);
// The inverse; `vectors` has a third of the size of `lists`.
void from_lists(std::span<const float> lists, std::span<Vector3> vectors);

// --- Inputs --------------------------------------------------------------------------------------

// With a smaller softening, a body's pair with itself gives NaN. Below 4.8e-7, (softening^2)^3 is a
// denormal float. Flush-to-zero makes it 0 and its inverse root infinite, and infinity times 0 is
// NaN.
inline constexpr double kMinSoftening = 5e-7;
// With larger coordinates c the cube of a squared distance may overflow: (3 (2 c)^2)^3 < 3.4e38.
inline constexpr double kMaxCoordinate = 5e5;
// With these, the softening adds too little for an overflow, and half a step is not rounded.
inline constexpr double kMaxSoftening = 1e6;
inline constexpr double kMinDt = 1e-30, kMaxDt = 1e30;
// Kernels index bodies with an int.
inline constexpr std::int64_t kMaxBodies = (std::int64_t{1} << 31) - 1024;

inline constexpr std::string_view kInputNames[] = {"plummer", "galaxies", "solar", "figure-eight",
                                                   "uniform"};

// Bodies of a named input, with its usual softening and dt, and steps = 0:
//   plummer       a Plummer sphere in virial equilibrium, total mass 1, energy -1/4 (Aarseth, Henon
//                 and Wielen 1974)
//   galaxies      two discs around heavy centres on a parabolic course, mass 1 each
//   solar         the Sun and the planets at J2000 (Earth and Moon as one body), in AU and days;
//                 masses in AU^3/day^2, so that G = 1 (Keplerian elements of Standish and Williams)
//   figure-eight  three bodies that follow each other, with the period 6.3259 (Chenciner and
//                 Montgomery 2000)
//   uniform       a unit cube of bodies at rest, total mass 1
// With `count` 0, solar has its 9 bodies and figure-eight its 3.
// Errors: UsageError for any other count of these two, and for a count above kMaxBodies.
Input make_input(std::string_view name, std::int64_t count, std::uint64_t seed);

// Reads text lines `mass x y z vx vy vz`; blank lines and `#` comments are skipped.
// Errors: InputError that names file and line, for too few fields, a field that is not a number,
// NaN or infinity, a negative mass, and a coordinate beyond kMaxCoordinate. InputError for a file
// that is missing or holds no body.
Input read_input(const std::string& path);

// --- Oracle --------------------------------------------------------------------------------------

// Verifies outputs of one input in float64:
//   - every number is finite; the masses, and without steps the whole state, are unchanged;
//   - accelerations are compared with equation 6.1 at the output's own positions: those of all
//     bodies up to kMaxAllBodies, else of kSampledBodies bodies chosen by the seed. The error is
//     relative to the sum of the sizes of all pulls, because rounding is proportional to it.
//     `pull_error` adds what each pull may err by. In a
//     sample, 95 % of the bodies must be as near as a random walk of roundings allows, and all must
//     be within the worst case;
//   - momentum, angular momentum and energy are compared with the input's (energy from the same
//     sample, within five of its standard errors);
//   - if count^2 * steps is at most kMaxReferencePairs, the state is compared with a float64
//     leapfrog. A second one, from slightly stretched positions, shows how chaotic the system is,
//     and thus sets the tolerance.
// Before an output is called wrong, the float64 leapfrog is asked whether floats can follow the
// system at all.
class Verifier {
  public:
    static constexpr std::int64_t kMaxAllBodies = 4096;
    static constexpr std::int64_t kSampledBodies = 1024;
    static constexpr double kMaxReferencePairs = 1e8;
    static constexpr std::int64_t kMaxReferenceSteps = 1000;

    Verifier(const Input& input, std::uint64_t seed, PullError pull_error = error_of_usual_pull);
    ~Verifier();
    // Errors: UsageError instead of a failed verdict if a body of the float64 leapfrog leaves
    // kMaxCoordinate, or if its energy drifts too: then no stage can be right.
    course::Verdict verify(const Output& output);
    // The drift in the last verified output with steps, relative to kinetic + |potential| energy.
    double energy_drift() const;

  private:
    struct Implementation;
    course::Verdict judge(const Output& output);
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace nbody
