// SPDX-License-Identifier: MIT
// nvcuda::wmma for the CPU engine: "Warp Matrix Functions" in the CUDA C++ Programming Guide. How
// sums are computed: emulator/tensor_cores.hpp. Where accesses are counted, loads and stores of
// fragments count element by element; the hardware joins several of them. The experimental types
// (4 bits and 1 bit) are not available.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <emulator/tensor_cores.hpp>
#include <type_traits>

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}  // namespace precision

}  // namespace wmma
}  // namespace nvcuda

namespace emulator {

template <class T>
struct MatrixStorage {
    using type = T;
};
template <>
struct MatrixStorage<nvcuda::wmma::precision::tf32> {
    using type = float;
};

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, __half>;

template <class T>
constexpr MatrixElement matrix_element() {
    if constexpr (kIsHalf<T>) return MatrixElement::f16;
    if constexpr (std::is_same_v<T, __nv_bfloat16>) return MatrixElement::bf16;
    if constexpr (std::is_same_v<T, nvcuda::wmma::precision::tf32>) return MatrixElement::tf32;
    if constexpr (std::is_same_v<T, double>) return MatrixElement::f64;
    if constexpr (std::is_same_v<T, signed char>) return MatrixElement::s8;
    return MatrixElement::u8;
}

template <class T>
constexpr MatrixSum matrix_sum() {
    if constexpr (kIsHalf<T>) return MatrixSum::f16;
    if constexpr (std::is_same_v<T, float>) return MatrixSum::f32;
    if constexpr (std::is_same_v<T, double>) return MatrixSum::f64;
    return MatrixSum::s32;
}

// The shapes and types that CUDA has.
template <int m, int n, int k, class T>
constexpr bool is_matrix_shape() {
    using nvcuda::wmma::precision::tf32;
    const bool is_wide =
        k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
    if (kIsHalf<T> || std::is_same_v<T, __nv_bfloat16> || std::is_same_v<T, signed char> ||
        std::is_same_v<T, unsigned char>) {
        return is_wide;
    }
    if (std::is_same_v<T, tf32>) return m == 16 && n == 16 && k == 8;
    if (std::is_same_v<T, double>) return m == 8 && n == 8 && k == 4;
    return false;
}
template <int m, int n, int k, class T>
constexpr bool is_sum_shape() {
    const bool is_wide =
        k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
    if (std::is_same_v<T, float>) return is_wide || (m == 16 && n == 16 && k == 8);
    if (kIsHalf<T> || std::is_same_v<T, int>) return is_wide;
    return std::is_same_v<T, double> && m == 8 && n == 8 && k == 4;
}

// A matrix of kRows x kColumns over the 32 lanes. As on the hardware, fragments of half operands
// have 16 elements per lane, even if that means copies.
template <int rows, int columns, class T, bool is_operand>
struct FragmentBase {
    using element_type = T;
    using storage_element_type = typename MatrixStorage<T>::type;
    static constexpr int kRows = rows;
    static constexpr int kColumns = columns;
    static constexpr int kDistinct = rows * columns / kWarpSize;
    enum {
        num_elements = is_operand && kIsHalf<T> ? 16 : kDistinct,
        num_storage_elements = num_elements,
    };
    storage_element_type x[num_elements];
};

EMULATOR_UNRECORDED constexpr unsigned matrix_offset(int index, int columns, bool row_major,
                                                     unsigned leading) {
    const auto row = static_cast<unsigned>(index / columns);
    const auto column = static_cast<unsigned>(index % columns);
    return row_major ? row * leading + column : column * leading + row;
}

__forceinline__ void meet_at_access(const void* memory, unsigned leading, unsigned element_bytes) {
    MatrixAccess access{{nullptr}, memory, leading, element_bytes};
    prepare(access);
    meet(access);
}

template <class Fragment, class T>
__forceinline__ void load_fragment(Fragment& fragment, const T* memory, unsigned leading,
                                   bool row_major) {
    meet_at_access(memory, leading, sizeof(T));
    for (int i = 0; i < Fragment::num_elements; ++i) {
        if (i < Fragment::kDistinct) {
            fragment.x[i] = memory[matrix_offset(i * kWarpSize + lane_index(), Fragment::kColumns,
                                                 row_major, leading)];
        } else {
            fragment.x[i] = fragment.x[i - Fragment::kDistinct];
        }
    }
}

}  // namespace emulator

