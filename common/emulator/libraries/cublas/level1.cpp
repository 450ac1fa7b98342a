// SPDX-License-Identifier: MIT
// Vectors.
#include "common/emulator/libraries/cublas/call.hpp"
#include "common/emulator/libraries/cublas/openblas.hpp"

namespace emulator::cublas::level1 {

template <class T>
cublasStatus_t axpy(const char* name, cublasHandle_t handle, int n, const T* alpha, const T* x,
                    int incx, T* y, int incy) {
    Call call(name, handle);
    const Number<T> a = call.number(alpha);
    call.reads_vector(x, n, incx);
    call.reads_vector(y, n, incy);
    call.writes_vector(y, n, incy);
    return call.run([=] {
        const T factor = a.get();
        blas<T>("axpy", n, as_argument(factor), static_cast<const void*>(x), incx,
                static_cast<void*>(y), incy);
    });
}

template <class T>
cublasStatus_t copy(const char* name, cublasHandle_t handle, int n, const T* x, int incx, T* y,
                    int incy) {
    Call call(name, handle);
    call.reads_vector(x, n, incx);
    call.writes_vector(y, n, incy);
    return call.run([=] {
        blas<T>("copy", n, static_cast<const void*>(x), incx, static_cast<void*>(y), incy);
    });
}

template <class T>
cublasStatus_t swap(const char* name, cublasHandle_t handle, int n, T* x, int incx, T* y,
                    int incy) {
    Call call(name, handle);
    for (const auto& [vector, increment] : {std::pair(x, incx), std::pair(y, incy)}) {
        call.reads_vector(vector, n, increment);
        call.writes_vector(vector, n, increment);
    }
    return call.run(
        [=] { blas<T>("swap", n, static_cast<void*>(x), incx, static_cast<void*>(y), incy); });
}

template <class T>
cublasStatus_t scal(const char* name, cublasHandle_t handle, int n, const T* alpha, T* x,
                    int incx) {
    Call call(name, handle);
    const Number<T> a = call.number(alpha);
    call.reads_vector(x, n, incx);
    call.writes_vector(x, n, incx);
    return call.run([=] {
        const T factor = a.get();
        blas<T>("scal", n, as_argument(factor), static_cast<void*>(x), incx);
    });
}

// cblas_snrm2, cblas_scnrm2, cblas_dznrm2
template <class T>
cublasStatus_t reduce(const char* name, const char* real_name, cublasHandle_t handle, int n,
                      const T* x, int incx, RealOf<T>* result) {
    using R = RealOf<T>;
    Call call(name, handle);
    call.reads_vector(x, n, incx);
    return call.run_for<R>(result, [=]() -> R {
        const std::string function = (kIsComplex<T> ? std::string(1, kLetter<T>) : "") + real_name;
        return blas<R, R>(function.c_str(), n, static_cast<const void*>(x), incx);
    });
}

// The first element of the largest or least absolute value, counted from 1; 0 for no element.
template <class T>
cublasStatus_t find(const char* name, const char* which, cublasHandle_t handle, int n, const T* x,
                    int incx, int* result) {
    Call call(name, handle);
    call.reads_vector(x, n, incx);
    return call.run_for<int>(result, [=] {
        if (n <= 0 || incx <= 0) return 0;
        void* const function = openblas_function(std::string("cblas_i") + kLetter<T> + which);
        using Find = std::size_t (*)(int, const void*, int);
        return 1 + static_cast<int>(reinterpret_cast<Find>(function)(n, x, incx));
    });
}

template <class T>
cublasStatus_t dot(const char* name, const char* which, cublasHandle_t handle, int n, const T* x,
                   int incx, const T* y, int incy, T* result) {
    Call call(name, handle);
    call.reads_vector(x, n, incx);
    call.reads_vector(y, n, incy);
    return call.run_for<T>(result, [=]() -> T {
        const void *from = x, *to = y;
        if constexpr (kIsComplex<T>) {
            T sum{};
            blas<T>(which, n, from, incx, to, incy, static_cast<void*>(&sum));
            return sum;
        } else {
            return blas<T, T>(which, n, from, incx, to, incy);
        }
    });
}

template <class T>
cublasStatus_t rot(const char* name, cublasHandle_t handle, int n, T* x, int incx, T* y, int incy,
                   const T* c, const T* s) {
    Call call(name, handle);
    const Number<T> cosine = call.number(c), sine = call.number(s);
    for (const auto& [vector, increment] : {std::pair(x, incx), std::pair(y, incy)}) {
        call.reads_vector(vector, n, increment);
        call.writes_vector(vector, n, increment);
    }
    return call.run([=] { blas<T>("rot", n, x, incx, y, incy, cosine.get(), sine.get()); });
}

extern "C" {

#define EMULATOR_ALL(S, s, T, R, ABS)                                                              \
    cublasStatus_t cublas##S##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x,       \
                                   int incx, T* y, int incy) {                                     \
        return axpy("cublas" #S "axpy", handle, n, alpha, x, incx, y, incy);                       \
    }                                                                                              \
    cublasStatus_t cublas##S##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y,       \
                                   int incy) {                                                     \
        return copy("cublas" #S "copy", handle, n, x, incx, y, incy);                              \
    }                                                                                              \
    cublasStatus_t cublas##S##swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) { \
        return swap("cublas" #S "swap", handle, n, x, incx, y, incy);                              \
    }                                                                                              \
    cublasStatus_t cublas##S##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) { \
        return scal("cublas" #S "scal", handle, n, alpha, x, incx);                                \
    }                                                                                              \
    cublasStatus_t cublas##ABS##nrm2(cublasHandle_t handle, int n, const T* x, int incx,           \
                                     R* result) {                                                  \
        return reduce("cublas" #ABS "nrm2", "nrm2", handle, n, x, incx, result);                   \
    }                                                                                              \
    cublasStatus_t cublas##ABS##asum(cublasHandle_t handle, int n, const T* x, int incx,           \
                                     R* result) {                                                  \
        return reduce("cublas" #ABS "asum", "asum", handle, n, x, incx, result);                   \
    }                                                                                              \
    cublasStatus_t cublasI##s##amax(cublasHandle_t handle, int n, const T* x, int incx,            \
                                    int* result) {                                                 \
        return find("cublasI" #s "amax", "amax", handle, n, x, incx, result);                      \
    }                                                                                              \
    cublasStatus_t cublasI##s##amin(cublasHandle_t handle, int n, const T* x, int incx,            \
                                    int* result) {                                                 \
        return find("cublasI" #s "amin", "amin", handle, n, x, incx, result);                      \
    }
EMULATOR_ALL(S, s, float, float, S)
EMULATOR_ALL(D, d, double, double, D)
EMULATOR_ALL(C, c, cuComplex, float, Sc)
EMULATOR_ALL(Z, z, cuDoubleComplex, double, Dz)

#define EMULATOR_DOT(S, NAME, WHICH, T)                                                            \
    cublasStatus_t cublas##S##NAME(cublasHandle_t handle, int n, const T* x, int incx, const T* y, \
                                   int incy, T* result) {                                          \
        return dot("cublas" #S #NAME, WHICH, handle, n, x, incx, y, incy, result);                 \
    }
EMULATOR_DOT(S, dot, "dot", float)
EMULATOR_DOT(D, dot, "dot", double)
EMULATOR_DOT(C, dotu, "dotu_sub", cuComplex)
EMULATOR_DOT(C, dotc, "dotc_sub", cuComplex)
EMULATOR_DOT(Z, dotu, "dotu_sub", cuDoubleComplex)
EMULATOR_DOT(Z, dotc, "dotc_sub", cuDoubleComplex)

cublasStatus_t cublasSrot(cublasHandle_t handle, int n, float* x, int incx, float* y, int incy,
                          const float* c, const float* s) {
    return rot("cublasSrot", handle, n, x, incx, y, incy, c, s);
}
cublasStatus_t cublasDrot(cublasHandle_t handle, int n, double* x, int incx, double* y, int incy,
                          const double* c, const double* s) {
    return rot("cublasDrot", handle, n, x, incx, y, incy, c, s);
}
#undef EMULATOR_ALL
#undef EMULATOR_DOT

}  // extern "C"

}  // namespace emulator::cublas::level1
