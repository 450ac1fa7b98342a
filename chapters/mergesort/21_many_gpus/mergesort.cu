// SPDX-License-Identifier: MIT
// Merge sort, stage 21: many GPUs.
// Idea: each rank, a process with its own GPU, sorts a slice of the keys. Then the ranks cut their
// sorted slices exactly: what lies between two cuts are the n/P keys of one rank, duplicates or
// not. Bounds of all cuts narrow together, by samples between them that all ranks see. The keys
// travel in four parts, and a part is merged while the next arrives. Equal keys stay in order.
// Compared with 16_odd_windows: the cuts, the exchange, the merge. 16 is in device/chunk_sort.cuh.
// Limit now: the sort of each rank; then the links between the GPUs.
// Not of the thesis. Selection in several lists: Varman and others 1991.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "common/ranks/nccl_ranks.hpp"
#include "device/chunk_sort.cuh"
#include "device/rank_cuts.cuh"
#include "device/rank_merge.cuh"
#include "problem/mergesort.hpp"

using course::cuda_check, course::DeviceBuffer, course::line_after, course::nccl_check,
    course::Slice, course::slice_of;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;
using mergesort::kSamples, mergesort::Message, mergesort::RankRun;

constexpr int kParts = 4;  // of what a rank gets

// A cut of a run lies from low to high. Samples are evenly spaced keys between the two.
struct Bounds {
    std::int64_t low, high;

    __device__ int samples() const {
        return static_cast<int>(min(high - low, std::int64_t{kSamples}));
    }
    __device__ std::int64_t place(int i) const {
        return low + (2 * i + 1) * (high - low) / (2 * samples());
    }
};

// One block per cut: the samples of this rank's run. bounds: of this rank, for the first cut.
__global__ void sample_run_kernel(const Key* __restrict__ run, const Bounds* __restrict__ bounds,
                                  int ranks, Key* __restrict__ samples) {
    const int i = threadIdx.x, cut = blockIdx.x;
    const Bounds own = bounds[cut * ranks];
    if (i < own.samples()) samples[cut * kSamples + i] = run[own.place(i)];
}

