// SPDX-License-Identifier: MIT
// The block multiway_cuts alone: every rank of many small groups of runs, and some of long ones,
// against the order by (key, run, place). Prints each wrong cut; exit status 1 if there is one.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "blocks/multiway_cuts/block_cuts.cuh"
#include "blocks/multiway_cuts/multiway_cuts.cuh"
#include "blocks/multiway_cuts/sampled_cuts.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/multisort.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer;
using mergesort::Key, mergesort::Pass;

constexpr int kBlock = 64;

int checked = 0, wrong = 0;

// Runs of any lengths: kWays threads per rank, from 0 to the number of all keys.
template <int kWays>
__global__ void cut_ranks_kernel(const Key* __restrict__ from,
                                 const std::int64_t* __restrict__ begins, std::int64_t ranks,
                                 std::int64_t* __restrict__ cuts) {
    const mergesort::Lanes<kWays> lanes;
    const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::int64_t rank = thread / kWays;
    if (rank >= ranks) return;
    const std::int64_t begin = begins[lanes.lane], length = begins[lanes.lane + 1] - begin;
    cuts[thread] = mergesort::cut_run(lanes, from, begin, length, rank);
}

// Runs of any lengths: a block for each `step`-th rank, and for the one as far from the end.
template <int kWays>
__global__ void cut_sides_kernel(const Key* __restrict__ from,
                                 const std::int64_t* __restrict__ begins, int step,
                                 std::int64_t* __restrict__ cuts) {
    constexpr int kThreads = 8 * kWays;
    __shared__ mergesort::SideCuts<kWays, kThreads> s_sides[2];
    const int side = threadIdx.x / (kThreads / 2), run = threadIdx.x % (kThreads / 2);
    const auto all = static_cast<int>(begins[kWays]), first = static_cast<int>(blockIdx.x) * step;
    const std::int64_t begin = run < kWays ? begins[run] : 0;
    const auto length = static_cast<int>(run < kWays ? begins[run + 1] - begin : 0);
    const int rank = side == 0 ? first : all - first;
    mergesort::cut_sides<kWays>(from, begin, length, rank, s_sides);
    if (run < kWays) cuts[(2 * blockIdx.x + side) * kWays + run] = s_sides[side].cuts[run];
}

// For each rank, how many keys of each run come before it.
std::vector<std::vector<std::int64_t>> expected_cuts(const std::vector<std::vector<Key>>& runs) {
    std::vector<std::tuple<Key, std::size_t, std::size_t>> order;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (std::size_t place = 0; place < runs[run].size(); ++place) {
            order.emplace_back(runs[run][place], run, place);
        }
    }
    std::sort(order.begin(), order.end());
    std::vector<std::vector<std::int64_t>> cuts = {std::vector<std::int64_t>(runs.size())};
    for (const auto& [key, run, place] : order) {
        cuts.push_back(cuts.back());
        ++cuts.back()[run];
    }
    return cuts;
}

