// SPDX-License-Identifier: MIT
// Quicksort, stage many_gpus: many GPUs.
// Idea: the first level of stage limit/09 also parts the keys for the ranks, processes with their
// own GPUs. All ranks see a sample of all keys, so they choose the same parts, and a rank gets
// neighbouring parts. It partitions its own keys as in limit/09, and sends the parts of the others,
// in few long messages. The second level takes a part in pieces, one from each rank. A group of
// parts is sorted while the next group is on its way.
// Compared with limit/09_two_pipes: the exchange, and a second level that finds a list in pieces.
// Limit now: instructions, as in limit/09; with many ranks, the links between the GPUs.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "blocks/levels/level_sort.cuh"
#include "blocks/levels/region_leaves.cuh"
#include "blocks/rank_parts/list_pieces.cuh"
#include "blocks/rank_parts/rank_level.cuh"
#include "blocks/rank_parts/rank_sample.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "common/ranks/message_buffer.hpp"
#include "common/ranks/nccl_ranks.hpp"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/04_stratified_sample/sample.cuh"
#include "limit/07_one_pass/level_regions.cuh"
#include "limit/07_one_pass/levels.cuh"
#include "limit/09_two_pipes/long_tiles.cuh"
#include "limit/09_two_pipes/path_tree.cuh"
#include "limit/09_two_pipes/two_pipes.cuh"
#include "many_gpus/part_sort.cuh"
#include "problem/quicksort.hpp"
#include "problem/rank_cuts.hpp"

using course::cuda_check, course::DeviceBuffer, course::nccl_check;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;
using quicksort::kThreads, quicksort::Level, quicksort::ListGroup, quicksort::PartMessage;

// As choose_regions_kernel, for lists in pieces: one block per list, its tiles, splitters and
// regions. A tile lies in one piece.
template <int kSlots, int kBlock, int kKeys>
__global__ void __launch_bounds__(kBlock)
    choose_in_pieces_kernel(Level level, const quicksort::Piece* __restrict__ pieces, int ranks,
                            int tile_keys, int keys_per_part, std::uint64_t seed) {
    extern __shared__ Key s_samples[];
    __shared__ quicksort::ListPieces s_pieces;
    s_pieces.load(level, pieces, ranks);
    quicksort::LevelList& list = s_pieces.list;
    if (list.constant || list.count == 0) return;
    const unsigned tiles_before = pieces[0].first_tile;  // of the groups before
    for (int i = threadIdx.x / 32; i < ranks; i += kBlock / 32) {
        const quicksort::Piece piece = s_pieces.pieces[i];
        const std::int64_t begin = s_pieces.begin(i);
        for (std::int64_t t = threadIdx.x % 32; begin + t * tile_keys < piece.end; t += 32) {
            const std::int64_t first = begin + t * tile_keys;
            const auto keys = static_cast<int>(min(piece.end - first, std::int64_t{tile_keys}));
            level.tiles[piece.first_tile - tiles_before + t] = {blockIdx.x, piece.shift + first,
                                                                keys};
        }
    }
    const int samples = quicksort::sort_samples<kBlock, kKeys>(
        list.count, s_samples, seed, [&](std::int64_t i) { return level.from[s_pieces.place(i)]; });
    quicksort::choose_regions<kSlots>(level, list, s_samples, samples, keys_per_part);
}

void launch_choose_in_pieces(int bits, const ListGroup& group, int ranks, std::uint64_t seed,
                             cudaStream_t stream) {
    const auto launch = [&](auto kernel, int block, int bytes) {
        quicksort::allow_shared_bytes(kernel, bytes);
        kernel<<<group.level.list_count, block, bytes, stream>>>(group.level, group.pieces, ranks,
                                                                 quicksort::long_tile_keys(),
                                                                 quicksort::kKeysPerLeaf, seed);
        cuda_check(cudaGetLastError());
    };
    quicksort::with_bits(bits, [&](auto constant) {
        using Sample = quicksort::RegionSample<decltype(constant)::value, false>;
        if (Sample::kAlwaysFits || quicksort::shared_bytes_of_block() >= Sample::kWanted) {
            launch(choose_in_pieces_kernel<Sample::kParts, Sample::kBlock, Sample::kKeys>,
                   Sample::kBlock, Sample::kBytes);
        } else if constexpr (!Sample::kAlwaysFits) {
            launch(choose_in_pieces_kernel<Sample::kParts, kThreads, quicksort::kKeysPerThread>,
                   kThreads, Sample::kFewerBytes);
        }
    });
}

