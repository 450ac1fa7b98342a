// SPDX-License-Identifier: MIT
// The named inputs of chapter nbody, and the reader of files of bodies.
#include <cmath>
#include <numbers>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/input/random.hpp"
#include "common/input/text_reader.hpp"
#include "problem/double3.hpp"
#include "problem/nbody.hpp"

namespace nbody {

using course::text;

namespace {

class InputBuilder {
  public:
    void add(double mass, const Double3& position, const Double3& velocity) {
        masses_.push_back(mass);
        positions_.push_back(position);
        velocities_.push_back(velocity);
    }

    // Moves the centre of mass to the origin, takes its motion away, and rounds to float.
    Input build(double softening, double dt) && {
        double mass = 0;
        Double3 centre, momentum;
        for (std::size_t i = 0; i < masses_.size(); ++i) {
            mass += masses_[i];
            centre += masses_[i] * positions_[i];
            momentum += masses_[i] * velocities_[i];
        }
        Input input;
        input.bodies.reserve(masses_.size());
        input.velocities.reserve(masses_.size());
        for (std::size_t i = 0; i < masses_.size(); ++i) {
            const Double3 x = positions_[i] - (1 / mass) * centre;
            const Double3 v = velocities_[i] - (1 / mass) * momentum;
            input.bodies.push_back({static_cast<float>(x.x), static_cast<float>(x.y),
                                    static_cast<float>(x.z), static_cast<float>(masses_[i])});
            input.velocities.push_back(
                {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)});
        }
        input.softening = static_cast<float>(softening);
        input.dt = static_cast<float>(dt);
        return input;
    }

