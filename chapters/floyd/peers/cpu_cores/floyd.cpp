// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage peers/cpu_cores: all cores of the CPU, blocked, with SIMD.
// Idea: the three phases of stage limit/01, with 64 pivots per round, so that the matrix is read
// once for 64 steps. In the third phase a core keeps 4 rows of 32 cells in registers, while it
// passes over the pivots.
// Compared with 00_cpu: threads, vectors, rounds, and a padded copy of the matrices.
// Limit now: an addition, a comparison and two selections for each vector of relaxations.
// Not of the thesis.
#include "problem/floyd.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "common/cores/aligned_list.hpp"
#include "common/cores/every_cpu.hpp"

using floyd::Distance, floyd::Input, floyd::kInfinity, floyd::kMaxDistance, floyd::kNoHop,
    floyd::Output, floyd::Phase, floyd::PhaseTimer, floyd::Vertex;

constexpr int kPivots = 64;  // of a round
constexpr int kColumns = 512;  // of a task of the third phase, whose rows are as many as pivots
constexpr int kRows = 4;  // in registers
constexpr int kVectors = 2;  // of each of these rows
// The compiler makes shorter vectors of these where the processor has no longer ones.
constexpr int kLanes = 16;
using Lanes [[gnu::vector_size(4 * kLanes), gnu::may_alias]] = std::int32_t;

// Rows are `stride` cells apart: a multiple of a cache line, but not of a power of 2, so that a
// column does not fall into a few sets of the cache.
struct Matrices {
    Distance* distances;
    Vertex* next_hops;
    std::int64_t padded, stride;  // padded: rows and columns, a multiple of kPivots
};

// Phase 1: takes the tile on the diagonal through the round's steps. Row k is kept as it is at step
// k. Returns false if the distance from a pivot to itself is negative by then.
EVERY_CPU bool relax_diagonal(const Matrices& matrices, std::int64_t first,
                              Distance (&pivot_rows)[kPivots][kPivots]) {
    Distance tile[kPivots][kPivots];
    for (int i = 0; i < kPivots; ++i) {
        std::copy_n(matrices.distances + (first + i) * matrices.stride + first, kPivots, tile[i]);
    }
    for (int k = 0; k < kPivots; ++k) {
        if (tile[k][k] < 0) return false;
        std::copy_n(tile[k], kPivots, pivot_rows[k]);
        for (int i = 0; i < kPivots; ++i) {
            const Distance to_pivot = tile[i][k];
            for (int j = 0; j < kPivots; ++j) {
                const Distance through = to_pivot + pivot_rows[k][j];
                const Distance least = std::min(tile[i][j], kMaxDistance + 1);
                tile[i][j] = through < least ? through : tile[i][j];
            }
        }
    }
    return true;
}

// Phase 2: takes the pivots' cells of a row through the round's steps.
EVERY_CPU void relax_columns(const Distance (&pivot_rows)[kPivots][kPivots],
                             Distance* __restrict__ distances, Vertex* __restrict__ next_hops) {
    for (int k = 0; k < kPivots; ++k) {
        const Distance to_pivot = distances[k];
        const Vertex hop = next_hops[k];
        for (int j = 0; j < kPivots; ++j) {
            const Distance through = to_pivot + pivot_rows[k][j];
            const bool less = through < std::min(distances[j], kMaxDistance + 1);
            distances[j] = less ? through : distances[j];
            next_hops[j] = less ? hop : next_hops[j];
        }
    }
}

