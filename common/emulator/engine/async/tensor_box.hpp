// SPDX-License-Identifier: MIT
// The box of a tensor that one bulk copy moves.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <emulator/async/tensor_copies.hpp>

namespace emulator {

struct TensorBox {
    TensorMap map;  // as it was when the copy was issued
    std::array<std::int32_t, kMaxTensorRank> first;  // element of the tensor
    char* shared;  // where the box lies, rows of dimension 0 one behind the other
    bool stores;  // to global memory

    // In shared memory. What lies outside of the tensor counts, too.
    std::uint32_t bytes() const;
    // Calls visit(offset, global, bytes) for each part of a row, in the order of offsets in shared
    // memory before swizzling. `global` is nullptr for a part outside of the tensor.
    template <class Visit>
    void visit_parts(Visit visit) const;
    // `image`: the box's bytes as they lie, or lay, in shared memory.
    void move(char* image) const;

  private:
    std::int64_t count(int dimension) const {
        return (map.box[dimension] + map.steps[dimension] - 1) / map.steps[dimension];
    }
    std::int64_t extent(int dimension) const { return std::int64_t{map.last[dimension]} + 1; }
};

template <class Visit>
void TensorBox::visit_parts(Visit visit) const {
    const auto element = static_cast<std::int64_t>(map.strides[0]);
    const std::int64_t begin = std::clamp<std::int64_t>(-std::int64_t{first[0]}, 0, count(0));
    const std::int64_t end =
        std::clamp<std::int64_t>(extent(0) - std::int64_t{first[0]}, begin, count(0));
    std::int64_t rows = 1;
    for (int i = 1; i < map.rank; ++i) rows *= count(i);
    for (std::int64_t row = 0; row < rows; ++row) {
        bool inside = begin < end;
        char* global = map.address + first[0] * element;
        std::int64_t rest = row;
        for (int i = 1; i < map.rank; ++i) {
            const std::int64_t place = first[i] + rest % count(i) * map.steps[i];
            rest /= count(i);
            inside &= place >= 0 && place < extent(i);
            global += place * static_cast<std::int64_t>(map.strides[i]);
        }
        const auto part = [&](std::int64_t from, std::int64_t to, bool is_inside) {
            if (from == to) return;
            visit(static_cast<std::uint32_t>((row * count(0) + from) * element),
                  is_inside ? global + from * element : nullptr,
                  static_cast<std::uint32_t>((to - from) * element));
        };
        if (!inside) {
            part(0, count(0), false);
            continue;
        }
        part(0, begin, false);
        part(begin, end, true);
        part(end, count(0), false);
    }
}

}  // namespace emulator
