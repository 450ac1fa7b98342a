// SPDX-License-Identifier: MIT
// Merge sort, stage host/01: from host to host.
// Idea: the list comes in up to 16 chunks, and each is sorted while the next comes. Then a merge of
// all chunks runs slice by slice, and each slice leaves while the next is merged. So the GPU works
// beside the copies. No key can leave before the last has come: that may be the smallest. So the
// last chunks and the first slice are small. A list that does not fit --device-memory is sorted in
// parts. The parts are merged in the same way, slice by slice from host memory, so each key crosses
// the bus four times.
// Compared with 06_overlap_copy: the kernels of stage limit/05; copies overlap on the way out, too;
// the host's lists are pinned, and filled before the time is taken.
// Limit now: the bus.
// Not of the thesis.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "host/01_host_to_host/chunk_sort.cuh"
#include "host/01_host_to_host/slices.cuh"
#include "limit/05_odd_windows/odd_merge.cuh"
#include "problem/host_cuts.hpp"
#include "problem/mergesort.hpp"
#include "problem/pipeline_report.hpp"

using course::cuda_check, course::DeviceBuffer, course::Event, course::PinnedBuffer, course::Stream,
    course::StreamKind;
using mergesort::Input, mergesort::Key, mergesort::kMostRuns, mergesort::kSliceTile,
    mergesort::Output, mergesort::Pass, mergesort::Phase, mergesort::PhaseTimer, mergesort::Runs,
    mergesort::Step;

// A list of at most `capacity` keys on the device, and its buffer.
struct Pipeline {
    DeviceBuffer<Key> keys, buffer;
    DeviceBuffer<std::int64_t> boundaries;
    Stream in{StreamKind::kNonBlocking}, work{StreamKind::kNonBlocking};
    Stream out{StreamKind::kNonBlocking};

    explicit Pipeline(std::int64_t capacity)
        : keys(capacity), buffer(capacity), boundaries(kMostRuns * (capacity / kSliceTile + 2)) {}
};

// How many keys fit `bytes` of device memory, with their buffer and boundaries.
std::int64_t keys_that_fit(std::int64_t bytes) {
    const double boundaries = 1.0 * kMostRuns * sizeof(std::int64_t) / kSliceTile;
    return static_cast<std::int64_t>((bytes - 1024.0) / (2.0 * sizeof(Key) + boundaries));
}

// The slice's merge has been queued. Its keys leave as soon as it has ended.
void copy_out(Pipeline& line, Step& slice, Key* h_to, const Key* from, std::int64_t count) {
    slice.work_end.record(line.work);
    mergesort::wait_for(line.out, slice.work_end);
    slice.copy_begin.record(line.out);
    cuda_check(
        cudaMemcpyAsync(h_to, from, count * sizeof(Key), cudaMemcpyDeviceToHost, line.out.get()));
    slice.copy_end.record(line.out);
}

// Sorts keys that fit the device. Returns the bytes that its kernels move at least.
double sort_part(Pipeline& line, std::span<const Key> h_from, Key* h_to, std::int64_t most_chunks,
                 std::vector<Step>& chunks, std::vector<Step>& slices) {
    const auto count = static_cast<std::int64_t>(h_from.size());
    const std::vector<std::int64_t> sizes = mergesort::chunk_sizes(count, most_chunks);
    mergesort::allow_chunk_sorts();
    Runs runs = {};
    chunks = std::vector<Step>(sizes.size());
    double bytes = 2.0 * sizeof(Key) * count;  // of the last merge
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const std::int64_t keys = sizes[i];
        const std::vector<Pass> passes = mergesort::chunk_passes(keys, keys);
        // It comes into the list from which an odd or even number of passes ends in line.keys.
        Key *own = line.keys.data() + begin, *other = line.buffer.data() + begin;
        if (passes.size() % 2 == 1) std::swap(own, other);
        chunks[i].copy_begin.record(line.in);
        cuda_check(cudaMemcpyAsync(own, h_from.data() + begin, keys * sizeof(Key),
                                   cudaMemcpyHostToDevice, line.in.get()));
        chunks[i].copy_end.record(line.in);
        mergesort::wait_for(line.work, chunks[i].copy_end);
        mergesort::launch_chunk_sort(own, other, keys, passes, line.boundaries.data(),
                                     line.work.get());
        chunks[i].work_end.record(line.work);
        bytes += 2.0 * sizeof(Key) * keys * (1.0 + passes.size());
        runs.begins[i] = begin;
        runs.lengths[i] = keys;
        begin += keys;
    }
    const std::int64_t tiles = (count - 1) / kSliceTile + 1;
    mergesort::launch_slice_cuts(line.keys.data(), runs, tiles, line.boundaries.data(),
                                 line.work.get());
    // Nothing leaves while the first slice is merged, so it is small. While a slice leaves, one of
    // four times its length can be merged.
    slices.clear();
    std::int64_t first = 0;
    for (std::int64_t length = tiles / 256 + 1; first < tiles; length *= 4) {
        const std::int64_t begin_key = first * kSliceTile, end = std::min(first + length, tiles);
        mergesort::launch_slice(line.keys.data(), line.buffer.data(), runs, first, end,
                                line.boundaries.data(), line.work.get());
        copy_out(line, slices.emplace_back(), h_to + begin_key, line.buffer.data() + begin_key,
                 std::min(end * kSliceTile, count) - begin_key);
        first = end;
    }
    line.out.synchronize();
    return bytes;
}

