// SPDX-License-Identifier: MIT
// CUB's DevicePartition: the selected items first, in their order; the others from the end of the
// output on, in reversed order.
#pragma once

#include <emulator/cub/device_work.hpp>

namespace cub {

struct DevicePartition {
    template <class Input, class Flags, class Output, class Number, class Count>
    static cudaError_t Flagged(void* storage, std::size_t& bytes, Input input, Flags flags,
                               Output output, Number selected, Count count,
                               cudaStream_t stream = 0) {
        return partition(
            "cub::DevicePartition::Flagged", storage, bytes, input, flags, output, selected, count,
            [=](std::size_t i) { return static_cast<bool>(flags[i]); }, stream);
    }
    template <class Input, class Output, class Number, class Count, class Predicate>
    static cudaError_t If(void* storage, std::size_t& bytes, Input input, Output output,
                          Number selected, Count count, Predicate is_selected,
                          cudaStream_t stream = 0) {
        return partition(
            "cub::DevicePartition::If", storage, bytes, input, NullType(), output, selected, count,
            [=](std::size_t i) mutable { return is_selected(input[i]); }, stream);
    }
    // Three parts, each in its order. `selected` gets the sizes of the first two.
    template <class Input, class First, class Second, class Rest, class Number, class Count,
              class IsFirst, class IsSecond>
    static cudaError_t If(void* storage, std::size_t& bytes, Input input, First first,
                          Second second, Rest rest, Number selected, Count count, IsFirst is_first,
                          IsSecond is_second, cudaStream_t stream = 0) {
        constexpr const char* kName = "cub::DevicePartition::If";
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(kName, storage, bytes, stream)
            .reads(input, n)
            .writes_up_to(first, n)
            .writes_up_to(second, n)
            .writes_up_to(rest, n)
            .writes(selected, 2)
            .run(n / 64, [=]() mutable {
                emulator::Items<emulator::ItemOf<Input>> parts[3];
                for (std::size_t i = 0; i < n; ++i) {
                    const int part = is_first(input[i]) ? 0 : is_second(input[i]) ? 1 : 2;
                    parts[part].push_back(input[i]);
                }
                emulator::write_output(kName, first, parts[0]);
                emulator::write_output(kName, second, parts[1]);
                emulator::write_output(kName, rest, parts[2]);
                using Size = emulator::OutputItem<Number, long long>;
                selected[0] = static_cast<Size>(parts[0].size());
                selected[1] = static_cast<Size>(parts[1].size());
            });
    }

  private:
    template <class Input, class Flags, class Output, class Number, class Count, class Predicate>
    static cudaError_t partition(const char* name, void* storage, std::size_t& bytes, Input input,
                                 Flags flags, Output output, Number selected, Count count,
                                 Predicate is_selected, cudaStream_t stream) {
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(name, storage, bytes, stream)
            .reads(input, n)
            .reads(flags, n)
            .writes(output, n)
            .writes(selected, 1)
            .run(n / 64, [=]() mutable {
                const auto items = emulator::copy_of(input, n);
                std::size_t front = 0;
                std::size_t back = n;
                std::vector<bool> chosen(n);
                for (std::size_t i = 0; i < n; ++i) chosen[i] = is_selected(i);
                for (std::size_t i = 0; i < n; ++i) output[chosen[i] ? front++ : --back] = items[i];
                *selected = static_cast<emulator::OutputItem<Number, long long>>(front);
            });
    }
};

}  // namespace cub
