// SPDX-License-Identifier: MIT
#include "common/emulator/process/errors.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace emulator {
namespace {

std::atomic<cudaError_t> process_error = cudaSuccess;

// No allocation: a kernel that faults in malloc() has its lock.
thread_local char explanation[512];

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

cudaError_t sticky_error() { return process_error.load(std::memory_order_relaxed); }

void set_sticky_error(cudaError_t error) {
    cudaError_t none = cudaSuccess;
    process_error.compare_exchange_strong(none, error);
}

void clear_sticky_error() { process_error = cudaSuccess; }

void explain(const char* format, ...) {
    // One write, without stdio's lock: a kernel that faults inside printf holds that lock.
    char line[4096] = {};
    int length = std::snprintf(line, sizeof line, "emulator: ");
    va_list arguments;
    va_start(arguments, format);
    length += std::vsnprintf(line + length, sizeof line - length - 1, format, arguments);
    va_end(arguments);
    length = std::min<int>(length, sizeof line - 2);
    line[length] = '\0';
    std::memcpy(explanation, line + std::strlen("emulator: "), sizeof explanation - 1);
    line[length++] = '\n';
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line, length);
}

std::string last_explanation(const char* function) {
    const std::string_view text = explanation;
    const std::string begin = std::string(function) + ": ";
    if (text.starts_with(begin)) return std::string(text.substr(begin.size()));
    constexpr std::string_view kNotLaunched = " is not launched: ";
    const std::size_t found = text.find(kNotLaunched);
    return found == text.npos ? "" : std::string(text.substr(found + kNotLaunched.size()));
}

void forget_explanation() { explanation[0] = '\0'; }

}  // namespace emulator

const char* cudaGetErrorName(cudaError_t error) {
    const emulator::ErrorText* entry = emulator::find_error(error);
    return entry != nullptr ? entry->name : emulator::kUnknownCode;
}

const char* cudaGetErrorString(cudaError_t error) {
    const emulator::ErrorText* entry = emulator::find_error(error);
    return entry != nullptr ? entry->text : emulator::kUnknownCode;
}
