// SPDX-License-Identifier: MIT
// cuBLAS for the CPU engine: OpenBLAS computes on the host, in the order of the handle's stream.
// Matrices are column-major, as cuBLAS' are. A function that is missing here is not available.
#pragma once

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <emulator/cublas_types.hpp>

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)
#define CUBLAS_V2_H_  // the toolkit's guard, which programs ask for

extern "C" {

cublasStatus_t cublasCreate(cublasHandle_t* handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, std::size_t bytes);
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);

// Copies between host and device: columns of `rows` elements, `lda` and `ldb` apart.
cublasStatus_t cublasSetMatrix(int rows, int columns, int element, const void* a, int lda, void* b,
                               int ldb);
cublasStatus_t cublasGetMatrix(int rows, int columns, int element, const void* a, int lda, void* b,
                               int ldb);
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int element, const void* a, int lda,
                                    void* b, int ldb, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int element, const void* a, int lda,
                                    void* b, int ldb, cudaStream_t stream);
cublasStatus_t cublasSetVector(int n, int element, const void* x, int incx, void* y, int incy);
cublasStatus_t cublasGetVector(int n, int element, const void* x, int incx, void* y, int incy);

// Of all four types; `R` is the real type of T, and ABS begins the names of
// what has a real result.
#define EMULATOR_CUBLAS_ALL(S, s, T, R, ABS)                                                     \
    cublasStatus_t cublas##S##axpy(cublasHandle_t, int n, const T* alpha, const T* x, int incx,  \
                                   T* y, int incy);                                              \
    cublasStatus_t cublas##S##copy(cublasHandle_t, int n, const T* x, int incx, T* y, int incy); \
    cublasStatus_t cublas##S##swap(cublasHandle_t, int n, T* x, int incx, T* y, int incy);       \
    cublasStatus_t cublas##S##scal(cublasHandle_t, int n, const T* alpha, T* x, int incx);       \
    cublasStatus_t cublas##ABS##nrm2(cublasHandle_t, int n, const T* x, int incx, R* result);    \
    cublasStatus_t cublas##ABS##asum(cublasHandle_t, int n, const T* x, int incx, R* result);    \
    cublasStatus_t cublasI##s##amax(cublasHandle_t, int n, const T* x, int incx, int* result);   \
    cublasStatus_t cublasI##s##amin(cublasHandle_t, int n, const T* x, int incx, int* result);   \
    cublasStatus_t cublas##S##gemv(cublasHandle_t, cublasOperation_t trans, int m, int n,        \
                                   const T* alpha, const T* a, int lda, const T* x, int incx,    \
                                   const T* beta, T* y, int incy);                               \
    cublasStatus_t cublas##S##gemm(                                                              \
        cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, \
        const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc); \
    cublasStatus_t cublas##S##gemmBatched(                                                       \
        cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, \
        const T* alpha, const T* const a[], int lda, const T* const b[], int ldb, const T* beta, \
        T* const c[], int ldc, int count);                                                       \
    cublasStatus_t cublas##S##gemmStridedBatched(                                                \
        cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, \
        const T* alpha, const T* a, int lda, long long stride_a, const T* b, int ldb,            \
        long long stride_b, const T* beta, T* c, int ldc, long long stride_c, int count);
EMULATOR_CUBLAS_ALL(S, s, float, float, S)
EMULATOR_CUBLAS_ALL(D, d, double, double, D)
EMULATOR_CUBLAS_ALL(C, c, cuComplex, float, Sc)
EMULATOR_CUBLAS_ALL(Z, z, cuDoubleComplex, double, Dz)
#undef EMULATOR_CUBLAS_ALL

#define EMULATOR_CUBLAS_COMPLEX(S, T)                                                       \
    cublasStatus_t cublas##S##dotu(cublasHandle_t, int n, const T* x, int incx, const T* y, \
                                   int incy, T* result);                                    \
    cublasStatus_t cublas##S##dotc(cublasHandle_t, int n, const T* x, int incx, const T* y, \
                                   int incy, T* result);
EMULATOR_CUBLAS_COMPLEX(C, cuComplex)
EMULATOR_CUBLAS_COMPLEX(Z, cuDoubleComplex)
#undef EMULATOR_CUBLAS_COMPLEX

