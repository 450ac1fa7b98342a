// SPDX-License-Identifier: MIT
// Merge sort, stage many_gpus: many GPUs.
// Idea: each rank, a process with its own GPU, sorts a slice of the keys, but leaves it in several
// runs: the last merge is that of all ranks. The ranks cut all runs exactly: what lies between two
// cuts are the n/P keys of one rank, duplicates or not. Bounds of all cuts narrow together, by
// samples between them that all ranks see. The keys travel in eight parts, and a part is merged
// while the next arrives. Equal keys stay in order.
// Compared with limit/07_tiles_by_size: the cuts, the exchange, the merge. Its sort of long
// lists is in blocks/sized_tiles.
// Limit now: the sort of each rank; then the links between the GPUs.
// Not of the thesis. Selection in several lists: Varman and others 1991.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "blocks/multiway_cuts/sampled_cuts.cuh"
#include "blocks/sized_tiles/long_sort.cuh"
#include "common/base/error.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "common/ranks/message_buffer.hpp"
#include "common/ranks/nccl_ranks.hpp"
#include "many_gpus/rank_cuts.cuh"
#include "many_gpus/rank_merge.cuh"
#include "problem/mergesort.hpp"
#include "problem/rank_runs.hpp"

using course::cuda_check, course::DeviceBuffer, course::line_after, course::MessageBuffer,
    course::nccl_check, course::Slice;
using mergesort::Bounds, mergesort::Cuts, mergesort::kSamples, mergesort::Message,
    mergesort::RankRun, mergesort::RunsOfRanks;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;

constexpr int kParts = 8;  // of what a rank gets

// Block (j, c): the samples of run j of this rank for cut c. bounds: of run 0, for the first cut.
__global__ void sample_runs_kernel(const Key* __restrict__ keys, std::int64_t run_length,
                                   const Bounds* __restrict__ bounds, int all_runs,
                                   Key* __restrict__ samples) {
    const int i = threadIdx.x, run = blockIdx.x, cut = blockIdx.y;
    const Bounds own = bounds[cut * all_runs + run];
    Key* const to = samples + (cut * gridDim.x + run) * kSamples;
    if (i < own.samples()) to[i] = keys[run * run_length + own.place(i)];
}

// Block (r, c) narrows the bounds of cut c in run r of all. Of all keys, targets[c] come before the
// cut. A thread has one sample. The samples of all runs say how many keys come before it at least,
// and at most; so it may belong to one side of the cut for certain. runs: per rank.
__global__ void __launch_bounds__(kSamples)
    narrow_bounds_kernel(const Key* __restrict__ samples, const std::int64_t* __restrict__ targets,
                         const Bounds* __restrict__ bounds, int runs,
                         Bounds* __restrict__ narrower) {
    const int i = threadIdx.x, own = blockIdx.x, cut = blockIdx.y;
    const int all_runs = gridDim.x, cuts = gridDim.y;
    const auto samples_of = [&](int run) {
        return samples + ((run / runs * cuts + cut) * runs + run % runs) * kSamples;
    };
    Bounds mine = bounds[cut * all_runs + own];
    const int number = mine.samples();
    std::int64_t least = 0, most = 0;
    for (int other = 0; other < all_runs && i < number; ++other) {
        const Bounds its = bounds[cut * all_runs + other];
        const int before = mergesort::samples_before(samples_of(other), its.samples(),
                                                     samples_of(own)[i], other < own);
        const bool same = other == own;
        least += same ? mine.place(i) : before > 0 ? its.place(before - 1) + 1 : its.low;
        most += same ? mine.place(i) : before < its.samples() ? its.place(before) : its.high;
    }
    const int before = __syncthreads_count(i < number && most < targets[cut]);
    const int not_after = __syncthreads_count(i < number && least < targets[cut]);
    if (i > 0) return;
    const Bounds old = mine;
    if (before > 0) mine.low = old.place(before - 1) + 1;
    if (not_after < number) mine.high = old.place(not_after);
    narrower[cut * all_runs + own] = mine;
}

