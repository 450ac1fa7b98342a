// SPDX-License-Identifier: MIT
// `extern __shared__ T name[];` outside a function: what the translator makes of it.
#pragma once

#include <emulator/thread.hpp>

namespace emulator {

// Is used as the array would be: it converts to a pointer to the running block's memory.
template <class T>
struct DynamicShared {
    operator T*() const { return static_cast<T*>(dynamic_shared_memory()); }
    // For casts, as where one array is cut into several of other types.
    template <class Other>
    explicit operator Other*() const {
        return static_cast<Other*>(dynamic_shared_memory());
    }
};

}  // namespace emulator
