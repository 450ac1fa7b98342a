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

#include "common/emulator/libraries/matrices/matrix_products.hpp"
#include "common/emulator/libraries/matrices/moderate_sums.hpp"

namespace emulator {
namespace {

constexpr int kInvalidValue = 719;  // cudaErrorLaunchFailure
constexpr int kMisaligned = 716;  // cudaErrorMisalignedAddress

// The elements of a fragment, as they lie in memory.
struct Bfloat16Bits {
    std::uint16_t bits;
};
struct Tf32Bits {
    std::uint32_t bits;
};

float value_of(Bfloat16Bits value) { return value_of_bf16(value.bits); }
float value_of(Tf32Bits value) { return value_of_tf32(value.bits); }
float value_of(float value) { return value; }
double value_of(double value) { return value; }
std::uint16_t value_of(std::uint16_t bits) { return bits; }
int value_of(std::int8_t value) { return value; }
int value_of(std::uint8_t value) { return value; }
int value_of(std::int32_t value) { return value; }

const MatrixProduct& product_of(const WarpTask* const* lanes, int lane) {
    return *static_cast<const MatrixProduct*>(lanes[lane]);
}

// Puts a matrix together. `part` names the lanes' fragments, whose elements are of type Element.
template <class Element, class T>
void gather(const WarpTask* const* lanes, const void* MatrixProduct::*part, int count, T* matrix) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const void* const memory = product_of(lanes, lane).*part;
        for (int i = 0; i * kWarpSize < count; ++i) {
            Element element;
            std::memcpy(
                &element,
                static_cast<const char*>(memory) + sizeof element * static_cast<unsigned>(i),
                sizeof element);
            matrix[i * kWarpSize + lane] = static_cast<T>(value_of(element));
        }
    }
}

// The opposite, for the result.
template <class T>
void scatter(const WarpTask* const* lanes, const T* matrix, int count) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
        auto* const memory = static_cast<char*>(product_of(lanes, lane).d);
        for (int i = 0; i * kWarpSize < count; ++i) {
            std::memcpy(memory + sizeof(T) * static_cast<unsigned>(i),
                        &matrix[i * kWarpSize + lane], sizeof(T));
        }
    }
}

void gather_halves(const WarpTask* const* lanes, const void* MatrixProduct::*part, int count,
                   float* matrix) {
    std::uint16_t halves[kMaxElements];
    gather<std::uint16_t>(lanes, part, count, halves);
    convert_halves(halves, count, matrix);
}

void gather_reals(const WarpTask* const* lanes, const void* MatrixProduct::*part, int count,
                  float* matrix) {
    switch (product_of(lanes, 0).element) {
        case MatrixElement::f16:
            return gather_halves(lanes, part, count, matrix);
        case MatrixElement::bf16:
            return gather<Bfloat16Bits>(lanes, part, count, matrix);
        default:
            return gather<Tf32Bits>(lanes, part, count, matrix);
    }
}

// sums += a b, row by row.
void add_integer_products(const MatrixProduct& shape, const int* a, const int* b, int* sums) {
    constexpr int kColumns = 8;  // at a time; every n is a multiple of it
    for (int row = 0; row < shape.m; ++row) {
        for (int first = 0; first < shape.n; first += kColumns) {
            int sum[kColumns];
            std::copy_n(sums + row * shape.n + first, kColumns, sum);
            for (int k = 0; k < shape.k; ++k) {
                const int factor = a[row * shape.k + k];
                const int* const others = b + k * shape.n + first;
                for (int i = 0; i < kColumns; ++i) sum[i] += factor * others[i];
            }
            std::copy_n(sum, kColumns, sums + row * shape.n + first);
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
    gather_reals(lanes, &MatrixProduct::a, m * k, a);
    gather_reals(lanes, &MatrixProduct::b, k * n, b);
    if (first.sum_in == MatrixSum::f16) {
        gather_halves(lanes, &MatrixProduct::c, m * n, c);
    } else {
        gather<float>(lanes, &MatrixProduct::c, m * n, c);
    }
    if (first.sum_out == MatrixSum::f16) {
        std::uint16_t halves[kMaxElements];
        add_products(m, n, k, first.element, a, b, c, halves);
        return scatter(lanes, halves, m * n);
    }
    add_products(m, n, k, first.element, a, b, c, nullptr);
    scatter(lanes, c, m * n);
}

void multiply_doubles(const WarpTask* const* lanes) {
    const MatrixProduct& first = product_of(lanes, 0);
    double a[kMaxElements];
    double b[kMaxElements];
    double c[kMaxElements];
    gather<double>(lanes, &MatrixProduct::a, first.m * first.k, a);
    gather<double>(lanes, &MatrixProduct::b, first.k * first.n, b);
    gather<double>(lanes, &MatrixProduct::c, first.m * first.n, c);
    for (int i = 0; i < first.m * first.n; ++i) {
        for (int j = 0; j < first.k; ++j) {
            c[i] = std::fma(a[i / first.n * first.k + j], b[j * first.n + i % first.n], c[i]);
        }
        if (std::isnan(c[i])) c[i] = std::bit_cast<double>(std::uint64_t{0x7ff8000000000000});
    }
    scatter(lanes, c, first.m * first.n);
}

void multiply_integers(const WarpTask* const* lanes) {
    const MatrixProduct& first = product_of(lanes, 0);
    const int count = first.m * first.n;
    int a[kMaxElements];
    int b[kMaxElements];
    int c[kMaxElements];
    if (first.element == MatrixElement::s8) {
        gather<std::int8_t>(lanes, &MatrixProduct::a, first.m * first.k, a);
        gather<std::int8_t>(lanes, &MatrixProduct::b, first.k * first.n, b);
    } else {
        gather<std::uint8_t>(lanes, &MatrixProduct::a, first.m * first.k, a);
        gather<std::uint8_t>(lanes, &MatrixProduct::b, first.k * first.n, b);
    }
    gather<std::int32_t>(lanes, &MatrixProduct::c, count, c);
    int products[kMaxElements] = {};
    add_integer_products(first, a, b, products);
    using Limits = std::numeric_limits<std::int32_t>;
    for (int i = 0; i < count; ++i) {
        std::int64_t sum = std::int64_t{c[i]} + products[i];
        if (first.saturates) sum = std::clamp<std::int64_t>(sum, Limits::min(), Limits::max());
        c[i] = static_cast<std::int32_t>(sum);
    }
    scatter(lanes, c, count);
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
