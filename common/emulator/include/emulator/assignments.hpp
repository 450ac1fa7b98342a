// SPDX-License-Identifier: MIT
// The left side of an assignment, where accesses are counted. g++ lets a call that returns a struct
// write it to its place in memory, and records no store then. So a struct is first taken from the
// call, and then stored. The translator writes EMULATOR_LEFT (translator/assignments.py).
#pragma once

#ifdef __SANITIZE_THREAD__
#include <type_traits>
#include <utility>

namespace emulator {

template <class T>
struct Place {
    T& place;
    [[gnu::always_inline]] constexpr T& operator=(const T& value) const { return place = value; }
    template <class Value>
    [[gnu::always_inline]] constexpr decltype(auto) operator=(Value&& value) const {
        if constexpr (std::is_same_v<std::remove_cvref_t<Value>, T> ||
                      std::is_base_of_v<T, std::remove_cvref_t<Value>>) {
            const T& known = value;
            return place = known;
        } else {
            return place = std::forward<Value>(value);
        }
    }
};

struct Left {
    [[gnu::always_inline]] constexpr Left() {}
};

template <class T>
concept CopiedAsBytes = (std::is_class_v<T> ||
                         std::is_union_v<T>)&&std::is_trivially_copy_assignable_v<T>;

// For anything else, the comma is C++'s own: nothing happens.
template <CopiedAsBytes T>
[[gnu::always_inline]] constexpr Place<T> operator,(Left, T& place) {
    return {place};
}

}  // namespace emulator
#define EMULATOR_LEFT(...) (::emulator::Left(), __VA_ARGS__)
#else
#define EMULATOR_LEFT(...) __VA_ARGS__
#endif
