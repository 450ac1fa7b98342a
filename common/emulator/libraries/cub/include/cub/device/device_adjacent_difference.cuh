// SPDX-License-Identifier: MIT
// CUB's DeviceAdjacentDifference.
#pragma once

#include <emulator/cub/device_work.hpp>

namespace cub {

struct DeviceAdjacentDifference {
#define EMULATOR_CUB_DIFFERENCE(Name, is_left)                                                     \
    template <class Input, class Output, class Operator = cub::Difference, class Count>            \
    static cudaError_t Name##Copy(void* storage, std::size_t& bytes, Input input, Output output,   \
                                  Count count, Operator difference = {},                           \
                                  cudaStream_t stream = 0) {                                       \
        return run<is_left>("cub::DeviceAdjacentDifference::" #Name "Copy", storage, bytes, input, \
                            output, count, difference, stream);                                    \
    }                                                                                              \
    template <class Data, class Operator = cub::Difference, class Count>                           \
    static cudaError_t Name(void* storage, std::size_t& bytes, Data data, Count count,             \
                            Operator difference = {}, cudaStream_t stream = 0) {                   \
        return run<is_left>("cub::DeviceAdjacentDifference::" #Name, storage, bytes, data, data,   \
                            count, difference, stream);                                            \
    }
    EMULATOR_CUB_DIFFERENCE(SubtractLeft, true)
    EMULATOR_CUB_DIFFERENCE(SubtractRight, false)
#undef EMULATOR_CUB_DIFFERENCE

  private:
    template <bool kLeft, class Input, class Output, class Operator, class Count>
    static cudaError_t run(const char* name, void* storage, std::size_t& bytes, Input input,
                           Output output, Count count, Operator difference, cudaStream_t stream) {
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(name, storage, bytes, stream)
            .reads(input, n)
            .writes(output, n)
            .run(n / 64, [=]() mutable {
                const auto items = emulator::copy_of(input, n);
                for (std::size_t i = 0; i < n; ++i) {
                    const bool is_end = kLeft ? i == 0 : i + 1 == n;
                    if (is_end) {
                        output[i] = items[i];
                    } else {
                        output[i] = difference(items[i], items[kLeft ? i - 1 : i + 1]);
                    }
                }
            });
    }
};

}  // namespace cub
