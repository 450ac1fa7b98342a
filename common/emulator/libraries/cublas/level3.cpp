// SPDX-License-Identifier: MIT
// Matrices, beside the general products.
#include <algorithm>

#include "common/emulator/libraries/cublas/call.hpp"
#include "common/emulator/libraries/cublas/openblas.hpp"

namespace emulator::cublas::level3 {

template <class T>
cublasStatus_t symm(const char* name, cublasHandle_t handle, cublasSideMode_t side,
                    cublasFillMode_t uplo, int m, int n, const T* alpha, const T* a, int lda,
                    const T* b, int ldb, const T* beta, T* c, int ldc) {
    Call call(name, handle);
    const int order = side == CUBLAS_SIDE_LEFT ? m : n;
    call.require_sizes({m, n});
    call.require_leading("lda", lda, order);
    call.require_leading("ldb", ldb, m);
    call.require_leading("ldc", ldc, m);
    const Number<T> by = call.number(alpha), old = call.number(beta);
    call.reads_triangle(a, uplo == CUBLAS_FILL_MODE_UPPER, order, lda);
    call.reads_matrix(b, m, n, ldb);
    call.updates_matrix(old, c, m, n, ldc);
    return call.run([=] {
        blas<T>("symm", kColumnMajor, of(side), of(uplo), m, n, by.get(), a, lda, b, ldb, old.get(),
                c, ldc);
    });
}

// syrk, and syr2k with `b`.
template <class T>
cublasStatus_t rank_update(const char* name, cublasHandle_t handle, cublasFillMode_t uplo,
                           cublasOperation_t trans, int n, int k, const T* alpha, const T* a,
                           int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
    Call call(name, handle);
    const int rows = trans == CUBLAS_OP_N ? n : k, columns = trans == CUBLAS_OP_N ? k : n;
    call.require_sizes({n, k});
    call.require_leading("lda", lda, rows);
    call.require_leading("ldc", ldc, n);
    const Number<T> by = call.number(alpha), old = call.number(beta);
    call.reads_matrix(a, rows, columns, lda);
    if (b != nullptr) {
        call.require_leading("ldb", ldb, rows);
        call.reads_matrix(b, rows, columns, ldb);
    }
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    if (!old.is_zero()) call.reads_triangle(c, upper, n, ldc);
    call.writes_triangle(c, upper, n, ldc);
    return call.run([=] {
        if (b == nullptr) {
            blas<T>("syrk", kColumnMajor, of(uplo), of(trans), n, k, by.get(), a, lda, old.get(), c,
                    ldc);
        } else {
            blas<T>("syr2k", kColumnMajor, of(uplo), of(trans), n, k, by.get(), a, lda, b, ldb,
                    old.get(), c, ldc);
        }
    });
}

// trmm with the result in `c`, and trsm with the result in `c` = `b`.
template <class T>
cublasStatus_t triangular(const char* name, const char* which, cublasHandle_t handle,
                          cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
                          cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, int lda,
                          const T* b, int ldb, T* c, int ldc) {
    Call call(name, handle);
    const int order = side == CUBLAS_SIDE_LEFT ? m : n;
    call.require_sizes({m, n});
    call.require_leading("lda", lda, order);
    call.require_leading("ldb", ldb, m);
    call.require_leading("ldc", ldc, m);
    const Number<T> by = call.number(alpha);
    call.reads_triangle(a, uplo == CUBLAS_FILL_MODE_UPPER, order, lda);
    call.reads_matrix(b, m, n, ldb);
    call.writes_matrix(c, m, n, ldc);
    return call.run([=] {
        for (int column = 0; column < n && b != c; ++column) {
            std::copy_n(b + static_cast<std::ptrdiff_t>(column) * ldb, m,
                        c + static_cast<std::ptrdiff_t>(column) * ldc);
        }
        blas<T>(which, kColumnMajor, of(side), of(uplo), of(trans), of(diag), m, n, by.get(), a,
                lda, c, ldc);
    });
}

// C = alpha op(A) + beta op(B). A factor of 0 reads no matrix.
template <class T>
cublasStatus_t geam(const char* name, cublasHandle_t handle, cublasOperation_t transa,
                    cublasOperation_t transb, int m, int n, const T* alpha, const T* a, int lda,
                    const T* beta, const T* b, int ldb, T* c, int ldc) {
    Call call(name, handle);
    const bool plain_a = transa == CUBLAS_OP_N, plain_b = transb == CUBLAS_OP_N;
    call.require_sizes({m, n});
    call.require_leading("lda", lda, plain_a ? m : n);
    call.require_leading("ldb", ldb, plain_b ? m : n);
    call.require_leading("ldc", ldc, m);
    const Number<T> by = call.number(alpha), other = call.number(beta);
    if (!by.is_zero()) call.reads_matrix(a, plain_a ? m : n, plain_a ? n : m, lda);
    if (!other.is_zero()) call.reads_matrix(b, plain_b ? m : n, plain_b ? n : m, ldb);
    call.writes_matrix(c, m, n, ldc);
    return call.run([=] {
        const auto at = [](const T* matrix, bool plain, int leading, int row, int column) {
            return plain ? matrix[row + static_cast<std::ptrdiff_t>(column) * leading]
                         : matrix[column + static_cast<std::ptrdiff_t>(row) * leading];
        };
        const T first = by.get(), second = other.get();
        for (int column = 0; column < n; ++column) {
            for (int row = 0; row < m; ++row) {
                const T left = first == T{} ? T{} : first * at(a, plain_a, lda, row, column);
                const T right = second == T{} ? T{} : second * at(b, plain_b, ldb, row, column);
                c[row + static_cast<std::ptrdiff_t>(column) * ldc] = left + right;
            }
        }
    });
}

// C = diag(x) A or A diag(x).
template <class T>
cublasStatus_t dgmm(const char* name, cublasHandle_t handle, cublasSideMode_t side, int m, int n,
                    const T* a, int lda, const T* x, int incx, T* c, int ldc) {
    Call call(name, handle);
    call.require_sizes({m, n});
    call.require_leading("lda", lda, m);
    call.require_leading("ldc", ldc, m);
    const bool left = side == CUBLAS_SIDE_LEFT;
    const int length = left ? m : n;
    call.reads_matrix(a, m, n, lda);
    call.reads_vector(x, length, incx);
    call.writes_matrix(c, m, n, ldc);
    return call.run([=] {
        const T* const first = incx < 0 ? x - static_cast<std::ptrdiff_t>(length - 1) * incx : x;
        for (int column = 0; column < n; ++column) {
            for (int row = 0; row < m; ++row) {
                c[row + static_cast<std::ptrdiff_t>(column) * ldc] =
                    a[row + static_cast<std::ptrdiff_t>(column) * lda] *
                    first[static_cast<std::ptrdiff_t>(left ? row : column) * incx];
            }
        }
    });
}

extern "C" {

#define EMULATOR_REAL(S, T)                                                                        \
    cublasStatus_t cublas##S##symm(                                                                \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,         \
        const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {  \
        return symm("cublas" #S "symm", handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c,  \
                    ldc);                                                                          \
    }                                                                                              \
    cublasStatus_t cublas##S##syrk(cublasHandle_t handle, cublasFillMode_t uplo,                   \
                                   cublasOperation_t trans, int n, int k, const T* alpha,          \
                                   const T* a, int lda, const T* beta, T* c, int ldc) {            \
        return rank_update<T>("cublas" #S "syrk", handle, uplo, trans, n, k, alpha, a, lda,        \
                              nullptr, 0, beta, c, ldc);                                           \
    }                                                                                              \
    cublasStatus_t cublas##S##syr2k(                                                               \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,       \
        const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {  \
        return rank_update<T>("cublas" #S "syr2k", handle, uplo, trans, n, k, alpha, a, lda, b,    \
                              ldb, beta, c, ldc);                                                  \
    }                                                                                              \
    cublasStatus_t cublas##S##trmm(cublasHandle_t handle, cublasSideMode_t side,                   \
                                   cublasFillMode_t uplo, cublasOperation_t trans,                 \
                                   cublasDiagType_t diag, int m, int n, const T* alpha,            \
                                   const T* a, int lda, const T* b, int ldb, T* c, int ldc) {      \
        return triangular("cublas" #S "trmm", "trmm", handle, side, uplo, trans, diag, m, n,       \
                          alpha, a, lda, b, ldb, c, ldc);                                          \
    }                                                                                              \
    cublasStatus_t cublas##S##trsm(cublasHandle_t handle, cublasSideMode_t side,                   \
                                   cublasFillMode_t uplo, cublasOperation_t trans,                 \
                                   cublasDiagType_t diag, int m, int n, const T* alpha,            \
                                   const T* a, int lda, T* b, int ldb) {                           \
        return triangular<T>("cublas" #S "trsm", "trsm", handle, side, uplo, trans, diag, m, n,    \
                             alpha, a, lda, b, ldb, b, ldb);                                       \
    }                                                                                              \
    cublasStatus_t cublas##S##geam(                                                                \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
        const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {  \
        return geam("cublas" #S "geam", handle, transa, transb, m, n, alpha, a, lda, beta, b, ldb, \
                    c, ldc);                                                                       \
    }                                                                                              \
    cublasStatus_t cublas##S##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n,     \
                                   const T* a, int lda, const T* x, int incx, T* c, int ldc) {     \
        return dgmm("cublas" #S "dgmm", handle, side, m, n, a, lda, x, incx, c, ldc);              \
    }
EMULATOR_REAL(S, float)
EMULATOR_REAL(D, double)
#undef EMULATOR_REAL

}  // extern "C"

}  // namespace emulator::cublas::level3
