// SPDX-License-Identifier: MIT
// needed_gpu() of a stage whose record has the key minimum_sm. Meson defines the two names.
#include "common/backends/needed_gpu.hpp"

namespace course {

NeededGpu needed_gpu() { return {MINIMUM_SM, NEEDED_GPU}; }

}  // namespace course