namespace nvcuda {
namespace wmma {

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
    static_assert(sizeof(T) == 0, "wmma has no fragment of this use, shape, type and layout");
};

template <int m, int n, int k, class T, class Layout>
requires(emulator::is_matrix_shape<m, n, k, T>() &&
         !std::is_void_v<Layout>) class fragment<matrix_a, m, n, k, T, Layout>
    : public emulator::FragmentBase<m, k, T, true> {
};

template <int m, int n, int k, class T, class Layout>
requires(emulator::is_matrix_shape<m, n, k, T>() &&
         !std::is_void_v<Layout>) class fragment<matrix_b, m, n, k, T, Layout>
    : public emulator::FragmentBase<k, n, T, true> {
};

template <int m, int n, int k, class T>
requires(emulator::is_sum_shape<m, n, k, T>()) class fragment<accumulator, m, n, k, T>
    : public emulator::FragmentBase<m, n, T, false> {
};

template <class Use, int m, int n, int k, class T, class Layout, class Value>
__forceinline__ void fill_fragment(fragment<Use, m, n, k, T, Layout>& target, const Value& value) {
    using Storage = typename fragment<Use, m, n, k, T, Layout>::storage_element_type;
    for (auto& element : target.x) element = static_cast<Storage>(value);
}

template <class Use, int m, int n, int k, class T, class Layout>
__forceinline__ void load_matrix_sync(
    fragment<Use, m, n, k, T, Layout>& target,
    const typename fragment<Use, m, n, k, T, Layout>::storage_element_type* memory,
    unsigned leading) {
    static_assert(!std::is_void_v<Layout>,
                  "the fragment of an accumulator is loaded with mem_row_major or mem_col_major");
    emulator::load_fragment(target, memory, leading, std::is_same_v<Layout, row_major>);
}

template <int m, int n, int k, class T>
__forceinline__ void load_matrix_sync(fragment<accumulator, m, n, k, T>& target, const T* memory,
                                      unsigned leading, layout_t layout) {
    emulator::load_fragment(target, memory, leading, layout == mem_row_major);
}

template <int m, int n, int k, class T>
__forceinline__ void store_matrix_sync(T* memory, const fragment<accumulator, m, n, k, T>& source,
                                       unsigned leading, layout_t layout) {
    emulator::meet_at_access(memory, leading, sizeof(T));
    for (int i = 0; i < source.num_elements; ++i) {
        memory[emulator::matrix_offset(i * warpSize + emulator::lane_index(), n,
                                       layout == mem_row_major, leading)] = source.x[i];
    }
}

template <int m, int n, int k, class T, class LayoutA, class LayoutB, class SumOut, class SumIn>
__forceinline__ void mma_sync(fragment<accumulator, m, n, k, SumOut>& d,
                              const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                              const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                              const fragment<accumulator, m, n, k, SumIn>& c,
                              bool saturate = false) {
    constexpr bool kIsInteger = std::is_same_v<T, signed char> || std::is_same_v<T, unsigned char>;
    static_assert(kIsInteger == std::is_same_v<SumIn, int> &&
                      std::is_same_v<T, double> == std::is_same_v<SumIn, double> &&
                      (emulator::kIsHalf<T> || std::is_same_v<SumIn, SumOut>)&&(
                          emulator::kIsHalf<T> || !emulator::kIsHalf<SumIn>),
                  "wmma has no product of these types");
    emulator::MatrixProduct product{{nullptr},
                                    m,
                                    n,
                                    k,
                                    emulator::matrix_element<T>(),
                                    emulator::matrix_sum<SumIn>(),
                                    emulator::matrix_sum<SumOut>(),
                                    saturate,
                                    d.x,
                                    a.x,
                                    b.x,
                                    c.x};
    emulator::prepare(product);
    emulator::meet(product);
}

__forceinline__ float __float_to_tf32(float value) { return emulator::round_to_tf32(value); }

}  // namespace wmma
}  // namespace nvcuda
