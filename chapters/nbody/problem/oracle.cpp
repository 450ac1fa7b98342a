// SPDX-License-Identifier: MIT
// The float64 oracle of chapter nbody: shares no code with the stages.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/harness/comparison.hpp"
#include "common/input/parallel_ranges.hpp"
#include "common/input/random.hpp"
#include "problem/double3.hpp"
#include "problem/nbody.hpp"

namespace nbody {

using course::text;

namespace {

constexpr double kMaxEnergyDrift = 1e-2;  // of the sizes of all energies

struct Pull {
    Double3 acceleration;
    double size = 0;  // sum of the lengths of all pulls
    double potential = 0;  // sum of -m_j / sqrt(r^2 + softening^2) over the OTHER bodies
};

// Equation 6.1 for one body, in float64. A body does not pull itself, whatever the softening is.
template <class PositionOf, class MassOf>
Pull pull_on(std::int64_t i, std::int64_t count, double softening_squared,
             const PositionOf& position_at, const MassOf& mass_at) {
    const Double3 position = position_at(i);
    Pull pull;
    for (std::int64_t j = 0; j < count; ++j) {
        if (j == i) continue;
        const Double3 away = position_at(j) - position;
        const double distance_squared = dot(away, away) + softening_squared;
        const double inverse = 1 / std::sqrt(distance_squared);
        const double strength = mass_at(j) * inverse * inverse * inverse;
        pull.acceleration += strength * away;
        pull.size += strength * norm(away);
        pull.potential -= mass_at(j) * inverse;
    }
    return pull;
}

// What the sum of all pulls on a body may err by.
struct PullErrors {
    double relative = error_of_usual_pull(1, 1, 1);  // to the sum of their sizes, in units of 2^-24
    double surplus = 0;  // pulls of bodies that count as heavier than they are (kSmallestPart)
};

PullErrors errors_on(std::int64_t i, std::span<const Body> bodies, double softening_squared,
                     double largest_mass, PullError pull_error) {
    const Double3 position = position_of(bodies[i]);
    PullErrors errors;
    double size = 0, error = 0;
    for (std::size_t j = 0; j < bodies.size(); ++j) {
        const Double3 away = position_of(bodies[j]) - position;
        const double distance_squared = dot(away, away) + softening_squared;
        const double of_mass_1 = norm(away) * std::pow(distance_squared, -1.5);
        const double mass = bodies[j].mass;
        size += of_mass_1 * mass;
        error += of_mass_1 * mass *
                 pull_error(distance_squared, bodies[i].mass / largest_mass, mass / largest_mass);
        errors.surplus += of_mass_1 * std::max(kSmallestPart * largest_mass - mass, 0.0);
    }
    if (size > 0) errors.relative = std::max(errors.relative, error / size);
    return errors;
}

// The sums that a closed system conserves, and the sizes to which rounding errors are relative.
struct Conserved {
    Double3 momentum, angular_momentum;
    double momentum_size = 0, angular_size = 0;  // sums of m |v| and of m |x| |v|
    double kinetic = 0;
};

Conserved conserved_of(std::span<const Body> bodies, std::span<const Vector3> velocities) {
    Conserved sums;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double3 x = position_of(bodies[i]), v = to_double(velocities[i]);
        const double mass = bodies[i].mass;
        sums.momentum += mass * v;
        sums.angular_momentum += mass * cross(x, v);
        sums.momentum_size += mass * norm(v);
        sums.angular_size += mass * norm(x) * norm(v);
        sums.kinetic += 0.5 * mass * dot(v, v);
    }
    return sums;
}

bool is_finite(const Vector3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

}  // namespace

struct Verifier::Implementation {
    Implementation(const Input& input, std::uint64_t seed, PullError pull_error)
        : input(input),
          pull_error(pull_error),
          count(input.count()),
          softening_squared(input.softening_squared()),
          start(conserved_of(input.bodies, input.velocities)) {
        if (count <= kMaxAllBodies) {
            for (std::int64_t i = 0; i < count; ++i) sample.push_back(i);
        } else {
            course::Random random(seed);
            for (std::int64_t k = 0; k < kSampledBodies; ++k) {
                sample.push_back(static_cast<std::int64_t>(random.below(count)));
            }
        }
        start_pulls = sampled_pulls(input.bodies);
    }

