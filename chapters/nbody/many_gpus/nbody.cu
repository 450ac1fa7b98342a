// SPDX-License-Identifier: MIT
// N-body, stage many_gpus: many GPUs.
// Idea: each rank, a process with its own GPU, moves a slice of the bodies. In each step, an
// all-gather brings the positions of all bodies, while the rank sums over pairs within its slice.
// Each pair still meets once: a rank also adds up the pulls on bodies of others, and a
// reduce-scatter brings each sum to the body's own rank.
// Compared with limit/04_log_masses: slices, two launches per force, and three collectives. The
// copies and the steps, now those of a slice, are here.
// Limit now: reads of registers on each GPU; communication takes less than 1 % at 1 M bodies.
// Not of the thesis.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "04_soa_accelerations/leapfrog.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "common/ranks/nccl_ranks.hpp"
#include "limit/03_third_law/packets_per_task.cuh"
#include "limit/04_log_masses/log_masses.cuh"
#include "many_gpus/others.cuh"
#include "problem/nbody.hpp"

using course::cuda_check, course::DeviceBuffer, course::nccl_check;
using nbody::Input, nbody::Lists3, nbody::Output, nbody::Phase, nbody::PhaseTimer;

using nbody::kBlocks, nbody::kBlockSize, nbody::kGroup, nbody::kPackets, nbody::kWarps;