// Phase 3: kRows rows, from column `begin` to `end`. `from_pivots` are the pivots' rows from BEFORE
// the round: a path over pivot k, its last pivot, goes on without one.
EVERY_CPU void relax_rows(const Matrices& matrices, const Distance* from_pivots,
                          std::int64_t first_row, std::int64_t begin, std::int64_t end,
                          std::int64_t first_pivot) {
    const std::int64_t stride = matrices.stride;
    Distance* const rows = matrices.distances + first_row * stride;
    Vertex* const hops = matrices.next_hops + first_row * stride;
    for (std::int64_t j = begin; j < end; j += kVectors * kLanes) {
        Lanes best[kRows][kVectors], via[kRows][kVectors];
        for (int r = 0; r < kRows; ++r) {
            for (int v = 0; v < kVectors; ++v) {
                const Lanes cells = reinterpret_cast<const Lanes*>(rows + r * stride + j)[v];
                best[r][v] = cells < kMaxDistance + 1 ? cells : Lanes{} + (kMaxDistance + 1);
                via[r][v] = Lanes{} - 1;
            }
        }
        Lanes pivot = {};
        for (int k = 0; k < kPivots; ++k, pivot += 1) {
            const Lanes* from_pivot = reinterpret_cast<const Lanes*>(from_pivots + k * stride + j);
#pragma GCC unroll 8
            for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
                for (int v = 0; v < kVectors; ++v) {
                    const Lanes through = from_pivot[v] + rows[r * stride + first_pivot + k];
                    via[r][v] = through < best[r][v] ? pivot : via[r][v];
                    best[r][v] = through < best[r][v] ? through : best[r][v];
                }
            }
        }
        for (int r = 0; r < kRows; ++r) {
            const Lanes unchanged = via[r][0] & via[r][1];
            std::int32_t no_pivot = -1;
            for (int lane = 0; lane < kLanes; ++lane) no_pivot &= unchanged[lane];
            if (no_pivot == -1) continue;  // most rows of later rounds
            for (int v = 0; v < kVectors; ++v) {
                // Where nothing changed, this is the last pivot's hop, which is not used.
                const Lanes pivots = via[r][v] & (kPivots - 1);
                Lanes found;
                for (int lane = 0; lane < kLanes; ++lane) {
                    found[lane] = hops[r * stride + first_pivot + pivots[lane]];
                }
                Lanes& cells = reinterpret_cast<Lanes*>(rows + r * stride + j)[v];
                Lanes& next = reinterpret_cast<Lanes*>(hops + r * stride + j)[v];
                cells = via[r][v] < 0 ? cells : best[r][v];
                next = via[r][v] < 0 ? next : found;
            }
        }
    }
}

// Returns false if there is a negative cycle.
bool relax_round(const Matrices& matrices, std::int64_t first, Distance* from_pivots) {
    Distance pivot_rows[kPivots][kPivots];
    if (!relax_diagonal(matrices, first, pivot_rows)) return false;
#pragma omp parallel if (matrices.padded > 2 * kPivots)
    {
#pragma omp for schedule(static)
        for (std::int64_t k = 0; k < kPivots; ++k) {
            std::copy_n(matrices.distances + (first + k) * matrices.stride, matrices.padded,
                        from_pivots + k * matrices.stride);
        }
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < matrices.padded; ++i) {
            relax_columns(pivot_rows, matrices.distances + i * matrices.stride + first,
                          matrices.next_hops + i * matrices.stride + first);
        }
        // The pivots' own columns cannot become less here.
#pragma omp for collapse(2) schedule(dynamic)
        for (std::int64_t row = 0; row < matrices.padded; row += kPivots) {
            for (std::int64_t column = 0; column < matrices.padded; column += kColumns) {
                const std::int64_t end = std::min(column + kColumns, matrices.padded);
                for (int r = 0; r < kPivots; r += kRows) {
                    relax_rows(matrices, from_pivots, row + r, column, end, first);
                }
            }
        }
    }
    return true;
}

void find_paths(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count;
    timer.begin(Phase::kSetup);
    const std::int64_t padded = (count + kPivots - 1) / kPivots * kPivots, stride = padded + kLanes;
    course::AlignedList<Distance> distances(padded * stride), from_pivots(kPivots * stride);
    course::AlignedList<Vertex> next_hops(padded * stride);
    const Matrices matrices = {distances.data(), next_hops.data(), padded, stride};

    timer.begin(Phase::kCopyIn);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < padded; ++i) {
        Distance* row = matrices.distances + i * stride;
        Vertex* hops = matrices.next_hops + i * stride;
        const std::int64_t own = i < count ? count : 0;
        std::fill(std::copy_n(input.distances.data() + i * own, own, row), row + padded, kInfinity);
        std::fill(std::copy_n(input.next_hops.data() + i * own, own, hops), hops + padded, kNoHop);
    }

    timer.begin(Phase::kKernels);
    for (std::int64_t first = 0; first < padded && !output.negative_cycle; first += kPivots) {
        output.negative_cycle = !relax_round(matrices, first, from_pivots.data());
    }

    timer.begin(Phase::kCopyOut);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) {
        std::copy_n(matrices.distances + i * stride, count, output.distances.data() + i * count);
        std::copy_n(matrices.next_hops + i * stride, count, output.next_hops.data() + i * count);
    }
    timer.end();
    timer.note_grid(1, omp_get_max_threads());
    timer.declare_work(floyd::work_of_rounds(input, kPivots));
}

int main(int argc, char** argv) { return floyd::run_stage(argc, argv, STAGE_NAME, find_paths); }
