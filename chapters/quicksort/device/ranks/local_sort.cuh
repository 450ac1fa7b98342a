// SPDX-License-Identifier: MIT
// For the stage on many GPUs: the sort of stage 26 for keys that are on the device, with its
// memory; the level above; and the keys that arrive.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/exact_rounds.cuh"
#include "device/level_memory.cuh"
#include "device/level_sort.cuh"
#include "device/multiway.cuh"
#include "device/sample.cuh"
#include "device/search_trees.cuh"
#include "device/two_pipes.cuh"
#include "problem/quicksort.hpp"
#include "problem/rank_cuts.hpp"

namespace quicksort {

inline std::vector<Option> rank_options() {
    std::vector<Option> options = kLevelOptions;
    options.push_back({"--samples", "keys of each rank in the sample, at most; for several ranks",
                       1 << 16, 1, 1 << 16});
    return options;
}

// Keys on the device, from a multiple of 16 bytes on.
struct Piece {
    const Key* keys;
    std::int64_t count;
};

class LocalSort {
  public:
    // For at most so many keys.
    LocalSort(std::int64_t most_keys, const Input& input)
        : most_keys_(most_keys),
          plan_(plan_levels(most_keys, static_cast<int>(input.options.integer("--bits")),
                            input.options.integer("--slack"))),
          rounds_(input.options.integer("--rounds")),
          seed_(input.seed),
          first_(plan_.first_keys),
          last_(plan_.last_keys),
          memory_(plan_, most_keys, kThreads * kFewerKeys) {
        if (input.options.integer("--seeds") > 1) {
            throw course::UsageError("--seeds: only a run with one rank sorts with several seeds");
        }
    }

    // Room for as many keys, until sort() or end_pieces() is called.
    Key* buffer() { return sorts_pieces() ? last_.data() : first_.data(); }

    // The first of two levels takes the keys in pieces. It needs a sample of all of them:
    // begin_pieces(), add_piece() for each, and end_pieces(). With one level, these do nothing.
    void begin_pieces(const Key* sample, std::int64_t samples) {
        if (!sorts_pieces()) return;
        memory_.clear();
        // The sample is the list of this level. Of the list, only the splitters, the regions and
        // the cursors of its parts are used, and those count the keys of the pieces.
        upper_ = memory_.first(sample, first_.data(), samples);
        run_level<false>(plan_.first_bits, upper_, {Level{}, samples, plan_.first_area, 1}, 1,
                         seed_, 0, [](auto, const Level&, unsigned) {});
    }

    void add_piece(const Piece& piece) {
        if (!sorts_pieces() || piece.count == 0) return;
        with_long_tiles([&](int keys_per_thread, const auto& partition) {
            Level level = upper_;
            level.from = piece.keys;
            level.count = piece.count;
            const std::int64_t tiles = (piece.count - 1) / (kThreads * keys_per_thread) + 1;
            with_bits(plan_.first_bits, [&](auto bits) {
                partition(bits, level, static_cast<unsigned>(tiles));
                course::cuda_check(cudaGetLastError());
            });
        });
    }

    // Of `count` keys in all. Waits for the result, and returns where it is; nullptr if there is
    // one level, or a region has overflowed: then sort() may still be called.
    const Key* end_pieces(std::int64_t count) {
        if (!sorts_pieces()) return nullptr;
        with_long_tiles([&](int keys_per_thread, const auto& partition) {
            const int tile_keys = kThreads * keys_per_thread;
            const Level lower = memory_.last(first_.data(), last_.data());
            run_level<false>(plan_.last_bits, lower, {upper_, count, 0, tile_keys}, kKeysPerLeaf,
                             ~seed_, count / tile_keys + lower.list_count, partition);
            queue_leaves<PathTree, TwoPipes>(lower, upper_, memory_.leaves(), memory_.leaf_count(),
                                             first_.data());
        });
        return memory_.outcome().overflowed ? nullptr : first_.data();
    }

    // Waits for the result, and returns where it is. `keys` are overwritten if a region overflows.
    const Key* sort(Key* keys, std::int64_t count) {
        if (count == 0) return keys;
        if (plan_.possible) {
            with_long_tiles([&](int keys_per_thread, const auto& partition) {
                queue_levels<PathTree, TwoPipes>(plan_, memory_, keys, count, first_.data(),
                                                 last_.data(), seed_, kThreads * keys_per_thread,
                                                 partition);
            });
            if (!memory_.outcome().overflowed) return first_.data();
        }
        last_ = {};  // makes room for the rounds' memory
        sort_exactly(keys, first_.data(), count, rounds_, seed_);
        return keys;
    }

  private:
    bool sorts_pieces() const { return plan_.possible && plan_.last_bits > 0; }

    std::int64_t most_keys_;
    LevelPlan plan_;
    std::int64_t rounds_;
    std::uint64_t seed_;
    course::DeviceBuffer<Key> first_, last_;
    LevelMemory memory_;
    Level upper_ = {};  // of the pieces
};

// The whole stage 26.
inline void sort_with_two_pipes(const Input& input, Output& output, PhaseTimer& timer) {
    with_long_tiles([&](int keys_per_thread, const auto& partition) {
        sort_by_levels<PathTree, TwoPipes>(input, output, timer, keys_per_thread, partition);
    });
}

// One block. No key moves to a place that another one leaves.
static __global__ void move_keys_kernel(Key* keys, const KeyMove* __restrict__ moves, int count) {
    for (int i = threadIdx.x; i < count; i += kThreads) keys[moves[i].to] = keys[moves[i].from];
}

// The keys that come to a rank, in chunks.
class ArrivingKeys {
  public:
    ArrivingKeys(std::int64_t room, int chunks, int ranks)
        : most_holes_(2 * course::kMessageLine<Key> * (ranks + 1) * chunks),
          d_keys_(room + most_holes_),
          d_moves_(most_holes_) {}

