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

// Calls queue_iteration, which must not wait, max_iterations times, or until `progress` is done. A
// batch of iterations is queued while the one before it runs, so up to two batches may be queued
// that find the last iteration done.
template <class QueueIteration>
void queue_iterations(const Progress* d_progress, std::int64_t max_iterations,
                      const QueueIteration& queue_iteration) {
    constexpr std::int64_t kBatch = 32;
    course::PinnedBuffer<Progress> h_progress(2);
    course::Event copied[2];
    for (std::int64_t queued = 0, batch = 0; queued < max_iterations; ++batch) {
        Progress* progress = &h_progress.data()[batch % 2];
        if (batch >= 2) {
            cuda_check(cudaEventSynchronize(copied[batch % 2].get()));
            if (progress->done) break;
        }
        const std::int64_t end = std::min(queued + kBatch, max_iterations);
        for (; queued < end; ++queued) queue_iteration();
        cuda_check(cudaMemcpyAsync(progress, d_progress, sizeof(Progress), cudaMemcpyDeviceToHost));
        copied[batch % 2].record();
    }
    cuda_check(cudaDeviceSynchronize());  // the copies are into memory of this function
}

}  // namespace kmeans
