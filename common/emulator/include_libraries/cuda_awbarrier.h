// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_awbarrier_primitives.h>
