// SPDX-License-Identifier: MIT
// Does not compile, in line 4.
__kernel void wrong_kernel(__global int* values) {
    values[0] = undeclared;
    values[1] = 1;
}
