// SPDX-License-Identifier: MIT
// What merges cost on a GPU, measured before the stages that build on it: six questions, a to f,
// each with the value above or below which the plan changes (chapters/mergesort/README.md).
//
//     merge_costs [LOG2_KEYS [REPEATS]]     default 28 and 5
//
// prints a table as CSV: one row per variant, with the median of the repeats. Every variant's
// result is verified: whole if there are few keys, otherwise in tiles and groups that are spread
// over the list. Exit status 1 if one is wrong. On the CPU engine the times mean nothing.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "common/cuda/shared_memory.hpp"
#include "common/cuda/stream.hpp"
#include "common/sorting/keys.hpp"
#include "device/conflict_free.cuh"
#include "device/multiway_async.cuh"
#include "device/multiway_boundaries.cuh"
#include "device/multiway_merge.cuh"
#include "device/tile_merge.cuh"
#include "device/warp_network.cuh"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer, course::Event, course::PinnedBuffer;
using mergesort::Key, mergesort::kKeysPerThread, mergesort::kSharedKeys, mergesort::kThreads,
    mergesort::Pass;

constexpr int kTileKeys = kThreads * kKeysPerThread;
constexpr std::size_t kSharedBytes = kSharedKeys * sizeof(Key);
constexpr int kSamples = 64;  // tiles or groups that are verified of a long list

// How a block sorts a tile of 8192 keys: by which network in registers, and by which merges.
enum class Way { kSerial, kGather, kNetwork };

// `rounds` of the merges, none or all: the difference is the cost of the merges alone.
template <Way kWay, int kKeys>
__global__ void __launch_bounds__(kTileKeys / kKeys)
    sort_tile_kernel(const Key* __restrict__ from, Key* __restrict__ to, bool merges) {
    constexpr int kBlock = kTileKeys / kKeys;
    extern __shared__ Key s_keys[];
    __shared__ int s_paths[kBlock];
    const int thread = threadIdx.x;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTileKeys;
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
        const int i = k * kBlock + thread;
        s_keys[mergesort::row_place<kKeys>(i)] = from[first + i];
    }
    __syncthreads();
    Key own[kKeys];
    Key* s_own = s_keys + mergesort::row_place<kKeys>(thread * kKeys);
#pragma unroll
    for (int k = 0; k < kKeys; ++k) own[k] = s_own[k];
    int run = kKeys;
    if constexpr (kWay == Way::kNetwork) {
        mergesort::sort_warp(own);
        run = 32 * kKeys;
    } else if constexpr (kKeys == kKeysPerThread) {
        mergesort::sort_registers(own);
    } else {
        mergesort::sort_by_network(own);
    }
    __syncthreads();
    if (!merges) {
#pragma unroll
        for (int k = 0; k < kKeys; ++k) s_own[k] = own[k];
        __syncthreads();
    } else if constexpr (kWay == Way::kSerial) {
        const mergesort::PaddedKeys keys = {s_keys};
        const int window = thread * kKeys;
        if (thread == 0) keys[kTileKeys] = mergesort::kLargestKey;
#pragma unroll 1
        for (; run < kTileKeys; run *= 2) {
#pragma unroll
            for (int k = 0; k < kKeys; ++k) s_own[k] = own[k];
            __syncthreads();
            const int begin = window & ~(2 * run - 1), middle = begin + run, end = middle + run;
            const int path = mergesort::merge_path(keys, begin, middle, end, window - begin);
            mergesort::merge_keys(keys, begin + path, middle, middle + window - begin - path, end,
                                  own);
            __syncthreads();
        }
#pragma unroll
        for (int k = 0; k < kKeys; ++k) s_own[k] = own[k];
        __syncthreads();
    } else {
        mergesort::merge_runs_of_tile<kKeys, kBlock>(s_keys, s_paths, run, own);
    }
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
        const int i = k * kBlock + thread;
        to[first + i] = s_keys[mergesort::row_place<kKeys>(i)];
    }
}

struct Lists {
    std::vector<Key> h_keys;
    DeviceBuffer<Key> d_keys, d_runs, d_result;  // the keys, sorted runs of them, and a result
    std::int64_t run;  // of d_runs

    std::int64_t count() const { return d_keys.count(); }
};

int repeats = 5;
bool right = true;

