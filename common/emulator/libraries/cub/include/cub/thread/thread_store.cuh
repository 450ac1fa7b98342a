// SPDX-License-Identifier: MIT
// CUB's ThreadStore: the cache modifiers mean nothing here.
#pragma once

#include <cuda_runtime.h>

namespace cub {

enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

template <CacheStoreModifier kModifier, class Iterator, class T>
void ThreadStore(Iterator target, T value) {
    *target = value;
}

}  // namespace cub
