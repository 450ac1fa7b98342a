// SPDX-License-Identifier: MIT
// The translator makes this of `extern __shared__ T name[];` outside a function.
#pragma once

#include <emulator/thread.hpp>

namespace emulator {

// Is used like the array: it converts to a pointer to the running block's memory.
template <class T>
struct DynamicShared {
    operator T*() const { return static_cast<T*>(dynamic_shared_memory()); }
    // For casts, for example where one array is cut into several of other types.
    template <class Other>
    explicit operator Other*() const {
        return static_cast<Other*>(dynamic_shared_memory());
    }
};

}  // namespace emulator
