// SPDX-License-Identifier: MIT
// Device memory for large messages.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/ranks/nccl_ranks.hpp"

namespace course {

namespace detail {

struct NcclMemory {
    static constexpr const char* kName = "NCCL's";
    static cudaError_t allocate(void** memory, std::size_t bytes) {
        if (ncclMemAlloc(memory, bytes) == ncclSuccess) return cudaSuccess;
        const cudaError_t error = cudaGetLastError();
        return error != cudaSuccess ? error : cudaErrorMemoryAllocation;
    }
    static cudaError_t release(void* memory) {
        return ncclMemFree(memory) == ncclSuccess ? cudaSuccess : cudaErrorUnknown;
    }
};

}  // namespace detail

// Owns `count` elements of T, uninitialised. NCCL knows this memory, so a message goes from the
// sender's buffer straight into the receiver's. Otherwise it passes through a buffer of NCCL, and
// is copied twice. If one rank has such memory for a message, the other one must have it, too. With
// one rank there are no messages, and it is memory like any other.
template <typename T>
class MessageBuffer {
  public:
    // The setup of all ranks must make this call, with the same count. Errors: CudaError,
    // std::runtime_error of NCCL.
    MessageBuffer(std::int64_t count, NcclRanks& ranks)
        : MessageBuffer(count, ranks.communicator()) {
        const bool has_room = count >= kFirstMessage * (ranks.count() + 1);
        if (ranks.count() > 1 && has_room) introduce(ranks);
    }

    MessageBuffer(MessageBuffer&&) = delete;
    ~MessageBuffer() {
        if (handle_ != nullptr) ncclCommDeregister(communicator_, handle_);
    }

    // Gets `count` elements, of which the first `kept` stay. One rank may do so alone; its next
    // messages take longer. Waits.
    void lengthen(std::int64_t count, std::int64_t kept) {
        MessageBuffer longer(count, communicator_);
        cuda_check(cudaMemcpy(longer.data(), data(), kept * sizeof(T), cudaMemcpyDeviceToDevice));
        cuda_check(cudaStreamSynchronize(nullptr));
        std::swap(memory_, longer.memory_);
        std::swap(count_, longer.count_);
        std::swap(handle_, longer.handle_);
    }

    T* data() noexcept { return communicator_ != nullptr ? memory_.data() : alone_.data(); }
    std::int64_t count() const noexcept { return count_; }

  private:
    // NCCL 2.28 moves messages of up to 16 KB per channel in another way, for which it need not
    // know the memory. There are at most 32 channels.
    static constexpr std::int64_t kFirstMessage = (1 << 20) / sizeof(T);

    MessageBuffer(std::int64_t count, ncclComm_t communicator)
        : count_(count),
          alone_(communicator == nullptr ? count : 0),
          memory_(communicator != nullptr ? count : 0),
          communicator_(communicator) {
        if (communicator_ == nullptr || count == 0) return;
        nccl_check(ncclCommRegister(communicator_, memory_.data(), memory_.bytes(), &handle_));
    }

    // With the first long message, two ranks tell each other where their memory is. On two H100
    // that took 5 ms.
    void introduce(NcclRanks& ranks) {
        T* const first = memory_.data();
        cuda_check(cudaMemset(first, 0, kFirstMessage * sizeof(T)));
        nccl_check(ncclGroupStart());
        for (int other = 0; other < ranks.count(); ++other) {
            if (other == ranks.rank()) continue;
            const std::size_t bytes = kFirstMessage * sizeof(T);
            nccl_check(ncclSend(first, bytes, ncclInt8, other, communicator_, nullptr));
            nccl_check(ncclRecv(first + kFirstMessage * (other + 1), bytes, ncclInt8, other,
                                communicator_, nullptr));
        }
        nccl_check(ncclGroupEnd());
        cuda_check(cudaStreamSynchronize(nullptr));
    }

    std::int64_t count_;
    DeviceBuffer<T> alone_;
    Buffer<T, detail::NcclMemory> memory_;
    ncclComm_t communicator_;
    void* handle_ = nullptr;
};

}  // namespace course