#define EMULATOR_CUBLAS_REAL(S, T)                                                                 \
    cublasStatus_t cublas##S##dot(cublasHandle_t, int n, const T* x, int incx, const T* y,         \
                                  int incy, T* result);                                            \
    cublasStatus_t cublas##S##rot(cublasHandle_t, int n, T* x, int incx, T* y, int incy,           \
                                  const T* c, const T* s);                                         \
    cublasStatus_t cublas##S##ger(cublasHandle_t, int m, int n, const T* alpha, const T* x,        \
                                  int incx, const T* y, int incy, T* a, int lda);                  \
    cublasStatus_t cublas##S##symv(cublasHandle_t, cublasFillMode_t uplo, int n, const T* alpha,   \
                                   const T* a, int lda, const T* x, int incx, const T* beta, T* y, \
                                   int incy);                                                      \
    cublasStatus_t cublas##S##syr(cublasHandle_t, cublasFillMode_t uplo, int n, const T* alpha,    \
                                  const T* x, int incx, T* a, int lda);                            \
    cublasStatus_t cublas##S##syr2(cublasHandle_t, cublasFillMode_t uplo, int n, const T* alpha,   \
                                   const T* x, int incx, const T* y, int incy, T* a, int lda);     \
    cublasStatus_t cublas##S##trmv(cublasHandle_t, cublasFillMode_t uplo, cublasOperation_t trans, \
                                   cublasDiagType_t diag, int n, const T* a, int lda, T* x,        \
                                   int incx);                                                      \
    cublasStatus_t cublas##S##trsv(cublasHandle_t, cublasFillMode_t uplo, cublasOperation_t trans, \
                                   cublasDiagType_t diag, int n, const T* a, int lda, T* x,        \
                                   int incx);                                                      \
    cublasStatus_t cublas##S##symm(cublasHandle_t, cublasSideMode_t side, cublasFillMode_t uplo,   \
                                   int m, int n, const T* alpha, const T* a, int lda, const T* b,  \
                                   int ldb, const T* beta, T* c, int ldc);                         \
    cublasStatus_t cublas##S##syrk(cublasHandle_t, cublasFillMode_t uplo, cublasOperation_t trans, \
                                   int n, int k, const T* alpha, const T* a, int lda,              \
                                   const T* beta, T* c, int ldc);                                  \
    cublasStatus_t cublas##S##syr2k(                                                               \
        cublasHandle_t, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,              \
        const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc);   \
    cublasStatus_t cublas##S##trmm(cublasHandle_t, cublasSideMode_t side, cublasFillMode_t uplo,   \
                                   cublasOperation_t trans, cublasDiagType_t diag, int m, int n,   \
                                   const T* alpha, const T* a, int lda, const T* b, int ldb, T* c, \
                                   int ldc);                                                       \
    cublasStatus_t cublas##S##trsm(cublasHandle_t, cublasSideMode_t side, cublasFillMode_t uplo,   \
                                   cublasOperation_t trans, cublasDiagType_t diag, int m, int n,   \
                                   const T* alpha, const T* a, int lda, T* b, int ldb);            \
    cublasStatus_t cublas##S##geam(                                                                \
        cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb, int m, int n,          \
        const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc);   \
    cublasStatus_t cublas##S##dgmm(cublasHandle_t, cublasSideMode_t side, int m, int n,            \
                                   const T* a, int lda, const T* x, int incx, T* c, int ldc);
EMULATOR_CUBLAS_REAL(S, float)
EMULATOR_CUBLAS_REAL(D, double)
#undef EMULATOR_CUBLAS_REAL

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const __half* alpha,
                           const __half* a, int lda, const __half* b, int ldb, const __half* beta,
                           __half* c, int ldc);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const __half* alpha, const __half* a, int lda,
                                         long long stride_a, const __half* b, int ldb,
                                         long long stride_b, const __half* beta, __half* c, int ldc,
                                         long long stride_c, int count);
// The types of A and B are the same.
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType_t type_a, int lda, const void* b,
                            cudaDataType_t type_b, int ldb, const void* beta, void* c,
                            cudaDataType_t type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float* alpha,
                             const void* a, cudaDataType_t type_a, int lda, const void* b,
                             cudaDataType_t type_b, int ldb, const float* beta, void* c,
                             cudaDataType_t type_c, int ldc);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType_t type_a,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType_t type_b, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType_t type_c, int ldc,
                                          long long stride_c, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm);

}  // extern "C"

// The names by which cublas_v2.h of the toolkit defines the most usual ones.
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
#define cublasSetStream_v2 cublasSetStream
#define cublasGetStream_v2 cublasGetStream
#define cublasGetVersion_v2 cublasGetVersion
#define cublasSetPointerMode_v2 cublasSetPointerMode
#define cublasSgemm_v2 cublasSgemm
#define cublasDgemm_v2 cublasDgemm
#define cublasSgemv_v2 cublasSgemv
#define cublasDgemv_v2 cublasDgemv
#define cublasSaxpy_v2 cublasSaxpy
#define cublasDaxpy_v2 cublasDaxpy
#define cublasSdot_v2 cublasSdot
#define cublasDdot_v2 cublasDdot
#define cublasSnrm2_v2 cublasSnrm2
#define cublasDnrm2_v2 cublasDnrm2
#define cublasSscal_v2 cublasSscal
#define cublasDscal_v2 cublasDscal
#define cublasIsamax_v2 cublasIsamax
