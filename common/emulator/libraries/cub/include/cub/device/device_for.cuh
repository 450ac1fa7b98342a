// SPDX-License-Identifier: MIT
// CUB's DeviceFor: a function for each index or item.
#pragma once

#include <emulator/cub/device_work.hpp>

namespace cub {

struct DeviceFor {
    template <class Count, class Operator>
    static cudaError_t Bulk(Count count, Operator work, cudaStream_t stream = {}) {
        return run("cub::DeviceFor::Bulk", static_cast<int*>(nullptr), 0, count, work, stream,
                   [](int*, std::size_t i, Operator& call) { call(static_cast<Count>(i)); });
    }
    template <class Iterator, class Count, class Operator>
    static cudaError_t ForEachN(Iterator first, Count count, Operator work,
                                cudaStream_t stream = {}) {
        return run("cub::DeviceFor::ForEachN", first, static_cast<std::size_t>(count), count, work,
                   stream, [](Iterator data, std::size_t i, Operator& call) { call(data[i]); });
    }
    template <class Iterator, class Operator>
    static cudaError_t ForEach(Iterator first, Iterator last, Operator work,
                               cudaStream_t stream = {}) {
        return ForEachN(first, last - first, work, stream);
    }
    // The function gets copies of the items.
    template <class Iterator, class Count, class Operator>
    static cudaError_t ForEachCopyN(Iterator first, Count count, Operator work,
                                    cudaStream_t stream = {}) {
        return run("cub::DeviceFor::ForEachCopyN", first, static_cast<std::size_t>(count), count,
                   work, stream, [](Iterator data, std::size_t i, Operator& call) {
                       emulator::ItemOf<Iterator> item = data[i];
                       call(item);
                   });
    }
    template <class Iterator, class Operator>
    static cudaError_t ForEachCopy(Iterator first, Iterator last, Operator work,
                                   cudaStream_t stream = {}) {
        return ForEachCopyN(first, last - first, work, stream);
    }

#define EMULATOR_CUB_FOR(Name)                                                           \
    template <class... Arguments>                                                        \
    static cudaError_t Name(void* storage, std::size_t& bytes, Arguments... arguments) { \
        if (storage != nullptr) return Name(arguments...);                               \
        bytes = 1;                                                                       \
        return cudaSuccess;                                                              \
    }
    EMULATOR_CUB_FOR(Bulk)
    EMULATOR_CUB_FOR(ForEachN)
    EMULATOR_CUB_FOR(ForEach)
    EMULATOR_CUB_FOR(ForEachCopyN)
    EMULATOR_CUB_FOR(ForEachCopy)
#undef EMULATOR_CUB_FOR

  private:
    template <class Iterator, class Count, class Operator, class Call>
    static cudaError_t run(const char* name, Iterator data, std::size_t items, Count count,
                           Operator work, cudaStream_t stream, Call call) {
        std::vector<emulator::LibraryRange> used;
        if constexpr (std::is_pointer_v<Iterator>) {
            used.push_back(emulator::range_of(
                const_cast<std::remove_const_t<std::remove_pointer_t<Iterator>>*>(data), items));
        }
        return emulator::queue_library_work(name, stream, used, used, [=]() mutable {
            for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) call(data, i, work);
        });
    }
};

}  // namespace cub
