// SPDX-License-Identifier: MIT
// Products of matrices: see emulator/tensor_cores.hpp for the order of the sums.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <emulator/tensor_cores.hpp>
#include <limits>

#include "common/emulator/device/matrices/aligned_sum.hpp"

namespace emulator {
namespace {

constexpr int kMaxElements = 512;
constexpr int kTerms = 16;  // of a sum of half, bf16 or bytes
constexpr int kInvalidValue = 719;  // cudaErrorLaunchFailure
constexpr int kMisaligned = 716;  // cudaErrorMisalignedAddress

template <class T>
T read(const void* memory, int element) {
    T value;
    std::memcpy(&value,
                static_cast<const char*>(memory) + sizeof(T) * static_cast<unsigned>(element),
                sizeof(T));
    return value;
}

template <class T>
void write(void* memory, int element, T value) {
    std::memcpy(static_cast<char*>(memory) + sizeof(T) * static_cast<unsigned>(element), &value,
                sizeof(T));
}

float float_of_half(std::uint16_t bits) {
    __extension__ _Float16 value;
    std::memcpy(&value, &bits, sizeof bits);
    return static_cast<float>(value);
}

float real_element(MatrixElement type, const void* memory, int element) {
    switch (type) {
        case MatrixElement::f16:
            return float_of_half(read<std::uint16_t>(memory, element));
        case MatrixElement::bf16:
            return std::bit_cast<float>(std::uint32_t{read<std::uint16_t>(memory, element)} << 16);
        default:  // tf32: the lower bits do not take part
            return std::bit_cast<float>(read<std::uint32_t>(memory, element) & 0xffffe000u);
    }
}

const MatrixProduct& product_of(const WarpTask* const* lanes, int lane) {
    return *static_cast<const MatrixProduct*>(lanes[lane]);
}

// Puts a matrix together: `get(product, element)` gives a lane's element.
template <class T, class Get>
void gather(const WarpTask* const* lanes, int count, T* matrix, Get get) {
    for (int i = 0; i < count; ++i) {
        matrix[i] = get(product_of(lanes, i % kWarpSize), i / kWarpSize);
    }
}

// Floats add all terms without rounding, so that the order does not matter.
void multiply_exactly(const WarpTask* const* lanes, const float* a, const float* b,
                      const float* c) {
    const MatrixProduct& first = product_of(lanes, 0);
    float columns[kMaxElements];
    for (int i = 0; i < kTerms * first.n; ++i) columns[i % first.n * kTerms + i / first.n] = b[i];
    for (int i = 0; i < first.m * first.n; ++i) {
        const float* const row = a + i / first.n * kTerms;
        const float* const column = columns + i % first.n * kTerms;
        float sum = 0;
        for (int j = 0; j < kTerms; ++j) sum += row[j] * column[j];
        sum += c[i];
        // Like the sums of aligned terms, it has no negative zero.
        if (sum == 0) sum = 0;
        const MatrixProduct& lane = product_of(lanes, i % kWarpSize);
        if (first.sum_out == MatrixSum::f16) {
            write(lane.d, i / kWarpSize, half_of(sum));
        } else {
            write(lane.d, i / kWarpSize, sum);
        }
    }
}

void multiply_reals(const WarpTask* const* lanes) {
    const MatrixProduct& first = product_of(lanes, 0);
    const int m = first.m;
    const int n = first.n;
    const int k = first.k;
    float a[kMaxElements];
    float b[kMaxElements];
    float c[kMaxElements];
    gather(lanes, m * k, a, [](const MatrixProduct& lane, int element) {
        return real_element(lane.element, lane.a, element);
    });
    gather(lanes, k * n, b, [](const MatrixProduct& lane, int element) {
        return real_element(lane.element, lane.b, element);
    });
    gather(lanes, m * n, c, [](const MatrixProduct& lane, int element) {
        return lane.sum_in == MatrixSum::f16 ? float_of_half(read<std::uint16_t>(lane.c, element))
                                             : read<float>(lane.c, element);
    });
    if (k == kTerms && sums_are_exact(a, m * k, b, k * n, c, m * n)) {
        return multiply_exactly(lanes, a, b, c);
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
    const int group = first.element == MatrixElement::tf32 ? 4 : 16;
    for (int i = 0; i < m * n; ++i) {
        const SplitReal* const row = split_a + i / n * k;
        const SplitReal* const column = split_b + i % n * k;
        const MatrixProduct& lane = product_of(lanes, i % kWarpSize);
        if (first.sum_out == MatrixSum::f16) {
            write(lane.d, i / kWarpSize, half_sum(row, column, k, c[i]));
            continue;
        }
        float sum = c[i];
        for (int begin = 0; begin < k; begin += group) {
            sum = float_sum(row + begin, column + begin, std::min(group, k), sum);
        }
        write(lane.d, i / kWarpSize, sum);
    }
}

void multiply_doubles(const WarpTask* const* lanes) {
    const MatrixProduct& first = product_of(lanes, 0);
    double a[kMaxElements];
    double b[kMaxElements];
    gather(lanes, first.m * first.k, a,
           [](const MatrixProduct& lane, int element) { return read<double>(lane.a, element); });
    gather(lanes, first.k * first.n, b,
           [](const MatrixProduct& lane, int element) { return read<double>(lane.b, element); });
    for (int i = 0; i < first.m * first.n; ++i) {
        const MatrixProduct& lane = product_of(lanes, i % kWarpSize);
        auto sum = read<double>(lane.c, i / kWarpSize);
        for (int j = 0; j < first.k; ++j) {
            sum = std::fma(a[i / first.n * first.k + j], b[j * first.n + i % first.n], sum);
        }
        if (std::isnan(sum)) sum = std::bit_cast<double>(std::uint64_t{0x7ff8000000000000});
        write(lane.d, i / kWarpSize, sum);
    }
}

void multiply_integers(const WarpTask* const* lanes) {
    const MatrixProduct& first = product_of(lanes, 0);
    int a[kMaxElements];
    int b[kMaxElements];
    const auto element = [](const MatrixProduct& lane, const void* memory, int index) -> int {
        return lane.element == MatrixElement::s8 ? int{read<std::int8_t>(memory, index)}
                                                 : int{read<std::uint8_t>(memory, index)};
    };
    gather(lanes, first.m * first.k, a,
           [&](const MatrixProduct& lane, int index) { return element(lane, lane.a, index); });
    gather(lanes, first.k * first.n, b,
           [&](const MatrixProduct& lane, int index) { return element(lane, lane.b, index); });
    int columns[kMaxElements];
    for (int i = 0; i < kTerms * first.n; ++i) columns[i % first.n * kTerms + i / first.n] = b[i];
    for (int i = 0; i < first.m * first.n; ++i) {
        const MatrixProduct& lane = product_of(lanes, i % kWarpSize);
        const int* const row = a + i / first.n * kTerms;
        const int* const column = columns + i % first.n * kTerms;
        int products = 0;
        for (int j = 0; j < kTerms; ++j) products += row[j] * column[j];
        std::int64_t sum = std::int64_t{read<std::int32_t>(lane.c, i / kWarpSize)} + products;
        using Limits = std::numeric_limits<std::int32_t>;
        if (first.saturates) {
            sum = std::clamp<std::int64_t>(sum, Limits::min(), Limits::max());
        }
        write(lane.d, i / kWarpSize, static_cast<std::int32_t>(sum));
    }
}

void check_agreement(const WarpTask* const* lanes) {
    const auto& first = *static_cast<const MatrixAccess*>(lanes[0]);
    for (int lane = 1; lane < kWarpSize; ++lane) {
        const auto& other = *static_cast<const MatrixAccess*>(lanes[lane]);
        if (other.memory != first.memory || other.leading != first.leading) {
            fail_kernel(kInvalidValue,
                        "wmma: the threads of a warp pass different addresses or distances to one "
                        "load or store");
        }
    }
}

}  // namespace

void prepare(MatrixProduct& product) noexcept {
    switch (product.element) {
        case MatrixElement::f64:
            product.run = multiply_doubles;
            break;
        case MatrixElement::s8:
        case MatrixElement::u8:
            product.run = multiply_integers;
            break;
        default:
            product.run = multiply_reals;
    }
}

void prepare(MatrixAccess& access) noexcept {
    // The guide asks for 32 bytes. Programs work on GPUs with 16.
    if (reinterpret_cast<std::uintptr_t>(access.memory) % 16 != 0) {
        fail_kernel(kMisaligned, "wmma: the address must be a multiple of 32 bytes");
    }
    // The guide has no rule for bytes and doubles.
    const bool has_rule = access.element_bytes == 2 || access.element_bytes == 4;
    if (has_rule && access.leading * access.element_bytes % 16 != 0) {
        fail_kernel(kMisaligned,
                    "wmma: the distance of rows or columns must be a multiple of 16 bytes");
    }
    access.run = check_agreement;
}

float round_to_tf32(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7f800000u) == 0x7f800000u) return value;
    return std::bit_cast<float>((bits + 0x1000u) & 0xffffe000u);
}

}  // namespace emulator
