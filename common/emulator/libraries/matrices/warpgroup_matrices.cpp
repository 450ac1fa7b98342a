// SPDX-License-Identifier: MIT
// Products of warpgroups: see emulator/warpgroup_matrices.hpp.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <emulator/warpgroup_matrices.hpp>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common/emulator/engine/async/async_work.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/engine/mbarrier.hpp"
#include "common/emulator/engine/worker.hpp"
#include "common/emulator/libraries/matrices/matrix_products.hpp"
#include "common/emulator/libraries/matrices/moderate_sums.hpp"
#include "common/emulator/libraries/matrices/shared_matrix.hpp"

namespace emulator {
namespace {

constexpr int kWarps = 4;  // of a warpgroup
constexpr int kWarpRows = 16;  // of a warp
constexpr int kLateDepth = 16;
constexpr int kColumnsAtOnce = 32;  // at a time
constexpr int kARegisters = 4;

const WarpgroupProduct& late_product_of(const WarpTask* const* lanes, int lane) {
    return *static_cast<const WarpgroupProduct*>(lanes[lane]);
}

WarpProducts& products_of_warp() {
    return running_worker->async().products[static_cast<std::size_t>(warp_index())];
}

int first_row_of_warp() { return warp_index() % 4 * kWarpRows; }

// One warp's part of a product, with all that it needs when it is computed.
struct Pending {
    MatrixElement element;
    int n;
    bool adds;
    bool negates;  // the products
    int first_row;
    bool has_registers;
    SharedMatrix a;
    SharedMatrix b;
    std::vector<std::uint16_t> a_elements;  // row by row, if A was in registers
    std::vector<float*> d;  // by lane, n / 2 each
    WarpProducts* warp;

