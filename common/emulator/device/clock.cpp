// SPDX-License-Identifier: MIT
// clock(): the C library's name, which device code uses for the cycles of its multiprocessor. The
// linker takes this definition before the library's.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <emulator/thread.hpp>

#include "common/emulator/device/properties/properties.hpp"

namespace emulator {

namespace {

// By how much the device's clock is ahead of the host's, in cycles.
std::atomic<long long> cycles_skipped = 0;

// The thread of this worker that looked at the clock last, and how often, one look after the other.
constinit thread_local const ThreadContext* last_waiting = nullptr;
constinit thread_local int looks = 0;
constinit thread_local long long last_look = 0;

// A thread that looks again and again waits until some time has passed. On a GPU all threads wait
// at the same time; here they would wait one after the other. So the clock goes faster: by more at
// each look, for all threads.
void skip_waiting(long long cycles) {
    constexpr int kPatience = 2;
    constexpr int kMaxDoublings = 16;
    constexpr long long kLeastSkip = 4096;
    constexpr long long kSameLoop = 2000;  // cycles from look to look
    const bool waits = current_thread == last_waiting && cycles - last_look < kSameLoop;
    looks = waits ? looks + 1 : 0;
    last_waiting = current_thread;
    last_look = cycles;
    if (looks < kPatience) return;
    cycles_skipped.fetch_add(kLeastSkip << std::min(2 * (looks - kPatience), kMaxDoublings),
                             std::memory_order_relaxed);
}

}  // namespace

// At the emulated GPU's clock rate.
long long clock_cycles() {
    using std::chrono::duration_cast;
    using std::chrono::nanoseconds;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const auto cycles = static_cast<long long>(
        static_cast<double>(duration_cast<nanoseconds>(now).count()) * 1e-6 * device().clock_khz);
    skip_waiting(cycles);
    return cycles + cycles_skipped.load(std::memory_order_relaxed);
}

}  // namespace emulator

extern "C" clock_t clock() noexcept {
    if (emulator::in_kernel()) return emulator::clock_cycles();
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}
