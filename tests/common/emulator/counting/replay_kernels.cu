// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

#include <cstring>
#include <map>
#include <vector>

#include "replay_kernels.hpp"

namespace {

constexpr int kCount = 1 << 16;

__device__ int global_index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void branch_kernel(const int* data, int* out) {
    const int i = global_index();
    int value;
    if (i % 2 == 0) {
        value = data[i];
    } else {
        value = data[i] * data[i + 1000];
    }
    out[i] = value;
}

// Thread i of a warp runs its loop i times.
__global__ void loop_kernel(const int* data, int* out) {
    const int i = global_index();
    int sum = 0;
    for (int j = 0; j < i % 32; ++j) sum += data[j * 32 + i];
    out[i] = sum;
}

// An outer loop in which lanes skip rounds of the inner loop.
__global__ void nested_loop_kernel(const int* data, int* out) {
    const int i = global_index();
    int sum = 0;
    for (int j = 0; j < 4; ++j) {
        if ((i + j) % 4 == 0) continue;
        for (int k = 0; k <= j; ++k) sum += data[i + k];
    }
    out[i] = sum;
}

__device__ __attribute__((noinline)) int read(const int* data, int i) { return data[i]; }

__global__ void call_kernel(const int* data, int* out) {
    const int i = global_index();
    out[i] = read(data, i) + read(data, i + 32);
}

__global__ void divergent_call_kernel(const int* data, int* out) {
    const int i = global_index();
    int value = 0;
    if (i % 2 == 0) {
        value = read(data, i);
    } else {
        value = 3 * read(data, i + 32);
    }
    out[i] = value;
}

__device__ __attribute__((noinline)) int sum_to(const int* data, int n) {
    return n == 0 ? data[0] : data[n] + sum_to(data, n - 1);
}

__global__ void recursive_kernel(const int* data, int* out) {
    const int i = global_index();
    out[i] = sum_to(data, i % 4);
}

__global__ void shuffle_kernel(const int* data, int* out) {
    const int i = global_index();
    int value = data[i];
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, distance);
    }
    if (threadIdx.x % 32 == 0) out[i] = value;
}

// The lanes of a half meet on their own. The code before and after belongs to the whole warp.
__global__ void half_warp_kernel(const int* data, int* out) {
    const int i = global_index();
    const unsigned mask = threadIdx.x % 32 < 16 ? 0x0000ffffu : 0xffff0000u;
    const int value = data[i];
    __syncwarp(mask);
    const int more = data[i + 32];
    out[i] = value + more;
}

__global__ void branch_collective_kernel(const int* data, int* out) {
    const int i = global_index();
    int value = data[i];
    if (threadIdx.x % 32 < 8) value += __shfl_sync(0xffu, value, 0);
    out[i] = value;
}

__global__ void barrier_kernel(const int* data, int* out) {
    __shared__ int s_values[1024];
    const int i = global_index();
    s_values[threadIdx.x] = data[i];
    __syncthreads();
    out[i] = s_values[blockDim.x - 1 - threadIdx.x];
}

__global__ void long_kernel(const int* data, int* out) {
    const int i = global_index();
    int sum = 0;
    for (int j = 0; j < 1000; ++j) sum += data[(i + j) % kCount];
    out[i] = sum;
}

// From the start one lane is ahead of the others.
__global__ void long_uneven_kernel(const int* data, int* out) {
    const int i = global_index();
    int sum = 0;
    if (threadIdx.x % 32 == 5) sum = data[0] + data[1];
    for (int j = 0; j < 1000; ++j) sum += data[i + j];
    out[i] = sum;
}

__global__ void long_waiting_kernel(const int* data, int* out) {
    const int i = global_index();
    int sum = 0;
    if (threadIdx.x % 32 < 3) {
        for (int j = 0; j < 700; ++j) sum += data[i + j];
    }
    __syncwarp();
    for (int j = 0; j < 300; ++j) sum += data[i + j];
    out[i] = sum;
}

