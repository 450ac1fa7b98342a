// SPDX-License-Identifier: MIT
#error "texture references were removed in CUDA 12: use texture objects (cudaCreateTextureObject)"
