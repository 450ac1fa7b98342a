// SPDX-License-Identifier: MIT
// What kernels call to copy asynchronously.
#include <cuda_runtime_api.h>

#include <emulator/async/async_copies.hpp>
#include <emulator/async/mbarrier.hpp>
#include <emulator/async/tensor_copies.hpp>
#include <memory>
#include <utility>

#include "common/emulator/engine/async/async_work.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/engine/mbarrier.hpp"
#include "common/emulator/engine/worker.hpp"

namespace emulator {
namespace {

bool is_multiple(const void* address, std::uintptr_t unit) {
    return reinterpret_cast<std::uintptr_t>(address) % unit == 0;
}

// The running thread's queue.
CopyQueue& copies() { return running_worker->async().copies[current_thread->linear_index]; }
CopyQueue& bulk_stores() {
    return running_worker->async().bulk_stores[current_thread->linear_index];
}

void check_shared(const void* address, std::uint32_t bytes, const void* code) {
    if (running_worker->is_shared(address, bytes)) return;
    refuse_call(
        cudaErrorInvalidAddressSpace, code,
        "makes an asynchronous copy whose shared side lies outside of the block's shared memory",
        "copy between global memory and a __shared__ array, within its bounds");
}

void check_global(const void* address, const void* code) {
    const auto* const byte = static_cast<const char*>(address);
    const FiberStacks& stacks = running_worker->stacks();
    if (!running_worker->is_shared(address, 1) && byte != nullptr &&
        !(byte >= stacks.begin() && byte < stacks.begin() + stacks.bytes())) {
        return;
    }
    refuse_call(cudaErrorInvalidAddressSpace, code,
                "makes an asynchronous copy whose global side lies in shared memory, in a local "
                "variable or at a null pointer",
                "pass memory from cudaMalloc()");
}

void check_bulk(const void* a, const void* b, std::uint32_t bytes, const void* code) {
    if (bytes % 16 != 0) {
        refuse_call(cudaErrorLaunchFailure, code,
                    "makes a bulk copy whose size is no multiple of 16 bytes",
                    "copy a multiple of 16 bytes, and the rest by plain accesses");
    }
    if (!is_multiple(a, 16) || !is_multiple(b, 16)) {
        refuse_call(cudaErrorMisalignedAddress, code,
                    "makes a bulk copy with an address that is no multiple of 16 bytes",
                    "align both sides to 16 bytes: __align__(16) for a __shared__ array");
    }
}

// The box that a copy names by the map and by the coordinates of its first element.
std::shared_ptr<TensorBox> make_box(const void* map, int rank, const std::int32_t* coordinates,
                                    const void* shared, const void* code) {
    auto box = std::make_shared<TensorBox>();
    if (!is_multiple(map, 64)) {
        refuse_call(cudaErrorMisalignedAddress, code,
                    "passes a tensor map whose address is no multiple of 64 bytes",
                    "pass the map as a parameter: const __grid_constant__ CUtensorMap map");
    }
    box->map = *static_cast<const TensorMap*>(map);
    if (box->map.mark != TensorMap::kMark) {
        refuse_call(cudaErrorLaunchFailure, code, "passes an address where no tensor map lies",
                    "pass the address of what cuTensorMapEncodeTiled() has filled");
    }
    if (box->map.rank != rank) {
        refuse_call(cudaErrorLaunchFailure, code,
                    "makes a tensor copy of another number of dimensions than the tensor map has",
                    "use the instruction of the map's rank, with a coordinate for each dimension");
    }
    if (!is_multiple(shared, 128)) {
        refuse_call(cudaErrorMisalignedAddress, code,
                    "makes a tensor copy whose shared side is no multiple of 128 bytes",
                    "declare the __shared__ array with __align__(128), or with __align__(1024) for "
                    "a swizzle of 128 bytes");
    }
    for (int i = 0; i < rank; ++i) box->first[static_cast<std::size_t>(i)] = coordinates[i];
    box->shared = static_cast<char*>(const_cast<void*>(shared));
    check_shared(shared, box->bytes(), code);
    return box;
}

// A load into shared memory that a barrier tracks.
void issue_load(AsyncCopy copy, std::uint64_t* barrier, const void* code) {
    check_barrier_word(barrier, code);
    AsyncWork& work = running_worker->async();
    const std::uint64_t number = work.bulk_loads++;
    if (hooks.copy_issued != nullptr) hooks.copy_issued(code, copy, CopySort::bulk_load, number);
    copy.at_once = work.next_is_at_once();
    if (copy.at_once) move_data(copy);
    work.tracked.push_back({barrier, current_thread->linear_index, number, true, std::move(copy)});
    advance_phase(barrier, false);
}

void issue_store(AsyncCopy copy, const void* code) {
    if (hooks.copy_issued != nullptr) hooks.copy_issued(code, copy, CopySort::bulk_store, 0);
    copy.at_once = running_worker->async().next_is_at_once();
    bulk_stores().issue(std::move(copy));
}

}  // namespace

void copy_async(void* destination, const void* source, unsigned bytes, unsigned unread) noexcept {
    const void* const code = __builtin_return_address(0);
    if ((bytes != 4 && bytes != 8 && bytes != 16) || unread > bytes) {
        refuse_call(cudaErrorLaunchFailure, code,
                    "makes an asynchronous copy of a size that no instruction has",
                    "copy 4, 8 or 16 bytes");
    }
    if (!is_multiple(destination, bytes) || !is_multiple(source, bytes)) {
        refuse_call(cudaErrorMisalignedAddress, code,
                    "makes an asynchronous copy with an address that is no multiple of its size",
                    "align both sides to the size, or copy fewer bytes at a time");
    }
    check_shared(destination, bytes, code);
    check_global(source, code);
    AsyncCopy copy{static_cast<char*>(destination), static_cast<const char*>(source), bytes,
                   bytes - unread};
    if (hooks.copy_issued != nullptr) hooks.copy_issued(code, copy, CopySort::plain, 0);
    copy.at_once = running_worker->async().next_is_at_once();
    copies().issue(std::move(copy));
}

void commit_copies() noexcept { copies().commit(); }

void wait_for_copies(unsigned left) noexcept {
    CopyQueue& queue = copies();
    const std::uint64_t end = queue.end_of_groups(left);
    if (hooks.copies_awaited != nullptr &&
        !hooks.copies_awaited(__builtin_return_address(0), CopySort::plain, end)) {
        return;
    }
    queue.complete(end);
}

void arrive_after_copies(std::uint64_t* barrier, bool expected) noexcept {
    const void* const code = __builtin_return_address(0);
    check_barrier_word(barrier, code);
    if (hooks.arrival != nullptr) hooks.arrival(*running_worker, code, barrier, true);
    AsyncWork& work = running_worker->async();
    if (!expected) grow_pending_count(barrier, code);
    work.tracked.push_back(
        {barrier, current_thread->linear_index, copies().issued(), false, AsyncCopy{}});
    advance_phase(barrier, false);
}

void load_bulk(void* destination, const void* source, std::uint32_t bytes,
               std::uint64_t* barrier) noexcept {
    const void* const code = __builtin_return_address(0);
    check_bulk(destination, source, bytes, code);
    check_shared(destination, bytes, code);
    check_global(source, code);
    issue_load({static_cast<char*>(destination), static_cast<const char*>(source), bytes, bytes},
               barrier, code);
}

void store_bulk(void* destination, const void* source, std::uint32_t bytes, BulkOperation operation,
                BulkElement element) noexcept {
    const void* const code = __builtin_return_address(0);
    check_bulk(destination, source, bytes, code);
    check_shared(source, bytes, code);
    check_global(destination, code);
    issue_store({static_cast<char*>(destination), static_cast<const char*>(source), bytes, bytes,
                 operation, element},
                code);
}

void load_tensor(void* destination, const void* map, int rank, const std::int32_t* coordinates,
                 std::uint64_t* barrier) noexcept {
    const void* const code = __builtin_return_address(0);
    auto box = make_box(map, rank, coordinates, destination, code);
    box->stores = false;
    AsyncCopy copy{box->shared, nullptr, box->bytes(), 0};
    copy.box = std::move(box);
    issue_load(std::move(copy), barrier, code);
}

void store_tensor(const void* map, int rank, const std::int32_t* coordinates,
                  const void* source) noexcept {
    const void* const code = __builtin_return_address(0);
    auto box = make_box(map, rank, coordinates, source, code);
    box->stores = true;
    AsyncCopy copy{nullptr, box->shared, box->bytes(), box->bytes()};
    copy.box = std::move(box);
    issue_store(std::move(copy), code);
}

void commit_bulk_copies() noexcept { bulk_stores().commit(); }

void wait_for_bulk_copies(unsigned left, bool read_only) noexcept {
    CopyQueue& queue = bulk_stores();
    const std::uint64_t end = queue.end_of_groups(left);
    const CopySort sort = read_only ? CopySort::bulk_read : CopySort::bulk_store;
    if (hooks.copies_awaited != nullptr &&
        !hooks.copies_awaited(__builtin_return_address(0), sort, end)) {
        return;
    }
    if (read_only) {
        queue.read_sources(end);
    } else {
        queue.complete(end);
    }
}

void fence_for_bulk_copies() noexcept {
    if (hooks.proxy_fence != nullptr) hooks.proxy_fence(__builtin_return_address(0));
}

}  // namespace emulator
