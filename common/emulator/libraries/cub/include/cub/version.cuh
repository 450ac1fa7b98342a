// SPDX-License-Identifier: MIT
// The version of CUB whose results the engine gives: MMMmmmpp.
#pragma once

#define CUB_VERSION 300001
#define CUB_MAJOR_VERSION 3
#define CUB_MINOR_VERSION 0
#define CUB_SUBMINOR_VERSION 1
#define CUB_PATCH_NUMBER 0
