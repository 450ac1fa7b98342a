// SPDX-License-Identifier: MIT
// Memory in rows and slices, and copies of it: parameters of cudaMemcpy3D(), cudaMemcpy3DPeer() and
// of a graph's copy nodes. Part of <cuda_runtime_api.h>.
#pragma once

#include <cstddef>

struct cudaArray;
typedef cudaArray* cudaArray_t;
typedef const cudaArray* cudaArray_const_t;

// `pitch` bytes lie between two rows; a slice has `ysize` rows.
struct cudaPitchedPtr {
    void* ptr;
    std::size_t pitch;
    std::size_t xsize;
    std::size_t ysize;
};

// The width is in bytes for pointers, in elements if an array takes part in the copy.
struct cudaExtent {
    std::size_t width;
    std::size_t height;
    std::size_t depth;
};

struct cudaPos {
    std::size_t x;
    std::size_t y;
    std::size_t z;
};

struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};

struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    int dstDevice;
    cudaExtent extent;
};

inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, std::size_t pitch, std::size_t width,
                                          std::size_t height) {
    return {pointer, pitch, width, height};
}
inline cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z) { return {x, y, z}; }
inline cudaExtent make_cudaExtent(std::size_t width, std::size_t height, std::size_t depth) {
    return {width, height, depth};
}
