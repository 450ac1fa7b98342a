// SPDX-License-Identifier: MIT
#include "common/limits/host_limits.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "common/base/host_memory.hpp"
#include "common/base/text.hpp"
#include "common/limits/host_cache.hpp"
#include "common/limits/limits_cache.hpp"

namespace course {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Bytes per second, read and written, of the best of several copies by all processors at once. No
// serial program exceeds it with data outside its caches.
double measure_copy_bandwidth(std::int64_t cache_bytes) {
    const std::int64_t threads = std::max(1U, std::thread::hardware_concurrency());
    // Four times the caches, so that they serve little of it, but not too much for the memory. The
    // caches of a server may hold more than the maximum: the rate is then too high, never too low.
    constexpr std::int64_t kLeast = std::int64_t{1} << 27;
    constexpr std::int64_t kMost = std::int64_t{1} << 29;
    const std::int64_t wanted = std::clamp(4 * cache_bytes, kLeast, kMost);
    const std::int64_t bytes = std::min(wanted, available_host_bytes() / 8) / threads * threads;
    const std::int64_t share = bytes / threads;
    const std::unique_ptr<char[]> source(new char[static_cast<std::size_t>(bytes)]);
    const std::unique_ptr<char[]> target(new char[static_cast<std::size_t>(bytes)]);

    const auto copy_all = [&] {
        std::vector<std::thread> workers;
        for (std::int64_t thread = 0; thread < threads; ++thread) {
            workers.emplace_back([&, thread] {
                std::memcpy(target.get() + thread * share, source.get() + thread * share,
                            static_cast<std::size_t>(share));
            });
        }
        for (std::thread& worker : workers) worker.join();
    };

    // Writing gives the source its own pages: unwritten pages are all the same page of zeros, which
    // fits in any cache. The first copy does the same for the target.
    std::memset(source.get(), 1, static_cast<std::size_t>(bytes));
    copy_all();
    double best = 0.0;
    for (int repeat = 0; repeat < 4; ++repeat) {
        const Clock::time_point start = Clock::now();
        copy_all();
        best = std::max(best, 2.0 * static_cast<double>(bytes) / seconds_since(start));
    }
    return best;
}

std::string key() {
    return text("cpu|", processor_name(), "|", std::thread::hardware_concurrency());
}

// The rates of arithmetic and of the caches are unknown: only bytes that no cache can hold are
// compared. The slack of the peak is 2. On some processors a copy reads what it overwrites (write
// allocation moves three bytes for two that are counted), and virtual machines share their memory.
DeviceLimits with_rates(const MeasuredRates& rates) {
    DeviceLimits limits;
    limits.l2_bytes = static_cast<double>(host_cache_bytes());
    limits.bytes_per_second = rates.bytes_per_second;
    if (limits.l2_bytes > 0.0) limits.peak_bytes_per_second = 2.0 * rates.bytes_per_second;
    return limits;
}

}  // namespace

std::string processor_name() {
    std::ifstream in("/proc/cpuinfo");
    std::string line;
    while (std::getline(in, line)) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "CPU";  // other architectures have no such line
}

DeviceLimits host_limits() {
    if (const auto rates = load_measured_rates(key())) return with_rates(*rates);
    return remeasure_host_limits();
}

DeviceLimits remeasure_host_limits() {
    const MeasuredRates rates{measure_copy_bandwidth(host_cache_bytes()), 0.0};
    return with_rates(keep_best_rates(key(), rates));
}

}  // namespace course
