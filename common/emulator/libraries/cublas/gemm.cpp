// SPDX-License-Identifier: MIT
// Products of matrices, one or many.
#include <algorithm>
#include <vector>

#include "common/emulator/libraries/cublas/call.hpp"
#include "common/emulator/libraries/cublas/openblas.hpp"

namespace emulator::cublas::products {

struct Sizes {
    cublasOperation_t transa, transb;
    int m, n, k;

    int rows_of_a() const { return transa == CUBLAS_OP_N ? m : k; }
    int columns_of_a() const { return transa == CUBLAS_OP_N ? k : m; }
    int rows_of_b() const { return transb == CUBLAS_OP_N ? k : n; }
    int columns_of_b() const { return transb == CUBLAS_OP_N ? n : k; }
};

// A matrix of several: `stride` elements after the one before.
template <class T>
struct Matrices {
    T* first;
    int leading;
    long long stride;
    T* at(int index) const { return first + index * stride; }
};

void require(Call& call, const Sizes& sizes, int lda, int ldb, int ldc) {
    call.require_sizes({sizes.m, sizes.n, sizes.k});
    call.require_leading("lda", lda, sizes.rows_of_a());
    call.require_leading("ldb", ldb, sizes.rows_of_b());
    call.require_leading("ldc", ldc, sizes.m);
}

template <class T>
void multiply(const Sizes& sizes, const T& alpha, const T* a, int lda, const T* b, int ldb,
              const T& beta, T* c, int ldc) {
    blas<T>("gemm", kColumnMajor, of(sizes.transa), of(sizes.transb), sizes.m, sizes.n, sizes.k,
            as_argument(alpha), static_cast<const void*>(a), lda, static_cast<const void*>(b), ldb,
            as_argument(beta), static_cast<void*>(c), ldc);
}

// Names the memory of `count` products.
template <class In, class Out, class Scalar>
void uses(Call& call, const Sizes& sizes, const Matrices<const In>& a, const Matrices<const In>& b,
          const Number<Scalar>& beta, const Matrices<Out>& c, int count) {
    for (int i = 0; i < count; ++i) {
        call.reads_matrix(a.at(i), sizes.rows_of_a(), sizes.columns_of_a(), a.leading);
        call.reads_matrix(b.at(i), sizes.rows_of_b(), sizes.columns_of_b(), b.leading);
        if (!beta.is_zero()) call.reads_matrix(c.at(i), sizes.m, sizes.n, c.leading);
        call.writes_matrix(c.at(i), sizes.m, sizes.n, c.leading);
    }
}

template <class T>
cublasStatus_t gemm(const char* name, cublasHandle_t handle, const Sizes& sizes, const T* alpha,
                    const Matrices<const T>& a, const Matrices<const T>& b, const T* beta,
                    const Matrices<T>& c, int count) {
    Call call(name, handle);
    require(call, sizes, a.leading, b.leading, c.leading);
    const Number<T> by = call.number(alpha), old = call.number(beta);
    uses(call, sizes, a, b, old, c, count);
    return call.run([=] {
        for (int i = 0; i < count; ++i) {
            multiply<T>(sizes, by.get(), a.at(i), a.leading, b.at(i), b.leading, old.get(), c.at(i),
                        c.leading);
        }
    });
}

// The addresses of the matrices stand in device memory: they are read when the work runs.
template <class T>
cublasStatus_t gemm_batched(const char* name, cublasHandle_t handle, const Sizes& sizes,
                            const T* alpha, const T* const* a, int lda, const T* const* b, int ldb,
                            const T* beta, T* const* c, int ldc, int count) {
    Call call(name, handle);
    require(call, sizes, lda, ldb, ldc);
    const Number<T> by = call.number(alpha), old = call.number(beta);
    call.reads_vector(a, count, 1);
    call.reads_vector(b, count, 1);
    call.reads_vector(c, count, 1);
    return call.run([=] {
        const auto bytes = [](int rows, int columns, int leading) {
            return (static_cast<std::size_t>(leading) * (columns - 1) + rows) * sizeof(T);
        };
        if (sizes.m == 0 || sizes.n == 0) return;
        for (int i = 0; i < count; ++i) {
            const bool admitted =
                (sizes.k == 0 ||
                 (emulator::admit_input(name, a[i],
                                        bytes(sizes.rows_of_a(), sizes.columns_of_a(), lda)) &&
                  emulator::admit_input(name, b[i],
                                        bytes(sizes.rows_of_b(), sizes.columns_of_b(), ldb)))) &&
                emulator::admit_output(name, c[i], bytes(sizes.m, sizes.n, ldc));
            if (!admitted) return;
            multiply<T>(sizes, by.get(), a[i], lda, b[i], ldb, old.get(), c[i], ldc);
        }
    });
}

// ---- Types of fewer bits, and mixed ones: sums are float or double.

template <class T>
std::vector<T> widened(const void* from, cudaDataType_t type, int rows, int columns, int leading) {
    std::vector<T> result(static_cast<std::size_t>(rows) * columns);
    for (int column = 0; column < columns; ++column) {
        for (int row = 0; row < rows; ++row) {
            const std::size_t i = row + static_cast<std::size_t>(column) * leading;
            T value{};
            switch (type) {
                case CUDA_R_16F:
                    value = __half2float(static_cast<const __half*>(from)[i]);
                    break;
                case CUDA_R_16BF:
                    value = __bfloat162float(static_cast<const __nv_bfloat16*>(from)[i]);
                    break;
                case CUDA_R_8I:
                    value = static_cast<const signed char*>(from)[i];
                    break;
                case CUDA_R_32I:
                    value = static_cast<T>(static_cast<const int*>(from)[i]);
                    break;
                case CUDA_R_64F:
                    value = static_cast<T>(static_cast<const double*>(from)[i]);
                    break;
                case CUDA_R_32F:
                    value = static_cast<const float*>(from)[i];
                    break;
            }
            result[row + static_cast<std::size_t>(column) * rows] = value;
        }
    }
    return result;
}

template <class T>
void narrow(const std::vector<T>& from, void* to, cudaDataType_t type, int rows, int columns,
            int leading) {
    for (int column = 0; column < columns; ++column) {
        for (int row = 0; row < rows; ++row) {
            const T value = from[row + static_cast<std::size_t>(column) * rows];
            const std::size_t i = row + static_cast<std::size_t>(column) * leading;
            switch (type) {
                case CUDA_R_16F:
                    static_cast<__half*>(to)[i] = __float2half_rn(static_cast<float>(value));
                    break;
                case CUDA_R_16BF:
                    static_cast<__nv_bfloat16*>(to)[i] =
                        __float2bfloat16_rn(static_cast<float>(value));
                    break;
                case CUDA_R_8I:
                    static_cast<signed char*>(to)[i] = static_cast<signed char>(value);
                    break;
                case CUDA_R_32I:
                    static_cast<int*>(to)[i] = static_cast<int>(static_cast<long long>(value));
                    break;
                case CUDA_R_64F:
                    static_cast<double*>(to)[i] = value;
                    break;
                case CUDA_R_32F:
                    static_cast<float*>(to)[i] = static_cast<float>(value);
                    break;
            }
        }
    }
}

std::size_t size_of(cudaDataType_t type) {
    switch (type) {
        case CUDA_R_8I:
            return 1;
        case CUDA_R_16F:
        case CUDA_R_16BF:
            return 2;
        case CUDA_R_64F:
            return 8;
        default:
            return 4;
    }
}

// A matrix whose elements have a type that is known only now.
struct TypedMatrices {
    const void* first;
    cudaDataType_t type;
    int leading;
    long long stride;
    const char* at(int index) const {
        return static_cast<const char*>(first) +
               index * stride * static_cast<long long>(size_of(type));
    }
};

void uses(Call& call, const TypedMatrices& matrices, int rows, int columns, int count,
          bool is_written) {
    const auto element = static_cast<int>(size_of(matrices.type));
    for (int i = 0; i < count; ++i) {
        auto* const bytes = const_cast<char*>(matrices.at(i));
        if (is_written) {
            call.writes_matrix(bytes, rows * element, columns, matrices.leading * element);
        } else {
            call.reads_matrix(bytes, rows * element, columns, matrices.leading * element);
        }
    }
}

// `Sum` is the type of the sums, `Given` that of alpha and beta.
template <class Sum, class Given, class Convert>
cublasStatus_t gemm_of_types(const char* name, cublasHandle_t handle, const Sizes& sizes,
                             const void* alpha, const TypedMatrices& a, const TypedMatrices& b,
                             const void* beta, const TypedMatrices& c, int count, Convert convert) {
    Call call(name, handle);
    require(call, sizes, a.leading, b.leading, c.leading);
    const auto by = call.number(static_cast<const Given*>(alpha));
    const auto old = call.number(static_cast<const Given*>(beta));
    uses(call, a, sizes.rows_of_a(), sizes.columns_of_a(), count, false);
    uses(call, b, sizes.rows_of_b(), sizes.columns_of_b(), count, false);
    if (!old.is_zero()) uses(call, c, sizes.m, sizes.n, count, false);
    uses(call, c, sizes.m, sizes.n, count, true);
    return call.run([=] {
        for (int i = 0; i < count; ++i) {
            const auto left =
                widened<Sum>(a.at(i), a.type, sizes.rows_of_a(), sizes.columns_of_a(), a.leading);
            const auto right =
                widened<Sum>(b.at(i), b.type, sizes.rows_of_b(), sizes.columns_of_b(), b.leading);
            const Sum share = convert(old.get());
            auto sums = share == Sum{}
                            ? std::vector<Sum>(static_cast<std::size_t>(sizes.m) * sizes.n)
                            : widened<Sum>(c.at(i), c.type, sizes.m, sizes.n, c.leading);
            multiply<Sum>(sizes, convert(by.get()), left.data(), std::max(sizes.rows_of_a(), 1),
                          right.data(), std::max(sizes.rows_of_b(), 1), share, sums.data(),
                          std::max(sizes.m, 1));
            narrow(sums, const_cast<char*>(c.at(i)), c.type, sizes.m, sizes.n, c.leading);
        }
    });
}

cublasStatus_t gemm_ex(const char* name, cublasHandle_t handle, const Sizes& sizes,
                       const void* alpha, const TypedMatrices& a, const TypedMatrices& b,
                       const void* beta, const TypedMatrices& c, int count,
                       cublasComputeType_t compute) {
    if (a.type != b.type) return CUBLAS_STATUS_NOT_SUPPORTED;
    switch (compute) {
        case CUBLAS_COMPUTE_16F:
        case CUBLAS_COMPUTE_16F_PEDANTIC:
            return gemm_of_types<float, __half>(name, handle, sizes, alpha, a, b, beta, c, count,
                                                [](__half x) { return __half2float(x); });
        case CUBLAS_COMPUTE_64F:
        case CUBLAS_COMPUTE_64F_PEDANTIC:
        case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
            return gemm_of_types<double, double>(name, handle, sizes, alpha, a, b, beta, c, count,
                                                 [](double x) { return x; });
        case CUBLAS_COMPUTE_32I:  // exact in double: a product has 14 bits
        case CUBLAS_COMPUTE_32I_PEDANTIC:
            return gemm_of_types<double, int>(name, handle, sizes, alpha, a, b, beta, c, count,
                                              [](int x) { return static_cast<double>(x); });
        default:
            return gemm_of_types<float, float>(name, handle, sizes, alpha, a, b, beta, c, count,
                                               [](float x) { return x; });
    }
}

extern "C" {

#define EMULATOR_GEMM(S, T)                                                                        \
    cublasStatus_t cublas##S##gemm(cublasHandle_t handle, cublasOperation_t transa,                \
                                   cublasOperation_t transb, int m, int n, int k, const T* alpha,  \
                                   const T* a, int lda, const T* b, int ldb, const T* beta, T* c,  \
                                   int ldc) {                                                      \
        return gemm<T>("cublas" #S "gemm", handle, {transa, transb, m, n, k}, alpha, {a, lda, 0},  \
                       {b, ldb, 0}, beta, {c, ldc, 0}, 1);                                         \
    }                                                                                              \
    cublasStatus_t cublas##S##gemmBatched(                                                         \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
        int k, const T* alpha, const T* const a[], int lda, const T* const b[], int ldb,           \
        const T* beta, T* const c[], int ldc, int count) {                                         \
        return gemm_batched<T>("cublas" #S "gemmBatched", handle, {transa, transb, m, n, k},       \
                               alpha, a, lda, b, ldb, beta, c, ldc, count);                        \
    }                                                                                              \
    cublasStatus_t cublas##S##gemmStridedBatched(                                                  \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
        int k, const T* alpha, const T* a, int lda, long long stride_a, const T* b, int ldb,       \
        long long stride_b, const T* beta, T* c, int ldc, long long stride_c, int count) {         \
        return gemm<T>("cublas" #S "gemmStridedBatched", handle, {transa, transb, m, n, k}, alpha, \
                       {a, lda, stride_a}, {b, ldb, stride_b}, beta, {c, ldc, stride_c}, count);   \
    }
