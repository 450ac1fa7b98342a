// SPDX-License-Identifier: MIT
// A worker's life, and that of the block that it runs. How the block's threads wait for each other
// is in waiting.cpp.
#include "common/emulator/engine/worker.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "common/emulator/device/poison.hpp"
#include "common/emulator/device/properties/limits.hpp"
#include "common/emulator/device/properties/properties.hpp"
#include "common/emulator/engine/deadlock.hpp"
#include "common/emulator/engine/fibers/denormal_control.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/fault.hpp"
#include "common/emulator/process/pages.hpp"
#include "common/emulator/process/time_limit.hpp"
#include "common/emulator/timeline/timeline.hpp"

namespace emulator {

constinit thread_local Worker* running_worker = nullptr;

namespace {

// The local memory that any GPU gives a thread without being asked (CUDA C++ Programming Guide,
// Technical Specifications per Compute Capability), and enough for printf and for what g++ spills.
// The stack that a kernel may ask for comes on top. What no thread touches takes no memory.
constexpr std::size_t kLocalBytes = 512 * 1024;
constexpr std::size_t kSpilledBytes = 60 * 1024;

constexpr std::size_t kSharedAlignment = 16;
// Memory that may hold tiles of tensor copies begins at a multiple of 1024 bytes, as on a GPU:
// their swizzle depends on the address.
constexpr std::size_t kTiles = 4096;
constexpr std::size_t kTileAlignment = 1024;

void shuffle(std::uint16_t* first, std::size_t count, std::uint64_t& state) {
    for (std::size_t i = count; i > 1; --i) {
        state = mix_bits(state);
        std::swap(first[i - 1], first[state % i]);
    }
}

}  // namespace

Worker& Worker::current() {
    constinit thread_local Worker* worker = nullptr;
    if (worker == nullptr) {
        worker = new Worker;
        // The main thread keeps its own to the end of the process: static destructors, which come
        // after those of thread-local variables, may still run kernels.
        if (::getpid() != ::gettid()) thread_local const std::unique_ptr<Worker> owner(worker);
    }
    return *worker;
}

// Room for all threads: a vector must not grow while device code runs. Its code may be the
// program's copy of the same template, and that copy is instrumented.
Worker::Worker() : static_shared_(static_shared_ranges()), signal_stack_(install_signal_stack()) {
    idle_fibers_.reserve(kMaxThreadsPerBlock);
    converging_.reserve(kMaxThreadsPerBlock);
    held_.reserve(kMaxThreadsPerBlock);
}

Worker::~Worker() {
    remove_signal_stack(signal_stack_);
    if (shared_memory_ != nullptr) ::munmap(shared_memory_, kMaxDynamicSharedBytes + kPageBytes);
}

void Worker::run_block(Grid& grid, std::int64_t block) {
    const LaunchConfiguration& configuration = grid.configuration;
    grid_ = &grid;
    block_ = block;
    const auto width = static_cast<std::int64_t>(configuration.grid_dim.x);
    const auto height = static_cast<std::int64_t>(configuration.grid_dim.y);
    block_context_.block_index = {static_cast<unsigned>(block % width),
                                  static_cast<unsigned>(block / width % height),
                                  static_cast<unsigned>(block / width / height)};
    block_context_.block_dim = configuration.block_dim;
    block_context_.grid_dim = configuration.grid_dim;
    blockIdx = block_context_.block_index;
    blockDim = configuration.block_dim;
    gridDim = configuration.grid_dim;
    set_up_threads(configuration.block_dim);
    set_up_shared_memory(configuration.shared_bytes);
    if (hooks.block_begin != nullptr) hooks.block_begin(*this);
    if (timeline::is_on()) timeline::begin_block(grid.serial, block);

    Worker* const outer = std::exchange(running_worker, this);
    const BlockWatch watch;
    {
        const DenormalControl control(grid.call->flushes_denormals());
        switch_context(take_fiber(), &main_context_);
    }
    current_thread = nullptr;
    running_worker = outer;

    if (loop_.live > 0 && !grid.failed) {
        // Every thread that has not returned waits, and no thread is left to release it.
        if (hooks.deadlock != nullptr) hooks.deadlock(*this);
        explain("kernel %s, block (%u,%u,%u): deadlock, %d of %d threads wait for ever:%s",
                grid.name().c_str(), blockIdx.x, blockIdx.y, blockIdx.z, loop_.live, loop_.count,
                describe_waiting_threads(loop_, block_meeting_, warps_, async_.get()).c_str());
        grid.fail(cudaErrorLaunchFailure);
    }
    if (loop_.live > 0) {
        // Nothing will return to the frames on their fibers.
        made_fibers_ = 0;
        idle_fibers_.clear();
    }
    if (timeline::is_on()) timeline::end_block();
    if (hooks.block_end != nullptr) hooks.block_end(*this);
    if (async_ != nullptr) async_->finish_block(loop_.count);
}

void Worker::set_up_threads(const dim3& block_dim) {
    const int count = static_cast<int>(block_dim.x * block_dim.y * block_dim.z);
    std::size_t stack_bytes = kLocalBytes + kSpilledBytes + kernel_stack_bytes();
    // On a GPU, arguments lie in constant memory, up to 32 764 bytes. g++ copies them up to four
    // times.
    const std::size_t argument_bytes = grid_->call->argument_bytes();
    if (argument_bytes > kSpilledBytes / 16) stack_bytes += 4 * argument_bytes;
    if (stacks_.capacity() < count || stacks_.stack_bytes() < stack_bytes) {
        stacks_.reserve(std::max(count, stacks_.capacity()), stack_bytes);
        made_fibers_ = 0;
        idle_fibers_.clear();
    }
    if (threads_.size() < static_cast<std::size_t>(count)) {
        threads_.resize(count);
        suspended_.resize(count);
        fibers_.resize(count);
        warps_.resize((count + kWarpSize - 1) / kWarpSize);
        shaped_for_ = dim3(0, 0, 0);
    }
    if (shaped_for_.x != block_dim.x || shaped_for_.y != block_dim.y ||
        shaped_for_.z != block_dim.z) {
        shaped_for_ = block_dim;
        std::uint16_t linear = 0;
        for (unsigned z = 0; z < block_dim.z; ++z) {
            for (unsigned y = 0; y < block_dim.y; ++y) {
                for (unsigned x = 0; x < block_dim.x; ++x, ++linear) {
                    threads_[linear] = {{x, y, z}, linear, &block_context_, cudaSuccess, nullptr};
                }
            }
        }
        order_.clear();
    }
    if (launches_ > 0) {
        for (ThreadContext& thread : threads_) thread.last_error = cudaSuccess;
        launches_ = 0;
    }
    loop_.count = count;
    set_up_order();
    loop_.threads = threads_.data();
    loop_.order = order_.data();
    loop_.next = 0;
    loop_.live = count;
    loop_.waiting = 0;
    for (int first = 0; first < count; first += kWarpSize) {
        const int warp = first / kWarpSize;
        const int lanes = std::min(count - first, kWarpSize);
        loop_.live_lanes[warp] = ~0u >> (kWarpSize - lanes);
        warps_[warp].meetings = 0;
    }
    ready_head_ = ready_tail_ = 0;
    converging_.clear();
    held_.clear();
    block_meeting_.arrived = 0;
    block_meeting_.is_quick = false;
    block_meeting_.true_values = 0;
}

void Worker::set_up_order() {
    const Schedule& schedule = settings().schedule;
    const bool shuffled = schedule.order == Schedule::Order::shuffled;
    if (!order_.empty() && !shuffled && ordered_as_ == schedule.order) return;
    ordered_as_ = schedule.order;
    order_.resize(loop_.count);
    std::iota(order_.begin(), order_.end(), std::uint16_t{0});
    if (schedule.order == Schedule::Order::reversed) {
        std::reverse(order_.begin(), order_.end());
    } else if (shuffled) {
        // Warps in any order, and lanes in any order within their warp, as on hardware.
        std::uint64_t state = mix_bits(schedule.seed ^ mix_bits(block_ + grid_->serial * 0x10001));
        std::vector<std::uint16_t> warps((loop_.count + kWarpSize - 1) / kWarpSize);
        std::iota(warps.begin(), warps.end(), std::uint16_t{0});
        shuffle(warps.data(), warps.size(), state);
        auto* next = order_.data();
        for (const int warp : warps) {
            const int lanes = std::min(loop_.count - warp * kWarpSize, kWarpSize);
            std::iota(next, next + lanes, static_cast<std::uint16_t>(warp * kWarpSize));
            shuffle(next, lanes, state);
            next += lanes;
        }
    }
}

void Worker::set_up_shared_memory(std::size_t bytes) {
    for (const SharedRange& range : static_shared_) fill_poison(range.begin, range.bytes);
    dynamic_shared_bytes_ = bytes;
    dynamic_shared_ = nullptr;
    if (bytes == 0) return;
    if (shared_memory_ == nullptr) {
        void* memory = ::mmap(nullptr, kMaxDynamicSharedBytes + kPageBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        shared_memory_ = static_cast<char*>(memory);
        ::mprotect(shared_memory_ + kMaxDynamicSharedBytes, kPageBytes, PROT_NONE);
    }
    // It ends at the guard page, or as near to it as its alignment allows.
    const std::size_t alignment = bytes < kTiles ? kSharedAlignment : kTileAlignment;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    dynamic_shared_ = shared_memory_ + kMaxDynamicSharedBytes - rounded;
    fill_poison(dynamic_shared_, rounded);
}

bool Worker::is_shared(const void* address, std::size_t bytes) const {
    const auto* const byte = static_cast<const char*>(address);
    const auto holds = [&](const void* begin, std::size_t size) {
        const auto offset = static_cast<std::size_t>(byte - static_cast<const char*>(begin));
        return offset < size && bytes <= size - offset;
    };
    return holds(dynamic_shared_, dynamic_shared_bytes_) ||
           std::any_of(static_shared_.begin(), static_shared_.end(),
                       [&](const SharedRange& range) { return holds(range.begin, range.bytes); });
}

AsyncWork& Worker::async() {
    if (async_ == nullptr) async_ = std::make_unique<AsyncWork>(kMaxThreadsPerBlock);
    return *async_;
}

bool Worker::guards_shared_memory(const void* address) const {
    const auto* byte = static_cast<const char*>(address);
    return shared_memory_ != nullptr && byte >= shared_memory_ + kMaxDynamicSharedBytes &&
           byte < shared_memory_ + kMaxDynamicSharedBytes + kPageBytes;
}

}  // namespace emulator
