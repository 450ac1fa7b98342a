// SPDX-License-Identifier: MIT
// Functions of the C library that read or write memory for their caller. The linker replaces calls
// of them with calls of these functions (--wrap).
#include <unordered_map>

#include "common/emulator/counting/record/accesses.hpp"
#include "common/emulator/counting/record/address.hpp"
#include "common/emulator/counting/record/source_lines.hpp"

extern "C" {

[[gnu::weak]] void* __real_memcpy(void* destination, const void* source, std::size_t bytes);
[[gnu::weak]] void* __real_memmove(void* destination, const void* source, std::size_t bytes);
[[gnu::weak]] void* __real_memset(void* destination, int value, std::size_t bytes);
[[gnu::weak]] void __real_sincos(double x, double* sine, double* cosine);
[[gnu::weak]] void __real_sincosf(float x, float* sine, float* cosine);
[[gnu::weak]] double __real_frexp(double x, int* exponent);
[[gnu::weak]] float __real_frexpf(float x, int* exponent);
[[gnu::weak]] double __real_modf(double x, double* whole);
[[gnu::weak]] float __real_modff(float x, float* whole);
[[gnu::weak]] double __real_remquo(double x, double y, int* quotient);
[[gnu::weak]] float __real_remquof(float x, float y, int* quotient);

}  // extern "C"

namespace emulator::counting {
namespace {

void check_host(const void* memory, std::size_t bytes, EventKind kind, const void* code) {
    const auto address = number_of(memory);
    if (bytes == 0 || !host_access_matters(address, bytes)) return;
    if (current_thread == nullptr) return note_host_access(address, bytes, kind, code);
    const bool unrecorded = current_thread->record == nullptr;
    if (unrecorded && kind == EventKind::store) note_unrecorded(memory, bytes);
}

// Whether a kernel's own code makes the call at `code`.
bool is_by_kernel(const void* code) {
    if (!is_recording()) return false;
    const Unrecorded unrecorded;
    static auto* known = new std::unordered_map<const void*, bool>;
    const auto [entry, is_new] = known->try_emplace(code, false);
    if (is_new) entry->second = in_program_function(code);
    return entry->second;
}

// In pieces as large as alignment and size allow. Each piece is read before it is written.
void copy_by_kernel(char* destination, const char* source, std::size_t bytes, const void* code) {
    std::size_t piece = 16;
    while ((bytes | number_of(destination) | number_of(source)) % piece != 0) piece /= 2;
    const bool backwards = number_of(destination) - number_of(source) < bytes;
    for (std::size_t done = 0; done < bytes; done += piece) {
        const std::size_t offset = backwards ? bytes - piece - done : done;
        record_piece(EventKind::load, number_of(source) + offset, static_cast<unsigned>(piece),
                     code);
        record_piece(EventKind::store, number_of(destination) + offset,
                     static_cast<unsigned>(piece), code);
        __real_memmove(destination + offset, source + offset, piece);
    }
}

void set_by_kernel(char* destination, int value, std::size_t bytes, const void* code) {
    std::size_t piece = 16;
    while ((bytes | number_of(destination)) % piece != 0) piece /= 2;
    for (std::size_t offset = 0; offset < bytes; offset += piece) {
        record_piece(EventKind::store, number_of(destination) + offset,
                     static_cast<unsigned>(piece), code);
        __real_memset(destination + offset, value, piece);
    }
}

void* copy(void* (*function)(void*, const void*, std::size_t), void* destination,
           const void* source, std::size_t bytes, const void* code) {
    if (is_by_kernel(code)) {
        copy_by_kernel(static_cast<char*>(destination), static_cast<const char*>(source), bytes,
                       code);
        return destination;
    }
    const std::uintptr_t to = number_of(destination);
    const std::uintptr_t from = number_of(source);
    if (current_thread != nullptr) {
        check_host(destination, bytes, EventKind::store, code);
    } else if (bytes > 0 && (host_access_matters(to, bytes) || host_access_matters(from, bytes))) {
        record_hooks.check_host_copy(to, from, bytes, code);
    }
    return function(destination, source, bytes);
}

// A result that a function of the C library returns through a pointer.
template <class T>
void put(T* destination, T value, const void* code) {
    if (is_by_kernel(code)) {
        record_piece(EventKind::store, number_of(destination), sizeof(T), code);
    } else {
        check_host(destination, sizeof(T), EventKind::store, code);
    }
    *destination = value;
}

template <class T>
void put_both(void (*function)(T, T*, T*), T x, T* first, T* second, const void* code) {
    T a;
    T b;
    function(x, &a, &b);
    put(first, a, code);
    put(second, b, code);
}

}  // namespace
}  // namespace emulator::counting

extern "C" {

void __wrap_sincos(double x, double* sine, double* cosine) {
    emulator::counting::put_both(__real_sincos, x, sine, cosine, __builtin_return_address(0));
}
void __wrap_sincosf(float x, float* sine, float* cosine) {
    emulator::counting::put_both(__real_sincosf, x, sine, cosine, __builtin_return_address(0));
}

#define EMULATOR_SECOND_RESULT(T, name, Second, parameters, ...)             \
    T __wrap_##name parameters {                                             \
        Second value;                                                        \
        const T result = __real_##name(__VA_ARGS__, &value);                 \
        emulator::counting::put(second, value, __builtin_return_address(0)); \
        return result;                                                       \
    }
EMULATOR_SECOND_RESULT(double, frexp, int, (double x, int* second), x)
EMULATOR_SECOND_RESULT(float, frexpf, int, (float x, int* second), x)
EMULATOR_SECOND_RESULT(double, modf, double, (double x, double* second), x)
EMULATOR_SECOND_RESULT(float, modff, float, (float x, float* second), x)
EMULATOR_SECOND_RESULT(double, remquo, int, (double x, double y, int* second), x, y)
EMULATOR_SECOND_RESULT(float, remquof, int, (float x, float y, int* second), x, y)
#undef EMULATOR_SECOND_RESULT

void* __wrap_memcpy(void* destination, const void* source, std::size_t bytes) {
    return emulator::counting::copy(__real_memcpy, destination, source, bytes,
                                    __builtin_return_address(0));
}

void* __wrap_memmove(void* destination, const void* source, std::size_t bytes) {
    return emulator::counting::copy(__real_memmove, destination, source, bytes,
                                    __builtin_return_address(0));
}

void* __wrap_memset(void* destination, int value, std::size_t bytes) {
    const void* const code = __builtin_return_address(0);
    if (emulator::counting::is_by_kernel(code)) {
        emulator::counting::set_by_kernel(static_cast<char*>(destination), value, bytes, code);
        return destination;
    }
    emulator::counting::check_host(destination, bytes, emulator::counting::EventKind::store, code);
    return __real_memset(destination, value, bytes);
}

}  // extern "C"
