// SPDX-License-Identifier: MIT
// Merge sort, stage limit/05: an odd number of keys per thread.
// Idea: fewer instructions. A profile of limit/04 counts 150 per key and pass, three for every four
// that could be issued. So a thread merges 33 keys instead of 16, and each search serves twice the
// keys. 33 is odd: the first keys of 32 threads lie in 32 banks without padding, so an address
// needs no division. A largest key after each pair of runs replaces a test for the run's end, and
// rows of a fragment are copied without a search for their fragment.
// Compared with limit/04_eight_ways: kKeys, merge_keys and sort_tiles_kernel in odd_merge.cuh, the
// tile in odd_tile.cuh.
// Limit now: shared memory: a load of a merge takes 3.3 wavefronts.
// Not of the thesis. CUB and Thrust merge odd numbers of keys per thread, too.
#include <cuda_runtime.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/shared_memory.hpp"
#include "limit/05_odd_windows/odd_merge.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

using course::cuda_check, course::DeviceBuffer;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;
using mergesort::Pass, mergesort::odd::kKeys, mergesort::odd::kSharedBytes;
using mergesort::odd::kThreads, mergesort::odd::kTileKeys;

template <int kWays>
void merge_runs(const Key* from, Key* to, const Pass& pass, std::int64_t* boundaries) {
    course::allow_dynamic_shared(mergesort::odd::merge_tiles_kernel<kWays>, kSharedBytes);
    mergesort::odd::launch_pass<kWays>(from, to, pass, boundaries, nullptr);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int tiles = mergesort::blocks_for(count, kTileKeys);
    const std::vector<Pass> passes =
        mergesort::plan_passes(count, kTileKeys, input.options.integer("--ways"), kThreads, kKeys);
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_from(count), d_to(count);
    DeviceBuffer<std::int64_t> d_boundaries(mergesort::most_boundaries(passes));
    course::allow_dynamic_shared(mergesort::odd::sort_tiles_kernel, kSharedBytes);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_from.data(), input.keys.data(), d_from.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    mergesort::odd::sort_tiles_kernel<<<tiles, kThreads, kSharedBytes>>>(d_from.data(), count);
    cuda_check(cudaGetLastError());
    for (const Pass& pass : passes) {
        const auto merge = pass.ways == 16  ? merge_runs<16>
                           : pass.ways == 8 ? merge_runs<8>
                           : pass.ways == 4 ? merge_runs<4>
                                            : merge_runs<2>;
        merge(d_from.data(), d_to.data(), pass, d_boundaries.data());
        std::swap(d_from, d_to);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_from.data(), d_from.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(tiles, kThreads);
    // All keys are read and written by the sort of the tiles and by each pass.
    timer.declare_work({.bytes = 2.0 * sizeof(Key) * count * (1.0 + passes.size())});
}

int main(int argc, char** argv) {
    return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                {mergesort::ways_option()});
}
