// SPDX-License-Identifier: MIT
// CUB's DoubleBuffer.
#pragma once

namespace cub {

// Two arrays of one length; the sorted items are in the current one.
template <class T>
struct DoubleBuffer {
    T* d_buffers[2] = {nullptr, nullptr};
    int selector = 0;

    DoubleBuffer() = default;
    DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
    T* Current() const { return d_buffers[selector]; }
    T* Alternate() const { return d_buffers[selector ^ 1]; }
};

}  // namespace cub
