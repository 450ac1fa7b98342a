// SPDX-License-Identifier: MIT
#pragma once

#include <cooperative_groups.h>

#include <emulator/groups/group_operators.hpp>
#include <type_traits>

namespace cooperative_groups {

// The operation over the values of the members of lower rank and the caller's own. For tiles and
// coalesced groups.
template <class Group, class Value, class Operation = plus<std::remove_cvref_t<Value>>>
auto inclusive_scan(const Group& group, Value&& value, Operation&& operation = {}) {
    std::remove_cvref_t<Value> total = value;
    for (unsigned int distance = 1; distance < group.num_threads(); distance *= 2) {
        const auto lower = group.shfl_up(total, distance);
        if (group.thread_rank() >= distance) total = operation(lower, total);
    }
    return total;
}

// The same without the caller's own value; zero in the member of rank 0.
template <class Group, class Value, class Operation = plus<std::remove_cvref_t<Value>>>
auto exclusive_scan(const Group& group, Value&& value, Operation&& operation = {}) {
    using T = std::remove_cvref_t<Value>;
    const T lower = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? T{} : lower;
}

}  // namespace cooperative_groups
