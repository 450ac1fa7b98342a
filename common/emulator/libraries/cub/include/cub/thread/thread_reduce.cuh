// SPDX-License-Identifier: MIT
// CUB's ThreadReduce: one thread joins its own items.
#pragma once

#include <emulator/cub/operators.hpp>

namespace cub {

template <class T, int kItems, class Operator>
T ThreadReduce(const T (&items)[kItems], Operator reduce) {
    T result = items[0];
    for (int i = 1; i < kItems; ++i) result = reduce(result, items[i]);
    return result;
}
template <class T, int kItems, class Operator, class Prefix>
auto ThreadReduce(const T (&items)[kItems], Operator reduce, Prefix prefix) {
    Prefix result = prefix;
    for (int i = 0; i < kItems; ++i) result = reduce(result, items[i]);
    return result;
}

}  // namespace cub
