// SPDX-License-Identifier: MIT
// clock(): the C library's name, which device code uses for the cycles of its multiprocessor. The
// linker takes this definition before the library's.
#include <time.h>

#include <chrono>
#include <emulator/thread.hpp>

#include "common/emulator/device/properties/properties.hpp"

namespace emulator {

// At the emulated GPU's clock rate: a kernel that waits for some cycles waits as long as there.
long long clock_cycles() {
    using std::chrono::duration_cast;
    using std::chrono::nanoseconds;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<long long>(static_cast<double>(duration_cast<nanoseconds>(now).count()) *
                                  1e-6 * device().clock_khz);
}

}  // namespace emulator

extern "C" clock_t clock() noexcept {
    if (emulator::in_kernel()) return emulator::clock_cycles();
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}
