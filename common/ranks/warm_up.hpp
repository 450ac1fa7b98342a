// SPDX-License-Identifier: MIT
// All-reduces of nothing, so that later messages are fast.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/ranks/nccl_ranks.hpp"

namespace course {

// After a pause of some tens of milliseconds, the first three messages between two H100 took 0.1 to
// 0.3 ms each, and all others 5 us, also those after a pause of 1.5 ms. So many short messages are
// fast if some others run at the end of the copies to the GPUs. Waits for these. All ranks must
// call it. Errors: std::runtime_error if NCCL fails; CudaError.
inline void warm_up(NcclRanks& ranks) {
    if (ranks.count() == 1) return;
    constexpr int kMessages = 8;
    DeviceBuffer<std::uint64_t> words(128);
    for (int i = 0; i < kMessages; ++i) {
        nccl_check(ncclAllReduce(words.data(), words.data(), words.count(), ncclUint64, ncclSum,
                                 ranks.communicator(), nullptr));
    }
    cuda_check(cudaDeviceSynchronize());
}

}  // namespace course