  private:
    std::vector<double> masses_;
    std::vector<Double3> positions_, velocities_;
};

Double3 random_direction(course::Random& random) {
    const double z = random.uniform(-1, 1);
    const double angle = random.uniform(0, 2 * std::numbers::pi);
    const double ring = std::sqrt(1 - z * z);
    return {ring * std::cos(angle), ring * std::sin(angle), z};
}

// Aarseth, Henon and Wielen, "A comparison of numerical methods for the study of star cluster
// dynamics" (1974), appendix: radius by inversion, speed by rejection; scaled to energy -1/4.
Input make_plummer(std::int64_t count, std::uint64_t seed) {
    constexpr double kLengthUnit = 3 * std::numbers::pi / 16;
    constexpr double kMaxRadius = 20;  // leaves out 0.4 % of the mass, and bodies at infinity
    course::Random random(seed);
    InputBuilder builder;
    for (std::int64_t i = 0; i < count; ++i) {
        double radius;
        do {
            radius = 1 / std::sqrt(std::pow(1 - random.uniform(), -2.0 / 3.0) - 1);
        } while (!(radius < kMaxRadius));
        double q, acceptance;  // q: speed / escape speed, with density q^2 (1 - q^2)^(7/2) < 0.1
        do {
            q = random.uniform();
            acceptance = random.uniform(0, 0.1);
        } while (acceptance > q * q * std::pow(1 - q * q, 3.5));
        const double speed = q * std::numbers::sqrt2 * std::pow(1 + radius * radius, -0.25);
        builder.add(1.0 / static_cast<double>(count),
                    (kLengthUnit * radius) * random_direction(random),
                    (speed / std::sqrt(kLengthUnit)) * random_direction(random));
    }
    return std::move(builder).build(0.05, 0.001);
}

Input make_galaxies(std::int64_t count, std::uint64_t seed) {
    constexpr double kSoftening = 0.05, kCentreMass = 0.5, kInnerRadius = 0.15;
    course::Random random(seed);
    InputBuilder builder;
    // A disc of radius 1 and mass 1, half of the mass in its centre, tilted by `tilt` about x.
    const auto add_galaxy = [&](std::int64_t bodies, const Double3& centre, const Double3& velocity,
                                double tilt) {
        if (bodies == 0) return;
        const double disc_bodies = static_cast<double>(bodies - 1);
        builder.add(bodies == 1 ? 1.0 : kCentreMass, centre, velocity);
        for (std::int64_t i = 1; i < bodies; ++i) {
            const double inner_squared = kInnerRadius * kInnerRadius;
            const double radius = std::sqrt(random.uniform(inner_squared, 1));
            const double angle = random.uniform(0, 2 * std::numbers::pi);
            const double inside = (radius * radius - inner_squared) / (1 - inner_squared);
            const double enclosed = kCentreMass + (1 - kCentreMass) * inside;
            // The circular speed around a softened mass.
            const double speed =
                std::sqrt(enclosed * radius * radius /
                          std::pow(radius * radius + kSoftening * kSoftening, 1.5));
            const auto tilted = [&](double x, double y, double z) -> Double3 {
                return {x, y * std::cos(tilt) - z * std::sin(tilt),
                        y * std::sin(tilt) + z * std::cos(tilt)};
            };
            builder.add((1 - kCentreMass) / disc_bodies,
                        centre + tilted(radius * std::cos(angle), radius * std::sin(angle),
                                        0.02 * random.normal()),
                        velocity + tilted(-speed * std::sin(angle), speed * std::cos(angle), 0));
        }
    };
    const Double3 offset = {2, 0.5, 0};
    // Parabolic: at this distance the relative speed is the escape speed of the two masses.
    const double speed = std::sqrt(2 * 2.0 / (2 * norm(offset))) / 2;
    add_galaxy((count + 1) / 2, -1 * offset, {speed, 0, 0}, 0.3);
    add_galaxy(count / 2, offset, {-speed, 0, 0}, -1.0);
    return std::move(builder).build(kSoftening, 0.005);
}

Input make_solar() {
    // Standish and Williams, "Keplerian elements for approximate positions of the major planets",
    // table 1 at J2000: semi-major axis (AU), eccentricity, then degrees: inclination, mean
    // longitude, longitude of perihelion, longitude of the ascending node. Last: Sun's mass /
    // planet's.
    struct Planet {
        double a, e, inclination, longitude, perihelion, node, inverse_mass;
    };
    constexpr Planet kPlanets[] = {
        {0.38709927, 0.20563593, 7.00497902, 252.25032350, 77.45779628, 48.33076593, 6023600},
        {0.72333566, 0.00677672, 3.39467605, 181.97909950, 131.60246718, 76.67984255, 408523.71},
        {1.00000261, 0.01671123, -0.00001531, 100.46457166, 102.93768193, 0.0, 328900.56},
        {1.52371034, 0.09339410, 1.84969142, -4.55343205, -23.94362959, 49.55953891, 3098708},
        {5.20288700, 0.04838624, 1.30439695, 34.39644051, 14.72847983, 100.47390909, 1047.3486},
        {9.53667594, 0.05386179, 2.48599187, 49.95424423, 92.59887831, 113.66242448, 3497.898},
        {19.18916464, 0.04725744, 0.77263783, 313.23810451, 170.95427630, 74.01692503, 22902.98},
        {30.06992276, 0.00859048, 1.77004347, -55.12002969, 44.96476227, 131.78422574, 19412.24}};
    constexpr double kGaussianConstant = 0.01720209895;  // its square: G times the Sun's mass
    constexpr double kSunMass = kGaussianConstant * kGaussianConstant;
    constexpr double kDegree = std::numbers::pi / 180;

    InputBuilder builder;
    builder.add(kSunMass, {}, {});
    for (const Planet& planet : kPlanets) {
        const double mass = kSunMass / planet.inverse_mass;
        const double anomaly = (planet.longitude - planet.perihelion) * kDegree;
        double eccentric = anomaly;  // Kepler's equation by Newton's method
        for (int i = 0; i < 20; ++i) {
            eccentric -= (eccentric - planet.e * std::sin(eccentric) - anomaly) /
                         (1 - planet.e * std::cos(eccentric));
        }
        const double minor = std::sqrt(1 - planet.e * planet.e);
        const double rate = std::sqrt((kSunMass + mass) / std::pow(planet.a, 3)) /
                            (1 - planet.e * std::cos(eccentric));
        const double argument = (planet.perihelion - planet.node) * kDegree;
        const double node = planet.node * kDegree, tilt = planet.inclination * kDegree;
        // From the plane of the orbit (perihelion on x) to the ecliptic.
        const auto to_ecliptic = [&](double x, double y) -> Double3 {
            const double along = x * std::cos(argument) - y * std::sin(argument);
            const double across = x * std::sin(argument) + y * std::cos(argument);
            return {along * std::cos(node) - across * std::cos(tilt) * std::sin(node),
                    along * std::sin(node) + across * std::cos(tilt) * std::cos(node),
                    across * std::sin(tilt)};
        };
        builder.add(mass,
                    to_ecliptic(planet.a * (std::cos(eccentric) - planet.e),
                                planet.a * minor * std::sin(eccentric)),
                    to_ecliptic(-planet.a * rate * std::sin(eccentric),
                                planet.a * rate * minor * std::cos(eccentric)));
    }
    return std::move(builder).build(1e-6, 1.0);
}

// Chenciner and Montgomery, "A remarkable periodic solution of the three-body problem" (2000), with
// Simo's initial values.
Input make_figure_eight() {
    const Double3 x = {0.97000436, -0.24308753, 0};
    const Double3 v = {-0.93240737, -0.86473146, 0};
    InputBuilder builder;
    builder.add(1, x, -0.5 * v);
    builder.add(1, -1 * x, -0.5 * v);
    builder.add(1, {}, v);
    return std::move(builder).build(1e-6, 0.001);
}

Input make_uniform(std::int64_t count, std::uint64_t seed) {
    course::Random random(seed);
    InputBuilder builder;
    for (std::int64_t i = 0; i < count; ++i) {
        const double x = random.uniform(-0.5, 0.5), y = random.uniform(-0.5, 0.5);
        builder.add(1.0 / static_cast<double>(count), {x, y, random.uniform(-0.5, 0.5)}, {});
    }
    return std::move(builder).build(0.05, 0.001);
}

Input make_fixed(Input input, std::string_view name, std::int64_t count) {
    if (count != 0 && count != input.count()) {
        throw course::UsageError(
            text("--n ", count, ": --input ", name, " has ", input.count(), " bodies"));
    }
    return input;
}

}  // namespace

