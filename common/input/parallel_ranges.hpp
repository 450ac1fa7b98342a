// SPDX-License-Identifier: MIT
// All cores for an oracle: never for a stage, whose threads are its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace course {

// Calls work(begin, end) on consecutive ranges that together are [0, count), one a core, at the
// same time. The ranges depend on the machine: results must not depend on where they are cut.
// Errors: the first exception that `work` threw is thrown on, after all have ended.
template <class Work>
void parallel_ranges(std::int64_t count, const Work& work) {
    const std::int64_t workers = std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1,
                                                          std::max<std::int64_t>(count, 1));
    std::vector<std::exception_ptr> errors(workers);
    {
        std::vector<std::jthread> threads;
        for (std::int64_t worker = 0; worker < workers; ++worker) {
            threads.emplace_back([&, worker] {
                try {
                    work(count / workers * worker + std::min(worker, count % workers),
                         count / workers * (worker + 1) + std::min(worker + 1, count % workers));
                } catch (...) {
                    errors[worker] = std::current_exception();
                }
            });
        }
    }
    for (const std::exception_ptr& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}

}  // namespace course
