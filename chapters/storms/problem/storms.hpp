// SPDX-License-Identifier: MIT
// Storms: waves of particles bombard a layer of cells (seed 002, a university exercise of 2018).
//
// The layer starts at 0 and is not reset between waves. A wave is three steps:
//   update      for each particle in its order, for each cell k, all in float32:
//                   energy = (float)value * 1000
//                   e = energy / (float)size / sqrtf((float)(|position - k| + 1))
//               and layer[k] += e where e >= 0.001f / size or e <= -0.001f / size
//   relaxation  layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3 for k = 1 ... size - 2, the
//               copy being the layer before; both ends stay
//   maximum     of the cells k = 1 ... size - 2 that are strictly greater than both neighbours and
//               than 0; of equal ones the first; where there is none: position 0, value 0
//
// Every stage gives the same bits. A cell's additions come in the order of the particles, whichever
// thread makes them; division and square root are correctly rounded, on the CPU as on the GPU
// (nvcc's defaults -prec-div=true, -prec-sqrt=true, -ftz=false); and no product is added to
// anything, so that there is nothing that a compiler could fuse to one multiply-add.
//
// A distance may take 64 bits: positions lie within 2^61 of 0, inside the layer or not.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/phase_timer.hpp"
#include "common/harness/problem.hpp"

namespace storms {

using course::Phase;
using course::PhaseTimer;

inline constexpr std::int64_t kMinCells = 3;
inline constexpr std::int64_t kMaxPosition = std::int64_t{1} << 61;  // and as much below 0

// Two lists of the same length, in the order of the particles.
struct Wave {
    std::vector<std::int64_t> positions;
    std::vector<std::int32_t> values;

    std::int64_t count() const { return static_cast<std::int64_t>(positions.size()); }
    // Whether all positions lie between -distance and distance.
    bool is_nearer_than(std::int64_t distance) const;
    void add(std::int64_t position, std::int32_t value) {
        positions.push_back(position);
        values.push_back(value);
    }
};

// What a stage is asked to do.
struct Input {
    std::int64_t size = 0;  // cells, at least kMinCells
    std::vector<Wave> waves;  // at least one; a wave may have no particle

    std::int64_t particles() const;  // of all waves
};

struct Maximum {
    std::int64_t position = 0;
    float value = 0;
};

// What a stage answers. The lists have the right size on entry.
struct Output {
    std::vector<float> layer;  // after the last wave
    std::vector<Maximum> maxima;  // after each
};

// A stage: runs all waves, marking its phases.
using BombardLayer = void (*)(const Input&, Output&, PhaseTimer&);

// The least arithmetic of a particle and a cell, for the check against the device's limits: a
// difference, a sum, a root, a division, a comparison.
inline constexpr double kOperationsPerUpdate = 5;
// The least traffic of a cell for a particle that has a kernel of its own: read and written.
inline constexpr double kBytesPerUpdate = 8;

// Particles of all waves that add to every cell: the least that a kernel a particle must write.
std::int64_t particles_that_reach_all(const Input& input);
// Operations of all updates.
double update_operations(const Input& input);

// Of a stage whose blocks race on purpose.
struct Exhibit {
    int racing_block_size = 0;  // 0: no race. Cells of a block of the kernel that relaxes
};

// main() of every stage. Returns the exit status (error.hpp).
//
// An exhibit of a race is verified as follows. With --check its layer must be right in all cells
// that the race cannot reach, and it says how many others are wrong. Without, it always fails: its
// times are no result, whether or not it was right this time.
int run_stage(int argc, char** argv, std::string_view stage_name, BombardLayer bombard_layer,
              Exhibit exhibit = {});

// --- Inputs --------------------------------------------------------------------------------------

struct Workload {
    std::string_view name;
    std::int64_t cells;  // without --n; 0: the engine's usual number
    std::int64_t particles;  // of a wave
    std::int64_t waves;
};

//   small    positive values all over the layer
//   dense    the same; many particles for few cells
//   long     the same; a layer of a million cells
//   sparse   the same; one particle a wave, a layer beyond any cache
//   signed   values of both signs, and 0
//   outside  positions on all sides, some of them so far that no cell gets anything
//   zeros    values of 0: no cell gets anything, and there is no maximum
inline constexpr Workload kWorkloads[] = {
    {"small", 0, 40, 3},
    {"dense", 30'000, 20'000, 6},
    {"long", 1'000'000, 5'000, 4},
    {"sparse", 100'000'000, 1, 3},
    {"signed", 0, 40, 3},
    {"outside", 0, 40, 3},
    {"zeros", 0, 5, 2},
};
// nullptr: no such name.
const Workload* find_workload(std::string_view name);

// The waves of a workload for a layer of `size` cells. A wave depends on the arguments and on its
// number only: the first of many is the only one of one.
std::vector<Wave> make_waves(const Workload& workload, std::int64_t size, std::uint64_t seed);

// A file: a line with the number of particles, then as many lines `position value`; blank lines and
// `#` comments are skipped. Errors: InputError naming file and line: no integers, a number out of
// range, more or less lines than announced; a file that is missing or empty.
Wave read_wave(const std::string& path);

// --- Oracle --------------------------------------------------------------------------------------

// Runs all waves on its own and compares the bits of the layer and of each maximum.
//
// It is serial in what matters, the order in which a cell's energies are added, and shares the
// cells among all cores. Since e falls with the distance, rounding or not, a bisection finds the
// greatest distance at which a particle still counts, and no cell needs a test; roots come from a
// table.
class Verifier {
  public:
    explicit Verifier(const Input& input);
    const Output& expected() const { return expected_; }
    course::Verdict verify(const Output& output) const;
    // For a relaxation whose blocks of `block_size` cells race: in wave w the cells at an edge of
    // two blocks may be wrong, and through them their w - 1 next neighbours.
    course::Verdict verify_race(const Output& output, int block_size) const;

  private:
    Output expected_;
};

// Bytes of host memory that a Verifier takes.
double oracle_bytes(std::int64_t size);

// The third step, for the host. `layer` has at least kMinCells cells.
Maximum find_maximum(std::span<const float> layer);

}  // namespace storms
