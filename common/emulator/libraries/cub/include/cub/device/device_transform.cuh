// SPDX-License-Identifier: MIT
// CUB's DeviceTransform: a function of one item of each input.
#pragma once

#include <emulator/cub/device_work.hpp>
#include <tuple>

namespace cub {

struct DeviceTransform {
    template <class... Inputs, class Output, class Count, class Operator>
    static cudaError_t Transform(std::tuple<Inputs...> inputs, Output output, Count count,
                                 Operator transform, cudaStream_t stream = {}) {
        const auto n = static_cast<std::size_t>(count);
        std::vector<emulator::LibraryRange> read;
        std::apply([&](auto... input) { (read.push_back(emulator::range_of(input, n)), ...); },
                   inputs);
        return emulator::queue_library_work(
            "cub::DeviceTransform::Transform", stream, {emulator::range_of(output, n)},
            std::move(read), [=]() mutable {
                for (std::size_t i = 0; i < n; ++i) {
                    output[i] =
                        std::apply([&](auto... input) { return transform(input[i]...); }, inputs);
                }
            });
    }
    template <class Input, class Output, class Count, class Operator>
    static cudaError_t Transform(Input input, Output output, Count count, Operator transform,
                                 cudaStream_t stream = {}) {
        return Transform(std::make_tuple(input), output, count, transform, stream);
    }
    template <class... Arguments>
    static cudaError_t TransformStableArgumentAddresses(Arguments... arguments) {
        return Transform(arguments...);
    }
};

}  // namespace cub