void compare(const std::vector<std::vector<std::int64_t>>& expected,
             const DeviceBuffer<std::int64_t>& d_cuts, std::int64_t first, const char* what) {
    const std::size_t ways = expected[0].size();
    std::vector<std::int64_t> cuts(expected.size() * ways);
    cuda_check(cudaMemcpy(cuts.data(), d_cuts.data() + first * static_cast<std::int64_t>(ways),
                          cuts.size() * sizeof(std::int64_t), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        ++checked;
        if (cuts[i] == expected[i / ways][i % ways]) continue;
        if (++wrong > 10) continue;
        std::printf("%s of %zu runs, rank %zu: %lld keys of run %zu instead of %lld\n", what, ways,
                    i / ways, static_cast<long long>(cuts[i]), i % ways,
                    static_cast<long long>(expected[i / ways][i % ways]));
    }
}

// step: 0 for every rank, by the lanes of a warp; else by blocks.
template <int kWays>
void check_runs(const std::vector<std::vector<Key>>& runs, int step = 0) {
    std::vector<Key> list;
    std::vector<std::int64_t> begins = {0};
    for (const std::vector<Key>& run : runs) {
        list.insert(list.end(), run.begin(), run.end());
        begins.push_back(static_cast<std::int64_t>(list.size()));
    }
    const std::int64_t ranks = begins.back() + 1;
    DeviceBuffer<Key> d_list(std::max<std::int64_t>(1, begins.back()));
    DeviceBuffer<std::int64_t> d_begins(kWays + 1), d_cuts(ranks * kWays);
    cuda_check(
        cudaMemcpy(d_list.data(), list.data(), list.size() * sizeof(Key), cudaMemcpyHostToDevice));
    cuda_check(
        cudaMemcpy(d_begins.data(), begins.data(), d_begins.bytes(), cudaMemcpyHostToDevice));
    const std::vector<std::vector<std::int64_t>> expected = expected_cuts(runs);
    if (step == 0) {
        cut_ranks_kernel<kWays><<<mergesort::blocks_for(ranks * kWays, kBlock), kBlock>>>(
            d_list.data(), d_begins.data(), ranks, d_cuts.data());
        cuda_check(cudaGetLastError());
        compare(expected, d_cuts, 0, "a group");
        return;
    }
    std::vector<std::vector<std::int64_t>> chosen;
    for (std::int64_t rank = 0; 2 * rank < ranks; rank += step) {
        chosen.push_back(expected.at(rank));
        chosen.push_back(expected.at(ranks - 1 - rank));
    }
    DeviceBuffer<std::int64_t> d_sides(static_cast<std::int64_t>(chosen.size()) * kWays);
    cut_sides_kernel<kWays><<<static_cast<unsigned>(chosen.size() / 2), 8 * kWays>>>(
        d_list.data(), d_begins.data(), step, d_sides.data());
    cuda_check(cudaGetLastError());
    compare(chosen, d_sides, 0, "both sides of a tile");
}

// The samples of each run of `run` keys, where stage limit/06 puts them.
std::vector<Key> take_samples(const std::vector<Key>& list, std::int64_t run, int step) {
    const auto count = static_cast<std::int64_t>(list.size());
    std::vector<Key> samples(std::max<std::int64_t>(1, mergesort::samples_at(count)));
    for (std::int64_t begin = 0; begin < count; begin += run) {
        const std::int64_t length = std::min(run, count - begin);
        for (std::int64_t i = 0; i < length / step; ++i) {
            samples.at(mergesort::samples_at(begin) + i) = list[begin + step * (i + 1) - 1];
        }
    }
    return samples;
}

// A pass whose tiles have one key: its boundaries are the cuts of all ranks but the last of each
// group. The last group has fewer runs, or a short one. kStep: 0, or every so many keys a sample.
template <int kWays, int kStep>
void check_pass(const std::vector<Key>& list, std::int64_t run) {
    const auto count = static_cast<std::int64_t>(list.size());
    const Pass pass = {count, run, kWays * run, count, kWays, 1};
    DeviceBuffer<Key> d_list(count);
    DeviceBuffer<std::int64_t> d_cuts(count * kWays);
    cuda_check(cudaMemcpy(d_list.data(), list.data(), d_list.bytes(), cudaMemcpyHostToDevice));
    const int blocks = mergesort::blocks_for(count * kWays, kBlock);
    if constexpr (kStep == 0) {
        mergesort::find_cuts_kernel<kWays><<<blocks, kBlock>>>(d_list.data(), pass, d_cuts.data());
    } else {
        const std::vector<Key> samples = take_samples(list, run, kStep);
        DeviceBuffer<Key> d_samples(static_cast<std::int64_t>(samples.size()));
        cuda_check(cudaMemcpy(d_samples.data(), samples.data(), d_samples.bytes(),
                              cudaMemcpyHostToDevice));
        mergesort::find_sampled_cuts_kernel<kWays, kStep>
            <<<blocks, kBlock>>>(d_list.data(), d_samples.data(), pass, 0, count, d_cuts.data());
    }
    cuda_check(cudaGetLastError());
    for (std::int64_t group = 0; group < count; group += kWays * run) {
        std::vector<std::vector<Key>> runs(kWays);
        for (int j = 0; j < kWays; ++j) {
            const std::int64_t begin = std::min(group + j * run, count);
            const std::int64_t end = std::min(begin + run, count);
            runs[j].assign(list.begin() + begin, list.begin() + end);
        }
        std::vector<std::vector<std::int64_t>> expected = expected_cuts(runs);
        expected.pop_back();  // behind the group's last key begins the next group
        compare(expected, d_cuts, group, kStep == 0 ? "a pass" : "a pass with samples");
    }
}

// `kind`: few different keys, many, the ends of the range, one run below the next, or all equal.
Key make_key(std::mt19937& random, int kind, std::size_t run) {
    switch (kind) {
        case 0:
            return static_cast<Key>(random() % 4);
        case 1:
            return static_cast<Key>(random());
        case 2:
            return random() % 2 == 0 ? std::numeric_limits<Key>::min()
                                     : std::numeric_limits<Key>::max();
        case 3:
            return static_cast<Key>(100 * run + random() % 50);
        case 4:
            return static_cast<Key>(random() % 50) - static_cast<Key>(100 * run);
        default:
            return 7;
    }
}

// A list of sorted runs.
std::vector<Key> make_list(std::mt19937& random, int kind, std::int64_t count, std::int64_t run) {
    std::vector<Key> list(count);
    for (std::size_t i = 0; i < list.size(); ++i) {
        list[i] = make_key(random, kind, i / static_cast<std::size_t>(run));
    }
    for (std::size_t i = 0; i < list.size(); i += run) {
        std::sort(list.begin() + i, list.begin() + std::min(i + run, list.size()));
    }
    return list;
}

template <int kWays>
void check_ways() {
    std::mt19937 random(kWays);
    for (int kind = 0; kind < 6; ++kind) {
        for (std::size_t group = 0; group < 20; ++group) {
            std::vector<std::vector<Key>> runs(kWays);
            for (std::size_t run = 0; run < kWays; ++run) {
                // Many runs are empty; in every fifth group all but one, in another fifth all.
                const bool empty = group % 5 == 4 || (group % 5 == 3 && run != group % kWays);
                runs[run].resize(empty ? 0 : group % 5 == 3 ? 13 : random() % 2 * (random() % 20));
                for (Key& key : runs[run]) key = make_key(random, kind, run);
                std::sort(runs[run].begin(), runs[run].end());
            }
            check_runs<kWays>(runs);
            check_runs<kWays>(runs, 1 + static_cast<int>(group) % 7);
        }
        // So long that the search needs several rounds.
        std::vector<std::vector<Key>> runs(kWays);
        for (std::size_t run = 0; run < kWays; ++run) {
            runs[run].resize(run % 3 == 2 ? 20 : 400 + 100 * run);
            for (Key& key : runs[run]) key = make_key(random, kind, run);
            std::sort(runs[run].begin(), runs[run].end());
        }
        check_runs<kWays>(runs, 97);
        for (const std::int64_t run : {1, 5, 16}) {
            for (const std::int64_t count :
                 {run, kWays * run, kWays * run + 1, 3 * kWays * run - 2}) {
                check_pass<kWays, 0>(make_list(random, kind, count, run), run);
            }
        }
        // Runs with so many samples that some are taken for certain, and, last, a short one.
        constexpr std::int64_t kRun = 128;
        check_pass<kWays, 33>(make_list(random, kind, 2 * kWays * kRun - 70, kRun), kRun);
    }
}

}  // namespace

int main() {
    try {
        check_ways<2>();
        check_ways<4>();
        check_ways<8>();
        check_ways<16>();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "multiway_cuts_test: %s\n", error.what());
        return 1;
    }
    std::printf("%d cuts, %d wrong\n", checked, wrong);
    return wrong == 0 && checked > 0 ? 0 : 1;
}
