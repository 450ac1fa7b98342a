// SPDX-License-Identifier: MIT
// The kernels of the calibration of asynchronous copies and vector atomics: one warp, with one
// instruction of interest.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdlib>
#include <cuda/ptx>
#include <numeric>

#include "async_calibration_kernels.hpp"

namespace ptx = cuda::ptx;

namespace {

constexpr int kElements = 4096;
constexpr int kSharedBytes = 32 * 1024;

template <class T>
__global__ void copy_kernel(const int* from, const int* to, unsigned lanes, int zfill, const T* in,
                            unsigned* out) {
    __shared__ T s_values[kSharedBytes / sizeof(T)];
    const int source = from[threadIdx.x];
    const int target = to[threadIdx.x];
    if ((lanes >> threadIdx.x & 1) != 0) {
        __pipeline_memcpy_async(&s_values[target], &in[source], sizeof(T), zfill);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    out[threadIdx.x] = reinterpret_cast<unsigned*>(s_values)[threadIdx.x];
}

__global__ void bulk_store_kernel(char* out, int bytes, int lanes) {
    __shared__ alignas(128) char s_values[kSharedBytes];
    const int lane = static_cast<int>(threadIdx.x);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (lane >= lanes) return;
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + lane * bytes,
                       s_values + lane * bytes, bytes);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

__global__ void bulk_load_kernel(const char* in, int bytes, int lanes, unsigned* out) {
    __shared__ alignas(128) char s_values[kSharedBytes];
    __shared__ std::uint64_t s_barrier;
    const int lane = static_cast<int>(threadIdx.x);
    if (lane == 0) ptx::mbarrier_init(&s_barrier, lanes);
    __syncwarp();
    if (lane < lanes) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s_values + lane * bytes,
                           in + lane * bytes, bytes, &s_barrier);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &s_barrier, bytes);
    }
    while (!ptx::mbarrier_try_wait_parity(&s_barrier, 0)) {
    }
    out[lane] = reinterpret_cast<unsigned*>(s_values)[lane];
}

template <class T>
__global__ void atomic_kernel(const int* elements, T* values) {
    atomicAdd(&values[elements[threadIdx.x]], T{});
}

int* d_from = nullptr;
int* d_to = nullptr;
uint4* d_in = nullptr;
uint4* d_out = nullptr;

void allocate() {
    if (d_from != nullptr) return;
    cudaMalloc(&d_from, sizeof(Elements));
    cudaMalloc(&d_to, sizeof(Elements));
    cudaMalloc(&d_in, kElements * sizeof(uint4));
    cudaMalloc(&d_out, kElements * sizeof(uint4));
    cudaMemset(d_in, 0, kElements * sizeof(uint4));
    cudaMemset(d_out, 0, kElements * sizeof(uint4));
}

template <class T>
void run_copy(unsigned lanes, int zfill) {
    copy_kernel<<<1, 32>>>(d_from, d_to, lanes, zfill, reinterpret_cast<const T*>(d_in),
                           reinterpret_cast<unsigned*>(d_out));
}

// "copy_some_both16": which lanes, which side follows the pattern, and the size.
bool run_copy(const std::string& operation, const Elements& elements) {
    Elements unit;
    std::iota(unit.begin(), unit.end(), 0);
    const auto has = [&](const char* word) { return operation.find(word) != std::string::npos; };
    const Elements& from = has("_from") || has("_both") ? elements : unit;
    const Elements& to = has("_to") || has("_both") ? elements : unit;
    cudaMemcpy(d_from, from.data(), sizeof from, cudaMemcpyHostToDevice);
    cudaMemcpy(d_to, to.data(), sizeof to, cudaMemcpyHostToDevice);
    const unsigned lanes = has("_even")   ? 0x55555555u
                           : has("_some") ? 0x3071ff05u
                           : has("_one")  ? 1u
                                          : ~0u;
    const int size = operation.ends_with("16") ? 16 : operation.back() - '0';
    const int zfill = has("_fill_all") ? size : has("_fill4") ? 4 : 0;
    if (size == 4) {
        run_copy<unsigned>(lanes, zfill);
    } else if (size == 8) {
        run_copy<uint2>(lanes, zfill);
    } else {
        run_copy<uint4>(lanes, zfill);
    }
    return true;
}

// "bulk_load192", "offset16" or "lanes32".
bool run_bulk(const std::string& operation, const std::string& pattern) {
    const std::size_t digits = operation.find_first_of("0123456789");
    const int bytes = std::atoi(operation.c_str() + digits);
    const int number = std::atoi(pattern.c_str() + pattern.find_first_of("0123456789"));
    const int lanes = pattern.starts_with("lanes") ? number : 1;
    const int offset = pattern.starts_with("offset") ? number : 0;
    if (operation.starts_with("bulk_store")) {
        bulk_store_kernel<<<1, 32>>>(reinterpret_cast<char*>(d_out) + offset, bytes, lanes);
    } else {
        bulk_load_kernel<<<1, 32>>>(reinterpret_cast<const char*>(d_in) + offset, bytes, lanes,
                                    reinterpret_cast<unsigned*>(d_out));
    }
    return true;
}

}  // namespace

bool run_async_calibration(const std::string& operation, const std::string& pattern,
                           const Elements& elements) {
    allocate();
    if (operation.starts_with("copy_")) {
        run_copy(operation, elements);
    } else if (operation.starts_with("bulk_")) {
        run_bulk(operation, pattern);
    } else {
        cudaMemcpy(d_from, elements.data(), sizeof elements, cudaMemcpyHostToDevice);
        if (operation.ends_with("float2")) {
            atomic_kernel<<<1, 32>>>(d_from, reinterpret_cast<float2*>(d_out));
        } else if (operation.ends_with("float4")) {
            atomic_kernel<<<1, 32>>>(d_from, reinterpret_cast<float4*>(d_out));
        } else if (operation.ends_with("half2")) {
            atomic_kernel<<<1, 32>>>(d_from, reinterpret_cast<__half2*>(d_out));
        } else {
            return false;
        }
    }
    return cudaDeviceSynchronize() == cudaSuccess;
}