    std::vector<Pull> sampled_pulls(std::span<const Body> bodies) const {
        std::vector<Pull> pulls(sample.size());
        course::parallel_ranges(
            static_cast<std::int64_t>(sample.size()), [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t k = begin; k < end; ++k) {
                    pulls[k] = pull_on(
                        sample[k], count, softening_squared,
                        [&](std::int64_t j) { return position_of(bodies[j]); },
                        [&](std::int64_t j) -> double { return bodies[j].mass; });
                }
            });
        return pulls;
    }

    // Of all sampled bodies.
    std::vector<PullErrors> pull_errors(std::span<const Body> bodies) const {
        std::vector<PullErrors> errors(sample.size());
        if (pull_error == error_of_usual_pull) return errors;
        double largest_mass = 0;
        for (const Body& body : bodies) largest_mass = std::max<double>(largest_mass, body.mass);
        course::parallel_ranges(
            static_cast<std::int64_t>(sample.size()), [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t k = begin; k < end; ++k) {
                    errors[k] =
                        errors_on(sample[k], bodies, softening_squared, largest_mass, pull_error);
                }
            });
        return errors;
    }

    // Each check returns what is wrong, or nothing.
    std::optional<std::string> check_values(const Output& output) const;
    std::optional<std::string> check_conserved(const Output& output,
                                               const std::vector<Pull>& end_pulls);
    std::optional<std::string> check_trajectory(const Output& output);
    struct Trajectory {  // its end
        std::vector<Double3> positions, velocities;
        double energy_drift = 0;  // relative to kinetic + |potential| energy
        bool in_range = true;  // every coordinate stayed within kMaxCoordinate
    };
    Trajectory run_reference(double stretch) const;
    // Computes the reference and its tolerance once. False: it would take too long.
    bool has_reference();
    // Throws UsageError if floats cannot follow the system.
    void refuse_unfit_system();

    const Input& input;
    PullError pull_error;
    std::int64_t count;
    double softening_squared;
    Conserved start;
    std::vector<std::int64_t> sample;
    std::vector<Pull> start_pulls;
    double energy_drift = 0;
    std::optional<Trajectory> reference, stretched;  // nothing: not computed yet
    double trajectory_tolerance = 0;
};

std::optional<std::string> Verifier::Implementation::check_values(const Output& output) const {
    const auto size = static_cast<std::size_t>(count);
    if (output.bodies.size() != size || output.velocities.size() != size ||
        output.accelerations.size() != size) {
        return "the output and the input differ in the number of bodies";
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const Body& body = output.bodies[i];
        if (!is_finite({body.x, body.y, body.z})) {
            return text("body ", i, ": the position is not finite");
        }
        if (!is_finite(output.velocities[i])) {
            return text("body ", i, ": the velocity is not finite");
        }
        if (!is_finite(output.accelerations[i])) {
            return text("body ", i, ": the acceleration is not finite");
        }
        const Body& before = input.bodies[i];
        if (body.mass != before.mass) {
            return text("body ", i, ": the mass is ", body.mass, ", but was ", before.mass);
        }
        if (input.steps == 0) {
            const Vector3 &v = output.velocities[i], &v0 = input.velocities[i];
            if (body.x != before.x || body.y != before.y || body.z != before.z || v.x != v0.x ||
                v.y != v0.y || v.z != v0.z) {
                return text("body ", i, ": it moved, although --steps is 0");
            }
        }
    }
    return std::nullopt;
}