Input make_input(std::string_view name, std::int64_t count, std::uint64_t seed) {
    if (count > kMaxBodies) {
        throw course::UsageError(
            text("--n ", count, ": there may be at most ", kMaxBodies, " bodies"));
    }
    if (name == "plummer") return make_plummer(count, seed);
    if (name == "galaxies") return make_galaxies(count, seed);
    if (name == "uniform") return make_uniform(count, seed);
    if (name == "solar") return make_fixed(make_solar(), name, count);
    if (name == "figure-eight") return make_fixed(make_figure_eight(), name, count);
    throw course::UsageError(text("--input ", name, ": there is no such input"));
}

Input read_input(const std::string& path) {
    constexpr double kMaxMass = 1e15, kMaxSpeed = 1e10;  // a pull is far from overflow
    course::TextReader reader(path);
    Input input;
    while (reader.next_row("mass x y z vx vy vz")) {
        const auto coordinate = [&](std::size_t field, std::string_view name) {
            return static_cast<float>(reader.real(field, name, -kMaxCoordinate, kMaxCoordinate));
        };
        const auto speed = [&](std::size_t field, std::string_view name) {
            return static_cast<float>(reader.real(field, name, -kMaxSpeed, kMaxSpeed));
        };
        const auto mass = static_cast<float>(reader.real(0, "mass", 0, kMaxMass));
        input.bodies.push_back({coordinate(1, "x"), coordinate(2, "y"), coordinate(3, "z"), mass});
        input.velocities.push_back({speed(4, "vx"), speed(5, "vy"), speed(6, "vz")});
        if (static_cast<std::int64_t>(input.bodies.size()) > kMaxBodies) {
            reader.fail(text("more than ", kMaxBodies, " bodies"));
        }
    }
    input.softening = 0.01f;
    input.dt = 0.001f;
    return input;
}

}  // namespace nbody
