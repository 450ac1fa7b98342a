// SPDX-License-Identifier: MIT
// The barrier primitives of the CUDA C++ Programming Guide, "Asynchronous Barrier": mbarrier
// objects in shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <emulator/async/mbarrier.hpp>

using __mbarrier_t = std::uint64_t;
using __mbarrier_token_t = std::uint64_t;

// What CUDA's function returns.
constexpr std::uint32_t __mbarrier_maximum_count() { return (1u << 14) - 1; }

__forceinline__ void __mbarrier_init(__mbarrier_t* barrier, std::uint32_t expected_count) {
    emulator::barrier_init(barrier, expected_count);
}
__forceinline__ void __mbarrier_inval(__mbarrier_t* barrier) {
    emulator::barrier_invalidate(barrier);
}
__forceinline__ __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) {
    return emulator::barrier_arrive(barrier, 1);
}
__forceinline__ __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) {
    return emulator::barrier_arrive(barrier, 1, 0, true);
}
__forceinline__ bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
    return emulator::barrier_test(barrier, emulator::parity_of(token));
}
__forceinline__ bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool phase_parity) {
    return emulator::barrier_test(barrier, phase_parity);
}
__forceinline__ bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token,
                                         std::uint32_t /*max_sleep_nanosec*/) {
    return emulator::barrier_test(barrier, emulator::parity_of(token));
}
__forceinline__ bool __mbarrier_try_wait_parity(__mbarrier_t* barrier, bool phase_parity,
                                                std::uint32_t /*max_sleep_nanosec*/) {
    return emulator::barrier_test(barrier, phase_parity);
}
constexpr std::uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token) {
    return emulator::pending_of(token);
}
