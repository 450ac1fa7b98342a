// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/api_call.hpp"

#include <atomic>
#include <cstdlib>
#include <string>

#include "common/emulator/engine/device_launch.hpp"
#include "common/emulator/process/settings.hpp"

namespace emulator {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

std::atomic<int> calls_after_error = 0;

}  // namespace

bool in_host_function = false;
constinit thread_local int api_calls = 0;
std::uint64_t all_api_calls = 0;

cudaError_t record_error(cudaError_t error) {
    if (error == cudaSuccess) return error;
    last_error = error;
    if (error == sticky_error() && api_calls == 1) note_sticky_error_returned();
    return error;
}

void note_call_after_error() {
    constexpr int kMostCalls = 1'000'000;
    if (++calls_after_error != kMostCalls || settings().time_limit <= 0) return;
    explain(
        "the program has made %d calls since a kernel ended with %s, and does not read the error: "
        "it is ended; EMULATOR_TIME_LIMIT=0 removes this limit",
        kMostCalls, cudaGetErrorName(sticky_error()));
    std::exit(EXIT_FAILURE);
}

void clear_errors() {
    calls_after_error = 0;
    clear_sticky_error();
    last_error = cudaSuccess;
}

std::recursive_mutex& runtime_mutex() {
    // Never destroyed: a detached worker or a destructor of static storage may still use it.
    static auto* mutex = new std::recursive_mutex;
    return *mutex;
}

void fail_unsupported_device_call(const char* function) {
    const std::string message = std::string(function) + "() is not available in device code";
    fail_kernel(cudaErrorLaunchFailure, message.c_str());
}

cudaError_t refuse_query(const char* function, cudaError_t error) {
    if (current_thread == nullptr) return host_call(function, [error] { return error; });
    current_thread->last_error = error;
    return error;
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaPeekAtLastError() {
    if (some_error_is_unread()) {
        note_error_read(current_thread != nullptr ? running_reader() : host_reader());
    }
    if (current_thread != nullptr) return static_cast<cudaError_t>(current_thread->last_error);
    if (sticky_error() == cudaSuccess) return last_error;
    note_sticky_error_returned();
    return sticky_error();
}

cudaError_t cudaGetLastError() {
    const cudaError_t error = cudaPeekAtLastError();
    if (current_thread != nullptr) {
        current_thread->last_error = cudaSuccess;
    } else {
        last_error = cudaSuccess;
    }
    return error;
}
