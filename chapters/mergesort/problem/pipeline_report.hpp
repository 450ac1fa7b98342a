// SPDX-License-Identifier: MIT
// What a sort from host to host reports (stage host/01): when each chunk and each slice was copied
// and worked at, and how long the copies alone take.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "problem/mergesort.hpp"

namespace mergesort {

// A chunk or slice of the list, with the times of its copy and of its sort or merge.
struct Step {
    course::Event copy_begin, copy_end, work_end;
};

// Milliseconds that the copies of a list to the device and back take, one after the other, each as
// one copy.
inline double plain_copies_ms(course::DeviceBuffer<Key>& d_keys, course::PinnedBuffer<Key>& h_keys,
                              const course::Stream& stream) {
    course::Event begin, end;
    begin.record(stream);
    course::cuda_check(cudaMemcpyAsync(d_keys.data(), h_keys.data(), d_keys.bytes(),
                                       cudaMemcpyHostToDevice, stream.get()));
    course::cuda_check(cudaMemcpyAsync(h_keys.data(), d_keys.data(), d_keys.bytes(),
                                       cudaMemcpyDeviceToHost, stream.get()));
    end.record(stream);
    return course::milliseconds_between(begin, end);
}

// Times of the last part, after its first copy began: of a chunk "copy_begin copy_end sort_end", of
// a slice "merge_end copy_begin copy_end".
inline std::vector<course::ReportField> pipeline_report(const std::vector<Step>& chunks,
                                                        const std::vector<Step>& slices,
                                                        std::size_t parts) {
    std::vector<course::ReportField> report = {{"parts", static_cast<std::int64_t>(parts)}};
    const auto add = [&](const std::string& name,
                         std::initializer_list<const course::Event*> events) {
        std::string times;
        for (const course::Event* event : events) {
            times += times.empty() ? "" : " ";
            times +=
                std::to_string(course::milliseconds_between(chunks.front().copy_begin, *event));
        }
        report.push_back({name, times});
    };
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const Step& one = chunks[i];
        add("chunk_" + std::to_string(i) + "_ms", {&one.copy_begin, &one.copy_end, &one.work_end});
    }
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const Step& one = slices[i];
        add("slice_" + std::to_string(i) + "_ms", {&one.work_end, &one.copy_begin, &one.copy_end});
    }
    return report;
}

}  // namespace mergesort
