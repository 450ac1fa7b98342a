// SPDX-License-Identifier: MIT
#include "common/emulator/engine/worker.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "common/emulator/engine/grid.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/process/fault.hpp"
#include "common/emulator/process/settings.hpp"
#include "common/emulator/process/time_limit.hpp"
#include "common/emulator/runtime/device.hpp"
#include "common/emulator/runtime/errors.hpp"
#include "common/emulator/runtime/memory.hpp"

constinit thread_local uint3 threadIdx{};
constinit thread_local uint3 blockIdx{};
constinit thread_local dim3 blockDim{0, 0, 0};
constinit thread_local dim3 gridDim{0, 0, 0};

namespace emulator {

constinit thread_local ThreadContext* current_thread = nullptr;

Hooks hooks;

namespace {

const std::size_t kPageBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

// The worker whose block this OS thread runs.
constinit thread_local Worker* running_worker = nullptr;

// Enough for printf and for what g++ spills, beside the stack that a kernel may ask for.
constexpr std::size_t kBaseStackBytes = 60 * 1024;

constexpr std::size_t kSharedAlignment = 16;

void shuffle(std::uint16_t* first, std::size_t count, std::uint64_t& state) {
    for (std::size_t i = count; i > 1; --i) {
        state = mix_bits(state);
        std::swap(first[i - 1], first[state % i]);
    }
}

const char* describe(BlockMeeting::Kind kind) {
    switch (kind) {
        case BlockMeeting::Kind::plain:
            return "__syncthreads()";
        case BlockMeeting::Kind::count:
            return "__syncthreads_count()";
        case BlockMeeting::Kind::all:
            return "__syncthreads_and()";
        case BlockMeeting::Kind::any:
            return "__syncthreads_or()";
        case BlockMeeting::Kind::grid:
            return "the grid's barrier";
    }
    return "";
}

const char* describe(WarpOperation operation) {
    switch (operation) {
        case WarpOperation::sync:
            return "__syncwarp()";
        case WarpOperation::shuffle:
            return "__shfl_sync()";
        case WarpOperation::shuffle_up:
            return "__shfl_up_sync()";
        case WarpOperation::shuffle_down:
            return "__shfl_down_sync()";
        case WarpOperation::shuffle_xor:
            return "__shfl_xor_sync()";
        case WarpOperation::ballot:
            return "a vote (__ballot_sync(), __any_sync() or __all_sync())";
        case WarpOperation::match_any:
            return "__match_any_sync()";
        case WarpOperation::match_all:
            return "__match_all_sync()";
        case WarpOperation::reduce_add:
            return "__reduce_add_sync()";
        case WarpOperation::reduce_min_signed:
        case WarpOperation::reduce_min_unsigned:
            return "__reduce_min_sync()";
        case WarpOperation::reduce_max_signed:
        case WarpOperation::reduce_max_unsigned:
            return "__reduce_max_sync()";
        case WarpOperation::reduce_and:
            return "__reduce_and_sync()";
        case WarpOperation::reduce_or:
            return "__reduce_or_sync()";
        case WarpOperation::reduce_xor:
            return "__reduce_xor_sync()";
    }
    return "";
}

// "0-31, 40" for the numbers, which need not be sorted.
std::string describe_ranges(std::vector<int> numbers) {
    std::sort(numbers.begin(), numbers.end());
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        if (!text.empty()) text += ", ";
        text += std::to_string(numbers[i]);
        if (last > i) text += "-" + std::to_string(numbers[last]);
        i = last + 1;
    }
    return text;
}

std::vector<int> lanes_of(std::uint32_t mask, int warp) {
    std::vector<int> threads;
    for (; mask != 0; mask &= mask - 1)
        threads.push_back(warp * kWarpSize + std::countr_zero(mask));
    return threads;
}

std::string hexadecimal(std::uint32_t value) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", value);
    return text;
}

}  // namespace

Worker& Worker::current() {
    constinit thread_local Worker* worker = nullptr;
    if (worker == nullptr) {
        worker = new Worker;
        // The main thread keeps its own to the end of the process: static destructors, which come
        // after those of thread-local variables, may still run kernels.
        if (::getpid() != ::gettid()) {
            thread_local const std::unique_ptr<Worker> owner(worker);
        }
    }
    return *worker;
}

