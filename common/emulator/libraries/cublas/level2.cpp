// SPDX-License-Identifier: MIT
// A matrix and vectors.
#include "common/emulator/libraries/cublas/call.hpp"
#include "common/emulator/libraries/cublas/openblas.hpp"

namespace emulator::cublas::level2 {

template <class T>
void updates_vector(Call& call, const Number<T>& beta, T* y, int n, int incy) {
    if (!beta.is_zero()) call.reads_vector(y, n, incy);
    call.writes_vector(y, n, incy);
}

template <class T>
cublasStatus_t gemv(const char* name, cublasHandle_t handle, cublasOperation_t trans, int m, int n,
                    const T* alpha, const T* a, int lda, const T* x, int incx, const T* beta, T* y,
                    int incy) {
    Call call(name, handle);
    call.require_sizes({m, n});
    call.require_leading("lda", lda, m);
    const Number<T> by = call.number(alpha), old = call.number(beta);
    const bool plain = trans == CUBLAS_OP_N;
    call.reads_matrix(a, m, n, lda);
    call.reads_vector(x, plain ? n : m, incx);
    updates_vector(call, old, y, plain ? m : n, incy);
    return call.run([=] {
        const T factor = by.get(), share = old.get();
        blas<T>("gemv", kColumnMajor, of(trans), m, n, as_argument(factor),
                static_cast<const void*>(a), lda, static_cast<const void*>(x), incx,
                as_argument(share), static_cast<void*>(y), incy);
    });
}

template <class T>
cublasStatus_t ger(const char* name, cublasHandle_t handle, int m, int n, const T* alpha,
                   const T* x, int incx, const T* y, int incy, T* a, int lda) {
    Call call(name, handle);
    call.require_sizes({m, n});
    call.require_leading("lda", lda, m);
    const Number<T> by = call.number(alpha);
    call.reads_vector(x, m, incx);
    call.reads_vector(y, n, incy);
    call.reads_matrix(a, m, n, lda);
    call.writes_matrix(a, m, n, lda);
    return call.run(
        [=] { blas<T>("ger", kColumnMajor, m, n, by.get(), x, incx, y, incy, a, lda); });
}

template <class T>
cublasStatus_t symv(const char* name, cublasHandle_t handle, cublasFillMode_t uplo, int n,
                    const T* alpha, const T* a, int lda, const T* x, int incx, const T* beta, T* y,
                    int incy) {
    Call call(name, handle);
    call.require_sizes({n});
    call.require_leading("lda", lda, n);
    const Number<T> by = call.number(alpha), old = call.number(beta);
    call.reads_triangle(a, uplo == CUBLAS_FILL_MODE_UPPER, n, lda);
    call.reads_vector(x, n, incx);
    updates_vector(call, old, y, n, incy);
    return call.run([=] {
        blas<T>("symv", kColumnMajor, of(uplo), n, by.get(), a, lda, x, incx, old.get(), y, incy);
    });
}

template <class T>
cublasStatus_t syr(const char* name, cublasHandle_t handle, cublasFillMode_t uplo, int n,
                   const T* alpha, const T* x, int incx, T* a, int lda) {
    Call call(name, handle);
    call.require_sizes({n});
    call.require_leading("lda", lda, n);
    const Number<T> by = call.number(alpha);
    call.reads_vector(x, n, incx);
    call.reads_triangle(a, uplo == CUBLAS_FILL_MODE_UPPER, n, lda);
    call.writes_triangle(a, uplo == CUBLAS_FILL_MODE_UPPER, n, lda);
    return call.run([=] { blas<T>("syr", kColumnMajor, of(uplo), n, by.get(), x, incx, a, lda); });
}

template <class T>
cublasStatus_t syr2(const char* name, cublasHandle_t handle, cublasFillMode_t uplo, int n,
                    const T* alpha, const T* x, int incx, const T* y, int incy, T* a, int lda) {
    Call call(name, handle);
    call.require_sizes({n});
    call.require_leading("lda", lda, n);
    const Number<T> by = call.number(alpha);
    call.reads_vector(x, n, incx);
    call.reads_vector(y, n, incy);
    call.reads_triangle(a, uplo == CUBLAS_FILL_MODE_UPPER, n, lda);
    call.writes_triangle(a, uplo == CUBLAS_FILL_MODE_UPPER, n, lda);
    return call.run(
        [=] { blas<T>("syr2", kColumnMajor, of(uplo), n, by.get(), x, incx, y, incy, a, lda); });
}

// trmv and trsv
template <class T>
cublasStatus_t triangular(const char* name, const char* which, cublasHandle_t handle,
                          cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                          int n, const T* a, int lda, T* x, int incx) {
    Call call(name, handle);
    call.require_sizes({n});
    call.require_leading("lda", lda, n);
    call.reads_triangle(a, uplo == CUBLAS_FILL_MODE_UPPER, n, lda);
    call.reads_vector(x, n, incx);
    call.writes_vector(x, n, incx);
    return call.run(
        [=] { blas<T>(which, kColumnMajor, of(uplo), of(trans), of(diag), n, a, lda, x, incx); });
}

extern "C" {

#define EMULATOR_GEMV(S, T)                                                                      \
    cublasStatus_t cublas##S##gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, \
                                   const T* alpha, const T* a, int lda, const T* x, int incx,    \
                                   const T* beta, T* y, int incy) {                              \
        return gemv("cublas" #S "gemv", handle, trans, m, n, alpha, a, lda, x, incx, beta, y,    \
                    incy);                                                                       \
    }
EMULATOR_GEMV(S, float)
EMULATOR_GEMV(D, double)
EMULATOR_GEMV(C, cuComplex)
EMULATOR_GEMV(Z, cuDoubleComplex)

#define EMULATOR_REAL(S, T)                                                                        \
    cublasStatus_t cublas##S##ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, \
                                  int incx, const T* y, int incy, T* a, int lda) {                 \
        return ger("cublas" #S "ger", handle, m, n, alpha, x, incx, y, incy, a, lda);              \
    }                                                                                              \
    cublasStatus_t cublas##S##symv(cublasHandle_t handle, cublasFillMode_t uplo, int n,            \
                                   const T* alpha, const T* a, int lda, const T* x, int incx,      \
                                   const T* beta, T* y, int incy) {                                \
        return symv("cublas" #S "symv", handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy);   \
    }                                                                                              \
    cublasStatus_t cublas##S##syr(cublasHandle_t handle, cublasFillMode_t uplo, int n,             \
                                  const T* alpha, const T* x, int incx, T* a, int lda) {           \
        return syr("cublas" #S "syr", handle, uplo, n, alpha, x, incx, a, lda);                    \
    }                                                                                              \
    cublasStatus_t cublas##S##syr2(cublasHandle_t handle, cublasFillMode_t uplo, int n,            \
                                   const T* alpha, const T* x, int incx, const T* y, int incy,     \
                                   T* a, int lda) {                                                \
        return syr2("cublas" #S "syr2", handle, uplo, n, alpha, x, incx, y, incy, a, lda);         \
    }                                                                                              \
    cublasStatus_t cublas##S##trmv(cublasHandle_t handle, cublasFillMode_t uplo,                   \
                                   cublasOperation_t trans, cublasDiagType_t diag, int n,          \
                                   const T* a, int lda, T* x, int incx) {                          \
        return triangular("cublas" #S "trmv", "trmv", handle, uplo, trans, diag, n, a, lda, x,     \
                          incx);                                                                   \
    }                                                                                              \
    cublasStatus_t cublas##S##trsv(cublasHandle_t handle, cublasFillMode_t uplo,                   \
                                   cublasOperation_t trans, cublasDiagType_t diag, int n,          \
                                   const T* a, int lda, T* x, int incx) {                          \
        return triangular("cublas" #S "trsv", "trsv", handle, uplo, trans, diag, n, a, lda, x,     \
                          incx);                                                                   \
    }
EMULATOR_REAL(S, float)
EMULATOR_REAL(D, double)
#undef EMULATOR_GEMV
#undef EMULATOR_REAL

}  // extern "C"

}  // namespace emulator::cublas::level2
