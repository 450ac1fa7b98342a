// SPDX-License-Identifier: MIT
// Cache modifiers mean nothing here: the iterator is the pointer.
#pragma once

#include <cstddef>

#include "../thread/thread_load.cuh"

namespace cub {

template <CacheLoadModifier kModifier, class T, class Offset = std::ptrdiff_t>
class CacheModifiedInputIterator {
  public:
    explicit CacheModifiedInputIterator(const T* data) : data_(data) {}
    operator const T*() const { return data_; }

  private:
    const T* data_;
};

}  // namespace cub
