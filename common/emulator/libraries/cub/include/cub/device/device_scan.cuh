// SPDX-License-Identifier: MIT
// CUB's DeviceScan.
#pragma once

#include <emulator/cub/device_work.hpp>

namespace cub {

// An initial value that is in device memory when the scan runs.
template <class T, class Iterator = T*>
struct FutureValue {
    explicit FutureValue(Iterator its_value) : value(its_value) {}
    operator T() const { return *value; }
    Iterator value;
};

struct DeviceScan {
    template <class Input, class Output, class Count>
    static cudaError_t ExclusiveSum(void* storage, std::size_t& bytes, Input input, Output output,
                                    Count count, cudaStream_t stream = 0) {
        return exclusive("cub::DeviceScan::ExclusiveSum", storage, bytes, input, output, cub::Sum(),
                         emulator::ItemOf<Input>{}, count, stream);
    }
    template <class Data, class Count>
    static cudaError_t ExclusiveSum(void* storage, std::size_t& bytes, Data data, Count count,
                                    cudaStream_t stream = 0) {
        return ExclusiveSum(storage, bytes, data, data, count, stream);
    }
    template <class Input, class Output, class Operator, class T, class Count>
    static cudaError_t ExclusiveScan(void* storage, std::size_t& bytes, Input input, Output output,
                                     Operator scan, T initial, Count count,
                                     cudaStream_t stream = 0) {
        return exclusive("cub::DeviceScan::ExclusiveScan", storage, bytes, input, output, scan,
                         initial, count, stream);
    }
    template <class Data, class Operator, class T, class Count>
    static cudaError_t ExclusiveScan(void* storage, std::size_t& bytes, Data data, Operator scan,
                                     T initial, Count count, cudaStream_t stream = 0) {
        return ExclusiveScan(storage, bytes, data, data, scan, initial, count, stream);
    }
    template <class Input, class Output, class Count>
    static cudaError_t InclusiveSum(void* storage, std::size_t& bytes, Input input, Output output,
                                    Count count, cudaStream_t stream = 0) {
        return inclusive("cub::DeviceScan::InclusiveSum", storage, bytes, input, output, cub::Sum(),
                         NullType(), count, stream);
    }
    template <class Data, class Count>
    static cudaError_t InclusiveSum(void* storage, std::size_t& bytes, Data data, Count count,
                                    cudaStream_t stream = 0) {
        return InclusiveSum(storage, bytes, data, data, count, stream);
    }
    template <class Input, class Output, class Operator, class Count>
    static cudaError_t InclusiveScan(void* storage, std::size_t& bytes, Input input, Output output,
                                     Operator scan, Count count, cudaStream_t stream = 0) {
        return inclusive("cub::DeviceScan::InclusiveScan", storage, bytes, input, output, scan,
                         NullType(), count, stream);
    }
    template <class Data, class Operator, class Count>
    static cudaError_t InclusiveScan(void* storage, std::size_t& bytes, Data data, Operator scan,
                                     Count count, cudaStream_t stream = 0) {
        return InclusiveScan(storage, bytes, data, data, scan, count, stream);
    }
    template <class Input, class Output, class Operator, class T, class Count>
    static cudaError_t InclusiveScanInit(void* storage, std::size_t& bytes, Input input,
                                         Output output, Operator scan, T initial, Count count,
                                         cudaStream_t stream = 0) {
        return inclusive("cub::DeviceScan::InclusiveScanInit", storage, bytes, input, output, scan,
                         initial, count, stream);
    }
    // Scans of runs of equal keys, each for itself.
    template <class Keys, class Input, class Output, class Equals = Equality,
              class Count = unsigned int>
    static cudaError_t ExclusiveSumByKey(void* storage, std::size_t& bytes, Keys keys, Input input,
                                         Output output, Count count, Equals equals = {},
                                         cudaStream_t stream = 0) {
        return by_key("cub::DeviceScan::ExclusiveSumByKey", storage, bytes, keys, input, output,
                      cub::Sum(), emulator::ItemOf<Input>{}, count, equals, stream);
    }
    template <class Keys, class Input, class Output, class Operator, class T,
              class Equals = Equality, class Count = unsigned int>
    static cudaError_t ExclusiveScanByKey(void* storage, std::size_t& bytes, Keys keys, Input input,
                                          Output output, Operator scan, T initial, Count count,
                                          Equals equals = {}, cudaStream_t stream = 0) {
        return by_key("cub::DeviceScan::ExclusiveScanByKey", storage, bytes, keys, input, output,
                      scan, initial, count, equals, stream);
    }
    template <class Keys, class Input, class Output, class Equals = Equality,
              class Count = unsigned int>
    static cudaError_t InclusiveSumByKey(void* storage, std::size_t& bytes, Keys keys, Input input,
                                         Output output, Count count, Equals equals = {},
                                         cudaStream_t stream = 0) {
        return by_key("cub::DeviceScan::InclusiveSumByKey", storage, bytes, keys, input, output,
                      cub::Sum(), NullType(), count, equals, stream);
    }
    template <class Keys, class Input, class Output, class Operator, class Equals = Equality,
              class Count = unsigned int>
    static cudaError_t InclusiveScanByKey(void* storage, std::size_t& bytes, Keys keys, Input input,
                                          Output output, Operator scan, Count count,
                                          Equals equals = {}, cudaStream_t stream = 0) {
        return by_key("cub::DeviceScan::InclusiveScanByKey", storage, bytes, keys, input, output,
                      scan, NullType(), count, equals, stream);
    }

