// SPDX-License-Identifier: MIT
// The functions that g++ -fsanitize=thread calls in place of atomic operations and fences, and
// those that the engine's headers call for CUDA's atomics and fences, and for __ldg().
#include <emulator/checks/own_checks.hpp>

#include "common/emulator/counting/record/accesses.hpp"

using emulator::current_thread;
using emulator::counting::EventKind;
using emulator::counting::meta_of;

#define EMULATOR_CODE __builtin_return_address(0)

extern "C" {

void __tsan_atomic_thread_fence(int order) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (current_thread != nullptr && order != __ATOMIC_RELAXED) {
        emulator::counting::record_meeting(meta_of(EventKind::fence), EMULATOR_CODE, 1);
    }
}
void __tsan_atomic_signal_fence(int order) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (current_thread != nullptr && order != __ATOMIC_RELAXED) {
        emulator::counting::record_meeting(meta_of(EventKind::fence), EMULATOR_CODE, 0);
    }
}

// g++ replaces its own atomic operations by these.
#define EMULATOR_ATOMIC_FETCH(T, bits, operation)                                               \
    T __tsan_atomic##bits##_fetch_##operation(volatile T* address, T value, int) {              \
        emulator::counting::record_access<EventKind::atomic, bits / 8>(address, EMULATOR_CODE); \
        return __atomic_fetch_##operation(address, value, __ATOMIC_SEQ_CST);                    \
    }
#define EMULATOR_ATOMICS(T, bits)                                                                  \
    T __tsan_atomic##bits##_load(const volatile T* address, int) {                                 \
        emulator::counting::record_access<EventKind::load, bits / 8, true, true>(address,          \
                                                                                 EMULATOR_CODE);   \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile T* address, T value, int) {                          \
        emulator::counting::record_access<EventKind::store, bits / 8, true, true>(address,         \
                                                                                  EMULATOR_CODE);  \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    T __tsan_atomic##bits##_exchange(volatile T* address, T value, int) {                          \
        emulator::counting::record_access<EventKind::atomic, bits / 8, true>(address,              \
                                                                             EMULATOR_CODE);       \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                              \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T* address, T* expected, T desired, \
                                                      int, int) {                                  \
        emulator::counting::record_access<EventKind::atomic, bits / 8>(address, EMULATOR_CODE);    \
        return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST,    \
                                           __ATOMIC_SEQ_CST);                                      \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T* address, T* expected, T desired,   \
                                                    int, int) {                                    \
        emulator::counting::record_access<EventKind::atomic, bits / 8>(address, EMULATOR_CODE);    \
        return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST,    \
                                           __ATOMIC_SEQ_CST);                                      \
    }                                                                                              \
    EMULATOR_ATOMIC_FETCH(T, bits, add)                                                            \
    EMULATOR_ATOMIC_FETCH(T, bits, sub)                                                            \
    EMULATOR_ATOMIC_FETCH(T, bits, and)                                                            \
    EMULATOR_ATOMIC_FETCH(T, bits, or)                                                             \
    EMULATOR_ATOMIC_FETCH(T, bits, xor)                                                            \
    EMULATOR_ATOMIC_FETCH(T, bits, nand)
EMULATOR_ATOMICS(std::uint8_t, 8)
EMULATOR_ATOMICS(std::uint16_t, 16)
EMULATOR_ATOMICS(std::uint32_t, 32)
EMULATOR_ATOMICS(std::uint64_t, 64)

}  // extern "C"

namespace emulator {

void note_fence(bool of_device) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (current_thread == nullptr) return;
    counting::record_meeting(meta_of(EventKind::fence), EMULATOR_CODE, of_device ? 1 : 0);
}

void note_read_only_load(const void* address, int bytes) {
    using counting::record_access;
    const void* const code = EMULATOR_CODE;
    switch (bytes) {
        case 1:
            return record_access<EventKind::load, 1, false, false, true>(address, code);
        case 2:
            return record_access<EventKind::load, 2, false, false, true>(address, code);
        case 4:
            return record_access<EventKind::load, 4, false, false, true>(address, code);
        case 8:
            return record_access<EventKind::load, 8, false, false, true>(address, code);
        default:
            return record_access<EventKind::load, 16, false, false, true>(address, code);
    }
}

void note_atomic(void* address, int bytes, const void* code) {
    using counting::record_access;
    switch (bytes) {
        case 1:
            return record_access<EventKind::atomic, 1>(address, code);
        case 2:
            return record_access<EventKind::atomic, 2>(address, code);
        case 4:
            return record_access<EventKind::atomic, 4>(address, code);
        case 16:
            return record_access<EventKind::atomic, 16>(address, code);
        default:
            return record_access<EventKind::atomic, 8>(address, code);
    }
}

}  // namespace emulator
