// SPDX-License-Identifier: MIT
// Handles, their settings, and copies of matrices.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "common/emulator/libraries/cublas/call.hpp"
#include "common/emulator/libraries/cublas/openblas.hpp"
#include "common/emulator/process/errors.hpp"

namespace emulator::cublas::handles {

template <class Member, class T>
cublasStatus_t set(cublasHandle_t handle, Member cublasContext::*member, T value) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->*member = value;
    return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t get(cublasHandle_t handle, T cublasContext::*member, T* value) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *value = handle->*member;
    return CUBLAS_STATUS_SUCCESS;
}

// Vectors are matrices of one row.
cublasStatus_t copy(const char* function, int rows, int columns, int element, const void* a,
                    int lda, void* b, int ldb, cudaMemcpyKind kind, const cudaStream_t* stream) {
    if (rows < 0 || columns < 0 || element <= 0 || lda < std::max(rows, 1) ||
        ldb < std::max(rows, 1)) {
        explain("%s: a size is negative, or a leading dimension is less than the rows", function);
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
    const auto bytes = [element](int count) { return static_cast<std::size_t>(count) * element; };
    const cudaError_t error =
        stream == nullptr
            ? cudaMemcpy2D(b, bytes(ldb), a, bytes(lda), bytes(rows), columns, kind)
            : cudaMemcpy2DAsync(b, bytes(ldb), a, bytes(lda), bytes(rows), columns, kind, *stream);
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

constexpr std::pair<cublasStatus_t, const char*> kNames[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR"}};

extern "C" {

// Few programs look at this status. Without OpenBLAS, all that follows would be wrong.
cublasStatus_t cublasCreate(cublasHandle_t* handle) {
    if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    if (!has_openblas()) {
        explain(
            "cublasCreate: cuBLAS on the CPU engine needs OpenBLAS, which is missing: "
            "sudo apt install libopenblas0-pthread");
        std::exit(EXIT_FAILURE);
    }
    *handle = new cublasContext;
    return CUBLAS_STATUS_SUCCESS;
}

// As on a GPU, it waits for the work of the handle's stream.
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    const cudaError_t error = cudaStreamSynchronize(handle->stream);
    delete handle;
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
    if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    return set(handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
    return get(handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
    return set(handle, &cublasContext::pointer_mode, mode);
}
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
    return get(handle, &cublasContext::pointer_mode, mode);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    return set(handle, &cublasContext::math_mode, mode);
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
    return get(handle, &cublasContext::math_mode, mode);
}
// OpenBLAS uses no atomics, and its own workspace.
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t) {
    return handle == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void*, std::size_t) {
    return handle == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusName(cublasStatus_t status) {
    const auto* const found =
        std::ranges::find(kNames, status, &std::pair<cublasStatus_t, const char*>::first);
    return found == std::end(kNames) ? "<unknown>" : found->second;
}
const char* cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

cublasStatus_t cublasSetMatrix(int rows, int columns, int element, const void* a, int lda, void* b,
                               int ldb) {
    return copy("cublasSetMatrix", rows, columns, element, a, lda, b, ldb, cudaMemcpyHostToDevice,
                nullptr);
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int element, const void* a, int lda, void* b,
                               int ldb) {
    return copy("cublasGetMatrix", rows, columns, element, a, lda, b, ldb, cudaMemcpyDeviceToHost,
                nullptr);
}
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int element, const void* a, int lda,
                                    void* b, int ldb, cudaStream_t stream) {
    return copy("cublasSetMatrixAsync", rows, columns, element, a, lda, b, ldb,
                cudaMemcpyHostToDevice, &stream);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int element, const void* a, int lda,
                                    void* b, int ldb, cudaStream_t stream) {
    return copy("cublasGetMatrixAsync", rows, columns, element, a, lda, b, ldb,
                cudaMemcpyDeviceToHost, &stream);
}
cublasStatus_t cublasSetVector(int n, int element, const void* x, int incx, void* y, int incy) {
    return copy("cublasSetVector", 1, n, element, x, incx, y, incy, cudaMemcpyHostToDevice,
                nullptr);
}
cublasStatus_t cublasGetVector(int n, int element, const void* x, int incx, void* y, int incy) {
    return copy("cublasGetVector", 1, n, element, x, incx, y, incy, cudaMemcpyDeviceToHost,
                nullptr);
}

}  // extern "C"

}  // namespace emulator::cublas::handles
