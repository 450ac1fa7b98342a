// SPDX-License-Identifier: MIT
// Stage 17: with several ranks, each block of the next iteration ends the last one for itself. So
// no kernel of its own must do that, and no block must wait for the others.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/fused_sums.cuh"
#include "device/queue.cuh"
#include "device/tasks.cuh"

namespace kmeans {

using course::cuda_check;

// What an iteration needs of the last one. A block must not read what another block of its kernel
// writes. So the first kernel of an iteration only reads this and State::before, and the second one
// writes both. The other way round, the first kernel writes State::progress, centroids and sizes
// for the second one, which only reads them.
struct LastTurn {
    fused::Word* sums;  // of all ranks
    unsigned int* tasks;  // their number
    Progress* progress;  // nullptr: there is one rank, whose last block has ended the iteration

    __host__ __device__ bool is_of_ranks() const { return progress != nullptr; }
};

// The memory for it, in which two iterations take turns: while the sums and the number of tasks of
// the last iteration are read and then cleared, the new iteration adds to its own.
class Turns {
  public:
    explicit Turns(int k) : words_(fused::kWordsPerSum * k), d_sums_(2 * words_) {
        cuda_check(cudaMemset(d_sums_.data(), 0, d_sums_.bytes()));
        cuda_check(cudaMemset(d_tasks_.data(), 0, d_tasks_.bytes()));
        cuda_check(cudaMemset(d_progress_.data(), 0, d_progress_.bytes()));
    }

    // Gives the next iteration its sums and its number of tasks, and returns those of the last one.
    LastTurn next(State& state, Tasks& tasks) {
        const int mine = turn_, last = 1 - turn_;
        turn_ = last;
        state.sums = d_sums_.data() + mine * words_;
        tasks.number = d_tasks_.data() + mine;
        return {d_sums_.data() + last * words_, d_tasks_.data() + last, d_progress_.data()};
    }

  private:
    int words_, turn_ = 0;
    course::DeviceBuffer<fused::Word> d_sums_;
    course::DeviceBuffer<unsigned int> d_tasks_{2};
    course::DeviceBuffer<Progress> d_progress_{1};
};

// Every block of the first kernel calls this. Ends the last iteration as end_iteration() does; what
// the second kernel or the host will read, only block 0 writes. Returns whether there is one more
// iteration, for which s_centroids are ready.
__device__ inline bool begin_iteration(const State& state, const LastTurn& last, int k,
                                       int2* s_centroids) {
    const int c = threadIdx.x;
    if (!last.is_of_ranks() || last.progress->iterations == 0) {  // there is nothing to end
        if (state.progress->done) return false;
        if (c < k) s_centroids[c] = state.centroids[c];
        __syncthreads();  // all centroids must be copied before a thread reads them
        return true;
    }
    const Progress progress = *last.progress;
    if (progress.done) return false;
    const bool writes = blockIdx.x == 0;
    bool moved = false;
    if (c < k) {
        const fused::Word* sum = &last.sums[fused::kWordsPerSum * c];
        const std::int64_t x = sum[0], y = sum[1], size = sum[2];
        const int2 old = state.before[c];
        int2 mean = old;  // a centroid without points does not move
        if (size > 0) mean = make_int2(static_cast<int>(x / size), static_cast<int>(y / size));
        moved = mean.x != old.x || mean.y != old.y;
        s_centroids[c] = mean;
        if (writes) state.centroids[c] = mean;
        if (writes) state.sizes[c] = size;
    }
    const bool converged = __syncthreads_or(moved) == 0;  // then s_centroids are written, too
    const bool done =
        progress.iterations == state.max_iterations || (converged && !state.all_iterations);
    if (writes && c == 0) *state.progress = {progress.iterations, converged, done, 0};
    return !done;
}

// One block of the second kernel calls this, if there are several ranks.
__device__ inline void hand_over(const State& state, const LastTurn& last, int k) {
    const Progress progress = *state.progress;
    const int i = threadIdx.x;
    if (i == 0) *last.progress = {progress.iterations + 1, 0, progress.done, 0};
    if (progress.done) return;  // the labels at the end are those of State::before
    if (i == 0) *last.tasks = 0;
    if (i < fused::kWordsPerSum * k) last.sums[i] = 0;
    if (i < k) state.before[i] = state.centroids[i];
}

}  // namespace kmeans
