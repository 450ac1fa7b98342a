// SPDX-License-Identifier: MIT
#include "common/emulator/device/poison.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace emulator {

namespace {

constexpr std::uint32_t kPoison = 0x7ffdcdcd;

}  // namespace

void fill_poison(void* memory, std::size_t bytes) {
    auto* const begin = static_cast<char*>(memory);
    const std::size_t words = bytes / sizeof kPoison;
    std::fill_n(reinterpret_cast<std::uint32_t*>(begin), words, kPoison);
    std::memcpy(begin + words * sizeof kPoison, &kPoison, bytes % sizeof kPoison);
}

bool is_poison(const void* memory, std::size_t bytes, std::uintptr_t filled_at) {
    const auto* const poison = reinterpret_cast<const char*>(&kPoison);
    const auto* const begin = static_cast<const char*>(memory);
    for (std::size_t i = 0; i < bytes; ++i) {
        if (begin[i] != poison[(filled_at + i) % sizeof kPoison]) return false;
    }
    return true;
}

}  // namespace emulator
