// SPDX-License-Identifier: MIT
// A named range on a profiler's time line (NVTX, from the CUDA toolkit). Without the toolkit, or
// without a profiler, it does nothing.
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
