// SPDX-License-Identifier: MIT
// What kernels see of their thread and block, and the calls that do not wait.
#include <cstdlib>
#include <emulator/async/async_copies.hpp>

#include "common/emulator/engine/grid.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/engine/worker.hpp"
#include "common/emulator/process/errors.hpp"

constinit thread_local uint3 threadIdx{};
constinit thread_local uint3 blockIdx{};
constinit thread_local dim3 blockDim{0, 0, 0};
constinit thread_local dim3 gridDim{0, 0, 0};

namespace emulator {

constinit thread_local ThreadContext* current_thread = nullptr;

bool grid_is_cooperative() noexcept { return running_worker->grid().configuration.cooperative; }

void* dynamic_shared_memory() noexcept { return running_worker->dynamic_shared(); }

std::size_t dynamic_shared_bytes() noexcept { return running_worker->dynamic_shared_bytes(); }

bool is_in_shared_memory(const void* address) noexcept {
    return running_worker->is_shared(address, 1);
}

void check_vector_atomic(const void* address, unsigned bytes, const void* code) noexcept {
    if (running_worker->is_shared(address, 1)) {
        refuse_call(cudaErrorInvalidAddressSpace, code,
                    "adds a vector atomically in shared memory, where no device can",
                    "add each component by itself");
    }
    if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0) {
        refuse_call(cudaErrorMisalignedAddress, code,
                    "adds a vector atomically at an address that is no multiple of its size",
                    "align the array to the size of the vector");
    }
}

void enter_thread(ThreadContext& thread) {
    threadIdx = thread.thread_index;
    current_thread = &thread;
}

void end_warp(int warp) {
    if (hooks.warp_end != nullptr) hooks.warp_end(*running_worker, warp);
}

void release_waiters_of(ThreadLoop&, const ThreadContext& ended) {
    running_worker->release_waiters_of(ended);
}

void fail_kernel(int cuda_error, const char* message) noexcept {
    if (current_thread == nullptr) {
        explain("device code called by the host: %s", message);
        std::abort();
    }
    const uint3 block = current_thread->block->block_index;
    const uint3 thread = current_thread->thread_index;
    Grid& grid = running_worker->grid();
    current_thread = nullptr;  // device code ends here
    const auto error = static_cast<cudaError_t>(cuda_error);
    explain("kernel %s, block (%u,%u,%u), thread (%u,%u,%u): %s (%s)", grid.name().c_str(), block.x,
            block.y, block.z, thread.x, thread.y, thread.z, message, cudaGetErrorName(error));
    grid.fail(error);
    running_worker->abandon_block();
}

void refuse_call(int cuda_error, const void* code, const char* what, const char* advice) {
    if (hooks.call_refused != nullptr) hooks.call_refused(*running_worker, code, what, advice);
    fail_kernel(cuda_error, what);
}

}  // namespace emulator
