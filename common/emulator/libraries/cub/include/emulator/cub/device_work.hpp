// SPDX-License-Identifier: MIT
// CUB's algorithms for a whole device. Here the host runs each of them, when its turn in the stream
// comes. The calls keep CUB's protocol: without temporary storage a call says how much it needs.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <emulator/cub/operators.hpp>
#include <emulator/for_libraries/library_work.hpp>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace emulator {

template <class Iterator>
using ItemOf = std::remove_cv_t<std::remove_reference_t<decltype(*std::declval<Iterator&>())>>;

// What an output takes. An output that discards all takes what it is given.
template <class Iterator, class Otherwise>
using OutputItem = std::conditional_t<std::is_pointer_v<Iterator>, ItemOf<Iterator>, Otherwise>;

// Only the memory behind pointers is known.
template <class Iterator>
LibraryRange range_of(Iterator data, std::size_t count, bool is_upper_bound = false) {
    if constexpr (std::is_pointer_v<Iterator>) {
        return {data, count * sizeof(*data), is_upper_bound};
    } else {
        return {};
    }
}

// One call of an algorithm.
class DeviceCall {
  public:
    DeviceCall(const char* function, void* storage, std::size_t& bytes, cudaStream_t stream)
        : function_(function), storage_(storage), bytes_(bytes), stream_(stream) {}

    // Each adds memory that the work reads or writes; `count` in items.
    template <class Iterator>
    DeviceCall& reads(Iterator data, std::size_t count) {
        read_.push_back(range_of(data, count));
        return *this;
    }
    template <class Iterator>
    DeviceCall& writes(Iterator data, std::size_t count) {
        written_.push_back(range_of(data, count));
        return *this;
    }
    // An output of unknown size, at most `count`; the work writes it with write_output().
    template <class Iterator>
    DeviceCall& writes_up_to(Iterator data, std::size_t count) {
        written_.push_back(range_of(data, count, true));
        return *this;
    }

    // Queues the work, or says how much temporary storage it needs. CUB's own needs differ with the
    // device and the version.
    template <class Work>
    cudaError_t run(std::size_t needed, Work work) {
        constexpr std::size_t kLeast = 1024;
        needed = (needed + kLeast + 255) / 256 * 256;
        if (storage_ == nullptr) {
            bytes_ = needed;
            return cudaSuccess;
        }
        if (bytes_ < needed) {
            return refuse_library_call(
                function_, "the temporary storage is smaller than the call without storage said");
        }
        written_.push_back({storage_, needed});
        return queue_library_work(function_, stream_, std::move(written_), std::move(read_),
                                  std::move(work));
    }

  private:
    const char* function_;
    void* storage_;
    std::size_t& bytes_;
    cudaStream_t stream_;
    std::vector<LibraryRange> written_;
    std::vector<LibraryRange> read_;
};

// Writes an output whose size is known only now.
template <class Iterator, class T>
void write_output(const char* function, Iterator output, const std::vector<T>& values) {
    if constexpr (std::is_pointer_v<Iterator>) {
        if (!admit_output(function, output, values.size() * sizeof(*output))) return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) output[i] = values[i];
}

struct CubLess {
    template <class T>
    bool operator()(const T& a, const T& b) const {
        return a < b;
    }
};
// std::vector<bool> has no items.
template <class T>
using Items = std::vector<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>>;

template <class Iterator>
Items<ItemOf<Iterator>> copy_of(Iterator input, std::size_t count) {
    Items<ItemOf<Iterator>> items;
    items.reserve(count);
    for (std::size_t i = 0; i < count; ++i) items.push_back(input[i]);
    return items;
}

// Joins the items from `first` on. Sums of floating-point numbers are made pairwise: a GPU adds
// partial sums, too, and one sum after the other would lose far more digits.
template <class Sum, class Get, class Operator>
Sum join_items(Get& get, std::size_t first, std::size_t count, Operator& join) {
    constexpr std::size_t kRun = 64;
    if (count <= kRun) {
        Sum sum = get(first);
        for (std::size_t i = 1; i < count; ++i) sum = join(sum, get(first + i));
        return sum;
    }
    const std::size_t half = (count / 2 + kRun - 1) / kRun * kRun;
    const Sum left = join_items<Sum>(get, first, half, join);
    return join(left, join_items<Sum>(get, first + half, count - half, join));
}

// The type in which CUB accumulates.
template <class Operator, class Initial, class Item>
using Accumulated = std::decay_t<std::invoke_result_t<Operator&, Initial, Item>>;

template <class Get, class Operator, class Initial>
auto join_with_initial(Get get, std::size_t count, Operator& join, const Initial& initial) {
    using Sum = Accumulated<Operator, Initial, decltype(get(0))>;
    if (count == 0) return static_cast<Sum>(initial);
    return static_cast<Sum>(join(static_cast<Sum>(initial), join_items<Sum>(get, 0, count, join)));
}

}  // namespace emulator
