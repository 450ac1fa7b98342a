// SPDX-License-Identifier: MIT
// Writes the words of a stage's own generator to stdout, as 32-bit binary numbers: a program for
// batteries of tests such as dieharder.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"

namespace words {

constexpr int kThreads = 1024;

struct Request {
    int streams = kThreads;  // the words of so many streams take turns
    int places = 0;  // words of each stream
    bool broken = false;  // all streams begin at the same place: a test must find this
};

// main(): PROGRAM STREAMS [broken]. `write(request, words)` writes the next words of the streams to
// device memory, those of one place of all streams together; it is called until stdout is closed.
// The number of places is a multiple of `unit`.
template <class Write>
int write_words(int argc, char** argv, int unit, const Write& write) {
    constexpr int kWords = 1 << 20;  // of a call, about
    Request request;
    if (argc > 1) request.streams = std::atoi(argv[1]);
    request.broken = argc > 2 && std::string_view(argv[2]) == "broken";
    if (request.streams < 1 || request.streams > kThreads) {
        std::fprintf(stderr, "usage: %s STREAMS [broken]; 1 to %d streams\n", argv[0], kThreads);
        return 2;
    }
    request.places = unit * std::max(1, kWords / (unit * request.streams));
    course::DeviceBuffer<unsigned int> d_words(std::int64_t{request.places} * request.streams);
    std::vector<unsigned int> h_words(d_words.count());
    for (;;) {
        write(request, d_words.data());
        course::cuda_check(
            cudaMemcpy(h_words.data(), d_words.data(), d_words.bytes(), cudaMemcpyDeviceToHost));
        if (std::fwrite(h_words.data(), sizeof(unsigned int), h_words.size(), stdout) <
            h_words.size()) {
            return 0;  // the reader has enough
        }
    }
}

}  // namespace words
