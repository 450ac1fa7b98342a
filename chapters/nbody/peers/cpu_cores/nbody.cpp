// SPDX-License-Identifier: MIT
// N-body, stage peers/cpu_cores: all cores of the CPU, with SIMD.
// Idea: a core takes some bodies at a time and adds up their pulls, four bodies together, in
// vectors of the bodies that pull. These lie in lists of x, y, z and mass, and are read in tiles
// that stay in the core's first cache.
// Compared with 00_cpu: threads, vectors, tiles; and the flag -ffast-math, with which a root and a
// division become an approximate inverse root and a step of Newton's method, as in stage 05.
// Limit now: the arithmetic of all cores.
// Not of the thesis.
#include <omp.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/cores/aligned_list.hpp"
#include "common/cores/every_cpu.hpp"
#include "problem/nbody.hpp"

using nbody::Body, nbody::Input, nbody::Output, nbody::Phase, nbody::PhaseTimer, nbody::Vector3;

constexpr int kGroup = 4;  // bodies that share each load of a body that pulls
constexpr int kTile = 1024;  // bodies that pull: 16 KB
constexpr int kMostBodies = 256;  // that a core takes at a time; a multiple of kGroup
constexpr int kLanes = 16;  // of the longest vector
constexpr int kShared = 256;  // with fewer bodies, one core is faster than the start of several

// The bodies that pull. They are followed by bodies without mass, up to a multiple of kLanes, so
// that no vector is partly empty.
struct Lists {
    explicit Lists(int count)
        : padded((count + kLanes - 1) / kLanes * kLanes), memory(std::int64_t{4} * padded) {}
    const int padded;
    course::AlignedList<float> memory;
    float* const x = memory.data();
    float* const y = x + padded;
    float* const z = y + padded;
    float* const mass = z + padded;
};

// Some bodies, and what pulls them.
struct Group {
    float x[kGroup], y[kGroup], z[kGroup];
    float ax[kGroup] = {}, ay[kGroup] = {}, az[kGroup] = {};
};

// Adds the pulls of bodies [begin, end), a multiple of kLanes, to the group.
EVERY_CPU void add_pulls(const Lists& lists, int begin, int end, float softening_squared,
                         Group& group) {
    float ax[kGroup] = {}, ay[kGroup] = {}, az[kGroup] = {};
#pragma omp simd reduction(+ : ax, ay, az)
    for (int j = begin; j < end; ++j) {
#pragma GCC unroll 4
        for (int b = 0; b < kGroup; ++b) {
            const float dx = lists.x[j] - group.x[b];
            const float dy = lists.y[j] - group.y[b];
            const float dz = lists.z[j] - group.z[b];
            const float distance_squared = softening_squared + dx * dx + dy * dy + dz * dz;
            const float cube = distance_squared * distance_squared * distance_squared;
            const float pull = lists.mass[j] * (1.0f / std::sqrt(cube));
            ax[b] += dx * pull;
            ay[b] += dy * pull;
            az[b] += dz * pull;
        }
    }
    for (int b = 0; b < kGroup; ++b) {
        group.ax[b] += ax[b];
        group.ay[b] += ay[b];
        group.az[b] += az[b];
    }
}

#if defined(__x86_64__)
// The same loop. g++ does not use AVX-512's approximate inverse root by itself, which makes this
// loop 1.5 times as fast.
[[gnu::target("avx512f")]] void add_pulls_avx512(const Lists& lists, int begin, int end,
                                                 float softening_squared, Group& group) {
    __m512 ax[kGroup] = {}, ay[kGroup] = {}, az[kGroup] = {};
    for (int j = begin; j < end; j += kLanes) {
        const __m512 x = _mm512_load_ps(lists.x + j), y = _mm512_load_ps(lists.y + j);
        const __m512 z = _mm512_load_ps(lists.z + j), mass = _mm512_load_ps(lists.mass + j);
#pragma GCC unroll 4
        for (int b = 0; b < kGroup; ++b) {
            const __m512 dx = x - group.x[b], dy = y - group.y[b], dz = z - group.z[b];
            const __m512 distance_squared = softening_squared + dx * dx + dy * dy + dz * dz;
            const __m512 cube = distance_squared * distance_squared * distance_squared;
            const __m512 root = _mm512_maskz_rsqrt14_ps(0xffff, cube);  // 14 bits
            const __m512 pull = mass * root * (1.5f - 0.5f * cube * root * root);
            ax[b] += dx * pull;
            ay[b] += dy * pull;
            az[b] += dz * pull;
        }
    }
    for (int b = 0; b < kGroup; ++b) {
        for (int lane = 0; lane < kLanes; ++lane) group.ax[b] += ax[b][lane];
        for (int lane = 0; lane < kLanes; ++lane) group.ay[b] += ay[b][lane];
        for (int lane = 0; lane < kLanes; ++lane) group.az[b] += az[b][lane];
    }
}
const auto add_best = __builtin_cpu_supports("avx512f") ? add_pulls_avx512 : add_pulls;
#else
constexpr auto add_best = add_pulls;
#endif

