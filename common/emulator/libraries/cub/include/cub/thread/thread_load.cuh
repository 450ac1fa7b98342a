// SPDX-License-Identifier: MIT
// CUB's ThreadLoad: the cache modifiers mean nothing here.
#pragma once

#include <cuda_runtime.h>

namespace cub {

enum CacheLoadModifier {
    LOAD_DEFAULT,
    LOAD_CA,
    LOAD_CG,
    LOAD_CS,
    LOAD_CV,
    LOAD_LDG,
    LOAD_VOLATILE
};

template <CacheLoadModifier kModifier, class Iterator>
auto ThreadLoad(Iterator source) {
    return *source;
}

}  // namespace cub
