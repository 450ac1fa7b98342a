// SPDX-License-Identifier: MIT
// For the stage on many GPUs: the lists of the second level, which are the parts that a rank gets.
// Each lies in pieces, one from each rank.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/exact_rounds.cuh"
#include "device/level_memory.cuh"
#include "device/levels.cuh"
#include "device/multiway.cuh"
#include "device/ranks/rank_level.cuh"
#include "device/rounds.cuh"
#include "device/two_pipes.cuh"
#include "problem/quicksort.hpp"
#include "problem/rank_cuts.hpp"

namespace quicksort {

// The list of this block and its pieces, in shared memory.
struct ListPieces {
    LevelList list;
    Piece pieces[kMostRanks];
    int count;

    // Ends with a barrier.
    __device__ __forceinline__ void load(const Level& level, const Piece* all, int ranks) {
        const int thread = threadIdx.x;
        if (thread == 0) list = level.lists[blockIdx.x], count = ranks;
        if (thread < ranks) pieces[thread] = all[std::int64_t{blockIdx.x} * ranks + thread];
        __syncthreads();
    }

    // The first key of a piece, counted within the list.
    __device__ __forceinline__ unsigned begin(int piece) const {
        return piece > 0 ? pieces[piece - 1].end : 0;
    }

    // Where key `i` of the list is.
    __device__ __forceinline__ std::int64_t place(std::int64_t i) const {
        int piece = 0;
        for (int step = kMostRanks / 2; step > 0; step /= 2) {  // bisection
            if (piece + step < count && pieces[piece + step - 1].end <= i) piece += step;
        }
        return pieces[piece].shift + i;
    }
};

// The lists of one group, as the kernels see them.
struct ListGroup {
    Level level, before;  // of `before`, only the splitters
    const Piece* pieces;
    unsigned tiles, leaf_count;
    RegionLeaves leaves;
};

// One block per list: its keys go one behind the other to `to`, where it begins in the sorted list.
static __global__ void __launch_bounds__(kThreads)
    join_pieces_kernel(Level level, Level before, const Piece* __restrict__ pieces, int ranks,
                       Key* __restrict__ to) {
    __shared__ ListPieces s_pieces;
    s_pieces.load(level, pieces, ranks);
    const LevelList& list = s_pieces.list;
    const Key constant = before.splitters[blockIdx.x];
    for (std::int64_t i = threadIdx.x; i < list.count; i += kThreads) {
        to[list.begin + i] = list.constant ? constant : level.from[s_pieces.place(i)];
    }
}

inline void queue_join(const ListGroup& group, int ranks, Key* to) {
    join_pieces_kernel<<<group.level.list_count, kThreads>>>(group.level, group.before,
                                                             group.pieces, ranks, to);
    course::cuda_check(cudaGetLastError());
}

class PartSort {
  public:
    // The option --slack: less than kMostSlack leaves less room than the other stages have.
    PartSort(const RankPlan& plan, const Input& input)
        : plan_(plan),
          rounds_(input.options.integer("--rounds")),
          slack_(input.options.integer("--slack")),
          seed_(input.seed),
          last_(2 * plan.room() + kMessageKeys * plan.parts()),
          d_pieces_(std::int64_t{plan.parts()} * plan.ranks),
          memory_(memory_for(plan.room())) {}

    // The parts of this rank, which lie in pieces of `lists`. `upper` is the level that made them.
    void set_lists(const RankCuts& cuts, int rank, const Level& upper, Key* lists,
                   const PartPieces& pieces) {
        const std::int64_t keys = cuts.keys(rank);
        if (keys > plan_.room()) {  // the sample was a bad one
            last_ = {};
            last_ = course::DeviceBuffer<Key>(2 * keys + kMessageKeys * plan_.parts());
            memory_ = memory_for(keys);
        }
        upper_ = upper;
        lists_ = lists;
        lower_ = memory_.last(lists, last_.data());
        std::vector<LevelList> all;
        std::int64_t begin = 0, area = 0;
        for (int part = pieces.parts().begin; part < pieces.parts().end; ++part) {
            const std::int64_t count = cuts.share(rank, part);
            LevelList list = {};
            list.begin = begin;
            list.area = area;
            list.count = static_cast<unsigned>(count);
            list.constant = cuts.is_constant(part);
            if (!list.constant) {
                const std::int64_t wanted = (count + count * slack_ / kMostSlack + 3) / 4 * 4;
                list.area_keys = static_cast<unsigned>(std::min(wanted, kMostAreaKeys));
            }
            begin += count;
            area += list.area_keys;
            all.push_back(list);
        }
        memory_.clear();
        copy(lower_.lists, all);
        copy(d_pieces_.data(), pieces.pieces());
        parts_ = pieces.parts();
        keys_ = keys;
    }

    // The lists of some neighbouring parts of the rank.
    ListGroup group(const PartRange& group, const PartPieces& pieces) {
        const int first = group.begin - parts_.begin;
        const std::int64_t parts_before = std::int64_t{first} * lower_.parts;
        ListGroup result = {lower_, upper_, d_pieces_.data() + std::int64_t{first} * plan_.ranks,
                            0,      0,      memory_.leaves()};
        const unsigned first_tile = pieces.first_tile(group.begin);
        result.tiles = pieces.first_tile(group.end) - first_tile;
        result.leaf_count = static_cast<unsigned>(group.size() * lower_.parts);
        result.leaves.leaves += parts_before;
        result.level.lists += first;
        result.level.list_count = group.size();
        result.level.tiles += first_tile;
        result.level.splitters += parts_before;
        result.level.regions += parts_before;
        result.level.cursors += parts_before;
        result.before.splitters += group.begin;
        return result;
    }

    // Before the leaves of a group. The group before has filled its constant parts.
    void forget_constants() {
        course::cuda_check(cudaMemsetAsync(memory_.leaves().constant_count, 0, sizeof(unsigned)));
    }

    // Waits. If a region has overflowed, sorts the lists in rounds; they are still where they were,
    // and that place becomes the rounds' buffer. sorted: where the keys belong.
    void settle(const PartPieces& pieces, Key* sorted) {
        if (keys_ == 0 || !memory_.outcome().overflowed) return;
        last_ = {};  // makes room for the rounds' memory
        queue_join(group(parts_, pieces), plan_.ranks, sorted);
        sort_exactly(sorted, lists_, keys_, rounds_, seed_);
    }

  private:
    static constexpr std::int64_t kMessageKeys = course::kMessageLine<Key>;
    static constexpr std::int64_t kMostAreaKeys = 0xfffffffc;

    LevelMemory memory_for(std::int64_t keys) const {
        return LevelMemory(tables_of(plan_.first_bits, plan_.last_bits), keys,
                           kThreads * kFewerKeys, plan_.ranks);
    }

    template <typename T>
    static void copy(T* to, const std::vector<T>& from) {
        course::cuda_check(
            cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    }

    RankPlan plan_;
    std::int64_t rounds_, slack_;
    std::uint64_t seed_;
    course::DeviceBuffer<Key> last_;
    course::DeviceBuffer<Piece> d_pieces_;
    LevelMemory memory_;
    Level upper_ = {}, lower_ = {};
    Key* lists_ = nullptr;
    PartRange parts_;
    std::int64_t keys_ = 0;
};

}  // namespace quicksort
