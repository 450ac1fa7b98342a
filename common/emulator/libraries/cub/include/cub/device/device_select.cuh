// SPDX-License-Identifier: MIT
// CUB's DeviceSelect: some items, in their order.
#pragma once

#include <emulator/cub/device_work.hpp>

namespace cub {

struct DeviceSelect {
    template <class Input, class Flags, class Output, class Number>
    static cudaError_t Flagged(void* storage, std::size_t& bytes, Input input, Flags flags,
                               Output output, Number selected, long long count,
                               cudaStream_t stream = 0) {
        return select(
            "cub::DeviceSelect::Flagged", storage, bytes, input, flags, output, selected, count,
            [=](std::size_t i) { return static_cast<bool>(flags[i]); }, stream);
    }
    template <class Data, class Flags, class Number>
    static cudaError_t Flagged(void* storage, std::size_t& bytes, Data data, Flags flags,
                               Number selected, long long count, cudaStream_t stream = 0) {
        return Flagged(storage, bytes, data, flags, data, selected, count, stream);
    }
    template <class Input, class Output, class Number, class Predicate>
    static cudaError_t If(void* storage, std::size_t& bytes, Input input, Output output,
                          Number selected, long long count, Predicate is_selected,
                          cudaStream_t stream = 0) {
        return select(
            "cub::DeviceSelect::If", storage, bytes, input, NullType(), output, selected, count,
            [=](std::size_t i) mutable { return is_selected(input[i]); }, stream);
    }
    template <class Data, class Number, class Predicate>
    static cudaError_t If(void* storage, std::size_t& bytes, Data data, Number selected,
                          long long count, Predicate is_selected, cudaStream_t stream = 0) {
        return If(storage, bytes, data, data, selected, count, is_selected, stream);
    }
    template <class Input, class Flags, class Output, class Number, class Predicate>
    static cudaError_t FlaggedIf(void* storage, std::size_t& bytes, Input input, Flags flags,
                                 Output output, Number selected, long long count,
                                 Predicate is_selected, cudaStream_t stream = 0) {
        return select(
            "cub::DeviceSelect::FlaggedIf", storage, bytes, input, flags, output, selected, count,
            [=](std::size_t i) mutable { return static_cast<bool>(is_selected(flags[i])); },
            stream);
    }
    template <class Data, class Flags, class Number, class Predicate>
    static cudaError_t FlaggedIf(void* storage, std::size_t& bytes, Data data, Flags flags,
                                 Number selected, long long count, Predicate is_selected,
                                 cudaStream_t stream = 0) {
        return FlaggedIf(storage, bytes, data, flags, data, selected, count, is_selected, stream);
    }
    // The first of each run of equal items.
    template <class Input, class Output, class Number>
    static cudaError_t Unique(void* storage, std::size_t& bytes, Input input, Output output,
                              Number selected, long long count, cudaStream_t stream = 0) {
        return select(
            "cub::DeviceSelect::Unique", storage, bytes, input, NullType(), output, selected, count,
            [=](std::size_t i) { return i == 0 || !(input[i - 1] == input[i]); }, stream);
    }
    template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, class Number,
              class Count>
    static cudaError_t UniqueByKey(void* storage, std::size_t& bytes, KeysIn keys_in,
                                   ValuesIn values_in, KeysOut keys_out, ValuesOut values_out,
                                   Number selected, Count count, cudaStream_t stream = 0) {
        return UniqueByKey(storage, bytes, keys_in, values_in, keys_out, values_out, selected,
                           count, Equality(), stream);
    }
    template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, class Number,
              class Count, class Equals>
    requires(!std::is_same_v<Equals, cudaStream_t>) static cudaError_t
        UniqueByKey(void* storage, std::size_t& bytes, KeysIn keys_in, ValuesIn values_in,
                    KeysOut keys_out, ValuesOut values_out, Number selected, Count count,
                    Equals equals, cudaStream_t stream = 0) {
        constexpr const char* kName = "cub::DeviceSelect::UniqueByKey";
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(kName, storage, bytes, stream)
            .reads(keys_in, n)
            .reads(values_in, n)
            .writes_up_to(keys_out, n)
            .writes_up_to(values_out, n)
            .writes(selected, 1)
            .run(n / 64, [=]() mutable {
                emulator::Items<emulator::ItemOf<KeysIn>> keys;
                emulator::Items<emulator::ItemOf<ValuesIn>> values;
                for (std::size_t i = 0; i < n; ++i) {
                    if (i > 0 && equals(keys_in[i - 1], keys_in[i])) continue;
                    keys.push_back(keys_in[i]);
                    values.push_back(values_in[i]);
                }
                emulator::write_output(kName, keys_out, keys);
                emulator::write_output(kName, values_out, values);
                *selected = static_cast<emulator::OutputItem<Number, long long>>(keys.size());
            });
    }

  private:
    template <class Input, class Flags, class Output, class Number, class Predicate>
    static cudaError_t select(const char* name, void* storage, std::size_t& bytes, Input input,
                              Flags flags, Output output, Number selected, long long count,
                              Predicate is_selected, cudaStream_t stream) {
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(name, storage, bytes, stream)
            .reads(input, n)
            .reads(flags, n)
            .writes_up_to(output, n)
            .writes(selected, 1)
            .run(n / 64, [=]() mutable {
                emulator::Items<emulator::ItemOf<Input>> items;
                for (std::size_t i = 0; i < n; ++i) {
                    if (is_selected(i)) items.push_back(input[i]);
                }
                emulator::write_output(name, output, items);
                *selected = static_cast<emulator::OutputItem<Number, long long>>(items.size());
            });
    }
};

}  // namespace cub
