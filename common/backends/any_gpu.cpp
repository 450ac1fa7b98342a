// SPDX-License-Identifier: MIT
// needed_gpu() of most stages. A stage that needs a newer GPU links the one of newer_gpu.cpp, and
// the linker leaves this file out.
#include "common/backends/needed_gpu.hpp"

namespace course {

NeededGpu needed_gpu() { return {}; }

}  // namespace course
