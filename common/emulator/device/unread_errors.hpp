// SPDX-License-Identifier: MIT
// Errors that nobody has read so far: of launches that the device refused, and of calls whose
// result the program throws away. A program that never reads them does not know that its kernel
// did not run, or that its data was not copied.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <emulator/launch.hpp>
#include <string>
#include <vector>

namespace emulator {

struct UnreadError {
    std::string kernel = {};  // of a refused launch, "fill_kernel<<<1, 2048>>>"; otherwise empty
    std::string call = {};  // "cudaMemcpy"; empty for a launch
    std::string reason = {};  // with the error's name
    std::int64_t block = -1;  // of the launching thread; -1: the host
    int thread = 0;
    std::uint64_t place = 0;  // of a launch: the observer's number (HostHooks::launch_refused)
    std::string file = {};  // of a call
    int line = 0;
    bool ended_a_kernel = false;  // every later call returns this error, too
    std::uint64_t count = 1;
};

// The thread whose cudaGetLastError() tells it of the error: one of the host, by a number of its
// own and block -1, or a CUDA thread by its grid's serial number, block and index.
struct ErrorReader {
    std::uint64_t number;
    std::int64_t block = -1;
    int thread = 0;

    bool operator==(const ErrorReader&) const = default;
};
// The calling thread of the host.
ErrorReader host_reader();

void note_refused_launch(ErrorReader reader, const LaunchConfiguration& configuration,
                         KernelIdentity kernel, cudaError_t error, const std::string& reason);
bool some_error_is_unread();
// This thread reads its last error.
void note_error_read(ErrorReader reader);
// A call returns the error that ended a kernel. Unless discarded() follows, the program reads it.
void note_sticky_error_returned();
// A kernel has ended with an error, and no call has told it to the program.
bool sticky_error_is_unread();

// Those that nobody has read. They are forgotten then.
std::vector<UnreadError> take_unread_errors();

}  // namespace emulator