    void compute() const;
};

void to_floats(MatrixElement element, const std::uint16_t* bits, int count, float* values) {
    if (element == MatrixElement::f16) return convert_halves(bits, count, values);
    std::transform(bits, bits + count, values, value_of_bf16);
}

// Where sum i of a lane lies in the warp's 16 rows.
int row_of(int lane, int i) { return lane / 4 + i / 2 % 2 * 8; }
int column_of(int lane, int i) { return i / 4 * 8 + lane % 4 * 2 + i % 2; }

void Pending::compute() const {
    std::uint16_t bits[kLateDepth * kColumnsAtOnce];
    float a_values[kWarpRows * kLateDepth];
    if (has_registers) {
        to_floats(element, a_elements.data(), kWarpRows * kLateDepth, a_values);
    } else {
        a.read(first_row, kWarpRows, bits);
        to_floats(element, bits, kWarpRows * kLateDepth, a_values);
    }
    if (negates)
        std::transform(a_values, a_values + kWarpRows * kLateDepth, a_values, std::negate<>());
    for (int begin = 0; begin < n; begin += kColumnsAtOnce) {
        const int columns = std::min(kColumnsAtOnce, n - begin);
        float by_columns[kLateDepth * kColumnsAtOnce];
        float b_values[kLateDepth * kColumnsAtOnce];
        float c[kWarpRows * kColumnsAtOnce];
        b.read(begin, columns, bits);
        to_floats(element, bits, kLateDepth * columns, by_columns);
        for (int i = 0; i < kLateDepth * columns; ++i)
            b_values[i % kLateDepth * columns + i / kLateDepth] = by_columns[i];
        const auto visit_sums = [&](auto visit) {
            for (int lane = 0; lane < kWarpSize; ++lane) {
                for (int i = begin / 2; i < (begin + columns) / 2; ++i) {
                    visit(*d[static_cast<std::size_t>(lane * n / 2 + i)],
                          c[row_of(lane, i) * columns + column_of(lane, i) - begin]);
                }
            }
        };
        visit_sums([&](const float& sum, float& element_of_c) { element_of_c = adds ? sum : 0; });
        add_products(kWarpRows, columns, kLateDepth, element, a_values, b_values, c, nullptr);
        visit_sums([](float& sum, const float& element_of_c) { sum = element_of_c; });
    }
    warp->arrived.clear();
    for (float* sum : d) warp->arrived.push_back({sum, std::bit_cast<std::uint32_t>(*sum)});
}

// A's fragments, as those of mma.sync: register r of a lane has row lane / 4 + 8 (r % 2), and two
// elements from column 8 (r / 2) + 2 (lane % 4) on.
std::vector<std::uint16_t> elements_of(const WarpTask* const* lanes) {
    std::vector<std::uint16_t> elements(kWarpRows * kLateDepth);
    for (int lane = 0; lane < kWarpSize; ++lane) {
        for (int r = 0; r < kARegisters; ++r) {
            const std::uint32_t bits = late_product_of(lanes, lane).a_registers[r];
            const int place = (lane / 4 + r % 2 * 8) * kLateDepth + r / 2 * 8 + lane % 4 * 2;
            elements[static_cast<std::size_t>(place)] = static_cast<std::uint16_t>(bits);
            elements[static_cast<std::size_t>(place) + 1] = static_cast<std::uint16_t>(bits >> 16);
        }
    }
    return elements;
}

void issue_product(const WarpTask* const* lanes) {
    const WarpgroupProduct& first = late_product_of(lanes, 0);
    const bool has_registers = first.a_registers != nullptr;
    auto pending = std::make_shared<Pending>(
        Pending{first.element,
                first.n,
                first.adds,
                first.negates_a != first.negates_b,
                first_row_of_warp(),
                has_registers,
                SharedMatrix(has_registers ? first.b : first.a, first.transposes_a),
                SharedMatrix(first.b, first.transposes_b),
                has_registers ? elements_of(lanes) : std::vector<std::uint16_t>(),
                {},
                &products_of_warp()});
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const WarpgroupProduct& product = late_product_of(lanes, lane);
        const bool agrees = product.b == first.b && (has_registers || product.a == first.a) &&
                            product.adds == first.adds;
        if (!agrees) {
            fail_kernel(cudaErrorLaunchFailure,
                        "called wgmma.mma_async with other descriptors, or another scale-d, than "
                        "other threads of its warp");
        }
        pending->d.insert(pending->d.end(), product.d, product.d + first.n / 2);
    }
    AsyncCopy copy{};
    copy.compute = [pending = std::move(pending)] { pending->compute(); };
    copy.at_once = running_worker->async().next_is_at_once();
    products_of_warp().queue.issue(std::move(copy));
}

void check_matrix(const SharedMatrix& matrix, int first, int lines, const void* code) {
    const auto refuse = [&](const char* what) {
        refuse_call(cudaErrorLaunchFailure, code, what,
                    "make the descriptor of __cvta_generic_to_shared() of the tile, and of the "
                    "distances of its layout");
    };
    if (matrix.broken_rule() != nullptr) {
        refuse("passes wgmma a descriptor with a base offset, which the CPU engine lacks");
    }
    const int lines_of_chunk = matrix.is_transposed() ? 8 : 1;
    const int k_of_chunk = matrix.is_transposed() ? 1 : 8;
    for (int line = first; line < first + lines; line += lines_of_chunk) {
        for (int k = 0; k < kLateDepth; k += k_of_chunk) {
            if (running_worker->is_shared(matrix.chunk(line, k), 16)) continue;
            refuse(
                "passes wgmma a descriptor of a matrix that lies outside of the block's shared "
                "memory");
        }
    }
}

void add_chunks(const SharedMatrix& matrix, int first, int lines,
                std::vector<const char*>& chunks) {
    const int lines_of_chunk = matrix.is_transposed() ? 8 : 1;
    const int k_of_chunk = matrix.is_transposed() ? 1 : 8;
    for (int line = first; line < first + lines; line += lines_of_chunk) {
        for (int k = 0; k < kLateDepth; k += k_of_chunk) chunks.push_back(matrix.chunk(line, k));
    }
}

// Chunks that lie side by side are one part.
std::vector<OperandPart> join_chunks(std::vector<const char*> chunks) {
    std::sort(chunks.begin(), chunks.end());
    std::vector<OperandPart> parts;
    for (const char* chunk : chunks) {
        if (!parts.empty() && parts.back().address + parts.back().bytes == chunk) {
            parts.back().bytes += 16;
        } else {
            parts.push_back({chunk, 16});
        }
    }
    return parts;
}

void set_product_fence(const WarpTask* const*) { products_of_warp().is_fenced = true; }

void commit_group_of(const WarpTask* const*) { products_of_warp().queue.commit(); }

void end_fence(const WarpTask* const* lanes) {
    WarpProducts& warp = products_of_warp();
    const auto left = static_cast<const WarpgroupStep*>(lanes[0])->left;
    const std::uint64_t end = warp.queue.end_of_groups(left);
    for (int lane = 0; lane < kWarpSize; ++lane) {
        // The lanes are about to read it.
        const_cast<WarpgroupStep*>(static_cast<const WarpgroupStep*>(lanes[lane]))->end = end;
    }
    warp.is_fenced = false;
}

// The warps that multiply together with the running thread's.
std::span<WarpProducts> products_of_group() {
    const auto first = static_cast<std::size_t>(warp_index() / kWarps * kWarps);
    return std::span(running_worker->async().products).subspan(first, kWarps);
}

}  // namespace

