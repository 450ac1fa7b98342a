// SPDX-License-Identifier: MIT
// cuRAND's device API for the CPU engine: all its generators and distributions.
//
// Integers and uniform reals are bit-identical to NVIDIA's for the same seed, subsequence and
// offset. Normal reals come from the same integers by the same formula, but the GPU's logarithm,
// sine and cosine differ in the last bits. The states have NVIDIA's sizes and members.
#pragma once

#include "emulator/curand/discrete.hpp"
#include "emulator/curand/draws.hpp"

typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;
