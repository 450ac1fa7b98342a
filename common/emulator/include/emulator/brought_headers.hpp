// SPDX-License-Identifier: MIT
// Headers of the standard library that the toolkit's cooperative_groups.h and libcu++ bring along
// (nvcc 13.0 -M), because programs rely on them.
#pragma once

#include <cassert>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
