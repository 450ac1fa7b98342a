// SPDX-License-Identifier: MIT
// The atomic functions that CUDA 13's compiler has built in: __nv_atomic_load() and the others,
// with a memory order and a scope. CUDA C++ Programming Guide, "Atomic Functions". Here all scopes
// are the same.
#pragma once

#include <emulator/atomics.hpp>
#include <type_traits>

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5

#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

__forceinline__ void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD) return;
    if (scope == __NV_THREAD_SCOPE_BLOCK) {
        __threadfence_block();
    } else {
        __threadfence();
    }
}

namespace emulator {

// An order that releases comes after a fence; what acquires needs none (README, "What is checked").
__forceinline__ void release_before(int order, int scope) {
    if (order >= __NV_ATOMIC_RELEASE) __nv_atomic_thread_fence(order, scope);
}

}  // namespace emulator

template <class T>
__forceinline__ void __nv_atomic_load(T* address, T* result, int /*order*/,
                                      int /*scope*/ = __NV_THREAD_SCOPE_SYSTEM) {
    __atomic_load(address, result, __ATOMIC_SEQ_CST);
}
template <class T>
__forceinline__ T __nv_atomic_load_n(T* address, int /*order*/,
                                     int /*scope*/ = __NV_THREAD_SCOPE_SYSTEM) {
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);
}
template <class T>
__forceinline__ void __nv_atomic_store(T* address, T* value, int order,
                                       int scope = __NV_THREAD_SCOPE_SYSTEM) {
    emulator::release_before(order, scope);
    __atomic_store(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
__forceinline__ void __nv_atomic_store_n(T* address, std::type_identity_t<T> value, int order,
                                         int scope = __NV_THREAD_SCOPE_SYSTEM) {
    emulator::release_before(order, scope);
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
__forceinline__ void __nv_atomic_exchange(T* address, T* value, T* result, int order,
                                          int scope = __NV_THREAD_SCOPE_SYSTEM) {
    emulator::release_before(order, scope);
    __atomic_exchange(address, value, result, __ATOMIC_SEQ_CST);
}
template <class T>
__forceinline__ T __nv_atomic_exchange_n(T* address, std::type_identity_t<T> value, int order,
                                         int scope = __NV_THREAD_SCOPE_SYSTEM) {
    emulator::release_before(order, scope);
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);
}
// Where the values differ, *expected becomes the value that is there.
template <class T>
__forceinline__ bool __nv_atomic_compare_exchange(T* address, T* expected, T* desired,
                                                  bool /*weak*/, int success, int /*failure*/,
                                                  int scope = __NV_THREAD_SCOPE_SYSTEM) {
    emulator::release_before(success, scope);
    return __atomic_compare_exchange(address, expected, desired, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}
template <class T>
__forceinline__ bool __nv_atomic_compare_exchange_n(T* address, T* expected,
                                                    std::type_identity_t<T> desired, bool /*weak*/,
                                                    int success, int /*failure*/,
                                                    int scope = __NV_THREAD_SCOPE_SYSTEM) {
    emulator::release_before(success, scope);
    return __atomic_compare_exchange(address, expected, &desired, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}

// fetch_add() and so on return the old value, add() and so on return nothing.
#define EMULATOR_NV_ATOMIC(name, expression)                                                      \
    template <class T>                                                                            \
    __forceinline__ T __nv_atomic_fetch_##name(T* address, std::type_identity_t<T> value,         \
                                               int order, int scope = __NV_THREAD_SCOPE_SYSTEM) { \
        emulator::release_before(order, scope);                                                   \
        return emulator::update_atomically(address, [value](T old) -> T { return expression; });  \
    }                                                                                             \
    template <class T>                                                                            \
    __forceinline__ void __nv_atomic_##name(T* address, std::type_identity_t<T> value, int order, \
                                            int scope = __NV_THREAD_SCOPE_SYSTEM) {               \
        __nv_atomic_fetch_##name(address, value, order, scope);                                   \
    }
EMULATOR_NV_ATOMIC(add, old + value)
EMULATOR_NV_ATOMIC(sub, old - value)
EMULATOR_NV_ATOMIC(and, old& value)
EMULATOR_NV_ATOMIC(or, old | value)
EMULATOR_NV_ATOMIC(xor, old ^ value)
EMULATOR_NV_ATOMIC(min, value < old ? value : old)
EMULATOR_NV_ATOMIC(max, old < value ? value : old)
#undef EMULATOR_NV_ATOMIC
