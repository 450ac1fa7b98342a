// SPDX-License-Identifier: MIT
// Launches that the device refused, as long as nobody has read their errors. A program that never
// reads them does not know that its kernel did not run.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <emulator/launch.hpp>
#include <string>
#include <vector>

namespace emulator {

struct RefusedLaunch {
    std::string kernel;  // "fill_kernel<<<1, 2048>>>"
    std::string reason;
    std::int64_t block = -1;  // of the launching thread; -1: the host
    int thread = 0;
    std::uint64_t place = 0;  // the observer's number (HostHooks::launch_refused)
    std::uint64_t count = 1;
};

// The thread whose cudaGetLastError() tells it of the refusal: one of the host, by a number of its
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
bool some_launch_is_refused();
// This thread reads its last error.
void note_error_read(ErrorReader reader);

// Those whose errors nobody has read. They are forgotten then.
std::vector<RefusedLaunch> take_refused_launches();

}  // namespace emulator
