// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/work.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/peer_access.hpp"
#include "common/emulator/device/variables.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/engine/run_grid.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/pages.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/timeline/timeline.hpp"

namespace emulator {
namespace {

// More than a kernel can have: its parameters have 32,764 bytes at most.
constexpr std::size_t kMaxArguments = 4096;

bool is_device(Place place) { return place == Place::device || place == Place::managed; }

void run_slice(const Copy& copy, Place destination, Place source) {
    const bool is_noted = destination == Place::device && host_hooks.memory_written != nullptr;
    const bool comes_back =
        source == Place::device && !is_device(destination) && host_hooks.copied_back != nullptr;
    for (std::size_t row = 0; row < copy.height; ++row) {
        char* const to = copy.destination + row * copy.destination_pitch;
        const char* const from = copy.source + row * copy.source_pitch;
        std::memmove(to, from, copy.width);
        if (is_noted) {
            host_hooks.memory_written(to, copy.width, source == Place::device ? from : nullptr);
        }
        if (comes_back) host_hooks.copied_back(to, from, copy.width);
    }
}

TransferKind kind_of(Place destination, Place source) {
    return !is_device(destination) ? TransferKind::device_to_host
           : is_device(source)     ? TransferKind::device_to_device
                                   : TransferKind::host_to_device;
}

// "host to device 4096": for the timeline.
std::string name_of_copy(const Copy& copy, Place destination, Place source) {
    const TransferKind kind = kind_of(destination, source);
    return std::string(kind == TransferKind::device_to_host     ? "device to host "
                       : kind == TransferKind::device_to_device ? "device to device "
                                                                : "host to device ") +
           std::to_string(copy.width * copy.height);
}

void note_transfer(const Copy& copy, Place destination, Place source) {
    if (host_hooks.transfer == nullptr || !(is_device(destination) || is_device(source))) return;
    host_hooks.transfer(kind_of(destination, source), copy.width * copy.height);
}

// Memory may have been freed since the copy was queued.
bool is_usable(const void* pointer) {
    if (!is_stray_address(pointer)) return true;
    explain("a copy or set uses %p: %s", pointer, describe_address(pointer).c_str());
    set_sticky_error(cudaErrorIllegalAddress);
    return false;
}

// Whether the host still has the pages: large memory that it frees goes back to the system.
bool is_mapped(const void* pointer, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer) / kPageBytes * kPageBytes;
    const std::size_t length = reinterpret_cast<std::uintptr_t>(pointer) + bytes - begin;
    return ::msync(reinterpret_cast<void*>(begin), length, MS_ASYNC) == 0 || errno != ENOMEM;
}

bool is_usable(const void* pointer, std::size_t bytes, Place place) {
    if (!is_usable(pointer)) return false;
    if (is_device(place) || is_mapped(pointer, bytes)) return true;
    explain(
        "a copy uses %zu bytes of host memory at %p, which was freed while the copy was queued: "
        "wait for the stream first",
        bytes, pointer);
    set_sticky_error(cudaErrorIllegalAddress);
    return false;
}

void set_elements(const cudaMemsetParams& set) {
    auto* row = static_cast<char*>(set.dst);
    const std::size_t bytes = set.width * set.elementSize;
    for (std::size_t y = 0; y < set.height; ++y, row += set.pitch) {
        if (set.elementSize == 1) {
            std::memset(row, static_cast<int>(set.value), bytes);
        } else {
            for (std::size_t i = 0; i < bytes; i += set.elementSize) {
                std::memcpy(row + i, &set.value, set.elementSize);  // little-endian
            }
        }
        if (host_hooks.memory_written != nullptr) host_hooks.memory_written(row, bytes, nullptr);
    }
}

}  // namespace

std::unique_ptr<Task> KernelWork::make_task(int device) const {
    auto grid = std::make_unique<Grid>(configuration, kernel, call);
    grid->device = device;
    QueuedWork work = describe(WorkKind::kernel);
    if (host_hooks.work_queued != nullptr) {
        work.kernel = grid->name();
        work.grid = grid->serial;
    }
    return make_task_of([grid = std::move(grid), pending = PendingWork(work)]() mutable {
        pending.begin();
        if (timeline::is_on()) timeline::name_task(grid->name());
        if (device_count() > 1) {
            show_variables_of(grid->device);
            if (host_hooks.memory_allocated == nullptr) hide_memory_from(grid->device, can_reach);
        }
        run_grid_tree(std::move(grid));
    });
}

void** KernelWork::argument_pointers() const {
    arguments_.resize(kMaxArguments);
    call->list_arguments(arguments_.data());
    return arguments_.data();
}

std::unique_ptr<Task> CopyWork::make_task(int) const {
    struct Part {
        Copy copy;
        PendingWork pending;
    };
    std::vector<Part> parts;
    for (const Copy& copy : slices) {
        note_transfer(copy, destination, source);
        QueuedWork work = describe(WorkKind::copy);
        work.written = {copy.destination, copy.width, copy.destination_pitch, copy.height};
        work.read = {copy.source, copy.width, copy.source_pitch, copy.height};
        if (copy.staged) work.read = {};
        parts.push_back({copy, PendingWork(work)});
    }
    return make_task_of(
        [parts = std::move(parts), to = destination, from = source, device = variables_of] {
            if (device_count() > 1 && device >= 0) show_variables_of(device);
            for (const Part& part : parts) {
                part.pending.begin();
                if (timeline::is_on()) timeline::name_task(name_of_copy(part.copy, to, from));
                const Copy& copy = part.copy;
                if (copy.width == 0 || copy.height == 0) continue;
                if (!is_usable(copy.destination, copy.destination_bytes(), to) ||
                    !is_usable(copy.source, copy.source_bytes(), from)) {
                    return;
                }
                show_memory_of(copy.destination);
                show_memory_of(copy.source);
                run_slice(copy, to, from);
            }
        });
}

std::unique_ptr<Task> SetWork::make_task(int) const {
    const std::size_t width = parameters.width * parameters.elementSize;
    if (host_hooks.transfer != nullptr) {
        host_hooks.transfer(TransferKind::set, width * parameters.height);
    }
    QueuedWork work = describe(WorkKind::copy);
    work.written = {parameters.dst, width, parameters.pitch, parameters.height};
    return make_task_of([set = parameters, pending = PendingWork(work)] {
        pending.begin();
        if (timeline::is_on()) {
            timeline::name_task("set " + std::to_string(set.width * set.elementSize * set.height));
        }
        if (!is_usable(set.dst)) return;
        show_memory_of(set.dst);
        set_elements(set);
    });
}

std::unique_ptr<Task> HostWork::make_task(int) const {
    return make_task_of(
        [call = parameters, pending = PendingWork(describe(WorkKind::host_function))] {
            pending.begin();
            if (timeline::is_on()) timeline::name_task("host function");
            in_host_function = true;
            call.fn(call.userData);
            in_host_function = false;
        });
}

}  // namespace emulator
