// SPDX-License-Identifier: MIT
// N-body, stage 00: one thread on the CPU.
// Idea: for each body, add up the pull of every body (equation 6.1); n * n pairs.
// Limit now: one core, and on it the division and the square root of each pair.
// Thesis 6.2.
#include "problem/nbody.hpp"

#include <cmath>
#include <cstdint>

using nbody::Body, nbody::Input, nbody::Output, nbody::Phase, nbody::PhaseTimer, nbody::Vector3;

void compute_accelerations(const Body* bodies, Vector3* accelerations, int count,
                           float softening_squared) {
    for (int i = 0; i < count; ++i) {
        const Body body = bodies[i];
        Vector3 acceleration = {0.0f, 0.0f, 0.0f};
        for (int j = 0; j < count; ++j) {
            const float dx = bodies[j].x - body.x;
            const float dy = bodies[j].y - body.y;
            const float dz = bodies[j].z - body.z;
            const float distance_squared = dx * dx + dy * dy + dz * dz + softening_squared;
            const float cube = distance_squared * distance_squared * distance_squared;
            const float pull = bodies[j].mass * (1.0f / std::sqrt(cube));
            acceleration.x += dx * pull;
            acceleration.y += dy * pull;
            acceleration.z += dz * pull;
        }
        accelerations[i] = acceleration;
    }
}

void kick(Vector3* velocities, const Vector3* accelerations, float duration, int count) {
    for (int i = 0; i < count; ++i) {
        velocities[i].x += accelerations[i].x * duration;
        velocities[i].y += accelerations[i].y * duration;
        velocities[i].z += accelerations[i].z * duration;
    }
}

void drift(Body* bodies, const Vector3* velocities, float duration, int count) {
    for (int i = 0; i < count; ++i) {
        bodies[i].x += velocities[i].x * duration;
        bodies[i].y += velocities[i].y * duration;
        bodies[i].z += velocities[i].z * duration;
    }
}

void advance_bodies(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = input.count();
    const float softening_squared = input.softening_squared();
    timer.begin(Phase::kSetup);
    output.bodies = input.bodies;
    output.velocities = input.velocities;
    Body* bodies = output.bodies.data();
    Vector3* velocities = output.velocities.data();
    Vector3* accelerations = output.accelerations.data();

    timer.begin(Phase::kKernels);
    compute_accelerations(bodies, accelerations, count, softening_squared);
    for (std::int64_t step = 1; step <= input.steps; ++step) {
        kick(velocities, accelerations, 0.5f * input.dt, count);
        drift(bodies, velocities, input.dt, count);
        compute_accelerations(bodies, accelerations, count, softening_squared);
        kick(velocities, accelerations, 0.5f * input.dt, count);
        if (output.is_due(step)) output.write_step(step);
    }
    timer.end();
    timer.note_grid(1, 1);
    timer.declare_work(
        {.bytes = 0, .operations = nbody::kOperationsPerPair * count * count * (input.steps + 1)});
}

int main(int argc, char** argv) { return nbody::run_stage(argc, argv, STAGE_NAME, advance_bodies); }
