// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/attach_checks.hpp"

#include <algorithm>

#include "common/emulator/counting/checks/checks.hpp"
#include "common/emulator/counting/checks/heap.hpp"
#include "common/emulator/counting/checks/host_memory.hpp"
#include "common/emulator/counting/checks/memory/allocations.hpp"
#include "common/emulator/counting/checks/memory/copied_back.hpp"
#include "common/emulator/counting/checks/memory/forbidden.hpp"
#include "common/emulator/counting/checks/memory/memory_map.hpp"
#include "common/emulator/counting/checks/memory/misaligned.hpp"
#include "common/emulator/counting/checks/memory/unwritten_global.hpp"
#include "common/emulator/counting/checks/races/copies.hpp"
#include "common/emulator/counting/checks/races/program.hpp"
#include "common/emulator/counting/checks/texture_checks.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/record/address.hpp"
#include "common/emulator/counting/record/callers.hpp"
#include "common/emulator/counting/record/record_hooks.hpp"
#include "common/emulator/device/devices.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/unread_errors.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/process/executable.hpp"
#include "common/emulator/process/exit_status.hpp"
#include "common/emulator/runtime/queued_work.hpp"

namespace emulator::counting {
namespace {

std::uint64_t running_work = 0;  // note_queued_work()

void cover_data() {
    std::uintptr_t begin = ~std::uintptr_t{0};
    std::uintptr_t end = 0;
    for (const Section& section : data_sections()) {
        if (!section.writable) continue;
        begin = std::min(begin, section.begin);
        end = std::max(end, section.begin + section.bytes);
    }
    if (begin >= end) return;
    for (int device = 0; device < device_count(); ++device) {
        program().data[device].cover(begin, end - begin);
    }
}

void on_memory_allocated(const Allocation& allocation) {
    ++memory_map_version;
    note_allocation(allocation);
}

void on_memory_freed(const Allocation& allocation) {
    ++memory_map_version;
    program().global.forget(number_of(allocation.begin), allocation.bytes);
    forget_written(number_of(allocation.begin), allocation.bytes);
    forget_allocation(allocation);
}

void on_memory_written(const void* begin, std::size_t bytes, const void* source) {
    note_written(number_of(begin), bytes, number_of(source));
}

void on_copied_back(void* destination, const void* source, std::size_t bytes) {
    note_copied_back(number_of(destination), number_of(source), bytes, line_finder(running_work));
}

void on_task_begun(const TaskPlace& place, const Clock& before) {
    program().task_place = place;
    program().task_before = before;
}

void on_work_begun(std::uint64_t begun) {
    running_work = begun;
    Program& all = program();
    if (!all.races_on) return;
    const QueuedWork& work = queued_work(begun);
    if (work.kind == WorkKind::host_function) return begin_host_function();
    all.tasks.begin({all.task_place, all.task_before, all.last_interval + 1, work.kind, work.kernel,
                     work.library, work.written, work.read, line_finder(begun)});
    if (all.tasks.running().kind != WorkKind::kernel) check_copy();
}

void on_work_ended(std::uint64_t ended) {
    if (program().races_on && queued_work(ended).kind == WorkKind::host_function) {
        end_host_function();
    }
    note_ended_work(ended);
}

void on_all_ended() { program().tasks.forget_all(); }

// A block that is not recorded ends at once, as without an observer.
bool on_time_is_up() {
    if (current_thread != nullptr && current_thread->record == nullptr) return false;
    time_is_up = 1;
    return true;
}

bool end_checks() {
    print_summary();
    return has_errors() || sticky_error_is_unread();
}

}  // namespace

void attach_checks() {
    record_hooks.locate = locate;
    record_hooks.check_misaligned = check_misaligned;
    record_hooks.refuse_local = report_foreign_local;
    report_race_with_release = report_unordered_release;
    has_read_unwritten = running_thread_has_read_unwritten;
    record_hooks.check_host_access = check_host_access;
    record_hooks.check_host_copy = check_host_copy;
    record_hooks.note_unrecorded_store = note_unrecorded_store;
    const MemoryArena arena = memory_arena();
    arena_begin = number_of(arena.begin);
    arena_bytes = arena.bytes;
    program().global.cover(arena_begin, arena_bytes);
    arena_written = cover_written(arena_begin, arena_bytes);
    cover_data();
    attach_texture_checks();
    host_hooks.memory_allocated = on_memory_allocated;
    host_hooks.memory_freed = on_memory_freed;
    host_hooks.memory_written = on_memory_written;
    host_hooks.copied_back = on_copied_back;
    host_hooks.heap_refused = report_heap_on_host;
    host_hooks.heap_pages_released = note_released_heap;
    host_hooks.launch_refused = note_refused_launch;
    host_hooks.note_caller = note_caller;
    host_hooks.work_queued = note_queued_work;
    host_hooks.work_ended = on_work_ended;
    host_hooks.task_begun = on_task_begun;
    host_hooks.work_begun = on_work_begun;
    host_hooks.all_ended = on_all_ended;
    hooks.time_is_up = on_time_is_up;
    hooks.launch_overdue = report_overdue_launch;
    check_at_exit(end_checks);
}

}  // namespace emulator::counting