EMULATOR_GEMM(S, float)
EMULATOR_GEMM(D, double)
EMULATOR_GEMM(C, cuComplex)
EMULATOR_GEMM(Z, cuDoubleComplex)

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const __half* alpha,
                           const __half* a, int lda, const __half* b, int ldb, const __half* beta,
                           __half* c, int ldc) {
    return gemm_ex("cublasHgemm", handle, {transa, transb, m, n, k}, alpha, {a, CUDA_R_16F, lda, 0},
                   {b, CUDA_R_16F, ldb, 0}, beta, {c, CUDA_R_16F, ldc, 0}, 1, CUBLAS_COMPUTE_16F);
}

cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const __half* alpha, const __half* a, int lda,
                                         long long stride_a, const __half* b, int ldb,
                                         long long stride_b, const __half* beta, __half* c, int ldc,
                                         long long stride_c, int count) {
    return gemm_ex("cublasHgemmStridedBatched", handle, {transa, transb, m, n, k}, alpha,
                   {a, CUDA_R_16F, lda, stride_a}, {b, CUDA_R_16F, ldb, stride_b}, beta,
                   {c, CUDA_R_16F, ldc, stride_c}, count, CUBLAS_COMPUTE_16F);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType_t type_a, int lda, const void* b,
                            cudaDataType_t type_b, int ldb, const void* beta, void* c,
                            cudaDataType_t type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t) {
    return gemm_ex("cublasGemmEx", handle, {transa, transb, m, n, k}, alpha, {a, type_a, lda, 0},
                   {b, type_b, ldb, 0}, beta, {c, type_c, ldc, 0}, 1, compute);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float* alpha,
                             const void* a, cudaDataType_t type_a, int lda, const void* b,
                             cudaDataType_t type_b, int ldb, const float* beta, void* c,
                             cudaDataType_t type_c, int ldc) {
    return gemm_ex("cublasSgemmEx", handle, {transa, transb, m, n, k}, alpha, {a, type_a, lda, 0},
                   {b, type_b, ldb, 0}, beta, {c, type_c, ldc, 0}, 1, CUBLAS_COMPUTE_32F);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType_t type_a,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType_t type_b, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType_t type_c, int ldc,
                                          long long stride_c, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
    return gemm_ex("cublasGemmStridedBatchedEx", handle, {transa, transb, m, n, k}, alpha,
                   {a, type_a, lda, stride_a}, {b, type_b, ldb, stride_b}, beta,
                   {c, type_c, ldc, stride_c}, count, compute);
}
#undef EMULATOR_GEMM

}  // extern "C"

}  // namespace emulator::cublas::products