// Merges sorted parts in host memory, slice by slice. Two slices take turns on the device.
void merge_parts(Pipeline& line, const std::vector<std::span<const Key>>& parts, Key* h_to,
                 std::int64_t count) {
    const std::int64_t slice_keys = line.keys.count() / 2;
    std::vector<Step> slices((count - 1) / slice_keys + 1);
    std::vector<std::int64_t> cuts(parts.size());
    for (std::size_t s = 0; s < slices.size(); ++s) {
        const std::int64_t begin = static_cast<std::int64_t>(s) * slice_keys;
        const std::int64_t keys = std::min(slice_keys, count - begin);
        const std::vector<std::int64_t> ends = mergesort::cut_host_runs(parts, begin + keys);
        Key* const from = line.keys.data() + s % 2 * slice_keys;
        Key* const to = line.buffer.data() + s % 2 * slice_keys;
        if (s >= 2) mergesort::wait_for(line.in, slices[s - 2].work_end);  // frees its keys
        Runs runs = {};
        std::int64_t place = 0;
        for (std::size_t j = 0; j < parts.size(); ++j) {
            runs.begins[j] = place;
            runs.lengths[j] = ends[j] - cuts[j];
            cuda_check(cudaMemcpyAsync(from + place, parts[j].data() + cuts[j],
                                       runs.lengths[j] * sizeof(Key), cudaMemcpyHostToDevice,
                                       line.in.get()));
            place += runs.lengths[j];
        }
        const Event arrived;
        cuda_check(cudaEventRecord(arrived.get(), line.in.get()));
        mergesort::wait_for(line.work, arrived);
        if (s >= 2) mergesort::wait_for(line.work, slices[s - 2].copy_end);  // its result has left
        const std::int64_t tiles = (keys - 1) / kSliceTile + 1;
        mergesort::launch_slice_cuts(from, runs, tiles, line.boundaries.data(), line.work.get());
        mergesort::launch_slice(from, to, runs, 0, tiles, line.boundaries.data(), line.work.get());
        copy_out(line, slices[s], h_to + begin, to, keys);
        cuts = ends;
    }
    line.out.synchronize();
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    std::size_t free_bytes = 0, total_bytes = 0;
    cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes));
    const std::int64_t allowed = input.options.integer("--device-memory");
    const auto free_now = static_cast<std::int64_t>(0.97 * static_cast<double>(free_bytes));
    const std::int64_t capacity =
        keys_that_fit(allowed > 0 ? std::min(allowed, free_now) : free_now);
    const std::int64_t part_keys = std::min(capacity, count);
    if (count > kMostRuns * part_keys) {
        throw course::UsageError("--device-memory " + std::to_string(allowed) + ": " +
                                 std::to_string(count) + " keys are more than 16 times what fits");
    }
    PinnedBuffer<Key> h_keys(count), h_sorted(count), h_parts(part_keys < count ? count : 0);
    std::copy(input.keys.begin(), input.keys.end(), h_keys.data());
    timer.begin(Phase::kSetup);
    Pipeline line(part_keys);
    std::vector<Step> chunks, slices;

    timer.begin(Phase::kKernels);
    double bytes = 0;
    std::vector<std::span<const Key>> parts;
    Key* const h_to = part_keys < count ? h_parts.data() : h_sorted.data();
    for (std::int64_t begin = 0; begin < count; begin += part_keys) {
        const std::int64_t keys = std::min(part_keys, count - begin);
        bytes += sort_part(line, {h_keys.data() + begin, static_cast<std::size_t>(keys)},
                           h_to + begin, input.options.integer("--chunks"), chunks, slices);
        parts.emplace_back(h_to + begin, keys);
    }
    if (parts.size() > 1) merge_parts(line, parts, h_sorted.data(), count);
    timer.end();
    std::copy_n(h_sorted.data(), count, output.keys.begin());
    timer.note_grid((part_keys - 1) / kSliceTile + 1, mergesort::odd::kThreads);
    timer.declare_work({.bytes = bytes});
    output.report = mergesort::pipeline_report(chunks, slices, parts.size());
    if (parts.size() > 1) return;
    const double copies_ms = mergesort::plain_copies_ms(line.keys, h_keys, line.in);
    output.report.push_back({"copies_ms", copies_ms});
    output.report.push_back({"end_to_end_share", copies_ms / timer.times().kernels_ms});
}

int main(int argc, char** argv) {
    return mergesort::run_stage(
        argc, argv, STAGE_NAME, sort_keys, nullptr,
        {{"--chunks", "chunks that are sorted while the next comes; 0: as many as keep up", 0, 0,
          16},
         {"--device-memory", "bytes of device memory that the sort may use; 0: all that is free", 0,
          0}},
        0);
}