    // Makes room if `count` keys are too many.
    void plan(std::vector<Arrival> arrivals, std::int64_t count) {
        arrivals_ = std::move(arrivals);
        if (count + most_holes_ > d_keys_.count()) {
            d_keys_ = course::DeviceBuffer<Key>(count + most_holes_);
        }
        std::vector<KeyMove> moves;
        for (const Arrival& one : arrivals_) {
            moves.insert(moves.end(), one.moves.begin(), one.moves.end());
        }
        copy_moves(moves);
    }

    // Where a message of this chunk begins, or the keys that the rank keeps.
    Key* place(int chunk, int from) { return d_keys_.data() + arrivals_[chunk].places[from]; }

    // The keys of the next chunk, which have arrived, without holes.
    Piece piece(int chunk) {
        const Arrival& arrival = arrivals_[chunk];
        move_keys(d_moves_.data() + moved_, arrival.moves);
        moved_ += std::ssize(arrival.moves);
        return {d_keys_.data() + arrival.begin, arrival.count};
    }

    // All pieces as one list.
    Key* list() {
        std::vector<std::int64_t> gaps;
        std::int64_t end = 0;
        for (const Arrival& arrival : arrivals_) {
            for (; end < arrival.begin; ++end) gaps.push_back(end);
            end += arrival.count;
        }
        const std::vector<KeyMove> moves = moves_into(gaps, end);
        copy_moves(moves);
        move_keys(d_moves_.data(), moves);
        return d_keys_.data();
    }

  private:
    void copy_moves(const std::vector<KeyMove>& moves) {
        course::cuda_check(cudaMemcpy(d_moves_.data(), moves.data(), moves.size() * sizeof(KeyMove),
                                      cudaMemcpyHostToDevice));
    }
    void move_keys(const KeyMove* d_moves, const std::vector<KeyMove>& moves) {
        if (moves.empty()) return;
        move_keys_kernel<<<1, kThreads>>>(d_keys_.data(), d_moves, static_cast<int>(moves.size()));
        course::cuda_check(cudaGetLastError());
    }

    std::int64_t most_holes_;
    course::DeviceBuffer<Key> d_keys_;
    course::DeviceBuffer<KeyMove> d_moves_;
    std::vector<Arrival> arrivals_;
    std::int64_t moved_ = 0;  // moves of the pieces before
};

// The level above the others in a sort on several ranks: its sample, and the classes that the
// splitters part the keys into (problem/rank_cuts.hpp).
inline constexpr int kCopies = 8;  // of a counter in shared memory: lanes of one class wait less

// Sample i of `samples` becomes samples[i]. A rank without keys shows the largest key.
static __global__ void sample_keys_kernel(const Key* __restrict__ keys, std::int64_t count,
                                          int samples, std::uint64_t seed,
                                          Key* __restrict__ sample) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= samples) return;
    sample[i] = count > 0 ? keys[sample_place(i, sample_range(samples, count), seed)] : kLargestKey;
}

// Twice the number of splitters that are less than the key, and 1 if the next one equals it.
__device__ __forceinline__ int class_of(const Key* s_splitters, int splitters, Key key) {
    int less = 0;
    for (int step = kMostRanks / 2; step > 0; step /= 2) {
        if (less + step <= splitters && s_splitters[less + step - 1] < key) less += step;
    }
    return 2 * less + (less < splitters && s_splitters[less] == key);
}

// One block per tile; counts[kMostClasses * c + k] becomes the number of keys of class k in chunk
// c.
static __global__ void __launch_bounds__(kThreads)
    count_classes_kernel(const Key* __restrict__ keys, std::int64_t count, int chunk_tiles,
                         const Key* __restrict__ splitters, int ranks,
                         ClassCount* __restrict__ counts) {
    __shared__ Key s_splitters[kMostRanks];
    __shared__ unsigned s_counts[kMostClasses * kCopies];
    const int thread = threadIdx.x, classes = 2 * ranks - 1;
    for (int i = thread; i < classes * kCopies; i += kThreads) s_counts[i] = 0;
    if (thread < ranks - 1) s_splitters[thread] = splitters[thread];
    __syncthreads();
    const std::int64_t first = std::int64_t{blockIdx.x} * kTileKeys;
#pragma unroll 4
    for (int j = 0; j < kKeysPerThread; ++j) {
        const std::int64_t i = first + j * kThreads + thread;
        if (i >= count) break;
        const int own = class_of(s_splitters, ranks - 1, keys[i]);
        atomicAdd(&s_counts[own * kCopies + thread % kCopies], 1u);
    }
    __syncthreads();
    if (thread >= classes) return;
    unsigned sum = 0;
    for (int copy = 0; copy < kCopies; ++copy) sum += s_counts[thread * kCopies + copy];
    if (sum > 0) atomicAdd(&counts[blockIdx.x / chunk_tiles * kMostClasses + thread], sum);
}

}  // namespace quicksort
