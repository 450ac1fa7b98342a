// SPDX-License-Identifier: MIT
// Matmul, stage peers/cublas: NVIDIA's library.
// Idea: one call. cuBLAS stores matrices by columns, so that its matrices are the transposed ones
// of this chapter's, and the transposed C is the product of the transposed B and the transposed A.
// Compared with limit/03_tiles_by_size: one of many kernels, chosen by the library.
// Limit now: the multiplications.
// Not of the thesis.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "common/cuda/cuda_check.hpp"
#include "problem/on_device.cuh"

using matmul::Input, matmul::Output, matmul::PhaseTimer;

void check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        throw course::CudaError(cudaErrorUnknown,
                                std::string("cuBLAS: ") + cublasGetStatusString(status));
    }
}

class Handle {
  public:
    Handle() { check(cublasCreate(&handle_)); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { static_cast<void>(cublasDestroy(handle_)); }
    cublasHandle_t get() const { return handle_; }

  private:
    cublasHandle_t handle_ = nullptr;
};

void multiply(const Input& input, Output& output, PhaseTimer& timer) {
    // A handle's first product also prepares the library: only the warm-up run should pay for that.
    static const Handle handle;
    const auto launch = [&](const float* a, const float* b, float* c) {
        const float one = 1.0f, zero = 0.0f;
        check(cublasSgemm(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, input.n, input.m, input.k, &one,
                          b, input.n, a, std::max(1, input.k), &zero, c, input.n));
    };
    matmul::multiply_on_device(input, output, timer, dim3(0), 0, launch);
}

int main(int argc, char** argv) { return matmul::run_stage(argc, argv, STAGE_NAME, multiply); }