// Each rank has a slice of the keys, and gets about as many, in the order of the ranks.
void sort_on_ranks(const Input& input, Output& output, PhaseTimer& timer) {
    course::NcclRanks& ranks = course::NcclRanks::of(timer);
    ranks.refuse_more_than(quicksort::kMostRanks);
    const int all = ranks.count(), rank = ranks.rank();
    const course::Slice slice = ranks.slice(input.count());
    const quicksort::RankPlan plan(input, all);
    timer.begin(Phase::kSetup);
    quicksort::SampleSort sample_sort(plan.samples * all, input);
    quicksort::RankLevel upper(plan, slice.size());
    quicksort::PartSort parts(plan, input);
    DeviceBuffer<Key> d_keys(plan.room()), d_samples(plan.samples * all);
    // The parts of the rank's own keys, then messages.
    course::MessageBuffer<Key> d_lists(upper.room() + plan.with_slack(plan.room()), ranks);
    DeviceBuffer<unsigned> d_counts(std::int64_t{plan.parts()} * all);
    std::vector<unsigned> h_counts(d_counts.count());
    const course::Stream exchange(course::StreamPriority::kHigh);  // ahead of queued blocks
    course::Event partitioned, listed, arrived[quicksort::kMostGroups];
    const ncclComm_t communicator = ranks.communicator();

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_keys.data(), input.keys.data() + slice.begin,
                          slice.size() * sizeof(Key), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    Key* const own_samples = d_samples.data() + plan.samples * rank;
    quicksort::sample_keys_kernel<<<(plan.samples - 1) / kThreads + 1, kThreads>>>(
        d_keys.data(), slice.size(), plan.samples, input.seed, own_samples);
    cuda_check(cudaGetLastError());
    nccl_check(ncclAllGather(own_samples, d_samples.data(), plan.samples, ncclInt32, communicator,
                             nullptr));
    upper.choose(sample_sort.sort(d_samples.data(), d_samples.count()), plan, input.seed,
                 d_lists.data());
    upper.partition(d_keys.data());
    nccl_check(ncclAllGather(upper.level().cursors, d_counts.data(), plan.parts(), ncclUint32,
                             communicator, nullptr));
    cuda_check(
        cudaMemcpy(h_counts.data(), d_counts.data(), d_counts.bytes(), cudaMemcpyDeviceToHost));
    const quicksort::RankCuts cuts(std::move(h_counts), upper.constant_parts(), all);
    const quicksort::PartPlaces places = upper.places(cuts);
    upper.settle(cuts, places, rank);
    const quicksort::PartPieces pieces(cuts, places, rank, upper.room(),
                                       quicksort::long_tile_keys());
    const std::int64_t keys = cuts.keys(rank);
    if (keys > plan.room()) d_keys = DeviceBuffer<Key>(keys);  // the sample was a bad one
    if (pieces.end() > d_lists.count()) d_lists.lengthen(pieces.end(), upper.room());
    partitioned.record();
    cuda_check(cudaStreamWaitEvent(exchange.get(), partitioned.get()));
    const auto send_group = [&](int g) {
        nccl_check(ncclGroupStart());  // all messages of a group at once
        for (int other = 0; other < all; ++other) {
            if (other == rank) continue;
            const PartMessage out(cuts, places, rank, other, g), in(cuts, places, other, rank, g);
            if (out.length > 0) {
                nccl_check(ncclSend(d_lists.data() + out.begin, out.length, ncclInt32, other,
                                    communicator, exchange.get()));
            }
            if (in.length > 0) {
                nccl_check(ncclRecv(d_lists.data() + pieces.message(g, other), in.length, ncclInt32,
                                    other, communicator, exchange.get()));
            }
        }
        nccl_check(ncclGroupEnd());
    };
    // Behind its messages, beside the sort of the group before.
    const auto choose_regions = [&](int g) {
        const ListGroup group = parts.group(cuts.group(rank, g), pieces);
        if (group.level.list_count > 0) {
            launch_choose_in_pieces(plan.last_bits, group, all, ~input.seed, exchange.get());
        }
        arrived[g].record(exchange);
    };
    send_group(0);
    parts.set_lists(cuts, rank, upper.level(), d_lists.data(), pieces);
    listed.record();  // a copy of ordinary host memory may be on its way when it returns
    cuda_check(cudaStreamWaitEvent(exchange.get(), listed.get()));
    choose_regions(0);
    for (int g = 0; g < quicksort::kMostGroups; ++g) {
        if (g + 1 < quicksort::kMostGroups) {
            send_group(g + 1);
            choose_regions(g + 1);
        }
        cuda_check(cudaStreamWaitEvent(nullptr, arrived[g].get()));
        const ListGroup group = parts.group(cuts.group(rank, g), pieces);
        if (group.level.list_count == 0) continue;
        parts.forget_constants();
        quicksort::partition_lists(plan.last_bits, group.level, group.tiles);
        quicksort::queue_leaves<quicksort::PathTree, quicksort::TwoPipes>(
            group.level, group.before, group.leaves, group.leaf_count, d_keys.data());
    }
    parts.settle(pieces, d_keys.data());

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.keys.data() + cuts.begins()[rank], d_keys.data(),
                          keys * sizeof(Key), cudaMemcpyDeviceToHost));
    ranks.gather(output.keys, cuts.begins());
    timer.end();
    timer.note_grid((slice.size() - 1) / quicksort::long_tile_keys() + 1, kThreads);
    timer.declare_work({.bytes = 2.0 * sizeof(Key) * input.count()});  // of all ranks
    output.report = {{"most_keys", quicksort::longest_part(cuts.begins())}};
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const bool one = course::NcclRanks::of(timer).count() == 1;
    (one ? quicksort::sort_with_two_pipes : sort_on_ranks)(input, output, timer);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                quicksort::rank_options(), quicksort::kLevelBytesPerKey);
}
