// SPDX-License-Identifier: MIT
// The old name of NVTX's header.
#pragma once

#include <nvtx3/nvToolsExt.h>
