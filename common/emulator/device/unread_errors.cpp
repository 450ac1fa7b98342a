// SPDX-License-Identifier: MIT
#include "common/emulator/device/unread_errors.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>

#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/executable.hpp"
#include "common/emulator/process/exit_status.hpp"

namespace emulator {
namespace {

struct Entry {
    ErrorReader reader;
    UnreadError error;
};

std::mutex mutex;
std::atomic<bool> any = false;
// How often calls returned the error that ended a kernel, and how often the program threw it away.
std::atomic<std::uint64_t> sticky_returned = 0;
std::atomic<std::uint64_t> sticky_discarded = 0;

constexpr const char* kAdvice = "check what the call returns";

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

bool print_unread_errors() {
    // The observer knows the lines of the launches, and reports all.
    if (host_hooks.launch_refused != nullptr) return false;
    const std::vector<UnreadError> errors = take_unread_errors();
    for (const UnreadError& error : errors) {
        const std::string times =
            error.count > 1 ? " (" + std::to_string(error.count) + " times)" : "";
        const std::string place =
            error.file.substr(error.file.rfind('/') + 1) + ":" + std::to_string(error.line) + times;
        if (error.call.empty()) {
            explain(
                "launch refused: kernel %s%s did not run: %s; nobody read the error: call "
                "cudaGetLastError() after the launch",
                error.kernel.c_str(), times.c_str(), error.reason.c_str());
        } else if (error.ended_a_kernel) {
            explain("nobody reads the error that ended a kernel: %s() returns it at %s; %s",
                    error.call.c_str(), place.c_str(), kAdvice);
        } else {
            explain(
                "error never read: %s: the host calls %s(), which fails: %s; nobody reads the "
                "error: %s.",
                place.c_str(), error.call.c_str(), error.reason.c_str(), kAdvice);
        }
    }
    return !errors.empty() || sticky_error_is_unread();
}

// With the mutex.
void add(ErrorReader reader, UnreadError error) {
    for (Entry& entry : entries()) {
        UnreadError& known = entry.error;
        if (entry.reader == reader && known.kernel == error.kernel && known.call == error.call &&
            known.reason == error.reason && known.file == error.file && known.line == error.line) {
            ++known.count;
            return;
        }
    }
    if (host_hooks.launch_refused != nullptr && error.call.empty() && reader.block < 0) {
        error.place = host_hooks.launch_refused();
    }
    entries().push_back({reader, std::move(error)});
    any = true;
}

// Before the program's own static objects, whose destructors then come first.
[[gnu::constructor(101)]] void watch_the_end() { check_at_exit(print_unread_errors); }

}  // namespace

ErrorReader host_reader() {
    static std::atomic<std::uint64_t> last_number = 0;
    thread_local const std::uint64_t number = ++last_number;
    return {number};
}

void note_refused_launch(ErrorReader reader, const LaunchConfiguration& configuration,
                         KernelIdentity kernel, cudaError_t error, const std::string& reason) {
    const std::lock_guard lock(mutex);
    add(reader, {.kernel = text_of(configuration, kernel),
                 .reason = reason + " (" + cudaGetErrorName(error) + ")",
                 .block = reader.block,
                 .thread = reader.thread});
}

void discarded(const char* call, const char* file, int line, cudaError_t error) {
    // Whether work has ended is a question: "not yet" is an answer. So is "already so".
    const bool answers =
        (error == cudaErrorNotReady && std::string_view(call).ends_with("Query")) ||
        error == cudaErrorPeerAccessAlreadyEnabled || error == cudaErrorPeerAccessNotEnabled;
    if (error == cudaSuccess || answers || current_thread != nullptr) return;
    const std::lock_guard lock(mutex);
    const bool ended_a_kernel = error == sticky_error();
    std::string reason = last_explanation(call);
    if (reason.empty() || ended_a_kernel) reason = cudaGetErrorString(error);
    const std::string name = std::string(" (") + cudaGetErrorName(error) + ")";
    if (!reason.ends_with(name)) reason += name;
    if (ended_a_kernel && ++sticky_discarded > 1) return;
    add(host_reader(), {.call = call,
                        .reason = std::move(reason),
                        .file = file,
                        .line = line,
                        .ended_a_kernel = ended_a_kernel});
}

bool sticky_error_is_unread() {
    return sticky_error() != cudaSuccess && sticky_returned == sticky_discarded;
}

void note_sticky_error_returned() { ++sticky_returned; }

bool some_error_is_unread() { return any.load(std::memory_order_relaxed); }

void note_error_read(ErrorReader reader) {
    const std::lock_guard lock(mutex);
    std::erase_if(entries(), [&](const Entry& entry) { return entry.reader == reader; });
    any = !entries().empty();
}

std::vector<UnreadError> take_unread_errors() {
    const std::lock_guard lock(mutex);
    std::vector<UnreadError> errors;
    const bool sticky_was_read = sticky_returned > sticky_discarded;
    for (Entry& entry : entries()) {
        if (entry.error.ended_a_kernel && sticky_was_read) continue;
        errors.push_back(std::move(entry.error));
    }
    entries().clear();
    any = false;
    return errors;
}

}  // namespace emulator
