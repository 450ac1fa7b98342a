// SPDX-License-Identifier: MIT
// Storms: waves of particles bombard a layer of cells (a university exercise, solved by Blanco and
// González 2018).
//
// The layer starts at 0 and is not reset between waves. A wave has three steps:
//   update      for each particle in order, for each cell k, all in float32:
//                   energy = (float)value * 1000
//                   e = energy / (float)size / sqrtf((float)(|position - k| + 1))
//               and layer[k] += e where e >= 0.001f / size or e <= -0.001f / size
//   relaxation  layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3 for k = 1 ... size - 2, where
//               copy is the layer before this step; both ends keep their values
//   maximum     the greatest cell of k = 1 ... size - 2 that is greater than both neighbours and
//               than 0; of equal cells the first; if there is none: position 0, value 0
//
// Every stage gives the same bits, for three reasons. A cell adds its energies in the order of the
// particles, whichever thread does it. Division and square root are correctly rounded on the CPU
// and on the GPU (nvcc's defaults -prec-div=true, -prec-sqrt=true, -ftz=false). No product is added
// to anything, so a compiler finds nothing to fuse into one multiply-add.
//
// A distance may need 64 bits: positions lie within 2^61 of 0, inside the layer or outside.
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
inline constexpr int kDefaultBlockSize = 256, kMaxBlockSize = 1024;
inline constexpr std::int64_t kMaxPosition = std::int64_t{1} << 61;  // and at least its negative

// Two lists of equal length, in the order of the particles.
struct Wave {
    std::vector<std::int64_t> positions;
    std::vector<std::int32_t> values;

    std::int64_t count() const { return static_cast<std::int64_t>(positions.size()); }
    // Whether all positions lie between -distance and distance.
    bool is_nearer_than(std::int64_t distance) const;
    // Whether a particle has the value 0.
    bool has_zeros() const;
    void add(std::int64_t position, std::int32_t value) {
        positions.push_back(position);
        values.push_back(value);
    }
};

// What a stage gets.
struct Input {
    std::int64_t size = 0;  // cells, at least kMinCells
    std::vector<Wave> waves;  // at least one; a wave may have no particles
    int block_size = kDefaultBlockSize;  // threads per block, of the stages that have --block-size

    std::int64_t particles() const;  // of all waves
};

struct Maximum {
    std::int64_t position = 0;
    float value = 0;
};

// What a stage returns. On entry the lists have the right size.
struct Output {
    std::vector<float> layer;  // after the last wave
    std::vector<Maximum> maxima;  // one after each wave
};

// A stage: runs all waves and marks its phases.
using BombardLayer = void (*)(const Input&, Output&, PhaseTimer&);

// The least number of operations per particle and cell, for the check against the device's limits:
// a difference, a sum, a root, a division and a comparison.
inline constexpr double kOperationsPerUpdate = 5;
// The least number of bytes per cell of one update kernel: the cell is read and written.
inline constexpr double kBytesPerUpdate = 8;

// The particles of all waves that change every cell. With one kernel per particle, at least these
// kernels read and write the whole layer.
std::int64_t particles_that_reach_all(const Input& input);
// The operations of all updates.
double update_operations(const Input& input);

// What a stage tells of itself.
struct Traits {
    bool has_block_size = false;  // --block-size sets the threads per block, 1 to kMaxBlockSize
    bool blocks_race = false;  // on purpose: the blocks of the kernel that relaxes
};

// main() of every stage. Returns the exit status (error.hpp).
//
// A stage with a race is verified differently. With --check its layer must be right in all cells
// that the race cannot reach, and the message says how many others are wrong. Without --check it
// always fails, even if the result happens to be right: its times would mean nothing.
int run_stage(int argc, char** argv, std::string_view stage_name, BombardLayer bombard_layer,
              Traits traits = {});

// --- Inputs --------------------------------------------------------------------------------------

struct Workload {
    std::string_view name;
    std::int64_t cells;  // where --n is missing; 0: the engine's default
    std::int64_t particles;  // per wave
    std::int64_t waves;
};

//   small    positive values all over the layer
//   dense    like small, with many particles for few cells
//   long     like small, with a layer of a million cells
//   sparse   like small, with one particle per wave and a layer larger than any cache
//   signed   values of both signs, and 0
//   outside  positions on both sides of the layer, some so far away that they reach no cell
//   zeros    values of 0: no cell changes, and there is no maximum
//   corners  wave 1 has two equal peaks, wave 2 has quotients that are hard to round (corners.hpp),
//            and further waves are like small
//   short    quotients that are hard to round, of both signs, at distances up to 2^19
//            (corners.hpp)
//   plateau  after wave 1 the greatest cells are two equal neighbours, which are no peak
//            (corners.hpp); further waves are like small
inline constexpr Workload kWorkloads[] = {
    {"small", 0, 40, 3},
    {"dense", 30'000, 20'000, 6},
    {"long", 1'000'000, 5'000, 4},
    {"sparse", 100'000'000, 1, 3},
    {"signed", 0, 40, 3},
    {"outside", 0, 40, 3},
    {"zeros", 0, 5, 2},
    {"corners", 0, 40, 3},
    {"short", 0, 40, 2},
    {"plateau", 0, 2, 3},
};
// nullptr: there is no such name.
const Workload* find_workload(std::string_view name);

// The waves of a workload for a layer of `size` cells. A wave depends only on the arguments and on
// its own number: the first wave is the same, however many follow.
std::vector<Wave> make_waves(const Workload& workload, std::int64_t size, std::uint64_t seed);

// Reads a file: a line with the number of particles, then that many lines `position value`. Blank
// lines and `#` comments are skipped. Throws InputError, which names file and line: not an integer,
// a number out of range, more or fewer lines than announced, a file that is missing or empty.
Wave read_wave(const std::string& path);

// --- Oracle --------------------------------------------------------------------------------------

// Computes all waves independently and compares the bits of the layer and of each maximum.
//
// Each cell adds its energies serially, in the order of the particles; the cells are shared among
// all cores. The energy never grows with the distance, even after rounding. So a bisection finds
// the greatest distance that a particle reaches, and no cell needs a test. Roots come from a table.
class Verifier {
  public:
    explicit Verifier(const Input& input);
    const Output& expected() const { return expected_; }
    course::Verdict verify(const Output& output) const;
    // For a relaxation whose blocks of `block_size` cells race. After w waves, the w cells on each
    // side of an edge between two blocks may be wrong.
    course::Verdict verify_race(const Output& output, int block_size) const;

  private:
    Output expected_;
};

// Bytes of host memory that a Verifier needs.
double oracle_bytes(std::int64_t size);

// The third step, on the host. `layer` has at least kMinCells cells.
Maximum find_maximum(std::span<const float> layer);

}  // namespace storms
