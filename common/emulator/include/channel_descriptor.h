// SPDX-License-Identifier: MIT
// Channel format types, for programs that include this part of cuda_runtime.h by itself.
#pragma once

#include <cuda_runtime_api.h>
