// SPDX-License-Identifier: MIT
// The waves of wave_cases.cuh for a kernel with split particles. Included behind a stage, in an
// unnamed namespace where kKernel is the kernel, and kSharedBytes what it needs in shared memory.

void launch_wave(float* layer, std::int64_t size, const std::int64_t* positions, const int* values,
                 std::int64_t count) {
    course::allow_dynamic_shared(kKernel, kSharedBytes);
    kKernel<<<(size + kTile - 1) / kTile, 32 * kWarps, kSharedBytes>>>(
        layer, size, positions, values, static_cast<unsigned>(count));
}

#include "tests/chapters/storms/wave_cases.cuh"
