// SPDX-License-Identifier: MIT
// CUB's DeviceReduce.
#pragma once

#include <emulator/cub/device_work.hpp>
#include <limits>

namespace emulator {

// The position of the smallest item, by `less`; of equal ones, the first.
template <class Iterator, class Less>
std::size_t first_extreme(Iterator input, std::size_t first, std::size_t last, Less less) {
    std::size_t best = first;
    for (std::size_t i = first + 1; i < last; ++i) {
        if (less(input[i], input[best])) best = i;
    }
    return best;
}

struct CubGreater {
    template <class T>
    bool operator()(const T& a, const T& b) const {
        return b < a;
    }
};

// The results of empty inputs.
template <class T>
T largest_value() {
    return std::numeric_limits<T>::max();
}
template <class T>
T smallest_value() {
    return std::numeric_limits<T>::lowest();
}

}  // namespace emulator

namespace cub {

struct DeviceReduce {
    template <class Input, class Output, class Operator, class T, class Count>
    static cudaError_t Reduce(void* storage, std::size_t& bytes, Input input, Output output,
                              Count count, Operator reduce, T initial, cudaStream_t stream = 0) {
        return run("cub::DeviceReduce::Reduce", storage, bytes, input, output, count, reduce,
                   initial, stream);
    }
    template <class Input, class Output, class Count>
    static cudaError_t Sum(void* storage, std::size_t& bytes, Input input, Output output,
                           Count count, cudaStream_t stream = 0) {
        using T = emulator::OutputItem<Output, emulator::ItemOf<Input>>;
        return run("cub::DeviceReduce::Sum", storage, bytes, input, output, count, cub::Sum(), T{},
                   stream);
    }
    template <class Input, class Output, class Count>
    static cudaError_t Min(void* storage, std::size_t& bytes, Input input, Output output,
                           Count count, cudaStream_t stream = 0) {
        using T = emulator::ItemOf<Input>;
        return run("cub::DeviceReduce::Min", storage, bytes, input, output, count, cub::Min(),
                   emulator::largest_value<T>(), stream);
    }
    template <class Input, class Output, class Count>
    static cudaError_t Max(void* storage, std::size_t& bytes, Input input, Output output,
                           Count count, cudaStream_t stream = 0) {
        using T = emulator::ItemOf<Input>;
        return run("cub::DeviceReduce::Max", storage, bytes, input, output, count, cub::Max(),
                   emulator::smallest_value<T>(), stream);
    }
    // The output is a KeyValuePair<int, T>: the index and the value.
    template <class Input, class Output>
    static cudaError_t ArgMin(void* storage, std::size_t& bytes, Input input, Output output,
                              int count, cudaStream_t stream = 0) {
        return find_pair("cub::DeviceReduce::ArgMin", storage, bytes, input, output, count,
                         emulator::CubLess(), emulator::largest_value<emulator::ItemOf<Input>>(),
                         stream);
    }
    template <class Input, class Output>
    static cudaError_t ArgMax(void* storage, std::size_t& bytes, Input input, Output output,
                              int count, cudaStream_t stream = 0) {
        return find_pair("cub::DeviceReduce::ArgMax", storage, bytes, input, output, count,
                         emulator::CubGreater(),
                         emulator::smallest_value<emulator::ItemOf<Input>>(), stream);
    }
    template <class Input, class Output, class Index>
    static cudaError_t ArgMin(void* storage, std::size_t& bytes, Input input, Output extreme,
                              Index index, long long count, cudaStream_t stream = 0) {
        return find("cub::DeviceReduce::ArgMin", storage, bytes, input, extreme, index, count,
                    emulator::CubLess(), emulator::largest_value<emulator::ItemOf<Input>>(),
                    stream);
    }
    template <class Input, class Output, class Index>
    static cudaError_t ArgMax(void* storage, std::size_t& bytes, Input input, Output extreme,
                              Index index, long long count, cudaStream_t stream = 0) {
        return find("cub::DeviceReduce::ArgMax", storage, bytes, input, extreme, index, count,
                    emulator::CubGreater(), emulator::smallest_value<emulator::ItemOf<Input>>(),
                    stream);
    }
    template <class Input, class Output, class Operator, class Transform, class T, class Count>
    static cudaError_t TransformReduce(void* storage, std::size_t& bytes, Input input,
                                       Output output, Count count, Operator reduce,
                                       Transform transform, T initial, cudaStream_t stream = 0) {
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall("cub::DeviceReduce::TransformReduce", storage, bytes, stream)
            .reads(input, n)
            .writes(output, 1)
            .run(0, [=]() mutable {
                *output = emulator::join_with_initial(
                    [&](std::size_t i) { return transform(input[i]); }, n, reduce, initial);
            });
    }
    template <class Keys, class Unique, class Values, class Aggregates, class Runs, class Operator,
              class Count>
    static cudaError_t ReduceByKey(void* storage, std::size_t& bytes, Keys keys, Unique unique,
                                   Values values, Aggregates aggregates, Runs runs, Operator reduce,
                                   Count count, cudaStream_t stream = 0) {
        constexpr const char* kName = "cub::DeviceReduce::ReduceByKey";
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(kName, storage, bytes, stream)
            .reads(keys, n)
            .reads(values, n)
            .writes_up_to(unique, n)
            .writes_up_to(aggregates, n)
            .writes(runs, 1)
            .run(n / 64, [=]() mutable {
                using Value = emulator::ItemOf<Values>;
                using Sum = emulator::Accumulated<Operator, Value, Value>;
                emulator::Items<emulator::ItemOf<Keys>> firsts;
                emulator::Items<Sum> sums;
                for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
                    while (++end < n && keys[end] == keys[begin]) {
                    }
                    const auto get = [&](std::size_t i) -> Sum { return values[i]; };
                    firsts.push_back(keys[begin]);
                    sums.push_back(emulator::join_items<Sum>(get, begin, end - begin, reduce));
                }
                emulator::write_output(kName, unique, firsts);
                emulator::write_output(kName, aggregates, sums);
                *runs = static_cast<emulator::OutputItem<Runs, int>>(firsts.size());
            });
    }

