// SPDX-License-Identifier: MIT
// Reads memory as fast as a device can: bandwidth_probe.cu in OpenCL C.
#define UNROLL 4  // loads in flight per work-item

__kernel void read_kernel(__global const volatile uint4* memory, long count, int passes,
                          __global uint* sink) {
    const long stride = get_global_size(0);
    uint mixed = 0;
    for (int pass = 0; pass < passes; ++pass) {
        for (long i = get_global_id(0); i < count; i += UNROLL * stride) {
            for (int k = 0; k < UNROLL; ++k) {
                const long at = i + k * stride;
                if (at < count) {
                    // volatile: later passes over a small buffer must read it again, past L1.
                    const uint4 value = memory[at];
                    mixed ^= value.x ^ value.y ^ value.z ^ value.w ^ (uint)pass;
                }
            }
        }
    }
    // Never true for the zeros that are read, but the compiler cannot know.
    if (mixed == 0x9e3779b9U) *sink = mixed;
}
