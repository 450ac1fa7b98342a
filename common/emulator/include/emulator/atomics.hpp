// SPDX-License-Identifier: MIT
// CUDA's atomic functions. Blocks run on several worker threads, so these are real atomics; like
// CUDA's they order nothing else (__threadfence() does that). The _block and _system forms differ
// from the plain ones in scope only, and here all scopes are the same.
#pragma once

#include <cstdint>
#include <emulator/math_functions.hpp>
#include <emulator/thread.hpp>
#include <emulator/vector_types.hpp>

namespace emulator {

#ifdef __SANITIZE_THREAD__
// An atomic of the running thread, called at `code`, that g++ itself does not report as one.
void note_atomic(void* address, int bytes, const void* code);

// Where accesses are counted, an update is one access, and the calls of `update` are none.
class AtomicUpdate {
  public:
    EMULATOR_UNRECORDED AtomicUpdate(void* address, int bytes, const void* code)
        : thread_(current_thread) {
        note_atomic(address, bytes, code);
        current_thread = nullptr;
    }
    EMULATOR_UNRECORDED ~AtomicUpdate() { current_thread = thread_; }
    AtomicUpdate(const AtomicUpdate&) = delete;
    AtomicUpdate& operator=(const AtomicUpdate&) = delete;

  private:
    ThreadContext* thread_;
};
#endif

// Replaces *address by update(*address) and returns the old value. Values are compared by their
// bits: a NaN in memory would otherwise never compare equal, and the loop would not end.
template <class T, class Update>
EMULATOR_UNRECORDED T update_atomically(T* address, Update update) {
#ifdef __SANITIZE_THREAD__
    const AtomicUpdate whole(address, sizeof(T), __builtin_return_address(0));
#endif
    T old;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    for (;;) {
        T desired = update(old);
        if (__atomic_compare_exchange(address, &old, &desired, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
            return old;
        }
    }
}

// Ends the kernel if the address cannot be that of a vector in global memory.
void check_vector_atomic(const void* address, unsigned bytes, const void* code) noexcept;

// A vector of floats in one request; each component by itself, as on the GPU: the vector is not
// updated as a whole.
template <class Vector>
EMULATOR_UNRECORDED Vector add_vector_atomically(Vector* address, Vector value) {
    check_vector_atomic(address, sizeof(Vector), __builtin_return_address(0));
#ifdef __SANITIZE_THREAD__
    const AtomicUpdate whole(address, sizeof(Vector), __builtin_return_address(0));
#endif
    constexpr unsigned kCount = sizeof(Vector) / sizeof(float);
    Vector old;
    for (unsigned i = 0; i < kCount; ++i) {
        auto* const component = reinterpret_cast<float*>(address) + i;
        float& before = reinterpret_cast<float*>(&old)[i];
        const float operand = reinterpret_cast<const float*>(&value)[i];
        __atomic_load(component, &before, __ATOMIC_RELAXED);
        for (bool done = false; !done;) {
            float sum = before + operand;
            done = __atomic_compare_exchange(component, &before, &sum, true, __ATOMIC_RELAXED,
                                             __ATOMIC_RELAXED);
        }
    }
    return old;
}

template <class T>
T compare_and_swap(T* address, T expected, T desired) {
    __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return expected;  // the old value, either way
}

template <class T>
T exchange_atomically(T* address, T value) {
    T old;
    __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
    return old;
}

}  // namespace emulator

// Each definition below makes name, name_block and name_system.
#define EMULATOR_ATOMIC(name, T, ...)                                           \
    inline T name(T* address, T value) { __VA_ARGS__ }                          \
    inline T name##_block(T* address, T value) { return name(address, value); } \
    inline T name##_system(T* address, T value) { return name(address, value); }

#define EMULATOR_ATOMIC_FETCH(name, T, operation) \
    EMULATOR_ATOMIC(name, T, return __atomic_fetch_##operation(address, value, __ATOMIC_RELAXED);)

#define EMULATOR_ATOMIC_UPDATE(name, T, expression)                                            \
    EMULATOR_ATOMIC(name, T, return emulator::update_atomically(address, [value](T old) -> T { \
                        return expression;                                                     \
                    });)

EMULATOR_ATOMIC_FETCH(atomicAdd, int, add)
EMULATOR_ATOMIC_FETCH(atomicAdd, unsigned int, add)
EMULATOR_ATOMIC_FETCH(atomicAdd, unsigned long long, add)
EMULATOR_ATOMIC_UPDATE(atomicAdd, float, old + value)
EMULATOR_ATOMIC_UPDATE(atomicAdd, double, old + value)
EMULATOR_ATOMIC_FETCH(atomicSub, int, sub)
EMULATOR_ATOMIC_FETCH(atomicSub, unsigned int, sub)
EMULATOR_ATOMIC_FETCH(atomicAnd, int, and)
EMULATOR_ATOMIC_FETCH(atomicAnd, unsigned int, and)
EMULATOR_ATOMIC_FETCH(atomicAnd, unsigned long long, and)
EMULATOR_ATOMIC_FETCH(atomicOr, int, or)
EMULATOR_ATOMIC_FETCH(atomicOr, unsigned int, or)
EMULATOR_ATOMIC_FETCH(atomicOr, unsigned long long, or)
EMULATOR_ATOMIC_FETCH(atomicXor, int, xor)
EMULATOR_ATOMIC_FETCH(atomicXor, unsigned int, xor)
EMULATOR_ATOMIC_FETCH(atomicXor, unsigned long long, xor)
EMULATOR_ATOMIC_UPDATE(atomicMin, int, min(old, value))
EMULATOR_ATOMIC_UPDATE(atomicMin, unsigned int, min(old, value))
EMULATOR_ATOMIC_UPDATE(atomicMin, long long, min(old, value))
EMULATOR_ATOMIC_UPDATE(atomicMin, unsigned long long, min(old, value))
EMULATOR_ATOMIC_UPDATE(atomicMax, int, max(old, value))
EMULATOR_ATOMIC_UPDATE(atomicMax, unsigned int, max(old, value))
EMULATOR_ATOMIC_UPDATE(atomicMax, long long, max(old, value))
EMULATOR_ATOMIC_UPDATE(atomicMax, unsigned long long, max(old, value))
// Counts up to `value` and wraps to zero; counts down from `value`, to which it also wraps.
EMULATOR_ATOMIC_UPDATE(atomicInc, unsigned int, old >= value ? 0u : old + 1u)
EMULATOR_ATOMIC_UPDATE(atomicDec, unsigned int, old == 0u || old > value ? value : old - 1u)
EMULATOR_ATOMIC(atomicExch, int, return emulator::exchange_atomically(address, value);)
EMULATOR_ATOMIC(atomicExch, unsigned int, return emulator::exchange_atomically(address, value);)
EMULATOR_ATOMIC(atomicExch, unsigned long long,
                return emulator::exchange_atomically(address, value);)
EMULATOR_ATOMIC(atomicExch, float, return emulator::exchange_atomically(address, value);)
// CUDA C++ Programming Guide, "atomicAdd()": of global memory only.
EMULATOR_ATOMIC(atomicAdd, float2, return emulator::add_vector_atomically(address, value);)
EMULATOR_ATOMIC(atomicAdd, float4, return emulator::add_vector_atomically(address, value);)

#undef EMULATOR_ATOMIC_UPDATE
#undef EMULATOR_ATOMIC_FETCH
#undef EMULATOR_ATOMIC

#define EMULATOR_ATOMIC_CAS(T)                                         \
    inline T atomicCAS(T* address, T expected, T desired) {            \
        return emulator::compare_and_swap(address, expected, desired); \
    }                                                                  \
    inline T atomicCAS_block(T* address, T expected, T desired) {      \
        return emulator::compare_and_swap(address, expected, desired); \
    }                                                                  \
    inline T atomicCAS_system(T* address, T expected, T desired) {     \
        return emulator::compare_and_swap(address, expected, desired); \
    }

EMULATOR_ATOMIC_CAS(unsigned short)
EMULATOR_ATOMIC_CAS(int)
EMULATOR_ATOMIC_CAS(unsigned int)
EMULATOR_ATOMIC_CAS(unsigned long long)
#undef EMULATOR_ATOMIC_CAS
