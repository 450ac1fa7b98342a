// SPDX-License-Identifier: MIT
// CUB's DeviceRunLengthEncode.
#pragma once

#include <emulator/cub/device_work.hpp>

namespace cub {

struct DeviceRunLengthEncode {
    // The item and the length of each run of equal items.
    template <class Input, class Unique, class Lengths, class Number, class Count>
    static cudaError_t Encode(void* storage, std::size_t& bytes, Input input, Unique unique,
                              Lengths lengths, Number runs, Count count, cudaStream_t stream = 0) {
        constexpr const char* kName = "cub::DeviceRunLengthEncode::Encode";
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(kName, storage, bytes, stream)
            .reads(input, n)
            .writes_up_to(unique, n)
            .writes_up_to(lengths, n)
            .writes(runs, 1)
            .run(n / 64, [=] {
                emulator::Items<emulator::ItemOf<Input>> firsts;
                emulator::Items<emulator::OutputItem<Lengths, int>> sizes;
                for_each_run(input, n, [&](std::size_t begin, std::size_t end) {
                    firsts.push_back(input[begin]);
                    sizes.push_back(static_cast<emulator::OutputItem<Lengths, int>>(end - begin));
                });
                emulator::write_output(kName, unique, firsts);
                emulator::write_output(kName, lengths, sizes);
                *runs = static_cast<emulator::OutputItem<Number, int>>(firsts.size());
            });
    }
    // The begin and the length of each run of two and more.
    template <class Input, class Offsets, class Lengths, class Number, class Count>
    static cudaError_t NonTrivialRuns(void* storage, std::size_t& bytes, Input input,
                                      Offsets offsets, Lengths lengths, Number runs, Count count,
                                      cudaStream_t stream = 0) {
        constexpr const char* kName = "cub::DeviceRunLengthEncode::NonTrivialRuns";
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(kName, storage, bytes, stream)
            .reads(input, n)
            .writes_up_to(offsets, n / 2)
            .writes_up_to(lengths, n / 2)
            .writes(runs, 1)
            .run(n / 64, [=] {
                emulator::Items<emulator::OutputItem<Offsets, int>> begins;
                emulator::Items<emulator::OutputItem<Lengths, int>> sizes;
                for_each_run(input, n, [&](std::size_t begin, std::size_t end) {
                    if (end - begin < 2) return;
                    begins.push_back(static_cast<emulator::OutputItem<Offsets, int>>(begin));
                    sizes.push_back(static_cast<emulator::OutputItem<Lengths, int>>(end - begin));
                });
                emulator::write_output(kName, offsets, begins);
                emulator::write_output(kName, lengths, sizes);
                *runs = static_cast<emulator::OutputItem<Number, int>>(begins.size());
            });
    }

  private:
    template <class Input, class Work>
    static void for_each_run(Input input, std::size_t count, Work work) {
        for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
            while (++end < count && input[end] == input[begin]) {
            }
            work(begin, end);
        }
    }
};

}  // namespace cub