void prepare(WarpgroupProduct& product) noexcept {
    const void* const code = __builtin_return_address(0);
    product.run = issue_product;
    const auto threads = static_cast<int>(running_worker->threads().size());
    if ((warp_index() / kWarps + 1) * kWarps * kWarpSize > threads) {
        refuse_call(cudaErrorLaunchFailure, code,
                    "multiplies by wgmma.mma_async in a group of less than four warps",
                    "launch blocks of a multiple of 128 threads, or let only whole groups of 128 "
                    "multiply");
    }
    const WarpProducts& warp = products_of_warp();
    if (!warp.is_fenced) {
        bool has_changed = warp.arrived.empty();
        const std::size_t each = warp.arrived.size() / kWarpSize;
        for (std::size_t i = 0; i < each; ++i) {
            const ArrivedSum& sum = warp.arrived[static_cast<std::size_t>(lane_index()) * each + i];
            has_changed |= i < static_cast<std::size_t>(product.n / 2) &&
                           product.d[i] == sum.place &&
                           std::bit_cast<std::uint32_t>(*sum.place) != sum.bits;
        }
        if (has_changed) {
            refuse_call(cudaErrorLaunchFailure, code,
                        "multiplies by wgmma.mma_async registers that it has written without a "
                        "wgmma.fence",
                        "call wgmma.fence.sync.aligned after the registers are written and before "
                        "the first product");
        }
    }
    if (lane_index() != 0) return;
    if (product.a_registers == nullptr) {
        check_matrix(SharedMatrix(product.a, product.transposes_a), first_row_of_warp(), kWarpRows,
                     code);
    }
    check_matrix(SharedMatrix(product.b, product.transposes_b), 0, product.n, code);
}

void note_product(const WarpgroupProduct& product) noexcept {
    if (lane_index() != 0) return;
    if (hooks.copy_issued != nullptr) {
        std::vector<const char*> chunks;
        if (product.a_registers == nullptr) {
            add_chunks(SharedMatrix(product.a, product.transposes_a), first_row_of_warp(),
                       kWarpRows, chunks);
        }
        add_chunks(SharedMatrix(product.b, product.transposes_b), 0, product.n, chunks);
        AsyncCopy copy{};
        copy.operands = join_chunks(std::move(chunks));
        hooks.copy_issued(__builtin_return_address(0), copy, CopySort::product, 0);
    }
    ++products_of_warp().issued;
}

void prepare_fence(WarpgroupStep& step) noexcept { step.run = set_product_fence; }
void prepare_commit(WarpgroupStep& step) noexcept { step.run = commit_group_of; }
void prepare_wait(WarpgroupStep& step) noexcept { step.run = end_fence; }

void finish_wait(const WarpgroupStep& step) noexcept {
    const void* const code = __builtin_return_address(0);
    if (step.end == 0) return;
    // A product is one operation of four warps: it ends for all of them.
    for (const WarpProducts& warp : products_of_group()) {
        while (warp.issued < step.end) let_others_run_at(code, &product_of_all_warps);
    }
    if (hooks.copies_awaited != nullptr) hooks.copies_awaited(code, CopySort::product, step.end);
    for (WarpProducts& warp : products_of_group()) warp.queue.complete(step.end);
}

void ptx::check_register_count(std::uint32_t registers) noexcept {
    if (registers >= 24 && registers <= 256 && registers % 8 == 0) return;
    refuse_call(cudaErrorLaunchFailure, __builtin_return_address(0),
                "asks setmaxnreg for a number of registers that cannot be",
                "ask for a multiple of 8 between 24 and 256");
}

}  // namespace emulator
