// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/matrices/matrix_products.hpp"

#include <algorithm>
#include <bit>

#include "common/emulator/libraries/matrices/aligned_sum.hpp"
#include "common/emulator/libraries/matrices/moderate_sums.hpp"

namespace emulator {

float value_of_bf16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}
float value_of_tf32(std::uint32_t bits) { return std::bit_cast<float>(bits & 0xffffe000u); }

void add_products(int m, int n, int k, MatrixElement element, const float* a, const float* b,
                  float* c, std::uint16_t* halves) {
    const int group = std::min(k, element == MatrixElement::tf32 ? 4 : 16);
    if (are_moderate(a, m * k) && are_moderate(b, k * n) && are_moderate(c, m * n)) {
        double sums[kMaxElements];
        add_moderate(m, n, k, group, a, b, c, sums);
        if (halves != nullptr) std::transform(sums, sums + m * n, halves, half_of);
        return;
    }
    SplitReal split_a[kMaxElements];
    SplitReal split_b[kMaxElements];
    for (int i = 0; i < m * k; ++i) split_a[i] = split(a[i]);
    for (int row = 0; row < k; ++row) {
        // By columns: the products of one sum then lie side by side.
        for (int column = 0; column < n; ++column) {
            split_b[column * k + row] = split(b[row * n + column]);
        }
    }
    for (int i = 0; i < m * n; ++i) {
        const SplitReal* const row = split_a + i / n * k;
        const SplitReal* const column = split_b + i % n * k;
        if (halves != nullptr) {
            halves[i] = half_sum(row, column, k, c[i]);
            continue;
        }
        for (int begin = 0; begin < k; begin += group) {
            c[i] = float_sum(row + begin, column + begin, group, c[i]);
        }
    }
}

}  // namespace emulator