void advance_bodies(const Input& input, Output& output, PhaseTimer& timer) {
    course::NcclRanks& ranks = course::NcclRanks::of(timer);
    const int count = input.count();
    const float softening_squared = input.softening_squared();
    const float mass_unit = nbody::choose_mass_unit(input.bodies);
    timer.begin(Phase::kSetup);
    const nbody::Share own = nbody::share_of(count, ranks.rank(), ranks.count());
    const int all = own.part * ranks.count();
    DeviceBuffer<float4> d_bodies(all);
    const std::vector<float> h_velocities = nbody::to_lists(input.velocities);
    std::vector<float> h_lists(3 * input.bodies.size());
    DeviceBuffer<float> d_velocities(3 * std::int64_t{all}), d_accelerations(3 * std::int64_t{all});
    const Lists3 velocities = nbody::split(d_velocities, all);
    const Lists3 accelerations = nbody::split(d_accelerations, all);
    const auto own_of = [&](const Lists3& lists) {
        return Lists3{lists.x + own.begin, lists.y + own.begin, lists.z + own.begin};
    };
    const Lists3 own_velocities = own_of(velocities), own_accelerations = own_of(accelerations);
    const course::Stream exchange(course::StreamKind::kNonBlocking);
    course::Event moved, added;
    const ncclComm_t communicator = ranks.communicator();

    timer.begin(Phase::kCopyIn);
    if (own.count > 0) {
        cuda_check(cudaMemcpy(d_bodies.data() + own.begin, &input.bodies[own.begin],
                              own.count * sizeof(float4), cudaMemcpyHostToDevice));
    }
    const std::size_t width = count * sizeof(float), pitch = all * sizeof(float);
    cuda_check(cudaMemcpy2D(d_velocities.data(), pitch, h_velocities.data(), width, width, 3,
                            cudaMemcpyHostToDevice));

    const auto gather = [&](const Lists3& lists, const auto& to) {
        if (ranks.count() > 1) {
            nccl_check(ncclGroupStart());
            for (float* list : {lists.x, lists.y, lists.z}) {
                nccl_check(ncclAllGather(list + own.begin, list, own.part, ncclFloat, communicator,
                                         nullptr));
            }
            nccl_check(ncclGroupEnd());
        }
        cuda_check(
            cudaMemcpy2D(h_lists.data(), width, lists.x, pitch, width, 3, cudaMemcpyDeviceToHost));
        nbody::from_lists(h_lists, to);
    };
    const auto copy_state_back = [&] {
        cuda_check(cudaMemcpy(output.bodies.data(), d_bodies.data(), count * sizeof(float4),
                              cudaMemcpyDeviceToHost));
        gather(velocities, std::span(output.velocities));
    };

    timer.begin(Phase::kKernels);
    const int blocks = (own.count + kBlockSize - 1) / kBlockSize;
    const int groups = (count - 1) / kGroup + 1;
    int force_blocks = 0;
    // The number of tasks of a group that meets at most so many packets, and the packets of a task.
    const auto tasks_of = [&](int most, int mean) {
        const int each = nbody::packets_per_task(own.groups, mean, kBlocks * kWarps);
        return std::pair((most - 1) / each + 1, each);
    };
    // The bodies of the rank pull each other as all bodies do in stage limit/04.
    const auto add_own_pulls = [&] {
        if (own.count == 0) return;
        const int packets = (own.groups / 2 + 1) * kPackets;
        const auto [tasks, each] = tasks_of(packets, packets);
        force_blocks = (own.groups * tasks - 1) / kWarps + 1;
        nbody::compute_accelerations_kernel<<<force_blocks, kBlockSize>>>(
            d_bodies.data() + own.begin, own_accelerations, own.count, tasks, each,
            softening_squared, mass_unit);
        cuda_check(cudaGetLastError());
    };
    const auto add_pulls_of_others = [&](cudaStream_t stream) {
        if (own.count == 0) return;
        const int packets = (groups / 2 + 1) * kPackets;
        // A group need not meet the own groups behind it: half of them on average.
        const int mean = std::max(packets - own.groups * kPackets / 2, 1);
        const auto [tasks, each] = tasks_of(packets, mean);
        force_blocks = (own.groups * tasks - 1) / kWarps + 1;
        nbody::add_pulls_of_others_kernel<<<force_blocks, kBlockSize, 0, stream>>>(
            d_bodies.data(), accelerations, count, own, tasks, each, softening_squared, mass_unit);
        cuda_check(cudaGetLastError());
    };
    const auto compute_accelerations = [&] {
        cuda_check(cudaMemsetAsync(d_accelerations.data(), 0, d_accelerations.bytes()));
        if (ranks.count() == 1) return add_own_pulls();
        moved.record();
        cuda_check(cudaStreamWaitEvent(exchange.get(), moved.get()));
        nccl_check(ncclAllGather(d_bodies.data() + own.begin, d_bodies.data(),
                                 std::size_t{4} * own.part, ncclFloat, communicator,
                                 exchange.get()));
        add_own_pulls();  // while the other positions arrive
        // In its own stream: its first warps work beside the last ones of the kernel before.
        add_pulls_of_others(exchange.get());
        added.record(exchange);
        cuda_check(cudaStreamWaitEvent(nullptr, added.get()));
        nccl_check(ncclGroupStart());
        for (float* list : {accelerations.x, accelerations.y, accelerations.z}) {
            nccl_check(ncclReduceScatter(list, list + own.begin, own.part, ncclFloat, ncclSum,
                                         communicator, nullptr));
        }
        nccl_check(ncclGroupEnd());
    };
    const auto kick = [&](float duration) {
        if (own.count == 0) return;
        nbody::kick_kernel<<<blocks, kBlockSize>>>(
            own_velocities.x, own_velocities.y, own_velocities.z, own_accelerations.x,
            own_accelerations.y, own_accelerations.z, duration, own.count);
        cuda_check(cudaGetLastError());
    };
    const auto drift = [&] {
        if (own.count == 0) return;
        nbody::drift_kernel<<<blocks, kBlockSize>>>(d_bodies.data() + own.begin, own_velocities.x,
                                                    own_velocities.y, own_velocities.z, input.dt,
                                                    own.count);
        cuda_check(cudaGetLastError());
    };
    compute_accelerations();
    for (std::int64_t step = 1; step <= input.steps; ++step) {
        kick(0.5f * input.dt);
        drift();
        compute_accelerations();
        kick(0.5f * input.dt);
        if (output.is_due(step)) {
            copy_state_back();
            output.write_step(step);
        }
    }

    timer.begin(Phase::kCopyOut);
    copy_state_back();
    gather(accelerations, std::span(output.accelerations));
    timer.end();
    timer.note_grid(force_blocks, kBlockSize);
    timer.declare_work(
        {.bytes = 28.0 * count * (input.steps + 1),  // per body, 16 read and 12 written
         .operations = nbody::kOperationsPerMutualPair / 2 * count * count * (input.steps + 1)});
}

int main(int argc, char** argv) {
    return nbody::run_stage(argc, argv, STAGE_NAME, advance_bodies, nbody::error_of_log_pull);
}
