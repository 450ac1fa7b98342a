// SPDX-License-Identifier: MIT
// CUB's DeviceCopy and DeviceMemcpy: many copies in one call. The lists of addresses and sizes are
// in device memory, so each copy is checked when it runs.
#pragma once

#include <emulator/cub/device_work.hpp>

namespace emulator {

template <class Inputs, class Outputs, class Sizes, class Copy>
cudaError_t copy_batch(const char* name, void* storage, std::size_t& bytes, Inputs inputs,
                       Outputs outputs, Sizes sizes, std::size_t count, cudaStream_t stream,
                       Copy copy) {
    return DeviceCall(name, storage, bytes, stream)
        .reads(inputs, count)
        .reads(outputs, count)
        .reads(sizes, count)
        .run(count * 16, [=] {
            for (std::size_t i = 0; i < count; ++i) {
                if (!copy(inputs[i], outputs[i], static_cast<std::size_t>(sizes[i]))) return;
            }
        });
}

}  // namespace emulator

namespace cub {

// Sizes in items.
struct DeviceCopy {
    template <class Inputs, class Outputs, class Sizes, class Count>
    static cudaError_t Batched(void* storage, std::size_t& bytes, Inputs inputs, Outputs outputs,
                               Sizes sizes, Count ranges, cudaStream_t stream = 0) {
        constexpr const char* kName = "cub::DeviceCopy::Batched";
        return emulator::copy_batch(
            kName, storage, bytes, inputs, outputs, sizes, static_cast<std::size_t>(ranges), stream,
            [](auto from, auto to, std::size_t count) {
                if constexpr (std::is_pointer_v<decltype(from)>) {
                    if (!emulator::admit_input(kName, from, count * sizeof(*from))) return false;
                }
                if constexpr (std::is_pointer_v<decltype(to)>) {
                    if (!emulator::admit_output(kName, to, count * sizeof(*to))) return false;
                }
                for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
                return true;
            });
    }
};

// Sizes in bytes.
struct DeviceMemcpy {
    template <class Inputs, class Outputs, class Sizes, class Count>
    static cudaError_t Batched(void* storage, std::size_t& bytes, Inputs inputs, Outputs outputs,
                               Sizes sizes, Count buffers, cudaStream_t stream = 0) {
        constexpr const char* kName = "cub::DeviceMemcpy::Batched";
        return emulator::copy_batch(
            kName, storage, bytes, inputs, outputs, sizes, static_cast<std::size_t>(buffers),
            stream, [](const void* from, void* to, std::size_t size) {
                if (!emulator::admit_input(kName, from, size)) return false;
                if (!emulator::admit_output(kName, to, size)) return false;
                const auto* const bytes_from = static_cast<const char*>(from);
                std::copy(bytes_from, bytes_from + size, static_cast<char*>(to));
                return true;
            });
    }
};

}  // namespace cub