std::optional<std::string> Verifier::Implementation::check_conserved(
    const Output& output, const std::vector<Pull>& end_pulls) {
    const Conserved end = conserved_of(output.bodies, output.velocities);
    const double duration = static_cast<double>(input.steps) * static_cast<double>(input.dt);
    // Sizes over the run, extrapolated from the sample. The kicks add up to the total of m |a|
    // times the duration, and rounding is proportional to that.
    const double scale = static_cast<double>(count) / static_cast<double>(sample.size());
    double force_size = 0, torque_size = 0;
    double change = 0, change_squared = 0, energy_size = start.kinetic;
    for (std::size_t k = 0; k < sample.size(); ++k) {
        const std::int64_t i = sample[k];
        const double mass = input.bodies[i].mass;
        const Double3 v0 = to_double(input.velocities[i]), v1 = to_double(output.velocities[i]);
        const double difference = 0.5 * mass * (dot(v1, v1) - dot(v0, v0)) +
                                  0.5 * mass * (end_pulls[k].potential - start_pulls[k].potential);
        const double force = scale * mass * std::max(start_pulls[k].size, end_pulls[k].size);
        force_size += force;
        torque_size += force * std::max(norm(position_of(input.bodies[i])),
                                        norm(position_of(output.bodies[i])));
        change += scale * difference;
        change_squared += scale * scale * difference * difference;
        energy_size -= 0.5 * scale * mass * start_pulls[k].potential;
    }
    const double momentum_size =
        std::max(start.momentum_size, end.momentum_size) + force_size * duration;
    const double angular_size =
        std::max(start.angular_size, end.angular_size) + torque_size * duration;
    // Rounding adds up to about sqrt(steps) units in the last place; a linear bound is safe.
    const double tolerance = 2e-6 * static_cast<double>(input.steps + 8);

    course::ErrorMeter momentum;
    const double momentum_scale = std::max(momentum_size, 1e-30);
    momentum.add(end.momentum.x, start.momentum.x, momentum_scale);
    momentum.add(end.momentum.y, start.momentum.y, momentum_scale);
    momentum.add(end.momentum.z, start.momentum.z, momentum_scale);
    if (!momentum.passes(tolerance)) {
        return "momentum is not conserved: " + momentum.describe(tolerance);
    }
    course::ErrorMeter angular;
    const double angular_scale = std::max(angular_size, 1e-30);
    angular.add(end.angular_momentum.x, start.angular_momentum.x, angular_scale);
    angular.add(end.angular_momentum.y, start.angular_momentum.y, angular_scale);
    angular.add(end.angular_momentum.z, start.angular_momentum.z, angular_scale);
    if (!angular.passes(tolerance)) {
        return "angular momentum is not conserved: " + angular.describe(tolerance);
    }

    // The energy of the sample may rise while that of the other bodies falls: allow five standard
    // errors of its mean.
    double sampling_error = 0;
    if (static_cast<std::int64_t>(sample.size()) < count) {
        const double samples = static_cast<double>(sample.size());
        const double variance = std::max(change_squared - change * change / samples, 0.0);
        sampling_error = 5 * std::sqrt(variance);
    }
    energy_drift = energy_size > 0 ? change / energy_size : 0;
    if (!(std::abs(change) <= kMaxEnergyDrift * energy_size + sampling_error + 1e-30)) {
        return text("energy drifted by ", energy_drift,
                    " of its size: a kernel is wrong, or --dt is too long for this system");
    }
    return std::nullopt;
}

// Leapfrog in float64, from the input with its positions multiplied by `stretch`, to the last step.
Verifier::Implementation::Trajectory Verifier::Implementation::run_reference(double stretch) const {
    std::vector<Double3> positions, velocities, accelerations(count);
    std::vector<double> potentials(count);
    bool in_range = true;
    for (const Body& body : input.bodies) positions.push_back(stretch * position_of(body));
    for (const Vector3& velocity : input.velocities) velocities.push_back(to_double(velocity));
    const double dt = input.dt;
    const auto evaluate = [&] {
        course::parallel_ranges(count, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const Pull pull = pull_on(
                    i, count, softening_squared, [&](std::int64_t j) { return positions[j]; },
                    [&](std::int64_t j) -> double { return input.bodies[j].mass; });
                accelerations[i] = pull.acceleration;
                potentials[i] = pull.potential;
            }
        });
        for (const Double3& x : positions) {  // written so that NaN is out of range
            const double farthest = std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)});
            in_range = in_range && std::isfinite(x.x + x.y + x.z) && farthest <= kMaxCoordinate;
        }
    };
    struct Energy {
        double sum = 0, size = 0;
    };
    const auto energy = [&] {
        Energy now;
        for (std::int64_t i = 0; i < count; ++i) {
            const double mass = input.bodies[i].mass;
            const double kinetic = 0.5 * mass * dot(velocities[i], velocities[i]);
            const double potential = 0.5 * mass * potentials[i];
            now.sum += kinetic + potential;
            now.size += kinetic - potential;
        }
        return now;
    };
    evaluate();
    const Energy start_energy = energy();
    for (std::int64_t step = 0; step < input.steps; ++step) {
        for (std::int64_t i = 0; i < count; ++i) {
            velocities[i] += (0.5 * dt) * accelerations[i];
            positions[i] += dt * velocities[i];
        }
        evaluate();
        for (std::int64_t i = 0; i < count; ++i) velocities[i] += (0.5 * dt) * accelerations[i];
    }
    const double drift = std::abs(energy().sum - start_energy.sum);
    return {std::move(positions), std::move(velocities),
            start_energy.size > 0 ? drift / start_energy.size : 0, in_range};
}

