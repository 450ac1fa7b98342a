// SPDX-License-Identifier: MIT
#error "surface access is not available on the CPU engine: read and write through a plain pointer"
