// SPDX-License-Identifier: MIT
// The fragments of mma.sync, ldmatrix and stmatrix: see emulator/warp_matrices.hpp.
#include <cuda_runtime_api.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <emulator/warp_matrices.hpp>

#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/engine/worker.hpp"
#include "common/emulator/libraries/matrices/matrix_products.hpp"
#include "common/emulator/libraries/matrices/moderate_sums.hpp"

namespace emulator {
namespace {

// ---- mma.sync. Four neighbouring lanes hold eight columns of a row of C, or 16 bytes of a row of
// A and of a column of B.
constexpr int kFragmentRows = 16;
constexpr int kFragmentColumns = 8;
constexpr int kLanesOfRow = 4;

const FragmentProduct& fragment_product_of(const WarpTask* const* lanes, int lane) {
    return *static_cast<const FragmentProduct*>(lanes[lane]);
}

std::uint16_t half_of_register(std::uint32_t bits, int part) {
    return static_cast<std::uint16_t>(bits >> 16 * part);
}

// Calls put(row, column, register, part) for each element that a lane has of an operand whose rows
// lie along k. Register r has row lane / 4 + 8 (r % blocks), and columns of the r / blocks-th 16
// bytes.
template <class Put>
void visit_operand(int lane, int registers, int blocks, int parts, Put put) {
    for (int r = 0; r < registers; ++r) {
        const int row = lane / kLanesOfRow + 8 * (r % blocks);
        for (int part = 0; part < parts; ++part) {
            const int column = (r / blocks * kLanesOfRow + lane % kLanesOfRow) * parts + part;
            put(row, column, r, part);
        }
    }
}

// A, row by row, or B, whose rows are the columns of `visit_operand`.
void gather_operand(const WarpTask* const* lanes, bool is_a, float* matrix) {
    const FragmentProduct& first = fragment_product_of(lanes, 0);
    const int parts = first.element == MatrixElement::tf32 ? 1 : 2;
    const int blocks = is_a ? 2 : 1;
    const int registers = blocks * first.k / (kLanesOfRow * parts);
    std::uint16_t halves[kMaxElements];
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const FragmentProduct& product = fragment_product_of(lanes, lane);
        const std::uint32_t* const from = is_a ? product.a : product.b;
        visit_operand(lane, registers, blocks, parts, [&](int row, int column, int r, int part) {
            const int place = is_a ? row * first.k + column : column * kFragmentColumns + row;
            if (parts == 1) {
                matrix[place] = value_of_tf32(from[r]);
            } else {
                halves[place] = half_of_register(from[r], part);
            }
        });
    }
    const int count = blocks * 8 * first.k;
    if (first.element == MatrixElement::f16) convert_halves(halves, count, matrix);
    if (first.element != MatrixElement::bf16) return;
    for (int i = 0; i < count; ++i) matrix[i] = value_of_bf16(halves[i]);
}

// Where element e of a lane's four sums lies, row by row.
int place_of_sum(int lane, int e) {
    return (lane / kLanesOfRow + e / 2 * 8) * kFragmentColumns + lane % kLanesOfRow * 2 + e % 2;
}

void multiply_warp(const WarpTask* const* lanes) {
    const FragmentProduct& first = fragment_product_of(lanes, 0);
    float a[kFragmentRows * 16];
    float b[16 * kFragmentColumns];
    float c[kFragmentRows * kFragmentColumns];
    std::uint16_t halves[kFragmentRows * kFragmentColumns];
    gather_operand(lanes, true, a);
    gather_operand(lanes, false, b);
    const bool are_halves = first.sum == MatrixSum::f16;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const std::uint32_t* const from = fragment_product_of(lanes, lane).d;
        for (int e = 0; e < 4; ++e) {
            const int place = place_of_sum(lane, e);
            if (are_halves) {
                halves[place] = half_of_register(from[e / 2], e % 2);
            } else {
                c[place] = std::bit_cast<float>(from[e]);
            }
        }
    }
    if (are_halves) convert_halves(halves, kFragmentRows * kFragmentColumns, c);
    add_products(kFragmentRows, kFragmentColumns, first.k, first.element, a, b, c,
                 are_halves ? halves : nullptr);
    for (int lane = 0; lane < kWarpSize; ++lane) {
        std::uint32_t* const to = fragment_product_of(lanes, lane).d;
        for (int e = 0; e < 4; ++e) {
            const int place = place_of_sum(lane, e);
            if (!are_halves) {
                to[e] = std::bit_cast<std::uint32_t>(c[place]);
            } else if (e % 2 == 0) {
                to[e / 2] = halves[place] | static_cast<std::uint32_t>(halves[place + 1]) << 16;
            }
        }
    }
}

