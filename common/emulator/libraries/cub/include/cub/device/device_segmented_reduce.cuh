// SPDX-License-Identifier: MIT
// CUB's DeviceSegmentedReduce: one result for each segment.
#pragma once

#include "device_reduce.cuh"

namespace cub {

struct DeviceSegmentedReduce {
    template <class Input, class Output, class Begin, class End, class Operator, class T>
    static cudaError_t Reduce(void* storage, std::size_t& bytes, Input input, Output output,
                              long long segments, Begin begin, End end, Operator reduce, T initial,
                              cudaStream_t stream = 0) {
        return run("cub::DeviceSegmentedReduce::Reduce", storage, bytes, input, output, segments,
                   begin, end, reduce, initial, stream);
    }
    template <class Input, class Output, class Begin, class End>
    static cudaError_t Sum(void* storage, std::size_t& bytes, Input input, Output output,
                           long long segments, Begin begin, End end, cudaStream_t stream = 0) {
        using T = emulator::OutputItem<Output, emulator::ItemOf<Input>>;
        return run("cub::DeviceSegmentedReduce::Sum", storage, bytes, input, output, segments,
                   begin, end, cub::Sum(), T{}, stream);
    }
    template <class Input, class Output, class Begin, class End>
    static cudaError_t Min(void* storage, std::size_t& bytes, Input input, Output output,
                           long long segments, Begin begin, End end, cudaStream_t stream = 0) {
        using T = emulator::ItemOf<Input>;
        return run("cub::DeviceSegmentedReduce::Min", storage, bytes, input, output, segments,
                   begin, end, cub::Min(), emulator::largest_value<T>(), stream);
    }
    template <class Input, class Output, class Begin, class End>
    static cudaError_t Max(void* storage, std::size_t& bytes, Input input, Output output,
                           long long segments, Begin begin, End end, cudaStream_t stream = 0) {
        using T = emulator::ItemOf<Input>;
        return run("cub::DeviceSegmentedReduce::Max", storage, bytes, input, output, segments,
                   begin, end, cub::Max(), emulator::smallest_value<T>(), stream);
    }
    // Each output is a KeyValuePair<int, T>; the index counts from the begin of its segment.
    template <class Input, class Output, class Begin, class End>
    static cudaError_t ArgMin(void* storage, std::size_t& bytes, Input input, Output output,
                              long long segments, Begin begin, End end, cudaStream_t stream = 0) {
        return find("cub::DeviceSegmentedReduce::ArgMin", storage, bytes, input, output, segments,
                    begin, end, emulator::CubLess(),
                    emulator::largest_value<emulator::ItemOf<Input>>(), stream);
    }
    template <class Input, class Output, class Begin, class End>
    static cudaError_t ArgMax(void* storage, std::size_t& bytes, Input input, Output output,
                              long long segments, Begin begin, End end, cudaStream_t stream = 0) {
        return find("cub::DeviceSegmentedReduce::ArgMax", storage, bytes, input, output, segments,
                    begin, end, emulator::CubGreater(),
                    emulator::smallest_value<emulator::ItemOf<Input>>(), stream);
    }

  private:
    // The segments say how much of the input is read, so that is checked when the work runs.
    template <class Input, class Output, class Begin, class End, class Work>
    static cudaError_t for_segments(const char* name, void* storage, std::size_t& bytes,
                                    Input input, Output output, long long segments, Begin begin,
                                    End end, Work work, cudaStream_t stream) {
        const auto count = static_cast<std::size_t>(segments);
        return emulator::DeviceCall(name, storage, bytes, stream)
            .reads(input, 0)
            .reads(begin, count)
            .reads(end, count)
            .writes(output, count)
            .run(0, [=]() mutable {
                for (std::size_t i = 0; i < count; ++i) {
                    const auto first = static_cast<std::size_t>(begin[i]);
                    const auto last = std::max(first, static_cast<std::size_t>(end[i]));
                    if constexpr (std::is_pointer_v<Input>) {
                        const std::size_t size = sizeof(*input) * (last - first);
                        if (!emulator::admit_input(name, input + first, size)) return;
                    }
                    output[i] = work(first, last);
                }
            });
    }
    template <class Input, class Output, class Begin, class End, class Operator, class T>
    static cudaError_t run(const char* name, void* storage, std::size_t& bytes, Input input,
                           Output output, long long segments, Begin begin, End end, Operator reduce,
                           T initial, cudaStream_t stream) {
        return for_segments(
            name, storage, bytes, input, output, segments, begin, end,
            [=](std::size_t first, std::size_t last) mutable {
                const auto get = [&](std::size_t i) -> emulator::ItemOf<Input> {
                    return input[first + i];
                };
                return emulator::join_with_initial(get, last - first, reduce, initial);
            },
            stream);
    }
    template <class Input, class Output, class Begin, class End, class Less, class T>
    static cudaError_t find(const char* name, void* storage, std::size_t& bytes, Input input,
                            Output output, long long segments, Begin begin, End end, Less less,
                            T otherwise, cudaStream_t stream) {
        using Pair = emulator::OutputItem<Output, KeyValuePair<int, T>>;
        return for_segments(
            name, storage, bytes, input, output, segments, begin, end,
            [=](std::size_t first, std::size_t last) {
                if (first == last) return Pair{1, otherwise};
                const std::size_t best = emulator::first_extreme(input, first, last, less);
                return Pair{static_cast<int>(best - first), input[best]};
            },
            stream);
    }
};

}  // namespace cub
