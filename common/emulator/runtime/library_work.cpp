// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/library_work.hpp"

#include <utility>

#include "common/emulator/device/host_hooks.hpp"
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
    const Place place = place_of(function, role, range.begin, range.bytes);
    if (place == Place::pageable) {
        explain("%s: the %s %p is host memory, which a kernel cannot use", function, role,
                range.begin);
    }
    return place != Place::pageable && place != Place::invalid;
}

Rows rows_of(LibraryRange range) {
    return range.bytes == 0 ? Rows{} : Rows{range.begin, range.bytes, range.bytes, 1};
}

}  // namespace

cudaError_t queue_library_work(const char* function, cudaStream_t handle, LibraryRange written,
                               LibraryRange read, std::function<void()> work) {
    return host_call(function, [&] {
        Stream* const stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (!is_device_memory(function, "output", written) ||
            !is_device_memory(function, "input", read)) {
            set_sticky_error(cudaErrorIllegalAddress);
            return cudaErrorIllegalAddress;
        }
        if (const cudaError_t error = refuse_in_capture(*stream); error != cudaSuccess) {
            explain("%s: the CPU engine captures no work of libraries", function);
            return error;
        }
        QueuedWork queued;
        queued.library = function;
        queued.written = rows_of(written);
        queued.read = rows_of(read);
        enqueue(*stream, [written, work = std::move(work), pending = PendingWork(queued)] {
            pending.begin();
            work();
            if (host_hooks.memory_written != nullptr && written.bytes != 0) {
                host_hooks.memory_written(written.begin, written.bytes, nullptr);
            }
        });
        return cudaSuccess;
    });
}

void run_library_work(cudaStream_t handle) {
    const std::lock_guard lock(runtime_mutex());
    const ApiCall call;
    Stream* const stream = find_stream(handle);
    if (stream != nullptr) run_until(*stream, stream->queued);
}

}  // namespace emulator