double median_ms(const std::function<void()>& work) {
    work();
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
        Event begin, end;
        begin.record();
        work();
        cuda_check(cudaGetLastError());
        end.record();
        times.push_back(course::milliseconds_between(begin, end));
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void print_row(const std::string& question, const std::string& variant, std::int64_t count,
               double ms, double value, const std::string& unit, const std::string& go_on_if,
               bool verified) {
    std::printf("%s,%s,%lld,%d,%.4f,%.4f,%s,%s,%d\n", question.c_str(), variant.c_str(),
                static_cast<long long>(count), repeats, ms, value, unit.c_str(), go_on_if.c_str(),
                verified ? 1 : 0);
    std::fflush(stdout);
    right = right && verified;
}

// Whether pieces of `length` keys of the result are the sorted pieces of the keys, by std::sort.
bool has_sorted_pieces(const Lists& lists, const Key* d_result, std::int64_t length) {
    const std::int64_t pieces = (lists.count() - 1) / length + 1;
    const std::int64_t step = std::max<std::int64_t>(1, pieces / kSamples);
    for (std::int64_t piece = 0; piece < pieces; piece += step) {
        const std::int64_t begin = piece * length, end = std::min(begin + length, lists.count());
        std::vector<Key> answer(lists.h_keys.begin() + begin, lists.h_keys.begin() + end);
        std::vector<Key> found(answer.size());
        cuda_check(cudaMemcpy(found.data(), d_result + begin, found.size() * sizeof(Key),
                              cudaMemcpyDefault));
        std::sort(answer.begin(), answer.end());
        if (answer != found) return false;
    }
    return true;
}

// Questions a, b and d.
template <Way kWay, int kKeys>
void measure_tiles(Lists& lists, const std::string& question, const std::string& variant,
                   const std::string& per_level, const std::string& whole) {
    constexpr int kBlock = kTileKeys / kKeys;
    const int tiles = static_cast<int>(lists.count() / kTileKeys);
    const std::size_t shared = (mergesort::row_place<kKeys>(kTileKeys) + 1) * sizeof(Key);
    course::allow_dynamic_shared(sort_tile_kernel<kWay, kKeys>, shared);
    double ms[2] = {};
    for (const bool merges : {false, true}) {
        cuda_check(cudaMemset(lists.d_result.data(), 0, lists.d_result.bytes()));
        ms[merges] = median_ms([&] {
            sort_tile_kernel<kWay, kKeys>
                <<<tiles, kBlock, shared>>>(lists.d_keys.data(), lists.d_result.data(), merges);
        });
        const int sorted = merges ? kTileKeys : kWay == Way::kNetwork ? 32 * kKeys : kKeys;
        if (!has_sorted_pieces(lists, lists.d_result.data(), sorted)) ms[merges] = -1;
    }
    const bool verified = ms[0] >= 0 && ms[1] >= 0;
    const int levels =
        mergesort::merge_levels(kTileKeys, kWay == Way::kNetwork ? 32 * kKeys : kKeys);
    if (!per_level.empty()) {
        print_row(question, variant, lists.count(), ms[1], (ms[1] - ms[0]) / levels, "ms per level",
                  per_level, verified);
    }
    if (!whole.empty()) {
        print_row("d", variant, lists.count(), ms[1], ms[1], "ms for 8192-key tiles", whole,
                  verified);
    }
}

Pass pass_of(const Lists& lists, std::int64_t run) {
    const std::int64_t most = std::min(8 * run, lists.count());
    Pass pass = mergesort::plan_passes(most, run, 8, kThreads, kKeysPerThread).front();
    const std::int64_t groups = lists.count() / most;
    pass.count = lists.count();
    pass.tiles_per_group = pass.tiles;
    pass.tiles *= groups;
    return pass;
}

// Sorts runs of lists.run keys into d_runs, by stage 14's kernels.
void make_runs(Lists& lists) {
    const std::int64_t count = lists.count();
    DeviceBuffer<Key> d_other(count);
    course::allow_dynamic_shared(mergesort::sort_tiles_kernel<kThreads>, kSharedBytes);
    course::allow_dynamic_shared(mergesort::merge_tiles_kernel<2>, kSharedBytes);
    cuda_check(cudaMemcpy(lists.d_runs.data(), lists.d_keys.data(), lists.d_keys.bytes(),
                          cudaMemcpyDeviceToDevice));
    mergesort::sort_tiles_kernel<kThreads>
        <<<static_cast<int>(count / kTileKeys), kThreads, kSharedBytes>>>(lists.d_runs.data(),
                                                                          count);
    for (std::int64_t run = kTileKeys; run < lists.run; run *= 2) {
        Pass pass = mergesort::plan_passes(2 * run, run, 2, kThreads, kKeysPerThread).front();
        pass.count = count;
        pass.tiles = count / (2 * run) * pass.tiles_per_group;
        DeviceBuffer<std::int64_t> d_boundaries(pass.tiles * 2);
        mergesort::find_cuts_kernel<2><<<mergesort::blocks_for(pass.tiles * 2, 256), 256>>>(
            lists.d_runs.data(), pass, d_boundaries.data());
        mergesort::merge_tiles_kernel<2><<<static_cast<int>(pass.tiles), kThreads, kSharedBytes>>>(
            lists.d_runs.data(), d_other.data(), pass, d_boundaries.data());
        cuda_check(cudaDeviceSynchronize());
        std::swap(lists.d_runs, d_other);
    }
    cuda_check(cudaDeviceSynchronize());
    cuda_check(cudaGetLastError());
    if (!has_sorted_pieces(lists, lists.d_runs.data(), lists.run)) {
        std::fprintf(stderr, "merge_costs: the runs are not sorted\n");
        std::exit(1);
    }
}

// Question c. A cut is right if it takes as many keys as its rank, and no key before a cut comes
// after one behind a cut.
void measure_boundaries(Lists& lists, const Pass& pass, DeviceBuffer<std::int64_t>& d_boundaries) {
    const double ms = median_ms([&] {
        mergesort::find_cuts_kernel<8><<<mergesort::blocks_for(pass.tiles * 8, 512), 512>>>(
            lists.d_runs.data(), pass, d_boundaries.data());
    });
    std::vector<std::int64_t> cuts(pass.tiles * 8);
    std::vector<Key> runs(lists.count());
    cuda_check(cudaMemcpy(cuts.data(), d_boundaries.data(), cuts.size() * sizeof(std::int64_t),
                          cudaMemcpyDeviceToHost));
    cuda_check(
        cudaMemcpy(runs.data(), lists.d_runs.data(), lists.d_runs.bytes(), cudaMemcpyDeviceToHost));
    bool verified = true;
    for (std::int64_t tile = 0; tile < pass.tiles; ++tile) {
        const std::int64_t group = tile / pass.tiles_per_group * 8 * pass.run;
        std::int64_t taken = 0;
        std::int64_t last_taken = INT64_MIN, first_left = INT64_MAX;
        for (int j = 0; j < 8; ++j) {
            const std::int64_t cut = cuts[tile * 8 + j];
            const Key* run = runs.data() + group + j * pass.run;
            taken += cut;
            // Of equal keys, those of earlier runs come first.
            if (cut > 0) last_taken = std::max(last_taken, std::int64_t{run[cut - 1]} * 8 + j);
            if (cut < pass.run) first_left = std::min(first_left, std::int64_t{run[cut]} * 8 + j);
        }
        verified = verified && taken == tile % pass.tiles_per_group * pass.capacity &&
                   last_taken <= first_left;
    }
    print_row("c",
              "8 runs of " + std::to_string(pass.run) + " keys: " + std::to_string(pass.tiles) +
                  " boundaries",
              lists.count(), ms, ms, "ms", "<= 0.15", verified);
}

// Question e: stage 14's pass and stage 15's, with so many blocks per multiprocessor at most. More
// shared memory than a block needs keeps other blocks away.
template <typename Kernel>
void measure_pass(Lists& lists, const Pass& pass, const DeviceBuffer<std::int64_t>& d_boundaries,
                  const std::string& variant, Kernel kernel, bool stays, int blocks_each) {
    int device = 0, most = 0, multiprocessors = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const std::size_t needed = (stays ? 2 : 1) * kSharedBytes;
    // A block also needs 1 KB of the system's, and the kernel's static tables.
    const std::size_t share = static_cast<std::size_t>(most) / blocks_each - 2048;
    const std::size_t shared = std::max(needed, std::min<std::size_t>(share, 225 * 1024));
    course::allow_dynamic_shared(kernel, shared);
    const int resident = course::resident_blocks(kernel, kThreads, shared);
    const int blocks =
        static_cast<int>(stays ? std::min<std::int64_t>(resident, pass.tiles) : pass.tiles);
    cuda_check(cudaMemset(lists.d_result.data(), 0, lists.d_result.bytes()));
    const double ms = median_ms([&] {
        kernel<<<blocks, kThreads, shared>>>(lists.d_runs.data(), lists.d_result.data(), pass,
                                             d_boundaries.data());
    });
    print_row(
        "e",
        variant + " " + std::to_string(resident / multiprocessors) + " blocks per multiprocessor",
        lists.count(), ms, static_cast<double>(lists.count()) / ms / 1e6, "Gkey/s",
        "15 over 14: 8 %", has_sorted_pieces(lists, lists.d_result.data(), 8 * pass.run));
}

// Question f.
void measure_copies(Lists& lists, const Pass& pass,
                    const DeviceBuffer<std::int64_t>& d_boundaries) {
    const std::int64_t count = lists.count();
    PinnedBuffer<Key> h_pinned(count);
    std::copy(lists.h_keys.begin(), lists.h_keys.end(), h_pinned.data());
    const double gigabytes = static_cast<double>(lists.d_keys.bytes()) / 1e9;
    const auto copy = [&](Key* to, const Key* from, cudaMemcpyKind kind, int pieces) {
        const std::int64_t length = (count - 1) / pieces + 1;
        for (std::int64_t begin = 0; begin < count; begin += length) {
            cuda_check(cudaMemcpyAsync(to + begin, from + begin,
                                       std::min(length, count - begin) * sizeof(Key), kind));
        }
    };
    const auto row = [&](const std::string& variant, double ms, const std::string& go_on_if,
                         bool verified) {
        print_row("f", variant, count, ms, gigabytes / ms * 1e3, "GB/s", go_on_if, verified);
    };
    for (const int pieces : {1, 16, 64}) {
        cuda_check(cudaMemset(lists.d_result.data(), 0, lists.d_result.bytes()));
        const double ms = median_ms(
            [&] { copy(lists.d_result.data(), h_pinned.data(), cudaMemcpyHostToDevice, pieces); });
        std::vector<Key> found(count);
        cuda_check(cudaMemcpy(found.data(), lists.d_result.data(), lists.d_result.bytes(),
                              cudaMemcpyDeviceToHost));
        row("to the device in " + std::to_string(pieces) + " pieces", ms, ">= 55",
            found == lists.h_keys);
    }
    for (const int pieces : {1, 16, 64}) {
        std::fill_n(h_pinned.data(), count, 0);
        const double ms = median_ms(
            [&] { copy(h_pinned.data(), lists.d_result.data(), cudaMemcpyDeviceToHost, pieces); });
        row("to the host in " + std::to_string(pieces) + " pieces", ms, ">= 55",
            std::equal(lists.h_keys.begin(), lists.h_keys.end(), h_pinned.data()));
    }
    std::fill_n(h_pinned.data(), count, 0);
    const double ms = median_ms([&] {
        mergesort::merge_tiles_kernel<8><<<static_cast<int>(pass.tiles), kThreads, kSharedBytes>>>(
            lists.d_runs.data(), h_pinned.data(), pass, d_boundaries.data());
    });
    row("the merge stores in pinned memory", ms, ">= 53",
        has_sorted_pieces(lists, h_pinned.data(), 8 * pass.run));
}

}  // namespace

