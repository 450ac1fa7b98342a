// SPDX-License-Identifier: MIT
#pragma once

#include <string>

// Runs the kernel of that name on `threads` threads in blocks of `block_size`. Its parameters are
// `int data[]`, where data[i] = i, and `int out[]`. False: it is unknown, or it failed.
bool run_kernel(const std::string& name, int threads, int block_size);
