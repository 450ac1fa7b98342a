// SPDX-License-Identifier: MIT
// Makes counting the observer of this process' kernels.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/emulator/counting/attach_async.hpp"
#include "common/emulator/counting/checks/attach_checks.hpp"
#include "common/emulator/counting/checks/checks.hpp"
#include "common/emulator/counting/checks/chosen_lines.hpp"
#include "common/emulator/counting/checks/clocks.hpp"
#include "common/emulator/counting/checks/heap.hpp"
#include "common/emulator/counting/checks/host_memory.hpp"
#include "common/emulator/counting/checks/memory/copied_back.hpp"
#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/output/output.hpp"
#include "common/emulator/counting/output/trace.hpp"
#include "common/emulator/counting/output/view.hpp"
#include "common/emulator/counting/record/accesses.hpp"
#include "common/emulator/counting/record/callbacks.hpp"
#include "common/emulator/counting/record/sampling.hpp"
#include "common/emulator/counting/replay/polling.hpp"
#include "common/emulator/counting/replay/replay.hpp"
#include "common/emulator/counting/settings.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/process/executable.hpp"
#include "common/emulator/process/settings.hpp"
#include "common/emulator/process/time_limit.hpp"
#include "common/emulator/timeline/timeline.hpp"

extern "C" const char etext[];

