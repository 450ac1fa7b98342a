// SPDX-License-Identifier: MIT
#pragma once

#include "device_copy.cuh"
