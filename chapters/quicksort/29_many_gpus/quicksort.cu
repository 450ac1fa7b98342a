// SPDX-License-Identifier: MIT
// Quicksort, stage 29: many GPUs.
// Idea: one more level of the sample sort, with a part for each rank, a process with its own GPU.
// All ranks see a sample of all keys, so they choose the same splitters. A rank partitions its keys
// chunk by chunk; a chunk leaves while the next is partitioned. What arrives is sorted as in 26,
// whose first level takes each chunk as it comes. Keys that equal a splitter may be divided.
// Compared with 26_two_pipes: the level above. That stage is in device/ranks/local_sort.cuh.
// Limit now: the links between the GPUs, then the sort of each rank.
// Not of the thesis.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "common/ranks/message_line.hpp"
#include "common/ranks/nccl_ranks.hpp"
#include "device/multiway.cuh"
#include "device/ranks/local_sort.cuh"
#include "device/rounds.cuh"
#include "problem/quicksort.hpp"
#include "problem/rank_cuts.hpp"

using course::cuda_check, course::DeviceBuffer, course::nccl_check;
using quicksort::class_of, quicksort::ClassCount, quicksort::kCopies, quicksort::kMostClasses,
    quicksort::kMostRanks, quicksort::LocalSort, quicksort::RankCuts;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;
using quicksort::kKeysPerThread, quicksort::kThreads, quicksort::kTileKeys;

constexpr int kChunks = 4;

// One block per tile of a chunk, whose keys go to `sent` in the order of their classes, but those
// of places keep_begin to keep_end - 1 to `kept`. cursors: of each class, the next key's place.
__global__ void __launch_bounds__(kThreads, 2)
    partition_chunk_kernel(const Key* __restrict__ keys, std::int64_t count,
                           const Key* __restrict__ splitters, int ranks,
                           ClassCount* __restrict__ cursors, Key* sent, Key* kept,
                           std::int64_t keep_begin, std::int64_t keep_end) {
    __shared__ Key s_splitters[kMostRanks], s_keys[kTileKeys];
    __shared__ unsigned s_starts[kMostClasses * kCopies], s_sums[kThreads / 32];
    __shared__ std::int64_t s_places[kMostClasses];  // of the tile's first key, if of that class
    static_assert(kMostClasses * kCopies == 2 * kThreads);
    const int thread = threadIdx.x;
    const std::int64_t first = std::int64_t{blockIdx.x} * kTileKeys;
    const int tile = static_cast<int>(min(count - first, std::int64_t{kTileKeys}));
    s_starts[2 * thread] = s_starts[2 * thread + 1] = 0;
    if (thread < ranks - 1) s_splitters[thread] = splitters[thread];
    __syncthreads();
    Key own[kKeysPerThread];
    unsigned places[kKeysPerThread];  // a counter, and 1024 times the keys before
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        const int i = j * kThreads + thread;
        if (i >= tile) continue;
        own[j] = keys[first + i];
        const int counter = class_of(s_splitters, ranks - 1, own[j]) * kCopies + thread % kCopies;
        places[j] = counter + 1024 * atomicAdd(&s_starts[counter], 1u);
    }
    __syncthreads();
    const unsigned left = s_starts[2 * thread], right = s_starts[2 * thread + 1];
    const unsigned start = quicksort::sum_before(left + right, s_sums);
    s_starts[2 * thread] = start;
    s_starts[2 * thread + 1] = start + left;
    __syncthreads();
    if (thread < 2 * ranks - 1) {
        const unsigned begin = s_starts[thread * kCopies], end = s_starts[(thread + 1) * kCopies];
        const ClassCount place = end > begin ? atomicAdd(&cursors[thread], end - begin) : 0;
        s_places[thread] = static_cast<std::int64_t>(place) - begin;
    }
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        if (j * kThreads + thread >= tile) continue;
        s_keys[s_starts[places[j] % 1024] + places[j] / 1024] = own[j];
    }
    __syncthreads();
    for (int i = thread; i < tile; i += kThreads) {
        const Key key = s_keys[i];
        const std::int64_t place = s_places[class_of(s_splitters, ranks - 1, key)] + i;
        const bool keeps = place >= keep_begin && place < keep_end;
        *(keeps ? kept + (place - keep_begin) : sent + place) = key;
    }
}