bool Verifier::Implementation::has_reference() {
    const double pairs =
        static_cast<double>(count) * static_cast<double>(count) * static_cast<double>(input.steps);
    if (pairs > kMaxReferencePairs || input.steps > kMaxReferenceSteps) return false;
    if (reference) return true;
    constexpr double kStretch = 0x1p-22;  // about one rounding of a float position
    reference = run_reference(1);
    stretched = run_reference(1 + kStretch);
    double length = 0, apart = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const Double3& x = reference->positions[i];
        length += dot(x, x);
        apart = std::max(apart, norm(stretched->positions[i] - x));
    }
    length = std::max(std::sqrt(length / static_cast<double>(count)), 1e-30);
    // How much the distance between two right trajectories grows: 1 where nothing happens, more in
    // a chaotic system.
    const double growth = std::max(4.0, apart / (kStretch * length));
    // Each step rounds again, so errors add up like a random walk.
    trajectory_tolerance = 1e-6 * growth * std::sqrt(static_cast<double>(input.steps + 8));
    return true;
}

void Verifier::Implementation::refuse_unfit_system() {
    if (input.steps == 0 || !has_reference()) return;
    if (!reference->in_range || !stretched->in_range) {
        throw course::UsageError(text("--dt ", input.dt, ", --steps ", input.steps,
                                      ": a body flies beyond the coordinate ", kMaxCoordinate,
                                      ", where the pulls in float overflow"));
    }
    const double drift = std::max(reference->energy_drift, stretched->energy_drift);
    if (!(drift <= kMaxEnergyDrift)) {
        throw course::UsageError(text("--dt ", input.dt,
                                      ": too long for this system: in float64, too, its energy ",
                                      "drifts by ", drift, " of its size"));
    }
}

std::optional<std::string> Verifier::Implementation::check_trajectory(const Output& output) {
    if (!has_reference()) return std::nullopt;
    // In a very chaotic system this check says nothing; the conserved sums remain.
    const double tolerance = trajectory_tolerance;
    if (tolerance > 1e-2) return std::nullopt;
    double length = 0, speed = 0;  // root mean squares
    for (std::int64_t i = 0; i < count; ++i) {
        length += dot(reference->positions[i], reference->positions[i]);
        speed += dot(reference->velocities[i], reference->velocities[i]);
    }
    length = std::sqrt(length / static_cast<double>(count));
    speed = std::sqrt(speed / static_cast<double>(count));
    course::ErrorMeter positions, velocities;
    for (std::int64_t i = 0; i < count; ++i) {
        const Double3& x = reference->positions[i];
        const Double3& v = reference->velocities[i];
        const double x_scale = std::max({length, norm(x), 1e-30});
        const double v_scale = std::max({speed, norm(v), 1e-30});
        positions.add(output.bodies[i].x, x.x, x_scale);
        positions.add(output.bodies[i].y, x.y, x_scale);
        positions.add(output.bodies[i].z, x.z, x_scale);
        velocities.add(output.velocities[i].x, v.x, v_scale);
        velocities.add(output.velocities[i].y, v.y, v_scale);
        velocities.add(output.velocities[i].z, v.z, v_scale);
    }
    if (!positions.passes(tolerance)) {
        return "positions leave the float64 trajectory: " + positions.describe(tolerance);
    }
    if (!velocities.passes(tolerance)) {
        return "velocities leave the float64 trajectory: " + velocities.describe(tolerance);
    }
    return std::nullopt;
}

double error_of_usual_pull(double /*distance_squared*/, double /*own_mass*/,
                           double /*other_mass*/) {
    return 16;
}

