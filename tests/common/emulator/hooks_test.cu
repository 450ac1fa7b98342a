// SPDX-License-Identifier: MIT
// An observer sees grids, blocks, barriers and collectives.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "common/emulator/engine/grid.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/engine/worker.hpp"
#include "engine_test.hpp"

namespace {

class HooksTest : public EngineTest {
  protected:
    void TearDown() override {
        emulator::hooks = {};
        EngineTest::TearDown();
    }
};

std::string seen;

__global__ void meet_kernel() {
    __syncthreads();
    __syncwarp();
}

TEST_F(HooksTest, are_called_in_order) {
    emulator::hooks.grid_begin = [](emulator::Grid& grid) { seen += "grid " + grid.name(); };
    emulator::hooks.grid_end = [](const emulator::Grid&) { seen += " end"; };
    emulator::hooks.block_begin = [](emulator::Worker& worker) {
        seen += " block " + std::to_string(worker.block());
    };
    emulator::hooks.block_end = [](emulator::Worker&) { seen += " done"; };
    emulator::hooks.barrier_complete = [](emulator::Worker&) { seen += " barrier"; };
    emulator::hooks.collective_complete = [](emulator::Worker&, int warp, std::uint32_t arrived,
                                             const emulator::Warp*, const emulator::WarpMeeting*) {
        // Short strings: a CUDA thread runs here, which would allocate on the device heap.
        seen += " warp ";
        seen += std::to_string(warp);
        seen += ':';
        seen += std::to_string(arrived);
    };
    seen.reserve(1000);
    meet_kernel<<<2, 34>>>();
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(seen,
              "grid meet_kernel block 0 barrier warp 0:4294967295 warp 1:3 done"
              " block 1 barrier warp 0:4294967295 warp 1:3 done end");
}

}  // namespace
