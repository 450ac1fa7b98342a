// SPDX-License-Identifier: MIT
// Where a message of NCCL should begin: at a multiple of 16 bytes, for the sender and the receiver.
// Otherwise NCCL copies fewer bytes at once. On two H100, merge sort of 2^30 keys took 25.5 ms
// before messages began like this, and 22.8 ms after.
#pragma once

#include <cstdint>

namespace course {

// Elements in 16 bytes.
template <typename T>
inline constexpr std::int64_t kMessageLine = 16 / static_cast<std::int64_t>(sizeof(T));

// The first multiple of 16 bytes from a place on.
template <typename T>
constexpr std::int64_t line_after(std::int64_t place) {
    return (place + kMessageLine<T> - 1) / kMessageLine<T> * kMessageLine<T>;
}

// The elements from `begin` to `end` - 1 of memory that begins at a multiple of 16 bytes, and at
// most 15 bytes before them, which the receiver does not want.
template <typename T>
struct Message {
    Message(std::int64_t begin, std::int64_t end)
        : begin(begin / kMessageLine<T> * kMessageLine<T>),
          length(end - this->begin),
          unwanted(begin - this->begin),
          is_sent(begin < end) {}

    std::int64_t begin, length;
    std::int64_t unwanted;  // of these elements
    bool is_sent;  // there are wanted ones
};

}  // namespace course
