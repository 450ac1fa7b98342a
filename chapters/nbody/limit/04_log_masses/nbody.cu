// SPDX-License-Identifier: MIT
// N-body, stage limit/04: masses as logarithms.
// Idea: m_i m_j / d^3 = 2^(log m_i + log m_j - 1.5 log d^2) serves both sums of a pair, if each
// sum is divided by its own body's mass in the end. The hardware computes log2 and 2^x in one
// instruction each. With an addition and a multiply-add, they replace the root and four
// products.
// Compared with limit/03_third_law: the arithmetic of a pair, and the factor of each sum. The
// kernel lies in log_masses.cuh, because later stages launch it, too.
// Limit now: reads of registers (156 of 165 clocks per step); special functions take 128.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "04_soa_accelerations/leapfrog.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/02_bodies_in_registers/body_system.cuh"
#include "limit/03_third_law/groups.cuh"
#include "limit/03_third_law/packets_per_task.cuh"
#include "limit/04_log_masses/log_masses.cuh"
#include "problem/nbody.hpp"

using course::cuda_check;
using nbody::BodySystem, nbody::Lists3;
using nbody::Input, nbody::Output, nbody::Phase, nbody::PhaseTimer;

using nbody::kBlocks, nbody::kBlockSize, nbody::kGroup, nbody::kPackets, nbody::kWarps;

void advance_bodies(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = input.count();
    const float softening_squared = input.softening_squared();
    const float mass_unit = nbody::choose_mass_unit(input.bodies);
    timer.begin(Phase::kSetup);
    BodySystem system(input);
    const Lists3 accelerations = system.accelerations();

    timer.begin(Phase::kCopyIn);
    system.copy_in();

    timer.begin(Phase::kKernels);
    const int groups = (count - 1) / kGroup + 1;
    const int packets_all = (groups / 2 + 1) * kPackets;  // of a group, at the most
    const int packets_each = nbody::packets_per_task(groups, packets_all, kBlocks * kWarps);
    const int parts = (packets_all - 1) / packets_each + 1;
    const int force_blocks = (groups * parts - 1) / kWarps + 1;
    system.advance(output, [&] {
        system.clear_accelerations();
        nbody::compute_accelerations_kernel<<<force_blocks, kBlockSize>>>(
            system.bodies(), accelerations, count, parts, packets_each, softening_squared,
            mass_unit);
        cuda_check(cudaGetLastError());
    });

    timer.begin(Phase::kCopyOut);
    system.copy_out(output);
    timer.end();
    timer.note_grid(force_blocks, kBlockSize);
    timer.declare_work(
        {.bytes = 28.0 * count * (input.steps + 1),  // per body, 16 read and 12 written
         .operations = nbody::kOperationsPerMutualPair / 2 * count * count * (input.steps + 1)});
}

int main(int argc, char** argv) {
    return nbody::run_stage(argc, argv, STAGE_NAME, advance_bodies, nbody::error_of_log_pull);
}
