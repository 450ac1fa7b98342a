// SPDX-License-Identifier: MIT
// Clocks that the host reads. The linker replaces calls of them with calls of these functions
// (--wrap).
#include <sys/time.h>
#include <time.h>

#include <cstdint>

#include "common/emulator/counting/record/record_hooks.hpp"

extern "C" {

[[gnu::weak]] double __real_omp_get_wtime();
[[gnu::weak]] clock_t __real_clock();
[[gnu::weak]] int __real_clock_gettime(clockid_t clock, timespec* time);
[[gnu::weak]] int __real_gettimeofday(timeval* time, void* zone);

}  // extern "C"

namespace {

void note() {
    if (emulator::counting::record_hooks.note_clock != nullptr) {
        emulator::counting::record_hooks.note_clock();
    }
}

// Nanoseconds, as libstdc++'s clocks count them. Their own functions cannot be called: in a program
// that links libstdc++ statically, nothing but a weak name would ask for them, which brings
// nothing.
std::int64_t nanoseconds_of(clockid_t clock) {
    note();
    timespec time{};
    __real_clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

extern "C" {

// std::chrono's clocks return a time_point, which is one number of 8 bytes.
std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
    return nanoseconds_of(CLOCK_MONOTONIC);
}
std::int64_t __wrap__ZNSt6chrono3_V212system_clock3nowEv() {
    return nanoseconds_of(CLOCK_REALTIME);
}
double __wrap_omp_get_wtime() {
    note();
    return __real_omp_get_wtime();
}
clock_t __wrap_clock() {
    note();
    return __real_clock();
}
int __wrap_clock_gettime(clockid_t clock, timespec* time) {
    // The engine's signal handlers read the processor's time, and may not do more.
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC_RAW) note();
    return __real_clock_gettime(clock, time);
}
int __wrap_gettimeofday(timeval* time, void* zone) {
    note();
    return __real_gettimeofday(time, zone);
}

}  // extern "C"
