// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/errors.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <string>

namespace emulator {
namespace {

thread_local cudaError_t last_error = cudaSuccess;
std::atomic<cudaError_t> process_error = cudaSuccess;

struct ErrorText {
    cudaError_t code;
    const char* name;
    const char* text;
};

constexpr ErrorText kErrorTexts[] = {
#define EMULATOR_TEXT(name, value, text) {name, #name, text},
    EMULATOR_CUDA_ERRORS(EMULATOR_TEXT)
#undef EMULATOR_TEXT
};

const ErrorText* find_error(cudaError_t error) {
    for (const ErrorText& entry : kErrorTexts) {
        if (entry.code == error) return &entry;
    }
    return nullptr;
}

constexpr const char* kUnknownCode = "unrecognized error code";

}  // namespace

bool in_host_function = false;
constinit thread_local int api_calls = 0;

cudaError_t record_error(cudaError_t error) {
    if (error != cudaSuccess) last_error = error;
    return error;
}

cudaError_t sticky_error() { return process_error.load(std::memory_order_relaxed); }

void set_sticky_error(cudaError_t error) {
    cudaError_t none = cudaSuccess;
    process_error.compare_exchange_strong(none, error);
}

void clear_errors() {
    process_error = cudaSuccess;
    last_error = cudaSuccess;
}

void explain(const char* format, ...) {
    // One write, without stdio's lock: a kernel that faults inside printf holds it.
    char line[4096];
    int length = std::snprintf(line, sizeof line, "emulator: ");
    va_list arguments;
    va_start(arguments, format);
    length += std::vsnprintf(line + length, sizeof line - length - 1, format, arguments);
    va_end(arguments);
    length = std::min<int>(length, sizeof line - 2);
    line[length++] = '\n';
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line, length);
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

}  // namespace emulator

using namespace emulator;

cudaError_t cudaPeekAtLastError() {
    if (current_thread != nullptr) return static_cast<cudaError_t>(current_thread->last_error);
    return sticky_error() != cudaSuccess ? sticky_error() : last_error;
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

const char* cudaGetErrorName(cudaError_t error) {
    const ErrorText* entry = find_error(error);
    return entry != nullptr ? entry->name : kUnknownCode;
}

const char* cudaGetErrorString(cudaError_t error) {
    const ErrorText* entry = find_error(error);
    return entry != nullptr ? entry->text : kUnknownCode;
}
