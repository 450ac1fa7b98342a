// SPDX-License-Identifier: MIT
// CUB's scans of one thread's own items.
#pragma once

#include <emulator/cub/operators.hpp>

namespace cub {

// Each returns the aggregate: the prefix, where there is one, and all items.
template <int kItems, class T, class Operator>
T ThreadScanExclusive(const T (&input)[kItems], T (&output)[kItems], Operator scan, T prefix,
                      bool apply_prefix = true) {
    T sum = apply_prefix ? prefix : input[0];
    if (apply_prefix) output[0] = prefix;
    for (int i = apply_prefix ? 0 : 1; i < kItems; ++i) {
        const T item = input[i];  // the output may be the input
        output[i] = sum;
        sum = scan(sum, item);
    }
    return sum;
}
template <int kItems, class T, class Operator>
T ThreadScanInclusive(const T (&input)[kItems], T (&output)[kItems], Operator scan) {
    T sum = input[0];
    output[0] = sum;
    for (int i = 1; i < kItems; ++i) output[i] = sum = scan(sum, input[i]);
    return sum;
}
template <int kItems, class T, class Operator>
T ThreadScanInclusive(const T (&input)[kItems], T (&output)[kItems], Operator scan, T prefix,
                      bool apply_prefix = true) {
    T sum = apply_prefix ? scan(prefix, input[0]) : input[0];
    output[0] = sum;
    for (int i = 1; i < kItems; ++i) output[i] = sum = scan(sum, input[i]);
    return sum;
}

}  // namespace cub
