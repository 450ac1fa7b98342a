// SPDX-License-Identifier: MIT
// CUB's primitives for threads, warps and blocks, and its algorithms for a whole device: the
// engine's own.
#pragma once

#include <emulator/cub/iterators.hpp>
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
#include "config.cuh"
#include "device/device_adjacent_difference.cuh"
#include "device/device_for.cuh"
#include "device/device_histogram.cuh"
#include "device/device_merge_sort.cuh"
#include "device/device_partition.cuh"
#include "device/device_radix_sort.cuh"
#include "device/device_reduce.cuh"
#include "device/device_run_length_encode.cuh"
#include "device/device_scan.cuh"
#include "device/device_segmented_radix_sort.cuh"
#include "device/device_segmented_reduce.cuh"
#include "device/device_segmented_sort.cuh"
#include "device/device_select.cuh"
#include "iterator/cache_modified_input_iterator.cuh"
#include "thread/thread_load.cuh"
#include "thread/thread_reduce.cuh"
#include "thread/thread_scan.cuh"
#include "thread/thread_search.cuh"
#include "thread/thread_store.cuh"
#include "util_allocator.cuh"
#include "util_device.cuh"
#include "util_ptx.cuh"
#include "util_type.cuh"
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
EMULATOR_WITHOUT(DeviceCopy)
EMULATOR_WITHOUT(DeviceMemcpy)
EMULATOR_WITHOUT(DeviceMerge)
EMULATOR_WITHOUT(DeviceTransform)
#undef EMULATOR_WITHOUT

}  // namespace cub
