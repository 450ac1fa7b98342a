// SPDX-License-Identifier: MIT
// Older programs include this part of cuda_runtime.h by itself.
#pragma once

#include <cuda_runtime.h>
