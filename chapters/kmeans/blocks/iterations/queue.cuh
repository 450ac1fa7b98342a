// SPDX-License-Identifier: MIT
// The queue of iterations: the host does not wait for each, because the last block of an iteration
// moves the centroids and decides whether there is another one.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "limit/01_fused_sums/fused_sums.cuh"

namespace kmeans {

using course::cuda_check;

// How far the iterations have come.
struct Progress {
    std::int64_t iterations, converged, done;
    unsigned int blocks;  // that have ended in this iteration
};

// All pointers are to device memory.
struct State {
    Progress* progress;
    fused::Word* sums;  // zero when an iteration begins
    int2 *centroids, *before;
    std::int64_t *sizes, max_iterations;
    bool all_iterations;
};

// True for all threads of the last block of the grid that calls this: it sees what the others wrote
// before. Every thread of each block must call this.
__device__ inline bool is_last_block(Progress* progress) {
    __shared__ bool s_last;
    __threadfence();  // what this block wrote must arrive before it counts as ended
    __syncthreads();
    if (threadIdx.x == 0) s_last = atomicAdd(&progress->blocks, 1) == gridDim.x - 1;
    __syncthreads();
    return s_last;
}

// The last block of an iteration calls this: moves the centroids, clears what the next iteration
// adds to, and decides whether there is one. The other blocks' sums were added in the L2 cache.
__device__ inline void end_iteration(const State& state, int k) {
    bool moved = false;
    const int c = threadIdx.x;
    if (c < k) {
        Word* sum = &state.sums[fused::kWordsPerSum * c];
        const std::int64_t x = __ldcg(&sum[0]), y = __ldcg(&sum[1]), size = __ldcg(&sum[2]);
        sum[0] = sum[1] = sum[2] = 0;
        const int2 old = state.centroids[c];
        int2 mean = old;  // a centroid without points does not move
        if (size > 0) mean = make_int2(static_cast<int>(x / size), static_cast<int>(y / size));
        moved = mean.x != old.x || mean.y != old.y;
        state.sizes[c] = size;
        state.before[c] = old;
        state.centroids[c] = mean;
    }
    const bool converged = __syncthreads_or(moved) == 0;
    if (c > 0) return;
    Progress& progress = *state.progress;
    progress.blocks = 0;
    progress.converged = converged;
    ++progress.iterations;
    progress.done =
        progress.iterations == state.max_iterations || (converged && !state.all_iterations);
}

// Iterations that the host queues without waiting for each.
class IterationQueue {
  public:
    static constexpr std::int64_t kBatch = 32;  // the GPU does as many while the host queues them

    IterationQueue() { cuda_check(cudaMemset(d_progress_.data(), 0, d_progress_.bytes())); }

    Progress* d_progress() { return d_progress_.data(); }

    // Calls queue_iteration, which must not wait, max_iterations times, or until they are done. A
    // batch of iterations is queued while the one before it runs, so up to two batches find the
    // last iteration done. Does not wait for the last two.
    template <class QueueIteration>
    void run(std::int64_t max_iterations, std::int64_t iterations_per_batch,
             const QueueIteration& queue_iteration) {
        for (std::int64_t queued = 0, batch = 0; queued < max_iterations; ++batch) {
            Progress* progress = &h_progress_.data()[batch % 2];
            if (batch >= 2) {
                cuda_check(cudaEventSynchronize(copied_[batch % 2].get()));
                if (progress->done) break;
            }
            const std::int64_t end = std::min(queued + iterations_per_batch, max_iterations);
            for (; queued < end; ++queued) queue_iteration();
            // The batch after the next one reads the copy. Without such a batch there is none: the
            // GPU's next work would wait for it, some 20 us.
            if (queued + iterations_per_batch >= max_iterations) continue;
            cuda_check(cudaMemcpyAsync(progress, d_progress_.data(), d_progress_.bytes(),
                                       cudaMemcpyDeviceToHost));
            copied_[batch % 2].record();
        }
    }

    // Waits for all iterations that are queued.
    Progress wait() const {
        Progress last;
        cuda_check(cudaMemcpy(&last, d_progress_.data(), sizeof(last), cudaMemcpyDeviceToHost));
        return last;
    }

  private:
    course::DeviceBuffer<Progress> d_progress_{1};
    course::PinnedBuffer<Progress> h_progress_{2};
    course::Event copied_[2];
};

}  // namespace kmeans
