// SPDX-License-Identifier: MIT
// What the host does with CUDA's memory: device memory, and memory that queued work has still to
// use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "common/emulator/counting/record/request.hpp"
#include "common/emulator/counting/record/source_lines.hpp"
#include "common/emulator/runtime/queued_work.hpp"

namespace emulator::counting {

// HostHooks::work_queued and work_ended. The result of the first names the work.
std::uint64_t note_queued_work(const QueuedWork& work);
void note_ended_work(std::uint64_t number);
const QueuedWork& queued_work(std::uint64_t number);
// Finds the line that queued the work. It may be called after the work has ended.
std::function<SourceLine()> line_finder(std::uint64_t number);

std::uint64_t last_queued_work();
// The first kernel that was queued after this work and has not run.
std::optional<std::uint64_t> first_queued_kernel(std::uint64_t after);

// HostHooks::heap_refused.
void report_heap_on_host(const char* function, const void* pointer, bool frees);

// HostHooks::launch_refused. The result names the launch.
std::uint64_t note_refused_launch();

// RecordHooks::check_host_access.
void check_host_access(std::uintptr_t address, std::size_t bytes, Operation operation,
                       const void* code);
// RecordHooks::check_host_copy.
void check_host_copy(std::uintptr_t destination, std::uintptr_t source, std::size_t bytes,
                     const void* code);

// Set while there are words that the host used before a queued kernel has run.
extern bool host_touched_words;
// A queued kernel runs: it writes a word that the host has used before, or reads a word that the
// host has written before.
void check_kernel_against_host(Worker& worker, int warp, const Request& request);

// At the end of the program: reports kernels that nobody waited for, and errors that nobody read,
// of launches that the device refused and of calls.
void report_unfinished_kernels();
void report_unread_errors();

}  // namespace emulator::counting
