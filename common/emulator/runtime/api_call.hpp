// SPDX-License-Identifier: MIT
// What all functions of the API have in common: the lock, the errors of the host's threads, and the
// refusal to run where they may not.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <emulator/thread.hpp>
#include <mutex>

#include "common/emulator/process/errors.hpp"

namespace emulator {

// Notes the error of this host thread for cudaGetLastError() and returns it; cudaSuccess changes
// nothing.
cudaError_t record_error(cudaError_t error);

// Clears the sticky error and this host thread's.
void clear_errors();

// Guards the host's side of the runtime; recursive because one API function may use another.
std::recursive_mutex& runtime_mutex();

// Set while cudaLaunchHostFunc()'s function runs: it may not call CUDA.
extern bool in_host_function;

// How many calls of the API this host thread is in: accesses during a call are the runtime's.
extern constinit thread_local int api_calls;
// How many calls all threads have made. Under the runtime's lock.
extern std::uint64_t all_api_calls;
struct ApiCall {
    ApiCall() {
        if (api_calls++ == 0) forget_explanation();
        ++all_api_calls;
    }
    ~ApiCall() { --api_calls; }
    ApiCall(const ApiCall&) = delete;
    ApiCall& operator=(const ApiCall&) = delete;
};

[[noreturn]] void fail_unsupported_device_call(const char* function);

// Ends a program that calls the API for ever after an error that ended a kernel: its loop waits for
// a result that cannot come any more. EMULATOR_TIME_LIMIT=0 lets it go on.
void note_call_after_error();

// What all host functions of the API do first: they refuse to run in device code, take the lock,
// and return the sticky error.
template <class Body>
cudaError_t host_call(const char* function, Body body) {
    if (current_thread != nullptr) fail_unsupported_device_call(function);
    const std::lock_guard lock(runtime_mutex());
    const ApiCall call;
    if (in_host_function) {
        explain("%s: not allowed in a function given to cudaLaunchHostFunc()", function);
        return cudaErrorNotPermitted;
    }
    if (sticky_error() != cudaSuccess) {
        note_call_after_error();
        return record_error(sticky_error());
    }
    return record_error(body());
}

// The error of a query, which host code and device code may both call.
cudaError_t refuse_query(const char* function, cudaError_t error = cudaErrorInvalidValue);

}  // namespace emulator