__global__ void atomic_kernel(const int*, int* out) {
    const int i = global_index();
    atomicAdd(&out[i], 1);
    atomicAdd(reinterpret_cast<float*>(&out[i]), 1.0f);
    atomicMax(&out[i], i);
    atomicCAS(&out[i], 0, 1);
    atomicExch(&out[0], i);
    atomicInc(reinterpret_cast<unsigned*>(&out[i / 4]), 7u);
    atomicAdd(reinterpret_cast<double*>(out) + i, 1.0);
}

__global__ void vector_kernel(const int* data, int* out) {
    const int i = global_index();
    reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(data)[i];
    reinterpret_cast<double2*>(out)[i] = reinterpret_cast<const double2*>(data)[i];
    reinterpret_cast<int2*>(out)[i] = reinterpret_cast<const int2*>(data)[i];
}

__global__ void float3_kernel(const int* data, int* out) {
    const int i = global_index();
    reinterpret_cast<float3*>(out)[i] = reinterpret_cast<const float3*>(data)[i];
}

struct Record {
    int values[10];
};

__global__ void structure_kernel(const int* data, int* out) {
    const int i = global_index();
    reinterpret_cast<Record*>(out)[i] = reinterpret_cast<const Record*>(data)[i];
}

// Structures of 12, of 16 and of 6 bytes. Each thread has its own.
__global__ void copy_kernel(const int* data, int* out) {
    const int i = global_index();
    memcpy(out + 3 * i, data + 3 * i, 12);
    memset(out + 1024 + 4 * i, 0, 16);
    memmove(reinterpret_cast<char*>(out + 8192) + 6 * i,
            reinterpret_cast<const char*>(data) + 6 * i, 6);
}

__global__ void small_kernel(const int* data, int* out) {
    const int i = global_index();
    reinterpret_cast<char*>(out)[i] = reinterpret_cast<const char*>(data)[i];
    reinterpret_cast<short*>(out)[i] = reinterpret_cast<const short*>(data)[i];
}

__global__ void early_return_kernel(const int* data, int* out) {
    const int i = global_index();
    const int value = data[i];
    if (value % 32 >= 20) return;
    out[i] = value;
}

__global__ void volatile_kernel(const int* data, int* out) {
    const int i = global_index();
    *static_cast<volatile int*>(&out[i]) = *static_cast<const volatile int*>(&data[i]);
}

}  // namespace

// It needs external linkage: g++ would otherwise use its values, because no code writes it.
__constant__ int coefficients[4] = {1, 2, 3, 4};

namespace {

__global__ void constant_kernel(const int*, int* out) {
    out[global_index()] = coefficients[threadIdx.x % 4];
}

__global__ void local_array_kernel(const int* data, int* out) {
    const int i = global_index();
    int window[8];
    for (int j = 0; j < 8; ++j) window[(j + i) % 8] = data[i];
    out[i] = window[i % 8];
}

__global__ void many_blocks_kernel(const int* data, int* out) {
    const int i = global_index();
    if (i < 1000) out[i] = data[i];
}

// A kernel that uses all built-in variables reads no memory for them.
__global__ void built_in_kernel(const int*, int* out) {
    const dim3 block = blockDim;
    out[(blockIdx.y * gridDim.x + blockIdx.x) * block.x + threadIdx.x] =
        static_cast<int>(gridDim.z + blockDim.y + threadIdx.z);
}

// The rows of four matrices of 8 x 8 halves, each `kStride` bytes behind the one before it.
// `kIsXor`: row r has its columns of 16 bytes swapped by r % 8, and the rows read are of one
// column.
template <int kStride, bool kIsXor>
__global__ void matrix_load_kernel(const int*, int* out) {
    __shared__ __align__(128) unsigned char s_rows[32 * kStride];
    for (unsigned i = threadIdx.x; i < sizeof s_rows; i += 32) s_rows[i] = 0;
    __syncwarp();
    const unsigned column = kIsXor ? (threadIdx.x % 8) * 16 : 0;
    const auto address =
        static_cast<unsigned>(__cvta_generic_to_shared(s_rows + threadIdx.x * kStride + column));
    unsigned r[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address));
    out[threadIdx.x] = static_cast<int>(r[0] + r[1] + r[2] + r[3]);
}

