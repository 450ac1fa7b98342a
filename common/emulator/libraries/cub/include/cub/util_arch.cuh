// SPDX-License-Identifier: MIT
// CUB's constants of the architecture.
#pragma once

#define CUB_PTX_WARP_THREADS 32
#define CUB_WARP_THREADS(unused) 32
#define CUB_PTX_LOG_WARP_THREADS 5
#define CUB_LOG_WARP_THREADS(unused) 5
