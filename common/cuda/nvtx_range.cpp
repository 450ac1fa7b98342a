// SPDX-License-Identifier: MIT
#include "common/cuda/nvtx_range.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

namespace course {

#if __has_include(<nvtx3/nvToolsExt.h>)
NvtxRange::NvtxRange(const std::string& name) { nvtxRangePushA(name.c_str()); }
NvtxRange::~NvtxRange() { nvtxRangePop(); }
#else
NvtxRange::NvtxRange(const std::string&) {}
NvtxRange::~NvtxRange() {}
#endif

}  // namespace course
