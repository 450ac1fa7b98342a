// SPDX-License-Identifier: MIT
#error "texture fetching is not available on the CPU engine: read through a plain pointer"