// The accelerations of bodies [begin, end), both multiples of kGroup, by all bodies.
void accelerate(const Lists& lists, int begin, int end, float softening_squared,
                Vector3* accelerations) {
    std::fill_n(accelerations, end - begin, Vector3{0.0f, 0.0f, 0.0f});
    for (int tile = 0; tile < lists.padded; tile += kTile) {
        const int tile_end = std::min(tile + kTile, lists.padded);
        for (int i = begin; i < end; i += kGroup) {
            Group group;
            std::copy_n(lists.x + i, kGroup, group.x);
            std::copy_n(lists.y + i, kGroup, group.y);
            std::copy_n(lists.z + i, kGroup, group.z);
            add_best(lists, tile, tile_end, softening_squared, group);
            for (int b = 0; b < kGroup; ++b) {
                Vector3& acceleration = accelerations[i - begin + b];
                acceleration.x += group.ax[b];
                acceleration.y += group.ay[b];
                acceleration.z += group.az[b];
            }
        }
    }
}

void compute_accelerations(const Lists& lists, Vector3* accelerations, int count,
                           float softening_squared) {
    // Several parts per core, so that none waits long for the last one.
    const int share = lists.padded / (8 * omp_get_max_threads()) / kGroup * kGroup;
    const int bodies = std::clamp(share, kGroup, kMostBodies);
#pragma omp parallel for schedule(dynamic) if (count >= kShared)
    for (int begin = 0; begin < lists.padded; begin += bodies) {
        Vector3 own[kMostBodies];
        accelerate(lists, begin, std::min(begin + bodies, lists.padded), softening_squared, own);
        std::copy(own, own + std::clamp(count - begin, 0, bodies), accelerations + begin);
    }
}

void kick(Vector3* velocities, const Vector3* accelerations, float duration, int count) {
#pragma omp parallel for if (count >= kShared)
    for (int i = 0; i < count; ++i) {
        velocities[i].x += accelerations[i].x * duration;
        velocities[i].y += accelerations[i].y * duration;
        velocities[i].z += accelerations[i].z * duration;
    }
}

// Moves the bodies, and copies them to the lists.
void drift(Body* bodies, const Vector3* velocities, Lists& lists, float duration, int count) {
#pragma omp parallel for if (count >= kShared)
    for (int i = 0; i < count; ++i) {
        lists.x[i] = bodies[i].x += velocities[i].x * duration;
        lists.y[i] = bodies[i].y += velocities[i].y * duration;
        lists.z[i] = bodies[i].z += velocities[i].z * duration;
    }
}

void fill_lists(const Body* bodies, Lists& lists, int count) {
#pragma omp parallel for
    for (int i = 0; i < lists.padded; ++i) {
        const Body body = i < count ? bodies[i] : Body{0.0f, 0.0f, 0.0f, 0.0f};
        lists.x[i] = body.x;
        lists.y[i] = body.y;
        lists.z[i] = body.z;
        lists.mass[i] = body.mass;
    }
}

void advance_bodies(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = input.count();
    const float softening_squared = input.softening_squared();
    timer.begin(Phase::kSetup);
    output.bodies = input.bodies;
    output.velocities = input.velocities;
    Lists lists(count);
    Body* bodies = output.bodies.data();
    Vector3* velocities = output.velocities.data();
    Vector3* accelerations = output.accelerations.data();

    timer.begin(Phase::kKernels);
    fill_lists(bodies, lists, count);
    compute_accelerations(lists, accelerations, count, softening_squared);
    for (std::int64_t step = 1; step <= input.steps; ++step) {
        kick(velocities, accelerations, 0.5f * input.dt, count);
        drift(bodies, velocities, lists, input.dt, count);
        compute_accelerations(lists, accelerations, count, softening_squared);
        kick(velocities, accelerations, 0.5f * input.dt, count);
        if (output.is_due(step)) output.write_step(step);
    }
    timer.end();
    timer.note_grid(1, omp_get_max_threads());
    timer.declare_work(
        {.bytes = 0, .operations = nbody::kOperationsPerPair * count * count * (input.steps + 1)});
}

int main(int argc, char** argv) { return nbody::run_stage(argc, argv, STAGE_NAME, advance_bodies); }