// Narrows the bounds until they meet.
void find_cuts(Cuts& cuts, const Key* keys, course::NcclRanks& ranks) {
    const RunsOfRanks& runs = cuts.runs;
    const std::int64_t each = std::int64_t{cuts.number} * runs.each * kSamples;  // of a rank
    Key* const own = cuts.samples.data() + ranks.rank() * each;
    for (int left = mergesort::rounds_until_exact(runs.run_length, runs.all()); left > 0; --left) {
        sample_runs_kernel<<<dim3(runs.each, cuts.number), kSamples>>>(
            keys, runs.run_length, cuts.bounds.data() + ranks.rank() * runs.each, runs.all(), own);
        cuda_check(cudaGetLastError());
        nccl_check(ncclAllGather(own, cuts.samples.data(), each * sizeof(Key), ncclInt8,
                                 ranks.communicator(), nullptr));
        narrow_bounds_kernel<<<dim3(runs.all(), cuts.number), kSamples>>>(
            cuts.samples.data(), cuts.targets.data(), cuts.bounds.data(), runs.each,
            cuts.narrower.data());
        cuda_check(cudaGetLastError());
        std::swap(cuts.bounds, cuts.narrower);
    }
    cuda_check(cudaMemcpy(&cuts.h_bounds[runs.all()], cuts.bounds.data(), cuts.bounds.bytes(),
                          cudaMemcpyDeviceToHost));
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    course::NcclRanks& ranks = course::NcclRanks::of(timer);
    ranks.refuse_more_than(mergesort::kMostRanks);
    const int all = ranks.count(), rank = ranks.rank();
    const Slice slice = ranks.slice(input.count());
    const std::int64_t count = slice.size();
    timer.begin(Phase::kSetup);
    const RunsOfRanks all_runs(input.count(), all, mergesort::kMostRuns, mergesort::kLongTile);
    const std::vector<mergesort::Pass> passes =
        mergesort::long_passes(std::max(count, std::int64_t{1}), all_runs.run_length);
    if (std::min(count, all_runs.run_length) > mergesort::largest_sampled_n()) {
        throw course::UsageError("--n: a run of a rank has 2^31 keys or more; use more ranks");
    }
    mergesort::allow_long_sort();
    mergesort::allow_run_merge();
    Cuts cuts(all_runs, kParts);
    // The keys, the buffer of the sort, into which keys of others come later, and merged keys. A
    // message begins at a multiple of 16 bytes.
    const std::int64_t room = line_after<Key>(
        all_runs.length_of_slice(0) + 2 * course::kMessageLine<Key> * kParts * all_runs.all());
    MessageBuffer<Key> d_lists((all > 1 ? 3 : 2) * room, ranks);
    DeviceBuffer<std::int64_t> d_boundaries(mergesort::rank_boundaries(count));
    DeviceBuffer<Key> d_samples(mergesort::samples_at(count));
    Key *run = d_lists.data(), *buffer = run + room;
    const course::Stream exchange(course::StreamKind::kNonBlocking);
    course::Event arrived[kParts];

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(run, input.keys.data() + slice.begin, count * sizeof(Key),
                          cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    if (count > 0) {
        mergesort::launch_long_sort(run, buffer, count, passes,
                                    {d_samples.data(), d_boundaries.data()});
    }
    if (passes.size() % 2 == 1) std::swap(run, buffer);
    Key* result = run;
    if (all > 1) {
        find_cuts(cuts, run, ranks);
        Key* const list = d_lists.data();
        std::int64_t merged = 0;  // keys of the parts before
        std::int64_t to = buffer - list;
        for (int p = 0; p < kParts; ++p) {
            std::vector<RankRun> runs;
            std::int64_t keys = 0;  // of this part
            nccl_check(ncclGroupStart());  // all messages of a part at once
            for (int i = 0; i < all_runs.all(); ++i) {
                const int other = i / all_runs.each, j = i % all_runs.each, own = rank * kParts + p;
                const int theirs = other * kParts + p, mine = rank * all_runs.each + j;
                const Message out(cuts.at(theirs, mine), cuts.at(theirs + 1, mine));
                const Message in(cuts.at(own, i), cuts.at(own + 1, i));
                const std::int64_t begin = j * all_runs.run_length;  // of my run
                to = other == rank ? to : line_after<Key>(to);
                runs.push_back({(other == rank ? run - list + begin + in.begin : to) + in.unwanted,
                                in.length - in.unwanted});
                if (other != rank && out.is_sent) {
                    nccl_check(ncclSend(run + begin + out.begin, out.length * sizeof(Key), ncclInt8,
                                        other, ranks.communicator(), exchange.get()));
                }
                if (other != rank && in.is_sent) {
                    nccl_check(ncclRecv(list + to, in.length * sizeof(Key), ncclInt8, other,
                                        ranks.communicator(), exchange.get()));
                }
                to += in.length;  // also of own keys: a second pass of the merge needs the room
                keys += runs.back().length;
            }
            nccl_check(ncclGroupEnd());
            arrived[p].record(exchange);
            cuda_check(cudaStreamWaitEvent(nullptr, arrived[p].get()));
            const std::int64_t place = mergesort::merge_runs_of_ranks(
                list, runs, 2 * room + merged, buffer - list + merged, d_boundaries.data());
            result = list + place - merged;
            merged += keys;
        }
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.keys.data() + slice.begin, result, count * sizeof(Key),
                          cudaMemcpyDeviceToHost));
    ranks.gather(output.keys);
    timer.end();
    timer.note_grid(mergesort::blocks_for(count, mergesort::kLongTile), mergesort::sized::kThreads);
    // All keys are read and written by the sort of the tiles, by each pass, and by the last merge.
    timer.declare_work(
        {.bytes = 2.0 * sizeof(Key) * input.count() * (1.0 + passes.size() + (all > 1 ? 1 : 0))});
}

int main(int argc, char** argv) { return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
