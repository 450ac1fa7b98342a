// SPDX-License-Identifier: MIT
// What stage 11 keeps in device memory from one iteration to the next, and the queue of iterations.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "device/fused_sums.cuh"

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

// Iterations that the host queues without waiting for each.
class IterationQueue {
  public:
    static constexpr std::int64_t kBatch =
        32;  // as many as the GPU does while the host queues them

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