// Room for all threads: vectors that grew in device code would do so in a function that the
// program may have too, and that is instrumented there.
Worker::Worker() : static_shared_(static_shared_ranges()), signal_stack_(install_signal_stack()) {
    install_fault_handler();
    idle_fibers_.reserve(kMaxThreadsPerBlock);
    converging_.reserve(kMaxThreadsPerBlock);
    held_.reserve(kMaxThreadsPerBlock);
}

Worker::~Worker() {
    remove_signal_stack(signal_stack_);
    if (shared_memory_ != nullptr) ::munmap(shared_memory_, kMaxDynamicSharedBytes + kPageBytes);
}

// Before the worker goes on elsewhere.
[[gnu::always_inline]] inline void Worker::release_if_stuck() {
    if (ready_head_ != ready_tail_) return;
    if (!held_.empty()) release_held();
    if (ready_head_ == ready_tail_ && loop_.next == loop_.count && !converging_.empty()) {
        release_converged();
    }
}

// Runs the others until `self`, which waits or is ready, has its turn. Threads that may go on come
// before those that have not started: a warp that meets often stays on its 32 fibers. Inline, as
// what calls it: fewer returns, each of which a switch may make the processor mispredict.
[[gnu::always_inline]] inline void Worker::leave(ThreadContext& self) {
    FiberContext next = nullptr;
    release_if_stuck();
    if (ready_head_ != ready_tail_) {
        const std::uint16_t thread = ready_[ready_head_++ % kMaxThreadsPerBlock];
        if (thread == self.linear_index) return;
        next = suspended_[thread];
    } else {
        next = loop_.next < loop_.count ? take_fiber() : main_context_;
    }
    switch_context(next, &suspended_[self.linear_index]);
    current_thread = &self;
    threadIdx = self.thread_index;
}

// ---- One block

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

    Worker* const outer = std::exchange(running_worker, this);
    const BlockWatch watch;
    switch_context(take_fiber(), &main_context_);
    current_thread = nullptr;
    running_worker = outer;

    if (loop_.live > 0 && !grid.failed) {
        // Every thread that has not returned waits, and none can come to release it.
        if (hooks.deadlock != nullptr) hooks.deadlock(*this);
        explain("kernel %s, block (%u,%u,%u): deadlock, %d of %d threads wait for ever:%s",
                grid.name().c_str(), blockIdx.x, blockIdx.y, blockIdx.z, loop_.live, loop_.count,
                describe_waiting_threads().c_str());
        grid.fail(cudaErrorLaunchFailure);
    }
    if (loop_.live > 0) {
        // Their fibers hold frames that nothing will return to.
        made_fibers_ = 0;
        idle_fibers_.clear();
    }
    if (hooks.block_end != nullptr) hooks.block_end(*this);
}

