// SPDX-License-Identifier: MIT
// The host's part of a merge sort whose tiles follow n: sizes, memory and the choice of merges. A
// stage says which kernels sort tiles and merge them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "blocks/bulk_copies/bulk_copies.cuh"
#include "blocks/multiway_cuts/sampled_cuts.cuh"
#include "blocks/sized_tiles/sized_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/07_tiles_by_size/sizes.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

namespace mergesort {

// The tiles of a list, and the passes that merge them.
struct SizedPlan {
    explicit SizedPlan(const Input& input)
        : count(input.count()),
          sizes(choose_sizes(count, input.options)),
          tile_keys(sized::tile_keys(sizes.sort_keys)),
          tiles(blocks_for(count, tile_keys)),
          sort_bytes(sized::sort_bytes(sizes.sort_keys)),
          passes(
              plan_bulk_passes(count, tile_keys, sizes.ways, sized::kThreads, sizes.merge_keys)) {}

    std::int64_t count;
    Sizes sizes;
    std::int64_t tile_keys;
    int tiles, sort_bytes;  // bytes: of shared memory
    std::vector<Pass> passes;
};

// What a pass reads and writes. samples: of `from`, or nullptr; result_samples: of `to`, likewise.
struct PassLists {
    const Key* from;
    Key* to;
    const Key* samples;
    Key* result_samples;
    std::int64_t* boundaries;
};

// Two lists of keys, and what the passes need besides.
class SizedLists {
  public:
    // Bulk copies may reach a little beyond the last key.
    explicit SizedLists(const SizedPlan& plan)
        : from_(whole_bulks(plan.count)),
          to_(whole_bulks(plan.count)),
          samples_(plan.sizes.own_cuts ? 0 : samples_at(plan.count)),
          boundaries_(plan.sizes.own_cuts ? 0 : most_boundaries(plan.passes)) {}

    void copy_in(const Input& input) {
        course::cuda_check(cudaMemcpy(from_.data(), input.keys.data(), input.keys.size_bytes(),
                                      cudaMemcpyHostToDevice));
    }
    void copy_out(const Output& output) const {
        course::cuda_check(cudaMemcpy(output.keys.data(), from_.data(), output.keys.size_bytes(),
                                      cudaMemcpyDeviceToHost));
    }
    Key* from() { return from_.data(); }
    Key* to() { return to_.data(); }
    // What a kernel has written is what the next one reads.
    void swap() { std::swap(from_, to_); }
    // The runs of the first pass are so short that they need no samples.
    PassLists of_pass(std::size_t i, std::size_t passes) {
        return {from(), to(), i == 0 ? nullptr : samples_.data(),
                i + 1 == passes ? nullptr : samples_.data(), boundaries_.data()};
    }

  private:
    course::DeviceBuffer<Key> from_, to_, samples_;
    course::DeviceBuffer<std::int64_t> boundaries_;
};

// Launches::own_cuts<ways, keys>() and with_samples<ways, keys>() allow a kernel the shared memory
// of its tile, and return the function that launches it, a Launches::Merge.
template <typename Launches, int kWays>
typename Launches::Merge merge_of(const Sizes& sizes) {
    if (!sizes.own_cuts) return Launches::template with_samples<kWays, 49>();
    switch (sizes.merge_keys) {
        case 17:
            return Launches::template own_cuts<kWays, 17>();
        case 33:
            return Launches::template own_cuts<kWays, 33>();
        default:
            return Launches::template own_cuts<kWays, 49>();
    }
}

// One for each pass.
template <typename Launches>
std::vector<typename Launches::Merge> merges_of(const SizedPlan& plan) {
    std::vector<typename Launches::Merge> merges;
    for (const Pass& pass : plan.passes) {
        merges.push_back(pass.ways == 16  ? merge_of<Launches, 16>(plan.sizes)
                         : pass.ways == 8 ? merge_of<Launches, 8>(plan.sizes)
                         : pass.ways == 4 ? merge_of<Launches, 4>(plan.sizes)
                                          : merge_of<Launches, 2>(plan.sizes));
    }
    return merges;
}

}  // namespace mergesort