int main(int argc, char** argv) try {
    const int exponent = argc > 1 ? std::atoi(argv[1]) : 28;
    repeats = argc > 2 ? std::atoi(argv[2]) : 5;
    if (exponent < 16 || exponent > 31 || repeats < 1) {
        std::fprintf(stderr, "usage: merge_costs [LOG2_KEYS (16 to 31) [REPEATS]]\n");
        return 2;
    }
    const std::int64_t count = std::int64_t{1} << exponent;
    Lists lists = {std::vector<Key>(count), DeviceBuffer<Key>(count), DeviceBuffer<Key>(count),
                   DeviceBuffer<Key>(count), std::max<std::int64_t>(kTileKeys, count >> 8)};
    course::sorting::make_keys("uniform", 1, lists.h_keys);
    cuda_check(cudaMemcpy(lists.d_keys.data(), lists.h_keys.data(), lists.d_keys.bytes(),
                          cudaMemcpyHostToDevice));
    std::printf("question,variant,keys,repeats,ms,value,unit,go_on_if,verified\n");
    measure_tiles<Way::kSerial, 16>(lists, "a", "serial 512 x 16", "<= 0.33", "<= 2.8");
    measure_tiles<Way::kGather, 16>(lists, "b", "gather 512 x 16", "<= 0.24", "<= 1.9");
    measure_tiles<Way::kGather, 32>(lists, "b", "gather 256 x 32", "<= 0.24", "<= 1.9");
    measure_tiles<Way::kNetwork, 16>(lists, "b", "network and gather 512 x 16", "<= 0.24",
                                     "<= 1.9");
    measure_tiles<Way::kNetwork, 32>(lists, "b", "network and gather 256 x 32", "<= 0.24",
                                     "<= 1.9");
    make_runs(lists);
    const Pass pass = pass_of(lists, lists.run);
    DeviceBuffer<std::int64_t> d_boundaries(pass.tiles * 8);
    measure_boundaries(lists, pass, d_boundaries);
    for (const int blocks_each : {1, 2, 3}) {
        measure_pass(lists, pass, d_boundaries, "14", mergesort::merge_tiles_kernel<8>, false,
                     blocks_each);
        measure_pass(lists, pass, d_boundaries, "15", mergesort::async::merge_tiles_kernel<8>, true,
                     blocks_each);
    }
    course::allow_dynamic_shared(mergesort::merge_tiles_kernel<8>, kSharedBytes);
    measure_copies(lists, pass, d_boundaries);
    if (!right) std::fprintf(stderr, "merge_costs: a result is wrong\n");
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "merge_costs: %s\n", error.what());
    return 1;
}
