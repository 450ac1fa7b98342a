// SPDX-License-Identifier: MIT
// What the instructions wgmma.… of inline PTX become. PTX ISA, "Asynchronous Warpgroup Level Matrix
// Multiply-Accumulate Instructions". Each of the four warps has 16 of the 64 rows, and the engine
// computes warp by warp.
//
// Sums arrive as late as the rules allow: when one of the warps waits for the group of the product.
// Until then the operands in shared memory are read. EMULATOR_SCHEDULE=reversed multiplies at the
// issue.
#pragma once

#include <cstdint>
#include <emulator/tensor_cores.hpp>

namespace emulator {

// D = A B + D, or A B: 64 x 16 times 16 x n elements of 16 bits, sums of 32.
struct WarpgroupProduct : WarpTask {
    MatrixElement element;  // f16 or bf16
    int n;  // a multiple of 8, up to 256
    float* const* d;  // this lane's n / 2 sums
    const std::uint32_t* a_registers;  // four, or nullptr: A is in shared memory
    std::uint64_t a;  // descriptors of matrices in shared memory
    std::uint64_t b;
    bool adds;  // else D begins at zero
    bool negates_a;
    bool negates_b;
    bool transposes_a;  // elements along m lie side by side, not along k
    bool transposes_b;  // the same for n
};
// Sets `run`. The call ends the kernel if the lane has changed D since the last sums arrived,
// without a wgmma.fence.
void prepare(WarpgroupProduct& product) noexcept;
// After the lanes have met. One lane of the warp tells an observer what the product will read.
void note_product(const WarpgroupProduct& product) noexcept;

// wgmma.fence, commit_group and wait_group.
struct WarpgroupStep : WarpTask {
    unsigned left;  // of a wait: so many groups may be pending
    std::uint64_t end;  // of a wait: the warp's products before this number have ended
};
void prepare_fence(WarpgroupStep& step) noexcept;
void prepare_commit(WarpgroupStep& step) noexcept;
void prepare_wait(WarpgroupStep& step) noexcept;
// After the lanes have met: waits until all four warps have issued the products, and ends them.
void finish_wait(const WarpgroupStep& step) noexcept;

namespace ptx {

// setmaxnreg: 24 to 256, a multiple of 8; else the kernel ends.
void check_register_count(std::uint32_t registers) noexcept;

// Inlined, so that the return addresses of what they call lie in the kernel.
__forceinline__ void multiply_late(WarpgroupProduct product) {
    prepare(product);
    meet(product);
    note_product(product);
}
__forceinline__ void fence_products() {
    WarpgroupStep step{};
    prepare_fence(step);
    meet(step);
}
__forceinline__ void commit_products() {
    WarpgroupStep step{};
    prepare_commit(step);
    meet(step);
}
__forceinline__ void wait_for_products(unsigned left) {
    WarpgroupStep step{};
    step.left = left;
    prepare_wait(step);
    meet(step);
    finish_wait(step);
}

}  // namespace ptx
}  // namespace emulator
