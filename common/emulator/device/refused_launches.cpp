// SPDX-License-Identifier: MIT
#include "common/emulator/device/refused_launches.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/executable.hpp"
#include "common/emulator/process/exit_status.hpp"

namespace emulator {
namespace {

struct Entry {
    ErrorReader reader;
    RefusedLaunch launch;
};

std::mutex mutex;
std::atomic<bool> any = false;

std::vector<Entry>& entries() {
    static auto* all = new std::vector<Entry>;  // never destroyed: the program's end reads it
    return *all;
}

std::string text_of(const dim3& size) {
    if (size.y == 1 && size.z == 1) return std::to_string(size.x);
    return "dim3(" + std::to_string(size.x) + ", " + std::to_string(size.y) + ", " +
           std::to_string(size.z) + ")";
}

std::string text_of(const LaunchConfiguration& configuration, KernelIdentity kernel) {
    std::string text = kernel.name != nullptr ? kernel.name : function_name(kernel.address);
    text += "<<<" + text_of(configuration.grid_dim) + ", " + text_of(configuration.block_dim);
    if (configuration.shared_bytes > 0) text += ", " + std::to_string(configuration.shared_bytes);
    return text + ">>>";
}

bool print_refused_launches() {
    // The observer knows the lines of the launches, and reports them.
    if (host_hooks.launch_refused != nullptr) return false;
    const std::vector<RefusedLaunch> launches = take_refused_launches();
    for (const RefusedLaunch& launch : launches) {
        const std::string times =
            launch.count > 1 ? " (" + std::to_string(launch.count) + " times)" : "";
        explain(
            "launch refused: kernel %s%s did not run: %s; nobody read the error: call "
            "cudaGetLastError() after the launch",
            launch.kernel.c_str(), times.c_str(), launch.reason.c_str());
    }
    return !launches.empty();
}

// Before the program's own static objects, whose destructors then come first.
[[gnu::constructor(101)]] void watch_the_end() { check_at_exit(print_refused_launches); }

}  // namespace

ErrorReader host_reader() {
    static std::atomic<std::uint64_t> last_number = 0;
    thread_local const std::uint64_t number = ++last_number;
    return {number};
}

void note_refused_launch(ErrorReader reader, const LaunchConfiguration& configuration,
                         KernelIdentity kernel, cudaError_t error, const std::string& reason) {
    const std::lock_guard lock(mutex);
    RefusedLaunch launch{.kernel = text_of(configuration, kernel),
                         .reason = reason + " (" + cudaGetErrorName(error) + ")",
                         .block = reader.block,
                         .thread = reader.thread};
    for (Entry& entry : entries()) {
        const RefusedLaunch& known = entry.launch;
        if (entry.reader == reader && known.kernel == launch.kernel &&
            known.reason == launch.reason) {
            ++entry.launch.count;
            return;
        }
    }
    if (host_hooks.launch_refused != nullptr && reader.block < 0) {
        launch.place = host_hooks.launch_refused();
    }
    entries().push_back({reader, std::move(launch)});
    any = true;
}

bool some_launch_is_refused() { return any.load(std::memory_order_relaxed); }

void note_error_read(ErrorReader reader) {
    const std::lock_guard lock(mutex);
    std::erase_if(entries(), [&](const Entry& entry) { return entry.reader == reader; });
    any = !entries().empty();
}

std::vector<RefusedLaunch> take_refused_launches() {
    const std::lock_guard lock(mutex);
    std::vector<RefusedLaunch> launches;
    for (Entry& entry : entries()) launches.push_back(std::move(entry.launch));
    entries().clear();
    any = false;
    return launches;
}

}  // namespace emulator
