// SPDX-License-Identifier: MIT
#pragma once

#include <cooperative_groups.h>

#include <concepts>
#include <emulator/groups/group_operators.hpp>
#include <type_traits>

namespace cooperative_groups {

// The operation over the values of all members, in every member. For tiles and coalesced groups.
// Sums of reals are taken in a fixed order, which is not the GPU's: compare with tolerances.
template <class Group, class Value, class Operation>
auto reduce(const Group& group, Value&& value, Operation&& operation);

// Over several warps: the results of the warps, in their order.
template <unsigned int Size, class Parent, class Value, class Operation>
requires(Size > 32) auto reduce(const thread_block_tile<Size, Parent>& tile, Value&& value,
                                Operation&& operation) {
    const auto of_warp =
        reduce(tiled_partition<32>(this_thread_block()), std::forward<Value>(value), operation);
    auto total = tile.shfl(of_warp, 0);
    for (unsigned int first = 32; first < tile.num_threads(); first += 32) {
        total = operation(total, tile.shfl(of_warp, first));
    }
    return total;
}

template <class Group, class Value, class Operation>
auto reduce(const Group& group, Value&& value, Operation&& operation) {
    using T = std::remove_cvref_t<Value>;
    using Op = std::remove_cvref_t<Operation>;
    const unsigned int mask = group.lanes().mask();
    if constexpr (std::same_as<T, int> || std::same_as<T, unsigned int>) {
        // One collective, as the hardware's redux instruction.
        if constexpr (std::same_as<Op, plus<T>>) return __reduce_add_sync(mask, value);
        if constexpr (std::same_as<Op, less<T>>) return __reduce_min_sync(mask, value);
        if constexpr (std::same_as<Op, greater<T>>) return __reduce_max_sync(mask, value);
        const auto bits = static_cast<unsigned int>(value);
        if constexpr (std::same_as<Op, bit_and<T>>) {
            return static_cast<T>(__reduce_and_sync(mask, bits));
        }
        if constexpr (std::same_as<Op, bit_or<T>>) {
            return static_cast<T>(__reduce_or_sync(mask, bits));
        }
        if constexpr (std::same_as<Op, bit_xor<T>>) {
            return static_cast<T>(__reduce_xor_sync(mask, bits));
        }
    }
    // Each step adds the neighbouring partial result of the next higher ranks, so the order of the
    // operands is kept and only associativity is asked of the operation.
    T total = value;
    const unsigned int count = group.num_threads();
    for (unsigned int distance = 1; distance < count; distance *= 2) {
        const T other = group.shfl_down(total, distance);
        if (group.thread_rank() + distance < count) total = operation(total, other);
    }
    return group.shfl(total, 0);
}

}  // namespace cooperative_groups