double error_of_log_pull(double distance_squared, double own_mass, double other_mass) {
    const double log_distance = std::log2(distance_squared);
    const double log_own = std::log2(std::max(own_mass, kSmallestPart));
    const double log_other = std::log2(std::max(other_mass, kSmallestPart));
    // The own logarithm's error leaves the sum with the factor of the body.
    const double exponent = -1.5 * log_distance + log_own + log_other;
    const double of_logarithms =
        4 * (1.5 * std::max(1.0, std::abs(log_distance)) + std::max(1.0, std::abs(log_other)));
    // The stage's masses are parts of a power of 2, so each logarithm may be larger by 1.
    const double of_roundings = std::abs(log_own + log_other) + std::abs(exponent) + 4;
    const double of_powers = 2 * 4 + 2;  // the pull and the factor, which is multiplied twice
    return error_of_usual_pull(distance_squared, own_mass, other_mass) + of_powers +
           std::numbers::ln2 * (of_logarithms + of_roundings);
}

Verifier::Verifier(const Input& input, std::uint64_t seed, PullError pull_error)
    : implementation_(std::make_unique<Implementation>(input, seed, pull_error)) {}
Verifier::~Verifier() = default;
double Verifier::energy_drift() const { return implementation_->energy_drift; }

course::Verdict Verifier::verify(const Output& output) {
    course::Verdict verdict = judge(output);
    // A stage that wrote nothing is wrong for any system.
    const bool wrote = !output.bodies.empty() && !std::isnan(output.bodies.back().mass);
    if (!verdict.passed && wrote) implementation_->refuse_unfit_system();
    return verdict;
}

course::Verdict Verifier::judge(const Output& output) {
    Implementation& oracle = *implementation_;
    if (const auto fault = oracle.check_values(output)) return {false, *fault};

    const std::vector<Pull> end_pulls =
        oracle.input.steps == 0 ? oracle.start_pulls : oracle.sampled_pulls(output.bodies);
    // A single pull is right to `pull` units in the last place. A float sum of n pulls is a random
    // walk of sqrt(n) roundings. Beyond a million bodies, or beside one heavy body, that changes: a
    // single pull may be smaller than half a unit of the sum and is lost, always in the same
    // direction. Then only the bound of n units holds for every body (Higham, "Accuracy and
    // Stability of Numerical Algorithms", 4.2), and a longer random walk for all but a few.
    constexpr double kUnit = 0x1p-24;
    const double n = static_cast<double>(oracle.count);
    const bool sampled = oracle.count > kMaxAllBodies;
    const std::vector<PullErrors> allowed = oracle.pull_errors(output.bodies);
    double pull = 0;
    for (const PullErrors& one : allowed) pull = std::max(pull, one.relative);
    const double walk = kUnit * (pull + (sampled ? 16 : 4) * std::sqrt(n));
    const double tolerance = sampled ? kUnit * (pull + n) : walk;
    course::ErrorMeter accelerations;
    std::vector<double> errors;  // one per body
    for (std::size_t k = 0; k < oracle.sample.size(); ++k) {
        const Vector3& actual = output.accelerations[oracle.sample[k]];
        const Double3& expected = end_pulls[k].acceleration;
        // With this floor, flushed denormals do not count as wrong.
        // A surplus is rounded, too, so twice its size is allowed.
        const double surplus = 2 * allowed[k].surplus / walk;
        const double scale = std::max({end_pulls[k].size, surplus, 1e-30});
        accelerations.add(actual.x, expected.x, scale);
        accelerations.add(actual.y, expected.y, scale);
        accelerations.add(actual.z, expected.z, scale);
        errors.push_back(norm(to_double(actual) - expected) / scale);
    }
    if (!accelerations.passes(tolerance)) {
        return {false, "accelerations: " + accelerations.describe(tolerance)};
    }
    std::sort(errors.begin(), errors.end());
    const double most = errors[(errors.size() * 95 - 1) / 100];
    if (!(most <= walk)) {
        return {false, text("accelerations: 95 % of ", errors.size(), " bodies are within ", most,
                            " of float64, but the tolerance is ", walk)};
    }
    if (oracle.input.steps > 0) {
        if (const auto fault = oracle.check_trajectory(output)) return {false, *fault};
        if (const auto fault = oracle.check_conserved(output, end_pulls)) return {false, *fault};
    }
    return {true, text("accelerations of ", errors.size(), " bodies: 95 % within ", most,
                       " of float64 (tolerance ", walk, "), all within ", accelerations.max_error(),
                       " (", tolerance, ")")};
}

}  // namespace nbody
