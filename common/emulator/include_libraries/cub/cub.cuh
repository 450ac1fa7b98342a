// SPDX-License-Identifier: MIT
// CUB's primitives for warps and blocks: WarpReduce, BlockReduce and BlockScan, the engine's own.
#pragma once

#include <emulator/cub/operators.hpp>

#include "block/block_reduce.cuh"
#include "block/block_scan.cuh"
#include "warp/warp_reduce.cuh"

namespace emulator {
struct this_part_of_CUB_is_not_available_on_the_CPU_engine;  // its name is the compiler's message
}  // namespace emulator

namespace cub {

#define EMULATOR_WITHOUT(name) \
    using name = ::emulator::this_part_of_CUB_is_not_available_on_the_CPU_engine;
EMULATOR_WITHOUT(DeviceAdjacentDifference)
EMULATOR_WITHOUT(DeviceHistogram)
EMULATOR_WITHOUT(DeviceMergeSort)
EMULATOR_WITHOUT(DevicePartition)
EMULATOR_WITHOUT(DeviceRadixSort)
EMULATOR_WITHOUT(DeviceReduce)
EMULATOR_WITHOUT(DeviceRunLengthEncode)
EMULATOR_WITHOUT(DeviceScan)
EMULATOR_WITHOUT(DeviceSegmentedRadixSort)
EMULATOR_WITHOUT(DeviceSegmentedReduce)
EMULATOR_WITHOUT(DeviceSegmentedSort)
EMULATOR_WITHOUT(DeviceSelect)
#undef EMULATOR_WITHOUT

}  // namespace cub