  private:
    template <class Input, class Output, class Operator, class T, class Count>
    static cudaError_t run(const char* name, void* storage, std::size_t& bytes, Input input,
                           Output output, Count count, Operator reduce, T initial,
                           cudaStream_t stream) {
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(name, storage, bytes, stream)
            .reads(input, n)
            .writes(output, 1)
            .run(0, [=]() mutable {
                *output = emulator::join_with_initial(
                    [&](std::size_t i) -> emulator::ItemOf<Input> { return input[i]; }, n, reduce,
                    initial);
            });
    }
    template <class Input, class Output, class Less, class T>
    static cudaError_t find_pair(const char* name, void* storage, std::size_t& bytes, Input input,
                                 Output output, int count, Less less, T otherwise,
                                 cudaStream_t stream) {
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(name, storage, bytes, stream)
            .reads(input, n)
            .writes(output, 1)
            .run(0, [=]() mutable {
                using Pair = emulator::OutputItem<Output, KeyValuePair<int, T>>;
                const std::size_t best = emulator::first_extreme(input, 0, n, less);
                *output = n == 0 ? Pair{1, otherwise} : Pair{static_cast<int>(best), input[best]};
            });
    }
    template <class Input, class Output, class Index, class Less, class T>
    static cudaError_t find(const char* name, void* storage, std::size_t& bytes, Input input,
                            Output extreme, Index index, long long count, Less less, T otherwise,
                            cudaStream_t stream) {
        const auto n = static_cast<std::size_t>(count);
        return emulator::DeviceCall(name, storage, bytes, stream)
            .reads(input, n)
            .writes(extreme, 1)
            .writes(index, 1)
            .run(0, [=]() mutable {
                const std::size_t best = emulator::first_extreme(input, 0, n, less);
                *extreme = n == 0 ? otherwise : static_cast<T>(input[best]);
                *index = static_cast<emulator::OutputItem<Index, long long>>(best);
            });
    }
};

}  // namespace cub
