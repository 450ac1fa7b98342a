// SPDX-License-Identifier: MIT
// CUB's primitives for threads, warps and blocks, the engine's own.
#pragma once

#include <emulator/cub/operators.hpp>

#include "block/block_adjacent_difference.cuh"
#include "block/block_discontinuity.cuh"
#include "block/block_exchange.cuh"
#include "block/block_histogram.cuh"
#include "block/block_load.cuh"
#include "block/block_merge_sort.cuh"
#include "block/block_radix_sort.cuh"
#include "block/block_reduce.cuh"
#include "block/block_scan.cuh"
#include "block/block_shuffle.cuh"
#include "block/block_store.cuh"
#include "thread/thread_load.cuh"
#include "thread/thread_reduce.cuh"
#include "thread/thread_scan.cuh"
#include "thread/thread_search.cuh"
#include "thread/thread_store.cuh"
#include "util_ptx.cuh"
#include "warp/warp_exchange.cuh"
#include "warp/warp_load.cuh"
#include "warp/warp_merge_sort.cuh"
#include "warp/warp_reduce.cuh"
#include "warp/warp_scan.cuh"
#include "warp/warp_store.cuh"

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
