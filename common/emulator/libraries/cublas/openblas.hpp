// SPDX-License-Identifier: MIT
// OpenBLAS' functions by their names (the C interface of the Netlib's reference, "cblas"). It is
// loaded when a program first asks for it.
#pragma once

#include <cuComplex.h>
#include <cublas_v2.h>

#include <string>
#include <type_traits>

namespace emulator::cublas {

// Whether OpenBLAS is there.
bool has_openblas();
// Ends the program with a message for a name that OpenBLAS lacks.
void* openblas_function(const std::string& name);

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, cuComplex> || std::is_same_v<T, cuDoubleComplex>;
template <class T>
using RealOf =
    std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, cuComplex>, float, double>;
// Complex scalars are passed by their address.
template <class T>
using Scalar = std::conditional_t<kIsComplex<T>, const void*, T>;

template <class T>
Scalar<T> as_argument(const T& value) {
    if constexpr (kIsComplex<T>) {
        return &value;
    } else {
        return value;
    }
}

template <class T>
constexpr char kLetter = std::is_same_v<T, float>       ? 's'
                         : std::is_same_v<T, double>    ? 'd'
                         : std::is_same_v<T, cuComplex> ? 'c'
                                                        : 'z';

// Calls cblas_<letter><name>.
template <class T, class Result = void, class... Arguments>
Result blas(const char* name, Arguments... arguments) {
    void* const function = openblas_function(std::string("cblas_") + kLetter<T> + name);
    return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
}

constexpr int kColumnMajor = 102;
inline int of(cublasOperation_t operation) {
    return operation == CUBLAS_OP_N ? 111 : operation == CUBLAS_OP_T ? 112 : 113;
}
inline int of(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_UPPER ? 121 : 122; }
inline int of(cublasDiagType_t diag) { return diag == CUBLAS_DIAG_NON_UNIT ? 131 : 132; }
inline int of(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT ? 141 : 142; }

}  // namespace emulator::cublas
