// SPDX-License-Identifier: MIT
// A named range on the time line of a profiler (NVTX, from the CUDA toolkit). It does nothing
// without the toolkit, or without a profiler.
#pragma once

#include <string>

namespace course {

class NvtxRange {
  public:
    explicit NvtxRange(const std::string& name);
    NvtxRange(const NvtxRange&) = delete;
    NvtxRange& operator=(const NvtxRange&) = delete;
    ~NvtxRange();
};

}  // namespace course
