// SPDX-License-Identifier: MIT
// Runs an oracle on all cores. Stages do not use it: they start their own threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace course {

// Splits [0, count) into consecutive ranges, one per core, and calls work(begin, end) on all of
// them at the same time. Results must not depend on the ranges, which differ between machines.
// Errors: after all calls have ended, rethrows the exception of the first range that failed.
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
