// SPDX-License-Identifier: MIT
#error "surface references were removed in CUDA 12: use surface objects (cudaCreateSurfaceObject)"