namespace emulator::counting {
namespace {

constexpr int kUnknown = -1;

// The block that the calling OS thread runs.
struct RunningBlock {
    int kernel = kUnknown;
    std::uint64_t events = 0;  // that were replayed
    std::uint64_t clock = 0;
    // When each warp's last thread stopped. Warps are replayed in this order: if a warp waits for
    // an atomic of another warp, that atomic comes first.
    std::array<std::uint64_t, kMaxWarpsPerBlock> stopped{};
};
constinit thread_local RunningBlock running;

// The kernels of the running grids, by serial number, as far as they are known. The expression of a
// launch need not name the kernel (kernels[i], an instance of a template), so the first thread that
// enters the kernel names it.
std::unordered_map<std::uint64_t, int>& kernels_of_grids() {
    static auto* kernels = new std::unordered_map<std::uint64_t, int>;
    return *kernels;
}

void set_kernel(Grid& grid, int kernel) {
    const auto [entry, is_new] = kernels_of_grids().try_emplace(grid.serial, kernel);
    running.kernel = entry->second;
    if (!is_new) return;
    count_grid(static_cast<std::uint16_t>(kernel), grid);
    if (viewing) view_grid(static_cast<std::uint16_t>(kernel), grid);
    grid.kernel.name = counting().kernels[static_cast<std::size_t>(kernel)]->name.c_str();
}

// "View::View" and "View::~View", which copy an argument that is passed by value.
bool is_constructor(const std::string& name) {
    const std::size_t scope = name.rfind("::");
    if (scope == std::string::npos) return false;
    const std::string function = name.substr(scope + 2);
    if (function.starts_with('~')) return true;
    const std::string type = name.substr(0, std::min(scope, name.find('<')));
    return type == function || type.ends_with("::" + function);
}

// The kernel of the running block. A kernel without an instrumented function gets the launch's
// name.
std::uint16_t running_kernel(Worker& worker) {
    if (running.kernel == kUnknown) set_kernel(worker.grid(), find_kernel(worker.grid().name()));
    return static_cast<std::uint16_t>(running.kernel);
}

int running_warp() { return current_thread->linear_index / kWarpSize; }

void replay_all(Worker& worker) {
    const Unrecorded unrecorded;
    const int warps = static_cast<int>((worker.threads().size() + kWarpSize - 1) / kWarpSize);
    std::array<int, kMaxWarpsPerBlock> order;
    for (int warp = 0; warp < warps; ++warp) order[warp] = warp;
    std::stable_sort(order.begin(), order.begin() + warps,
                     [](int a, int b) { return running.stopped[a] < running.stopped[b]; });
    for (int i = 0; i < warps; ++i) {
        if (!recorder().has_buffer(order[i])) continue;
        running.events += replay_warp(worker, running_kernel(worker), order[i]);
    }
}

// Grids are recorded or not as a whole; of a recorded grid some blocks may be left out. On several
// workers the blocks of a grid that is not recorded may start grids at the same time.
std::mutex& grids_mutex() {
    static auto* mutex = new std::mutex;  // never destroyed: static destructors may run kernels
    return *mutex;
}
int all_workers = 1;

void on_grid_begin(Grid& grid) {
    const std::lock_guard lock(grids_mutex());
    begin_grid_checks(grid);
    grid.recorded = begin_sampled_grid(grid);
    if (grid.recorded) return;
    begin_unchecked_block();
    if (!grid.from_device) grid.workers = all_workers;
}

std::int64_t blocks_to_leave_out(Grid& grid) {
    if (!grid.recorded) return 0;
    const std::lock_guard lock(grids_mutex());
    const std::int64_t blocks = leave_out_blocks(grid);
    if (blocks > 0) {
        begin_unchecked_block();
        grid.recorded = false;
        if (!grid.from_device) grid.workers = all_workers;
    }
    return blocks;
}

void on_blocks_left_out(Grid& grid) {
    grid.recorded = true;
    grid.workers = 1;
}

void on_grid_end(const Grid& grid) {
    const std::lock_guard lock(grids_mutex());
    end_grid_checks(grid);
    const SampledBlocks blocks = end_sampled_grid(grid);
    const auto kernel = kernels_of_grids().extract(grid.serial);
    if (!kernel.empty()) {
        count_recorded(static_cast<std::uint16_t>(kernel.mapped()), blocks);
    }
}

// The earlier accesses of the launching thread are replayed first, so that the launch comes after
// them.
std::uint32_t on_launch(Worker& worker, cudaStream_t stream) {
    wait_for_replay();
    const Unrecorded unrecorded;
    const Uninterruptible whole;
    const std::lock_guard lock(grids_mutex());
    return note_launch(worker, current_thread->linear_index, stream, block_is_recorded);
}

int known_kernel(const Grid& grid) {
    const std::lock_guard lock(grids_mutex());
    const auto known = kernels_of_grids().find(grid.serial);
    return known != kernels_of_grids().end() ? known->second : kUnknown;
}

void on_block_begin(Worker& worker) {
    const Grid& grid = worker.grid();
    forget_polls();
    running.kernel = known_kernel(grid);
    running.events = 0;
    if (!grid.recorded) return start_unrecorded(worker, running.kernel != kUnknown);
    if (grid.configuration.cooperative && !records_cooperative_block(grid, worker.block())) {
        begin_unchecked_block();
        return start_unrecorded(worker, running.kernel != kUnknown);
    }
    begin_block_checks(worker);
    start_recording(worker, running.kernel != kUnknown);
    if (tracing) begin_block_trace();
    if (viewing) begin_block_view();
}

// As at the end of the program, but without the checks of whole kernels and programs: this block's
// kernel has not ended.
[[noreturn]] void end_at_finding() {
    finish_trace();
    finish_view();
    timeline::finish();
    write_counters();
    std::cout.flush();
    std::fflush(nullptr);
    std::_Exit(EXIT_FAILURE);
}

void on_block_end(Worker& worker) {
    if (!block_is_recorded) return;
    replay_all(worker);
    end_block_checks(worker);
    end_sampled_block(worker.grid(), running.events);
    forget_released_heap();
    if (options().first_finding_ends && has_errors()) end_at_finding();
}

void on_heap_allocated(Worker& worker, const Allocation& allocation, const void* code) {
    const std::uint16_t path = block_is_recorded ? running_path() : 0;
    const Unrecorded unrecorded;
    note_heap_allocation(worker, allocation, code, path);
}

void on_heap_freed(Worker&, const Allocation& allocation) {
    const Unrecorded unrecorded;
    note_heap_free(allocation);
    if (block_is_recorded) {
        forget_ranges_at(reinterpret_cast<std::uintptr_t>(allocation.begin));
    } else {
        ++memory_map_version;  // other workers may run, and record nothing
    }
}

void on_wrong_free(Worker& worker, bool twice, const std::string& what, const void* code) {
    const std::uint16_t path = block_is_recorded ? running_path() : 0;
    const Unrecorded unrecorded;
    report_wrong_free(worker, twice, what, code, path);
}

bool on_barrier_begin(Worker& worker, const void* code, bool) {
    if (!block_is_recorded) return !is_skipped(code);
    check_time_at_call(worker, code);
    {
        const std::uint16_t path = running_path();
        const Unrecorded unrecorded;
        if (is_skipped(code)) return false;
        check_barrier(worker, current_thread->linear_index, code, path);
        end_turns(worker);
    }
    record_meeting(meta_of(EventKind::barrier), code, 0);
    running.stopped[running_warp()] = ++running.clock;
    return true;
}

// Loops that poll may have a barrier, so that all threads of the block leave them together.
bool block_polls(Worker& worker) {
    if (!worker.has_turns()) return false;
    bool polls = false;
    const int warps = static_cast<int>((worker.threads().size() + kWarpSize - 1) / kWarpSize);
    for (int warp = 0; warp < warps; ++warp) {
        if (recorder().has_buffer(warp)) polls |= lanes_poll(warp, worker.live_lanes(warp));
    }
    return polls;
}

void on_barrier_complete(Worker& worker) {
    if (!block_is_recorded) return;
    const Unrecorded unrecorded;
    const bool polls = block_polls(worker);
    replay_all(worker);
    order_block(worker, false);
    if (tracing) next_trace_step();
    if (viewing) next_view_interval();
    if (polls) worker.pass_turn();
}

void on_grid_barrier_complete(Worker& worker) {
    if (!block_is_recorded) return;
    const Unrecorded unrecorded;
    order_block(worker, true);
}

bool on_collective_begin(Worker& worker, const void* code, WarpOperation operation, std::uint32_t) {
    const bool is_sync = operation == WarpOperation::sync;
    if (!block_is_recorded) return !is_sync || !is_skipped(code);
    check_time_at_call(worker, code);
    {
        const std::uint16_t path = running_path();
        const Unrecorded unrecorded;
        if (is_sync && is_skipped(code)) return false;
        check_collective(worker, current_thread->linear_index, code, path);
        if (tracing) note_exchange(code, path);
        end_turns(worker);
    }
    record_meeting(meta_of(EventKind::collective, 1, is_sync), code, 0);
    running.stopped[running_warp()] = ++running.clock;
    return true;
}

void on_convergence_begin(Worker& worker, const void* code) {
    if (!block_is_recorded) return;
    check_time_at_call(worker, code);
    {
        const Unrecorded unrecorded;
        end_turns(worker);
    }
    record_meeting(meta_of(EventKind::collective), code, 0);
}

// The lanes' last events are the collective. Only now it is known which lanes met there.
void on_collective_complete(Worker& worker, int warp, std::uint32_t arrived, const Warp* values,
                            const WarpMeeting* meeting) {
    if (!block_is_recorded) return;
    std::uint32_t undefined = 0;
    if (meeting != nullptr) {
        const Unrecorded unrecorded;
        undefined = check_meeting(worker, warp, *values, *meeting);
    }
    const std::uint64_t operand = std::uint64_t{undefined} << kWarpSize | arrived;
    Recorder& own = recorder();
    const int lanes =
        std::min(kWarpSize, static_cast<int>(worker.threads().size()) - warp * kWarpSize);
    bool all_are_here = true;
    for (int lane = 0; lane < lanes; ++lane) {
        if ((arrived >> lane & 1) != 0) {
            (own.record(warp, lane).next - kRowStride)[kOperandOffset] = operand;
        } else {
            all_are_here &=
                own.event_count(warp, lane) == 0 && (worker.live_lanes(warp) >> lane & 1) == 0;
        }
    }
    // The lanes that are elsewhere may execute the next events together with these lanes. What
    // lanes do next may also tell whether they use an undefined value.
    const bool polls = worker.has_turns() && lanes_poll(warp, arrived);
    const Unrecorded unrecorded;
    if (all_are_here && undefined == 0) {
        running.events += replay_warp(worker, running_kernel(worker), warp);
    }
    if (polls) worker.pass_turn();
}

void on_warp_end(Worker& worker, int warp) {
    if (!block_is_recorded) return;
    const Unrecorded unrecorded;
    running.stopped[warp] = ++running.clock;
    if (worker.some_wait()) return;
    running.events += replay_warp(worker, running_kernel(worker), warp);
    end_turn(worker, warp);
}

void on_warp_held(Worker& worker, int warp, std::uint32_t held) {
    if (!block_is_recorded) return;
    const Unrecorded unrecorded;
    running.events += replay_held_warp(worker, running_kernel(worker), warp, held);
    check_time(worker);
}

bool warp_polls(Worker&, int warp, std::uint32_t lanes) {
    return !block_is_recorded || lanes_poll(warp, lanes);
}

// What the block has signalled to others, and all that its threads stored before, is checked before
// the others go on.
void on_turn_passes(Worker& worker) {
    forget_polls();
    if (!block_is_recorded) return;
    const Unrecorded unrecorded;
    const int warps = static_cast<int>((worker.threads().size() + kWarpSize - 1) / kWarpSize);
    for (int warp = 0; warp < warps; ++warp) {
        if (!recorder().has_buffer(warp)) continue;
        running.events += replay_stores(worker, running_kernel(worker), warp);
    }
}

void write_at_exit() {
    warn_of_lines_not_reached();
    report_unfinished_kernels();
    report_unread_errors();
    report_waiting_copies();
    report_early_clock();
    warn_of_leaks();
    finish_trace();
    finish_view();
    write_counters();
}

// An event has 24 bits for the place in the code.
void check_code_size() {
    const std::size_t bytes = reinterpret_cast<std::uintptr_t>(etext) -
                              reinterpret_cast<std::uintptr_t>(__executable_start);
    if (bytes <= kCodeMask) return;
    std::fprintf(stderr,
                 "emulator: this executable has %zu MiB of code: accesses can be counted in 16 MiB "
                 "at most\n",
                 bytes >> 20);
    std::_Exit(1);
}

// RecordHooks::name_kernel.
bool name_kernel(const void* code) {
    const Unrecorded unrecorded;
    const Uninterruptible whole;
    const std::lock_guard lock(grids_mutex());
    static auto* kernels = new std::unordered_map<const void*, int>;
    const auto [entry, is_new] = kernels->try_emplace(code, kUnknown);
    if (is_new) {
        const std::string name = function_name(code);
        if (!is_constructor(name)) entry->second = find_kernel(name);
    }
    if (entry->second == kUnknown) return false;
    set_kernel(worker_of_running_block()->grid(), entry->second);
    return true;
}

void attach() {
    check_code_size();
    record_hooks.name_kernel = name_kernel;
    record_hooks.note_clock = note_clock;
    watch_clocks();
    attach_checks();
    attach_async();
    // The handler that is registered first runs last: static destructors may still run kernels.
    std::atexit(write_at_exit);
    hooks.grid_begin = on_grid_begin;
    hooks.grid_end = on_grid_end;
    hooks.blocks_to_leave_out = blocks_to_leave_out;
    hooks.blocks_left_out = on_blocks_left_out;
    hooks.block_begin = on_block_begin;
    hooks.block_end = on_block_end;
    hooks.barrier_begin = on_barrier_begin;
    hooks.barrier_complete = on_barrier_complete;
    hooks.grid_barrier_complete = on_grid_barrier_complete;
    hooks.collective_begin = on_collective_begin;
    hooks.convergence_begin = on_convergence_begin;
    hooks.collective_complete = on_collective_complete;
    hooks.warp_end = on_warp_end;
    hooks.warp_held = on_warp_held;
    hooks.warp_polls = warp_polls;
    hooks.turn_passes = on_turn_passes;
    hooks.launch = on_launch;
    hooks.deadlock = report_deadlock;
    hooks.heap_allocated = on_heap_allocated;
    hooks.heap_freed = on_heap_freed;
    hooks.wrong_free = on_wrong_free;
    host_hooks.transfer = count_transfer;
    // With one worker the counters do not depend on chance.
    Settings one_worker = emulator::settings();
    all_workers = one_worker.workers;
    one_worker.workers = 1;
    emulator::configure(one_worker);
    configure(options());
}

}  // namespace
}  // namespace emulator::counting

// Each instrumented file calls it before its static initialisation.
extern "C" void __tsan_init() {
    constinit static bool attached = false;
    if (!std::exchange(attached, true)) emulator::counting::attach();
}
