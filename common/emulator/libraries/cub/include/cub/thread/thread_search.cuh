// SPDX-License-Identifier: MIT
// CUB's binary searches by one thread, in sorted input.
#pragma once

#include <cuda_runtime.h>

namespace cub {

// The first position whose item is not less than the value.
template <class Iterator, class Offset, class T>
Offset LowerBound(Iterator input, Offset count, T value) {
    Offset first = 0;
    while (count > 0) {
        const Offset half = count / 2;
        if (input[first + half] < value) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}
// The first position whose item is greater than the value.
template <class Iterator, class Offset, class T>
Offset UpperBound(Iterator input, Offset count, T value) {
    Offset first = 0;
    while (count > 0) {
        const Offset half = count / 2;
        if (value < input[first + half]) {
            count = half;
        } else {
            first += half + 1;
            count -= half + 1;
        }
    }
    return first;
}
// Where the diagonal of a merge of `a` and `b` crosses the merge path.
template <class A, class B, class Offset, class Coordinate>
void MergePathSearch(Offset diagonal, A a, B b, Offset a_count, Offset b_count,
                     Coordinate& coordinate) {
    Offset low = diagonal > b_count ? diagonal - b_count : 0;
    Offset high = diagonal < a_count ? diagonal : a_count;
    while (low < high) {
        const Offset middle = low + (high - low) / 2;
        if (a[middle] <= b[diagonal - middle - 1]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    coordinate.x = low < a_count ? low : a_count;
    coordinate.y = diagonal - low;
}

}  // namespace cub