// Each rank has a slice of the keys, and gets about as many, in the order of the ranks.
void sort_on_ranks(const Input& input, Output& output, PhaseTimer& timer) {
    course::NcclRanks& ranks = course::NcclRanks::of(timer);
    ranks.refuse_more_than(kMostRanks);
    const int all = ranks.count(), rank = ranks.rank();
    const course::Slice slice = ranks.slice(input.count());
    const std::int64_t count = slice.size(), mean = (input.count() - 1) / all + 1;
    const std::int64_t samples = std::min(mean / 4 + 1, input.options.integer("--samples"));
    const int tiles = static_cast<int>((count + kTileKeys - 1) / kTileKeys);
    const int chunk_tiles = std::max((tiles + kChunks - 1) / kChunks, 1);
    constexpr std::int64_t kCounts = kChunks * kMostClasses;  // of a rank
    timer.begin(Phase::kSetup);
    const std::int64_t room = mean + mean / 8 + all;  // most often enough
    LocalSort sort(room, input), sample_sort(samples * all, input);
    quicksort::ArrivingKeys arriving(room, kChunks, all);
    DeviceBuffer<Key> d_keys(count), d_samples(samples * all), d_splitters(all);
    DeviceBuffer<ClassCount> d_counts(kCounts * all), d_cursors(kCounts);
    std::vector<ClassCount> h_counts(kCounts * all);
    const course::Stream exchange(course::StreamPriority::kHigh);  // ahead of queued blocks
    course::Event partitioned, arrived[kChunks];
    const ncclComm_t communicator = ranks.communicator();

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_keys.data(), input.keys.data() + slice.begin, d_keys.bytes(),
                          cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    Key* const own_samples = d_samples.data() + samples * rank;
    quicksort::sample_keys_kernel<<<(samples - 1) / kThreads + 1, kThreads>>>(
        d_keys.data(), count, samples, input.seed, own_samples);
    cuda_check(cudaGetLastError());
    nccl_check(
        ncclAllGather(own_samples, d_samples.data(), samples, ncclInt32, communicator, nullptr));
    const Key* const sorted_samples = sample_sort.sort(d_samples.data(), d_samples.count());
    cuda_check(cudaMemcpy2DAsync(d_splitters.data(), sizeof(Key), sorted_samples + samples,
                                 samples * sizeof(Key), sizeof(Key), all - 1,
                                 cudaMemcpyDeviceToDevice));
    ClassCount* const own_counts = d_counts.data() + kCounts * rank;
    cuda_check(cudaMemsetAsync(own_counts, 0, kCounts * sizeof(ClassCount)));
    if (tiles > 0) {
        quicksort::count_classes_kernel<<<tiles, kThreads>>>(d_keys.data(), count, chunk_tiles,
                                                             d_splitters.data(), all, own_counts);
        cuda_check(cudaGetLastError());
    }
    nccl_check(
        ncclAllGather(own_counts, d_counts.data(), kCounts, ncclUint64, communicator, nullptr));
    cuda_check(
        cudaMemcpy(h_counts.data(), d_counts.data(), d_counts.bytes(), cudaMemcpyDeviceToHost));
    const RankCuts cuts = quicksort::cut_classes(h_counts, all);
    const std::vector<std::int64_t> begins = cuts.begins();
    const std::int64_t received = begins[rank + 1] - begins[rank];
    if (received > room) sort = LocalSort(received, input);  // the sample was a bad one
    arriving.plan(quicksort::arrivals_on(cuts, rank, kChunks), received);
    cuda_check(cudaMemcpy(d_cursors.data(), quicksort::cursors_of(h_counts, all, rank).data(),
                          d_cursors.bytes(), cudaMemcpyHostToDevice));
    for (int chunk = 0; chunk < kChunks; ++chunk) {
        const int mine = rank * kChunks + chunk;
        const std::int64_t first = std::int64_t{chunk} * chunk_tiles * kTileKeys;
        const std::int64_t keys = cuts.begin(mine, all);
        Key* const sent = sort.buffer() + first;
        if (keys > 0) {
            partition_chunk_kernel<<<(keys - 1) / kTileKeys + 1, kThreads>>>(
                d_keys.data() + first, keys, d_splitters.data(), all,
                d_cursors.data() + chunk * kMostClasses, sent, arriving.place(chunk, rank),
                cuts.begin(mine, rank), cuts.begin(mine, rank + 1));
            cuda_check(cudaGetLastError());
        }
        partitioned.record();
        cuda_check(cudaStreamWaitEvent(exchange.get(), partitioned.get()));
        nccl_check(ncclGroupStart());  // all messages of a chunk at once
        for (int other = 0; other < all; ++other) {
            if (other == rank) continue;
            const course::Message<Key> out = cuts.message(mine, other);
            const course::Message<Key> in = cuts.message(other * kChunks + chunk, rank);
            if (out.is_sent) {
                nccl_check(ncclSend(sent + out.begin, out.length, ncclInt32, other, communicator,
                                    exchange.get()));
            }
            if (in.is_sent) {
                nccl_check(ncclRecv(arriving.place(chunk, other), in.length, ncclInt32, other,
                                    communicator, exchange.get()));
            }
        }
        nccl_check(ncclGroupEnd());
        arrived[chunk].record(exchange);
    }
    sort.begin_pieces(sorted_samples + samples * rank, samples);
    for (int chunk = 0; chunk < kChunks; ++chunk) {
        cuda_check(cudaStreamWaitEvent(nullptr, arrived[chunk].get()));
        sort.add_piece(arriving.piece(chunk));
    }
    const Key* sorted = sort.end_pieces(received);
    if (sorted == nullptr) sorted = sort.sort(arriving.list(), received);

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.keys.data() + begins[rank], sorted, received * sizeof(Key),
                          cudaMemcpyDeviceToHost));
    ranks.gather(output.keys, begins);
    timer.end();
    timer.note_grid(tiles, kThreads);
    timer.declare_work({.bytes = 2.0 * sizeof(Key) * input.count()});  // of all ranks
    output.report = {{"most_keys", quicksort::longest_part(begins)}};
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const bool one = course::NcclRanks::of(timer).count() == 1;
    (one ? quicksort::sort_with_two_pipes : sort_on_ranks)(input, output, timer);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                quicksort::rank_options(), quicksort::kLevelBytesPerKey);
}
