// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/curand/mtgp32.hpp"