// Block (r, c) narrows the bounds of cut c in the run of rank r. Of all keys, targets[c] come
// before the cut. A thread has one sample. The samples of all runs say how many keys come before it
// at least, and at most; so it may belong to one side of the cut for certain.
__global__ void __launch_bounds__(kSamples)
    narrow_bounds_kernel(const Key* __restrict__ samples, const std::int64_t* __restrict__ targets,
                         const Bounds* __restrict__ bounds, Bounds* __restrict__ narrower) {
    const int i = threadIdx.x, own = blockIdx.x, cut = blockIdx.y;
    const int ranks = gridDim.x, cuts = gridDim.y;
    const auto samples_of = [&](int rank) { return samples + (rank * cuts + cut) * kSamples; };
    Bounds mine = bounds[cut * ranks + own];
    const int number = mine.samples();
    std::int64_t least = 0, most = 0;
    for (int other = 0; other < ranks && i < number; ++other) {
        const Bounds its = bounds[cut * ranks + other];
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
    narrower[cut * ranks + own] = mine;
}

// Returns bounds that have met: the cut of part p in the run of rank r is at [p * ranks + r].
std::vector<Bounds> find_cuts(const Key* run, std::int64_t count, course::NcclRanks& ranks) {
    const int all = ranks.count(), rank = ranks.rank(), cuts = all * kParts - 1;
    std::vector<std::int64_t> h_targets;
    std::vector<Bounds> h_bounds;
    for (int part = 0; part <= cuts + 1; ++part) {
        if (part > 0 && part <= cuts)
            h_targets.push_back(mergesort::begin_of_part(count, part, all, kParts));
        for (int r = 0; r < all; ++r) {
            const std::int64_t length = slice_of(count, r, all).size();
            h_bounds.push_back({part > cuts ? length : 0, part > 0 ? length : 0});
        }
    }
    const std::size_t inner_bytes = std::int64_t{cuts} * all * sizeof(Bounds);
    DeviceBuffer<std::int64_t> d_targets(cuts);
    DeviceBuffer<Bounds> d_bounds(cuts * all), d_narrower(cuts * all);
    DeviceBuffer<Key> d_samples(std::int64_t{cuts} * all * kSamples);
    cuda_check(
        cudaMemcpy(d_targets.data(), h_targets.data(), d_targets.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_bounds.data(), &h_bounds[all], inner_bytes, cudaMemcpyHostToDevice));
    Key* const own = d_samples.data() + std::int64_t{rank} * cuts * kSamples;
    const std::size_t bytes = std::size_t{kSamples} * cuts * sizeof(Key);
    cuda_check(cudaMemset(own, 0, bytes));  // the places behind the samples travel, too
    for (int left = mergesort::rounds_until_exact(slice_of(count, 0, all).size(), all); left > 0;
         --left) {
        sample_run_kernel<<<cuts, kSamples>>>(run, d_bounds.data() + rank, all, own);
        cuda_check(cudaGetLastError());
        nccl_check(
            ncclAllGather(own, d_samples.data(), bytes, ncclInt8, ranks.communicator(), nullptr));
        narrow_bounds_kernel<<<dim3(all, cuts), kSamples>>>(d_samples.data(), d_targets.data(),
                                                            d_bounds.data(), d_narrower.data());
        cuda_check(cudaGetLastError());
        std::swap(d_bounds, d_narrower);
    }
    cuda_check(cudaMemcpy(&h_bounds[all], d_bounds.data(), inner_bytes, cudaMemcpyDeviceToHost));
    return h_bounds;
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    course::NcclRanks& ranks = course::NcclRanks::of(timer);
    ranks.refuse_more_than(mergesort::kMostRanks);
    const int all = ranks.count(), rank = ranks.rank();
    const Slice slice = ranks.slice(input.count());
    const std::int64_t count = slice.size();
    timer.begin(Phase::kSetup);
    const std::vector<mergesort::Pass> passes =
        mergesort::chunk_passes(std::max(count, std::int64_t{1}));
    mergesort::allow_chunk_sorts();
    // The keys, the buffer of the sort, into which keys of others come later, and merged keys. A
    // message begins at a multiple of 16 bytes.
    const std::int64_t room = line_after<Key>(count + 2 * course::kMessageLine<Key> * kParts * all);
    DeviceBuffer<Key> d_lists((all > 1 ? 3 : 2) * room);
    DeviceBuffer<std::int64_t> d_boundaries(mergesort::rank_boundaries(count));
    Key *run = d_lists.data(), *buffer = run + room;
    const course::Stream exchange(course::StreamKind::kNonBlocking);
    course::Event arrived[kParts];
    const ncclComm_t communicator = ranks.communicator();

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(run, input.keys.data() + slice.begin, count * sizeof(Key),
                          cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    if (count > 0) {
        mergesort::launch_chunk_sort(run, buffer, count, passes, d_boundaries.data(), nullptr);
    }
    if (passes.size() % 2 == 1) std::swap(run, buffer);
    Key* result = run;
    if (all > 1) {
        const std::vector<Bounds> cuts = find_cuts(run, input.count(), ranks);
        const auto cut = [&](int part, int r) { return cuts[part * all + r].low; };
        Key* const list = d_lists.data();
        std::int64_t merged = 0;  // keys of the parts before
        std::int64_t to = buffer - list;
        for (int p = 0; p < kParts; ++p) {
            std::vector<RankRun> runs;
            std::int64_t keys = 0;  // of this part
            nccl_check(ncclGroupStart());  // all messages of a part at once
            for (int other = 0; other < all; ++other) {
                const int theirs = other * kParts + p, own = rank * kParts + p;
                const Message out(cut(theirs, rank), cut(theirs + 1, rank));
                const Message in(cut(own, other), cut(own + 1, other));
                to = other == rank ? to : line_after<Key>(to);
                const std::int64_t begin = other == rank ? run - list + in.begin : to;
                runs.push_back({begin + in.unwanted, in.length - in.unwanted});
                if (other != rank && out.is_sent) {
                    nccl_check(ncclSend(run + out.begin, out.length * sizeof(Key), ncclInt8, other,
                                        communicator, exchange.get()));
                }
                if (other != rank && in.is_sent) {
                    nccl_check(ncclRecv(list + to, in.length * sizeof(Key), ncclInt8, other,
                                        communicator, exchange.get()));
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
    timer.note_grid((count - 1) / mergesort::kRankTile<2> + 1, mergesort::kThreads);
    // All keys are read and written by the sort of the tiles, by each pass, and by the last merge.
    timer.declare_work(
        {.bytes = 2.0 * sizeof(Key) * input.count() * (1.0 + passes.size() + (all > 1 ? 1 : 0))});
}

int main(int argc, char** argv) { return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
