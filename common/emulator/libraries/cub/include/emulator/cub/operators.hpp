// SPDX-License-Identifier: MIT
// CUB's operators and pairs.
#pragma once

#include <cuda_runtime.h>

namespace cub {

// In place of a type of values: there are none.
struct NullType {};

struct Equality {
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
        return a == b;
    }
};
struct Inequality {
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
        return a != b;
    }
};
template <class Equals>
struct InequalityWrapper {
    Equals equals;
    template <class T>
    bool operator()(const T& a, const T& b) const {
        return !equals(a, b);
    }
};
struct Difference {
    template <class T>
    T operator()(const T& a, const T& b) const {
        return a - b;
    }
};
struct Division {
    template <class T>
    T operator()(const T& a, const T& b) const {
        return a / b;
    }
};
template <class To>
struct CastOp {
    template <class From>
    To operator()(From&& value) const {
        return static_cast<To>(value);
    }
};

struct Sum {
    template <class T>
    T operator()(const T& a, const T& b) const {
        return a + b;
    }
};
struct Max {
    template <class T>
    T operator()(const T& a, const T& b) const {
        return b > a ? b : a;
    }
};
struct Min {
    template <class T>
    T operator()(const T& a, const T& b) const {
        return b < a ? b : a;
    }
};

template <class KeyType, class ValueType>
struct KeyValuePair {
    using Key = KeyType;
    using Value = ValueType;
    Key key;
    Value value;
};

// The pair with the largest or smallest value; of equal values, the one with the smallest key.
struct ArgMax {
    template <class K, class V>
    KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class K, class V>
    KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

}  // namespace cub

namespace emulator {

inline int cub_thread() {
    return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}

}  // namespace emulator
