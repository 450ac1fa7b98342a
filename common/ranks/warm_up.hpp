// SPDX-License-Identifier: MIT
// All-reduces of nothing, so that later messages are fast.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "common/ranks/nccl_ranks.hpp"

namespace course {

// After a pause of some milliseconds, the first messages between two H100 took 0.1 to 0.3 ms each,
// and after the fourth one 5 us. Where many short messages follow some long kernels, the slow ones
// can run beside these.
class WarmUp {
  public:
    // Queues a few all-reduces beside the work of all other streams. Does not wait. All ranks must
    // call it. Errors: std::runtime_error if NCCL fails.
    void run(NcclRanks& ranks) {
        constexpr int kMessages = 8;
        for (int i = 0; i < kMessages; ++i) {
            nccl_check(ncclAllReduce(words_.data(), words_.data(), words_.count(), ncclUint64,
                                     ncclSum, ranks.communicator(), stream_.get()));
        }
        ended_.record(stream_);
    }

    // What is queued on the stream from now on waits for the all-reduces.
    void make_wait(const Stream& stream) const {
        cuda_check(cudaStreamWaitEvent(stream.get(), ended_.get()));
    }

  private:
    DeviceBuffer<std::uint64_t> words_{128};
    Stream stream_{StreamPriority::kHigh};
    Event ended_;
};

}  // namespace course