// ---- ldmatrix and stmatrix. Register r of lane l has elements 2 (l % 4) and 2 (l % 4) + 1 of row
// l / 4 of matrix r, or of its column l / 4 if the matrix is transposed.

const MatrixRows& rows_of(const WarpTask* const* lanes, int lane) {
    return *static_cast<const MatrixRows*>(lanes[lane]);
}

void fill_registers(const WarpTask* const* lanes) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const MatrixRows& rows = rows_of(lanes, lane);
        const int line = lane / kLanesOfRow;
        for (int matrix = 0; matrix < rows.count; ++matrix) {
            std::uint32_t bits = 0;
            for (int part = 0; part < 2; ++part) {
                const int place = lane % kLanesOfRow * 2 + part;
                const int row = rows.is_transposed ? place : line;
                const int column = rows.is_transposed ? line : place;
                const std::uint32_t word = rows_of(lanes, matrix * 8 + row).row[column / 2];
                bits |= std::uint32_t{half_of_register(word, column % 2)} << 16 * part;
            }
            rows.registers[matrix] = bits;
        }
    }
}

void fill_rows(const WarpTask* const* lanes) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
        // The engine's copy of the lane's task: its own thread reads the row after the meeting.
        auto& rows = const_cast<MatrixRows&>(rows_of(lanes, lane));
        const int matrix = lane / 8;
        if (matrix >= rows.count) return;
        for (int column = 0; column < 8; ++column) {
            const int line = rows.is_transposed ? column : lane % 8;
            const int place = rows.is_transposed ? lane % 8 : column;
            const MatrixRows& holder = rows_of(lanes, line * kLanesOfRow + place / 2);
            const std::uint32_t element = half_of_register(holder.registers[matrix], place % 2);
            std::uint32_t& word = rows.row[column / 2];
            word = column % 2 == 0 ? element : word | element << 16;
        }
    }
}

bool has_row(const MatrixRows& rows) { return lane_index() / 8 < rows.count; }

void check_row(const void* address, const void* code) {
    if (reinterpret_cast<std::uintptr_t>(address) % kRowBytes != 0) {
        refuse_call(cudaErrorMisalignedAddress, code,
                    "passes the address of a matrix row that is no multiple of 16 bytes",
                    "begin each row of 8 elements at a multiple of 16 bytes: pad rows by 16 bytes, "
                    "and declare the array with __align__(16)");
    }
    if (!running_worker->is_shared(address, kRowBytes)) {
        refuse_call(cudaErrorInvalidAddressSpace, code,
                    "passes the address of a matrix row that lies outside of the block's shared "
                    "memory",
                    "pass __cvta_generic_to_shared() of an element of a __shared__ array");
    }
}

}  // namespace

void prepare(FragmentProduct& product) noexcept { product.run = multiply_warp; }

void prepare_load(MatrixRows& rows, const void* address) noexcept {
    rows.run = fill_registers;
    if (!has_row(rows)) return;
    const void* const code = __builtin_return_address(0);
    check_row(address, code);
    if (hooks.matrix_row != nullptr) hooks.matrix_row(code, address, false);
    std::memcpy(rows.row, address, kRowBytes);
}

void prepare_store(MatrixRows& rows) noexcept { rows.run = fill_rows; }

void finish_store(const MatrixRows& rows, void* address) noexcept {
    if (!has_row(rows)) return;
    const void* const code = __builtin_return_address(0);
    check_row(address, code);
    if (hooks.matrix_row != nullptr) hooks.matrix_row(code, address, true);
    std::memcpy(address, rows.row, kRowBytes);
}

}  // namespace emulator
