// SPDX-License-Identifier: MIT
// The kernels of the calibration: a warp reads its lanes' elements, makes one access of interest,
// and writes the result.
#include <cuda_runtime.h>

#include "calibration_kernels.hpp"

namespace {

constexpr int kElements = 2048;  // in global memory, of at most 16 bytes
constexpr int kSharedBytes = 32 * 1024;

__device__ void set(unsigned& value, unsigned to) { value = to; }
__device__ void set(uint2& value, unsigned to) { value = make_uint2(to, to); }
__device__ void set(uint4& value, unsigned to) { value = make_uint4(to, to, to, to); }

template <class T>
__global__ void load_shared_kernel(const int* elements, T* out) {
    constexpr int kCount = kSharedBytes / static_cast<int>(sizeof(T));
    __shared__ T s_values[kCount];
    const int element = elements[threadIdx.x];
    for (int i = static_cast<int>(threadIdx.x); i < kCount; i += 32) {
        T value;
        set(value, static_cast<unsigned>(i));
        s_values[i] = value;
    }
    __syncthreads();
    out[threadIdx.x] = s_values[element];
}

template <class T>
__global__ void store_shared_kernel(const int* elements, T* out) {
    __shared__ T s_values[kSharedBytes / sizeof(T)];
    T value;
    set(value, threadIdx.x);
    s_values[elements[threadIdx.x]] = value;
    __syncthreads();
    out[threadIdx.x] = s_values[threadIdx.x];
}

__global__ void update_shared_kernel(const int* elements, unsigned* out) {
    __shared__ unsigned s_values[kSharedBytes / sizeof(unsigned)];
    atomicAdd(&s_values[elements[threadIdx.x]], threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = s_values[threadIdx.x];
}

template <class T>
__global__ void load_global_kernel(const int* elements, const T* in, T* out) {
    out[threadIdx.x] = in[elements[threadIdx.x]];
}

template <class T>
__global__ void store_global_kernel(const int* elements, T* out) {
    T value;
    set(value, threadIdx.x);
    out[elements[threadIdx.x]] = value;
}

__global__ void reduce_global_kernel(const int* elements, unsigned* out) {
    atomicAdd(&out[elements[threadIdx.x]], threadIdx.x);
}

__global__ void update_global_kernel(const int* elements, unsigned* values, unsigned* out) {
    out[threadIdx.x] = atomicAdd(&values[elements[threadIdx.x]], threadIdx.x);
}

}  // namespace

bool run_calibration(const std::string& operation, const std::array<int, 32>& elements) {
    static int* d_elements = nullptr;
    static uint4* d_in = nullptr;
    static uint4* d_out = nullptr;
    if (d_elements == nullptr) {
        cudaMalloc(&d_elements, sizeof elements);
        cudaMalloc(&d_in, kElements * sizeof(uint4));
        cudaMalloc(&d_out, kElements * sizeof(uint4));
        cudaMemset(d_in, 0, kElements * sizeof(uint4));
    }
    auto* d_in4 = reinterpret_cast<unsigned*>(d_in);
    auto* d_in8 = reinterpret_cast<uint2*>(d_in);
    auto* d_out4 = reinterpret_cast<unsigned*>(d_out);
    auto* d_out8 = reinterpret_cast<uint2*>(d_out);
    cudaMemcpy(d_elements, elements.data(), sizeof elements, cudaMemcpyHostToDevice);
    if (operation == "shared_load4") {
        load_shared_kernel<<<1, 32>>>(d_elements, d_out4);
    } else if (operation == "shared_load8") {
        load_shared_kernel<<<1, 32>>>(d_elements, d_out8);
    } else if (operation == "shared_load16") {
        load_shared_kernel<<<1, 32>>>(d_elements, d_out);
    } else if (operation == "shared_store4") {
        store_shared_kernel<<<1, 32>>>(d_elements, d_out4);
    } else if (operation == "shared_store8") {
        store_shared_kernel<<<1, 32>>>(d_elements, d_out8);
    } else if (operation == "shared_store16") {
        store_shared_kernel<<<1, 32>>>(d_elements, d_out);
    } else if (operation == "shared_atomic4") {
        update_shared_kernel<<<1, 32>>>(d_elements, d_out4);
    } else if (operation == "global_load4") {
        load_global_kernel<<<1, 32>>>(d_elements, d_in4, d_out4);
    } else if (operation == "global_load8") {
        load_global_kernel<<<1, 32>>>(d_elements, d_in8, d_out8);
    } else if (operation == "global_load16") {
        load_global_kernel<<<1, 32>>>(d_elements, d_in, d_out);
    } else if (operation == "global_store4") {
        store_global_kernel<<<1, 32>>>(d_elements, d_out4);
    } else if (operation == "global_store16") {
        store_global_kernel<<<1, 32>>>(d_elements, d_out);
    } else if (operation == "global_red4") {
        reduce_global_kernel<<<1, 32>>>(d_elements, d_out4);
    } else if (operation == "global_atom4") {
        update_global_kernel<<<1, 32>>>(d_elements, d_in4, d_out4);
    } else {
        return false;
    }
    return cudaDeviceSynchronize() == cudaSuccess;
}