void Worker::set_up_threads(const dim3& block_dim) {
    const int count = static_cast<int>(block_dim.x * block_dim.y * block_dim.z);
    const std::size_t stack_bytes = kBaseStackBytes + kernel_stack_bytes();
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
        // Warps in any order, and lanes in any order within their warp, as hardware might.
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
    // It ends at the guard page, as near as its alignment allows.
    const std::size_t rounded =
        (bytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
    dynamic_shared_ = shared_memory_ + kMaxDynamicSharedBytes - rounded;
    fill_poison(dynamic_shared_, rounded);
}

bool Worker::guards_shared_memory(const void* address) const {
    const auto* byte = static_cast<const char*>(address);
    return shared_memory_ != nullptr && byte >= shared_memory_ + kMaxDynamicSharedBytes &&
           byte < shared_memory_ + kMaxDynamicSharedBytes + kPageBytes;
}

// ---- Fibers

void Worker::fiber_main(boost::context::detail::transfer_t transfer) {
    Worker& worker = *running_worker;
    const int self = worker.made_fibers_ - 1;
    // A fiber starts with the control word of the one that made it, which may be a kernel's that
    // flushes.
    DenormalControl::write(DenormalControl::read() & ~DenormalControl::kFlushBits);
    boost::context::detail::jump_fcontext(transfer.fctx, nullptr);
    for (;;) {
        current_thread = nullptr;  // not the one that waits, on another fiber
        worker.grid_->call->run_threads(worker.loop_);
        worker.idle_fibers_.push_back(self);
        worker.release_if_stuck();
        switch_context(worker.next_context(worker.main_context_), &worker.fibers_[self]);
    }
}

[[gnu::noinline]] FiberContext Worker::take_fiber() {
    if (!idle_fibers_.empty()) {
        const int fiber = idle_fibers_.back();
        idle_fibers_.pop_back();
        return fibers_[fiber];
    }
    return stacks_.make(made_fibers_++, fiber_main);
}

// Where the worker goes on: with a thread that may, else as the caller says.
FiberContext Worker::next_context(FiberContext otherwise) {
    if (ready_head_ == ready_tail_) return otherwise;
    return suspended_[ready_[ready_head_++ % kMaxThreadsPerBlock]];
}

inline void Worker::make_ready(std::uint16_t thread) {
    ready_[ready_tail_++ % kMaxThreadsPerBlock] = thread;
}

void Worker::abandon_block() {
    FiberContext abandoned = nullptr;
    switch_context(main_context_, &abandoned);
    __builtin_unreachable();
}

void Worker::release_waiters_of(const ThreadContext& ended) {
    const int warp = ended.linear_index / kWarpSize;
    const std::uint32_t live = loop_.live_lanes[warp];
    for (int i = warps_[warp].meetings - 1; i >= 0; --i) {
        const WarpMeeting& meeting = warps_[warp].meeting[i];
        if (meeting.arrived == (meeting.mask & live)) complete_warp_meeting(warp, i);
    }
    if (block_meeting_.arrived > 0 && block_meeting_.arrived == loop_.live)
        complete_block_meeting();
}

// ---- Barriers

[[gnu::always_inline]] inline int Worker::wait_for_block(BlockMeeting::Kind kind, int value) {
    ThreadContext& self = *current_thread;
    if (block_meeting_.arrived > 0 && block_meeting_.kind != kind) {
        const std::string message = std::string("reached ") + describe(kind) +
                                    " while other threads of the block wait at " +
                                    describe(block_meeting_.kind);
        fail_kernel(cudaErrorLaunchFailure, message.c_str());
    }
    block_meeting_.kind = kind;
    block_meeting_.true_values += value != 0;
    block_meeting_.order[block_meeting_.arrived++] = self.linear_index;
    ++loop_.waiting;
    if (block_meeting_.arrived == loop_.live) complete_block_meeting();
    leave(self);
    // Still this barrier's: the next one completes only when this thread has arrived there.
    return block_meeting_.result;
}

void Worker::complete_block_meeting() {
    if (hooks.barrier_complete != nullptr) hooks.barrier_complete(*this);
    if (block_meeting_.kind == BlockMeeting::Kind::grid) {
        if (!grid_->barrier->arrive_and_wait()) abandon_block();
        if (hooks.grid_barrier_complete != nullptr) hooks.grid_barrier_complete(*this);
    }
    switch (block_meeting_.kind) {
        case BlockMeeting::Kind::plain:
        case BlockMeeting::Kind::grid:
            block_meeting_.result = 0;
            break;
        case BlockMeeting::Kind::count:
            block_meeting_.result = block_meeting_.true_values;
            break;
        case BlockMeeting::Kind::all:
            block_meeting_.result = block_meeting_.true_values == block_meeting_.arrived;
            break;
        case BlockMeeting::Kind::any:
            block_meeting_.result = block_meeting_.true_values > 0;
            break;
    }
    for (int i = 0; i < block_meeting_.arrived; ++i) make_ready(block_meeting_.order[i]);
    loop_.waiting -= block_meeting_.arrived;
    block_meeting_.arrived = 0;
    block_meeting_.true_values = 0;
}

// ---- Warp collectives

[[gnu::always_inline]] inline std::uint64_t Worker::wait_for_warp(WarpOperation operation,
                                                                  std::uint32_t mask,
                                                                  std::uint64_t value, int argument,
                                                                  int width) {
    ThreadContext& self = *current_thread;
    const int warp_number = self.linear_index / kWarpSize;
    const int lane = self.linear_index % kWarpSize;
    const std::uint32_t bit = 1u << lane;
    if ((mask & bit) == 0) {
        const std::string message = std::string("called ") + describe(operation) + " with mask " +
                                    hexadecimal(mask) + ", which leaves its own lane out";
        fail_kernel(cudaErrorLaunchFailure, message.c_str());
    }
    Warp& warp = warps_[warp_number];
    warp.value[lane] = value;
    warp.argument[lane] = argument;
    warp.width[lane] = width;
    int i = 0;
    while (i < warp.meetings &&
           (warp.meeting[i].mask != mask || warp.meeting[i].operation != operation)) {
        ++i;
    }
    WarpMeeting& meeting = warp.meeting[i];
    if (i == warp.meetings) {
        ++warp.meetings;
        meeting.operation = operation;
        meeting.mask = mask;
        meeting.arrived = 0;
        meeting.count = 0;
    }
    meeting.arrived |= bit;
    meeting.order[meeting.count++] = static_cast<std::uint8_t>(lane);
    ++loop_.waiting;
    if (meeting.arrived == (mask & loop_.live_lanes[warp_number])) {
        complete_warp_meeting(warp_number, i);
    }
    leave(self);
    return warp.result[lane];
}

// Hardware answers at once, and which lanes it finds together is up to its scheduler. Here a lane
// waits until no thread of the block can go on, and is then told of the lanes that wait at the same
// place: the greatest convergence there can be, and never a lane that took another branch.
std::uint32_t Worker::wait_for_convergence(const void* place) {
    ThreadContext& self = *current_thread;
    converging_.push_back({self.linear_index, place});
    ++loop_.waiting;
    leave(self);
    return static_cast<std::uint32_t>(
        warps_[self.linear_index / kWarpSize].result[self.linear_index % kWarpSize]);
}

// In each warp the lanes at the lowest address: those at a later one may be joined by them there.
void Worker::release_converged() {
    std::array<const void*, kMaxWarpsPerBlock> places{};
    std::array<std::uint32_t, kMaxWarpsPerBlock> lanes{};
    for (const ConvergingThread& waiting : converging_) {
        const int warp = waiting.thread / kWarpSize;
        if (places[warp] == nullptr || std::less<>()(waiting.place, places[warp])) {
            places[warp] = waiting.place;
            lanes[warp] = 0;
        }
        if (waiting.place == places[warp]) lanes[warp] |= 1u << waiting.thread % kWarpSize;
    }
    for (int warp = 0; hooks.collective_complete != nullptr && warp < kMaxWarpsPerBlock; ++warp) {
        if (lanes[warp] != 0) hooks.collective_complete(*this, warp, lanes[warp]);
    }
    std::erase_if(converging_, [&](const ConvergingThread& waiting) {
        const int warp = waiting.thread / kWarpSize;
        if (waiting.place != places[warp]) return false;
        warps_[warp].result[waiting.thread % kWarpSize] = lanes[warp];
        make_ready(waiting.thread);
        --loop_.waiting;
        return true;
    });
}

void Worker::hold() {
    ThreadContext& self = *current_thread;
    held_.push_back(self.linear_index);
    ++loop_.waiting;
    leave(self);
}

// Nothing is ready. Where the next thread to start belongs to a warp that holds, it comes first.
void Worker::release_held() {
    const int warp_to_start =
        loop_.next < loop_.count ? loop_.order[loop_.next] / kWarpSize : kMaxWarpsPerBlock;
    std::array<std::uint32_t, kMaxWarpsPerBlock> lanes{};
    for (const std::uint16_t thread : held_) {
        if (thread / kWarpSize == warp_to_start) return;
        lanes[thread / kWarpSize] |= 1u << thread % kWarpSize;
    }
    for (int warp = 0; warp < kMaxWarpsPerBlock; ++warp) {
        if (lanes[warp] != 0) hooks.warp_held(*this, warp, lanes[warp]);
    }
    for (const std::uint16_t thread : held_) make_ready(thread);
    loop_.waiting -= static_cast<int>(held_.size());
    held_.clear();
}

void Worker::complete_warp_meeting(int warp_number, int meeting_number) {
    Warp& warp = warps_[warp_number];
    const WarpMeeting& meeting = warp.meeting[meeting_number];
    if (hooks.collective_complete != nullptr) {
        hooks.collective_complete(*this, warp_number, meeting.arrived);
    }
    compute_warp_results(warp, meeting);
    for (int i = 0; i < meeting.count; ++i) {
        make_ready(static_cast<std::uint16_t>(warp_number * kWarpSize + meeting.order[i]));
    }
    loop_.waiting -= meeting.count;
    if (meeting_number != --warp.meetings)
        warp.meeting[meeting_number] = warp.meeting[warp.meetings];
}

// ---- Deadlock report

std::string Worker::describe_waiting_threads() const {
    constexpr int kMaxLines = 12;
    int lines = 0;
    std::string text;
    if (block_meeting_.arrived > 0) {
        const auto* first = block_meeting_.order.begin();
        text += "\n  threads " + describe_ranges({first, first + block_meeting_.arrived}) + " at " +
                describe(block_meeting_.kind);
    }
    for (int warp = 0; warp * kWarpSize < loop_.count; ++warp) {
        for (int i = 0; i < warps_[warp].meetings; ++i) {
            if (++lines > kMaxLines) continue;
            const WarpMeeting& meeting = warps_[warp].meeting[i];
            const std::uint32_t missing = meeting.mask & loop_.live_lanes[warp] & ~meeting.arrived;
            text += "\n  threads " + describe_ranges(lanes_of(meeting.arrived, warp)) + " in " +
                    describe(meeting.operation) + " with mask " + hexadecimal(meeting.mask) +
                    ", which threads " + describe_ranges(lanes_of(missing, warp)) +
                    " never reached";
        }
    }
    if (lines > kMaxLines) {
        text += "\n  and " + std::to_string(lines - kMaxLines) + " more groups of lanes";
    }
    return text;
}

// ---- What kernels call

int block_barrier(BarrierKind kind, int value) noexcept {
    if (hooks.barrier_begin != nullptr &&
        !hooks.barrier_begin(*running_worker, __builtin_return_address(0), false)) {
        return value;
    }
    return running_worker->wait_for_block(static_cast<BlockMeeting::Kind>(kind), value);
}

std::uint64_t warp_collective(WarpOperation operation, std::uint32_t mask, std::uint64_t value,
                              int argument, int width) noexcept {
    if (hooks.collective_begin != nullptr &&
        !hooks.collective_begin(*running_worker, __builtin_return_address(0), operation, mask)) {
        return value;
    }
    return running_worker->wait_for_warp(operation, mask, value, argument, width);
}

[[gnu::noinline]] std::uint32_t active_mask() noexcept {
    if (hooks.convergence_begin != nullptr) {
        hooks.convergence_begin(*running_worker, __builtin_return_address(0));
    }
    return running_worker->wait_for_convergence(__builtin_return_address(0));
}

bool grid_is_cooperative() noexcept { return running_worker->grid().configuration.cooperative; }

void grid_barrier() noexcept {
    if (!grid_is_cooperative()) {
        fail_kernel(cudaErrorLaunchFailure,
                    "waits for the whole grid, which was not launched cooperatively");
    }
    if (hooks.barrier_begin != nullptr &&
        !hooks.barrier_begin(*running_worker, __builtin_return_address(0), true)) {
        return;
    }
    running_worker->wait_for_block(BlockMeeting::Kind::grid, 0);
}

void* dynamic_shared_memory() noexcept { return running_worker->dynamic_shared(); }

std::size_t dynamic_shared_bytes() noexcept { return running_worker->dynamic_shared_bytes(); }

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

Worker* worker_of_running_block() { return running_worker; }

}  // namespace emulator
