// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/library_work.hpp"

#include <algorithm>
#include <utility>

#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/copy.hpp"
#include "common/emulator/runtime/queued_work.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {
namespace {

bool is_device_memory(const char* function, const char* role, LibraryRange range) {
    if (range.bytes == 0) return true;
    const std::size_t bytes = range.is_upper_bound ? 1 : range.bytes;
    const Place place = place_of(function, role, range.begin, bytes);
    if (place == Place::pageable) {
        explain("%s: the %s %p is host memory, which a kernel cannot use", function, role,
                range.begin);
    }
    return place != Place::pageable && place != Place::invalid;
}

bool are_device_memory(const char* function, const char* role,
                       const std::vector<LibraryRange>& ranges) {
    return std::all_of(ranges.begin(), ranges.end(), [&](const LibraryRange& range) {
        return is_device_memory(function, role, range);
    });
}

// To the end of the allocation at most.
LibraryRange clip(LibraryRange range) {
    Allocation allocation;
    if (range.is_upper_bound && find_allocation(range.begin, allocation)) {
        const char* const end = allocation.begin + allocation.bytes;
        range.bytes = std::min(
            range.bytes, static_cast<std::size_t>(end - static_cast<const char*>(range.begin)));
    }
    return range;
}

Rows rows_of(const std::vector<LibraryRange>& ranges, std::size_t index) {
    if (index >= ranges.size() || ranges[index].bytes == 0) return {};
    const LibraryRange range = clip(ranges[index]);
    return Rows{range.begin, range.bytes, range.bytes, 1};
}

void note_output(const void* begin, std::size_t bytes) {
    if (host_hooks.memory_written != nullptr && bytes != 0) {
        host_hooks.memory_written(begin, bytes, nullptr);
    }
}

}  // namespace

std::unique_ptr<Task> LibraryWork::make_task(int) const {
    // An observer is told of one range that is written and one that is read at a time.
    std::vector<PendingWork> parts;
    for (std::size_t i = 0; i < std::max({written.size(), read.size(), std::size_t{1}}); ++i) {
        QueuedWork queued = describe(WorkKind::copy);
        queued.library = function;
        queued.written = rows_of(written, i);
        queued.read = rows_of(read, i);
        parts.emplace_back(queued);
    }
    std::unique_ptr<Task> task =
        make_task_of([outputs = written, run = work, parts = std::move(parts)] {
            for (const PendingWork& part : parts) part.begin();
            run();
            for (const LibraryRange& range : outputs) {
                if (!range.is_upper_bound) note_output(range.begin, range.bytes);
            }
        });
    task->waits_for = after;
    return task;
}

bool LibraryWork::uses_device_memory() const {
    return are_device_memory(function, "output", written) &&
           are_device_memory(function, "input", read);
}

cudaError_t queue_library_work(const char* function, cudaStream_t handle,
                               std::vector<LibraryRange> written, std::vector<LibraryRange> read,
                               std::function<void()> work) {
    return host_call(function, [&] {
        Stream* const stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        const LibraryWork library_work(function, std::move(written), std::move(read),
                                       std::move(work));
        if (!library_work.uses_device_memory()) {
            set_sticky_error(cudaErrorIllegalAddress);
            return cudaErrorIllegalAddress;
        }
        if (const cudaError_t error = refuse_in_capture(*stream); error != cudaSuccess) {
            explain("%s: the CPU engine does not capture this function", function);
            return error;
        }
        enqueue(*stream, library_work.make_task(stream->device));
        return cudaSuccess;
    });
}

bool admit_input(const char* function, const void* begin, std::size_t bytes) {
    if (is_device_memory(function, "input", {begin, bytes})) return true;
    set_sticky_error(cudaErrorIllegalAddress);
    return false;
}

bool admit_output(const char* function, const void* begin, std::size_t bytes) {
    if (!is_device_memory(function, "output", {begin, bytes})) {
        set_sticky_error(cudaErrorIllegalAddress);
        return false;
    }
    note_output(begin, bytes);
    return true;
}

cudaError_t refuse_library_call(const char* function, const char* reason) {
    return host_call(function, [&] {
        explain("%s: %s", function, reason);
        return cudaErrorInvalidValue;
    });
}

void run_library_work(cudaStream_t handle) {
    const std::lock_guard lock(runtime_mutex());
    const ApiCall call;
    Stream* const stream = find_stream(handle);
    if (stream != nullptr) run_until(*stream, stream->queued);
}

}  // namespace emulator