// Two lanes each name the same row.
__global__ void matrix_twice_kernel(const int*, int* out) {
    __shared__ __align__(128) unsigned char s_rows[16 * 16];
    for (unsigned i = threadIdx.x; i < sizeof s_rows; i += 32) s_rows[i] = 0;
    __syncwarp();
    const auto address =
        static_cast<unsigned>(__cvta_generic_to_shared(s_rows + threadIdx.x / 2 * 16));
    unsigned r[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address));
    out[threadIdx.x] = static_cast<int>(r[0] + r[1] + r[2] + r[3]);
}

__global__ void matrix_pair_kernel(const int*, int* out) {
    __shared__ __align__(128) unsigned char s_rows[32 * 16];
    for (unsigned i = threadIdx.x; i < sizeof s_rows; i += 32) s_rows[i] = 0;
    __syncwarp();
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(s_rows + threadIdx.x * 16));
    unsigned r[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(address));
    out[threadIdx.x] = static_cast<int>(r[0] + r[1]);
}

template <int kStride>
__global__ void matrix_store_kernel(const int* data, int* out) {
    __shared__ __align__(128) unsigned char s_rows[32 * kStride];
    const auto address =
        static_cast<unsigned>(__cvta_generic_to_shared(s_rows + threadIdx.x * kStride));
    const int value = data[threadIdx.x];
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};"
                 :
                 : "r"(address), "r"(value)
                 : "memory");
    out[threadIdx.x] = value;
}

using Kernel = void (*)(const int*, int*);
const std::map<std::string, Kernel> kKernels = {
    {"branch", branch_kernel},
    {"loop", loop_kernel},
    {"nested_loop", nested_loop_kernel},
    {"call", call_kernel},
    {"divergent_call", divergent_call_kernel},
    {"recursive", recursive_kernel},
    {"shuffle", shuffle_kernel},
    {"half_warp", half_warp_kernel},
    {"branch_collective", branch_collective_kernel},
    {"barrier", barrier_kernel},
    {"long", long_kernel},
    {"long_uneven", long_uneven_kernel},
    {"long_waiting", long_waiting_kernel},
    {"atomic", atomic_kernel},
    {"vector", vector_kernel},
    {"float3", float3_kernel},
    {"structure", structure_kernel},
    {"copy", copy_kernel},
    {"small", small_kernel},
    {"early_return", early_return_kernel},
    {"volatile", volatile_kernel},
    {"constant", constant_kernel},
    {"local_array", local_array_kernel},
    {"many_blocks", many_blocks_kernel},
    {"built_in", built_in_kernel},
    {"matrix_rows_16", matrix_load_kernel<16, false>},
    {"matrix_rows_32", matrix_load_kernel<32, false>},
    {"matrix_rows_128", matrix_load_kernel<128, false>},
    {"matrix_rows_144", matrix_load_kernel<144, false>},
    {"matrix_rows_swapped", matrix_load_kernel<128, true>},
    {"matrix_rows_twice", matrix_twice_kernel},
    {"matrix_pair", matrix_pair_kernel},
    {"matrix_store_16", matrix_store_kernel<16>},
    {"matrix_store_64", matrix_store_kernel<64>},
};

}  // namespace

bool run_kernel(const std::string& name, int threads, int block_size) {
    const auto found = kKernels.find(name);
    if (found == kKernels.end()) return false;
    const Kernel kernel = found->second;
    std::vector<int> h_data(kCount);
    for (int i = 0; i < kCount; ++i) h_data[i] = i;
    int* data = nullptr;
    int* out = nullptr;
    cudaMalloc(&data, kCount * sizeof(int));
    cudaMalloc(&out, kCount * sizeof(int));
    cudaMemcpy(data, h_data.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, kCount * sizeof(int));
    kernel<<<(threads + block_size - 1) / block_size, block_size>>>(data, out);
    const bool done = cudaDeviceSynchronize() == cudaSuccess;
    cudaFree(data);
    cudaFree(out);
    return done;
}