  private:
    template <class T>
    static constexpr bool is_value = !std::is_same_v<T, NullType>;

    template <class T>
    static T now(const T& initial) {
        return initial;
    }
    template <class T, class Iterator>
    static T now(const FutureValue<T, Iterator>& initial) {
        return initial;
    }

    // The items from `first` on, up to `last`. The output may be the input.
    template <class Input, class Output, class Operator, class T>
    static void scan_exclusive(Input input, Output output, Operator& scan, T initial,
                               std::size_t first, std::size_t last) {
        emulator::Accumulated<Operator, T, emulator::ItemOf<Input>> sum = initial;
        for (std::size_t i = first; i < last; ++i) {
            const emulator::ItemOf<Input> item = input[i];
            output[i] = sum;
            sum = scan(sum, item);
        }
    }
    template <class Input, class Output, class Operator, class T>
    static void scan_inclusive(Input input, Output output, Operator& scan, T initial,
                               std::size_t first, std::size_t last) {
        using Item = emulator::ItemOf<Input>;
        using Initial = std::conditional_t<is_value<T>, T, Item>;
        if (first == last) return;
        emulator::Accumulated<Operator, Initial, Item> sum = input[first];
        if constexpr (is_value<T>) sum = scan(initial, input[first]);
        output[first] = sum;
        for (std::size_t i = first + 1; i < last; ++i) {
            sum = scan(sum, input[i]);
            output[i] = sum;
        }
    }
    template <class Input, class Output, class Operator, class T, class Count>
    static cudaError_t exclusive(const char* name, void* storage, std::size_t& bytes, Input input,
                                 Output output, Operator scan, T initial, Count count,
                                 cudaStream_t stream) {
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(name, storage, bytes, stream)
            .reads(input, n)
            .writes(output, n)
            .run(n / 64,
                 [=]() mutable { scan_exclusive(input, output, scan, now(initial), 0, n); });
    }
    template <class Input, class Output, class Operator, class T, class Count>
    static cudaError_t inclusive(const char* name, void* storage, std::size_t& bytes, Input input,
                                 Output output, Operator scan, T initial, Count count,
                                 cudaStream_t stream) {
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(name, storage, bytes, stream)
            .reads(input, n)
            .writes(output, n)
            .run(n / 64,
                 [=]() mutable { scan_inclusive(input, output, scan, now(initial), 0, n); });
    }
    template <class Keys, class Input, class Output, class Operator, class T, class Count,
              class Equals>
    static cudaError_t by_key(const char* name, void* storage, std::size_t& bytes, Keys keys,
                              Input input, Output output, Operator scan, T initial, Count count,
                              Equals equals, cudaStream_t stream) {
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(name, storage, bytes, stream)
            .reads(keys, n)
            .reads(input, n)
            .writes(output, n)
            .run(n / 64, [=]() mutable {
                for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
                    while (++end < n && equals(keys[end - 1], keys[end])) {
                    }
                    if constexpr (is_value<T>) {
                        scan_exclusive(input, output, scan, initial, begin, end);
                    } else {
                        scan_inclusive(input, output, scan, initial, begin, end);
                    }
                }
            });
    }
};

}  // namespace cub
