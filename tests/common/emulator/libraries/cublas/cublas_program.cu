// SPDX-License-Identifier: MIT
// Calls cuBLAS as other people's programs do, compares with loops, and prints what is wrong.
#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

int faults = 0;

void expect(bool right, const std::string& what) {
    if (right) return;
    std::printf("WRONG: %s\n", what.c_str());
    ++faults;
}

void check(cublasStatus_t status, const char* what) {
    expect(status == CUBLAS_STATUS_SUCCESS, std::string(what) + ": " + cublasGetStatusName(status));
}

// Device memory with the values of a list.
template <class T>
class OnDevice {
  public:
    explicit OnDevice(std::vector<T> values) : values_(std::move(values)) {
        cudaMalloc(&data_, values_.size() * sizeof(T));
        cudaMemcpy(data_, values_.data(), values_.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;
    ~OnDevice() { cudaFree(data_); }
    T* data() const { return data_; }
    std::vector<T> read() const {
        std::vector<T> result(values_.size());
        cudaMemcpy(result.data(), data_, result.size() * sizeof(T), cudaMemcpyDeviceToHost);
        return result;
    }
    const std::vector<T>& start() const { return values_; }

  private:
    std::vector<T> values_;
    T* data_ = nullptr;
};

template <class T>
std::vector<T> numbers(int count, int seed) {
    std::vector<T> result(count);
    for (int i = 0; i < count; ++i) result[i] = static_cast<T>((i * 7 + seed * 5) % 11 - 5);
    return result;
}

constexpr int kM = 5, kN = 4, kK = 3;

template <class T>
T at(const std::vector<T>& a, int leading, cublasOperation_t trans, int row, int column) {
    return trans == CUBLAS_OP_N ? a[row + column * leading] : a[column + row * leading];
}

// C = alpha op(A) op(B) + beta C, in small integers: exact in each type.
template <class T, class Gemm>
void try_gemm(const char* name, const Gemm& gemm) {
    for (const cublasOperation_t ta : {CUBLAS_OP_N, CUBLAS_OP_T}) {
        for (const cublasOperation_t tb : {CUBLAS_OP_N, CUBLAS_OP_T}) {
            const int lda = (ta == CUBLAS_OP_N ? kM : kK) + 1, ldb = tb == CUBLAS_OP_N ? kK : kN;
            const OnDevice<T> a(numbers<T>(lda * kM, 1)), b(numbers<T>(ldb * kN, 2));
            const OnDevice<T> c(numbers<T>((kM + 2) * kN, 3));
            const T alpha = static_cast<T>(2), beta = static_cast<T>(-1);
            check(gemm(ta, tb, alpha, a.data(), lda, b.data(), ldb, beta, c.data(), kM + 2), name);
            const std::vector<T> result = c.read();
            for (int j = 0; j < kN; ++j) {
                for (int i = 0; i < kM + 2; ++i) {
                    double sum = 0;
                    for (int k = 0; k < kK && i < kM; ++k) {
                        sum += static_cast<double>(at(a.start(), lda, ta, i, k)) *
                               static_cast<double>(at(b.start(), ldb, tb, k, j));
                    }
                    const double old = static_cast<double>(c.start()[i + j * (kM + 2)]);
                    expect(static_cast<double>(result[i + j * (kM + 2)]) ==
                               (i < kM ? 2 * sum - old : old),
                           name);
                }
            }
        }
    }
}

void try_level1(cublasHandle_t handle) {
    const int n = 6;
    const OnDevice<float> x(numbers<float>(2 * n, 1)), y(numbers<float>(n, 4));
    const float alpha = 3;
    float dot = 0, norm = 0, sum = 0, expected_dot = 0, expected_norm = 0, expected_sum = 0;
    int most = 0, least = 0, expected_most = 0, expected_least = 0;
    const auto value = [&](int i) { return x.start()[2 * i]; };
    for (int i = 0; i < n; ++i) {
        expected_dot += value(i) * y.start()[i];
        expected_norm += value(i) * value(i);
        expected_sum += std::fabs(value(i));
        if (std::fabs(value(i)) > std::fabs(value(expected_most))) expected_most = i;
        if (std::fabs(value(i)) < std::fabs(value(expected_least))) expected_least = i;
    }
    check(cublasSdot(handle, n, x.data(), 2, y.data(), 1, &dot), "Sdot");
    check(cublasSnrm2(handle, n, x.data(), 2, &norm), "Snrm2");
    check(cublasSasum(handle, n, x.data(), 2, &sum), "Sasum");
    check(cublasIsamax(handle, n, x.data(), 2, &most), "Isamax");
    check(cublasIsamin(handle, n, x.data(), 2, &least), "Isamin");
    expect(dot == expected_dot, "Sdot");
    expect(std::fabs(norm - std::sqrt(expected_norm)) < 1e-5f, "Snrm2");
    expect(sum == expected_sum, "Sasum");
    expect(most == expected_most + 1 && least == expected_least + 1, "Isamax, Isamin");
    check(cublasSaxpy(handle, n, &alpha, x.data(), 2, y.data(), 1), "Saxpy");
    for (int i = 0; i < n; ++i) {
        expect(y.read()[i] == y.start()[i] + 3 * value(i), "Saxpy");
    }
    check(cublasSscal(handle, n, &alpha, x.data(), 2), "Sscal");
    for (int i = 0; i < 2 * n; ++i) {
        expect(x.read()[i] == x.start()[i] * (i % 2 == 0 ? 3 : 1), "Sscal");
    }
    check(cublasSswap(handle, n, x.data(), 2, y.data(), 1), "Sswap");
    check(cublasScopy(handle, n, x.data(), 2, y.data(), 1), "Scopy");
    for (int i = 0; i < n; ++i) expect(x.read()[2 * i] == y.read()[i], "Sswap, Scopy");

    // A result in device memory, and a factor.
    const OnDevice<double> a(numbers<double>(n, 1)), b(numbers<double>(n, 2)), c({0});
    const OnDevice<double> factor({2});
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    check(cublasDscal(handle, n, factor.data(), a.data(), 1), "Dscal");
    check(cublasDdot(handle, n, a.data(), 1, b.data(), 1, c.data()), "Ddot");
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    double expected = 0;
    for (int i = 0; i < n; ++i) expected += 2 * a.start()[i] * b.start()[i];
    expect(c.read()[0] == expected, "Ddot on the device");

    const OnDevice<cuComplex> p({{1, 2}, {3, -1}}), q({{0, 1}, {2, 2}});
    cuComplex plain, conjugate;
    check(cublasCdotu(handle, 2, p.data(), 1, q.data(), 1, &plain), "Cdotu");
    check(cublasCdotc(handle, 2, p.data(), 1, q.data(), 1, &conjugate), "Cdotc");
    expect(plain.x == 6 && plain.y == 5 && conjugate.x == 6 && conjugate.y == 9, "Cdotu, Cdotc");
    float length;
    check(cublasScnrm2(handle, 2, p.data(), 1, &length), "Scnrm2");
    expect(std::fabs(length - std::sqrt(15.0f)) < 1e-5f, "Scnrm2");
}

void try_level2(cublasHandle_t handle) {
    const double alpha = 2, beta = 1;
    const OnDevice<double> a(numbers<double>(kM * kN, 1)), x(numbers<double>(kN, 2));
    const OnDevice<double> y(numbers<double>(kM, 3)), square(numbers<double>(kN * kN, 4));
    check(cublasDgemv(handle, CUBLAS_OP_N, kM, kN, &alpha, a.data(), kM, x.data(), 1, &beta,
                      y.data(), 1),
          "Dgemv");
    for (int i = 0; i < kM; ++i) {
        double sum = y.start()[i];
        for (int j = 0; j < kN; ++j) sum += 2 * a.start()[i + j * kM] * x.start()[j];
        expect(y.read()[i] == sum, "Dgemv");
    }
    const std::vector<double> before = y.read();
    check(cublasDger(handle, kM, kN, &alpha, y.data(), 1, x.data(), 1, a.data(), kM), "Dger");
    for (int i = 0; i < kM * kN; ++i) {
        expect(a.read()[i] == a.start()[i] + 2 * before[i % kM] * x.start()[i / kM], "Dger");
    }
    const OnDevice<double> product(std::vector<double>(kN, NAN));  // beta = 0 reads nothing
    const double zero = 0;
    check(cublasDsymv(handle, CUBLAS_FILL_MODE_UPPER, kN, &alpha, square.data(), kN, x.data(), 1,
                      &zero, product.data(), 1),
          "Dsymv");
    for (int i = 0; i < kN; ++i) {
        double sum = 0;
        for (int j = 0; j < kN; ++j) {
            sum += 2 * square.start()[std::min(i, j) + std::max(i, j) * kN] * x.start()[j];
        }
        expect(product.read()[i] == sum, "Dsymv");
    }
    // What trmv multiplies, trsv solves.
    const OnDevice<double> vector(numbers<double>(kN, 5));
    check(cublasDtrmv(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, kN,
                      square.data(), kN, vector.data(), 1),
          "Dtrmv");
    check(cublasDtrsv(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, kN,
                      square.data(), kN, vector.data(), 1),
          "Dtrsv");
    expect(vector.read() == vector.start(), "Dtrmv, Dtrsv");
}

void try_level3(cublasHandle_t handle) {
    const float alpha = 2, beta = 0, one = 1;
    const OnDevice<float> a(numbers<float>(kM * kM, 1)), b(numbers<float>(kM * kN, 2));
    const OnDevice<float> c(std::vector<float>(kM * kN, NAN));
    check(cublasSsymm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, kM, kN, &alpha, a.data(),
                      kM, b.data(), kM, &beta, c.data(), kM),
          "Ssymm");
    for (int i = 0; i < kM * kN; ++i) {
        float sum = 0;
        for (int k = 0; k < kM; ++k) {
            const int row = std::max(i % kM, k), column = std::min(i % kM, k);
            sum += 2 * a.start()[row + column * kM] * b.start()[k + i / kM * kM];
        }
        expect(c.read()[i] == sum, "Ssymm");
    }
    const OnDevice<float> square(std::vector<float>(kM * kM, 7));
    check(cublasSsyrk(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, kM, kN, &one, b.data(), kM,
                      &beta, square.data(), kM),
          "Ssyrk");
    for (int i = 0; i < kM * kM; ++i) {
        float sum = 0;
        for (int k = 0; k < kN; ++k) {
            sum += b.start()[i % kM + k * kM] * b.start()[i / kM + k * kM];
        }
        expect(square.read()[i] == (i % kM <= i / kM ? sum : 7), "Ssyrk");
    }
    check(cublasStrmm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                      CUBLAS_DIAG_UNIT, kM, kN, &alpha, a.data(), kM, b.data(), kM, c.data(), kM),
          "Strmm");
    const float half = 0.5f;
    check(cublasStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                      CUBLAS_DIAG_UNIT, kM, kN, &half, a.data(), kM, c.data(), kM),
          "Strsm");
    expect(c.read() == b.start(), "Strmm, Strsm");
    const OnDevice<float> transposed(std::vector<float>(kM * kN));
    check(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, kN, kM, &one, b.data(), kM, &beta, nullptr,
                      kN, transposed.data(), kN),
          "Sgeam");
    for (int i = 0; i < kM * kN; ++i) {
        expect(transposed.read()[i / kM + i % kM * kN] == b.start()[i], "Sgeam");
    }
    const OnDevice<float> diagonal(numbers<float>(kM, 3));
    check(cublasSdgmm(handle, CUBLAS_SIDE_LEFT, kM, kN, b.data(), kM, diagonal.data(), 1, c.data(),
                      kM),
          "Sdgmm");
    for (int i = 0; i < kM * kN; ++i) {
        expect(c.read()[i] == b.start()[i] * diagonal.start()[i % kM], "Sdgmm");
    }
}

template <class T, class Gemm, class Strided, class Batched>
void try_gemms(const std::string& letter, const Gemm& gemm, const Strided& strided,
               const Batched& batched, cublasHandle_t handle) {
    try_gemm<T>((letter + "gemm").c_str(),
                [&](auto ta, auto tb, const T& alpha, const T* a, int lda, const T* b, int ldb,
                    const T& beta, T* c, int ldc) {
                    return gemm(handle, ta, tb, kM, kN, kK, &alpha, a, lda, b, ldb, &beta, c, ldc);
                });
    // Two products at once are the products one by one.
    const int size = kM * kK;
    const OnDevice<T> a(numbers<T>(2 * size, 1)), b(numbers<T>(2 * kK * kN, 2));
    const OnDevice<T> once(std::vector<T>(2 * kM * kN)), twice(std::vector<T>(2 * kM * kN));
    const OnDevice<T> by_address(std::vector<T>(2 * kM * kN));
    const T alpha = 1, beta = 0;
    for (int i = 0; i < 2; ++i) {
        check(gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &alpha, a.data() + i * size, kM,
                   b.data() + i * kK * kN, kK, &beta, once.data() + i * kM * kN, kM),
              "gemm");
    }
    check(strided(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &alpha, a.data(), kM, size,
                  b.data(), kK, kK * kN, &beta, twice.data(), kM, kM * kN, 2),
          "gemmStridedBatched");
    expect(once.read() == twice.read(), letter + "gemmStridedBatched");
    const OnDevice<const T*> as({a.data(), a.data() + size}), bs({b.data(), b.data() + kK * kN});
    const OnDevice<T*> cs({by_address.data(), by_address.data() + kM * kN});
    check(batched(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &alpha, as.data(), kM, bs.data(),
                  kK, &beta, cs.data(), kM, 2),
          "gemmBatched");
    expect(once.read() == by_address.read(), letter + "gemmBatched");
}

template <class In, class Out, class Given>
void try_gemm_ex(cublasHandle_t handle, const char* name, cudaDataType_t in, cudaDataType_t out,
                 cublasComputeType_t compute) {
    const OnDevice<In> a(numbers<In>(kM * kK, 1)), b(numbers<In>(kK * kN, 2));
    const OnDevice<Out> c(numbers<Out>(kM * kN, 3));
    const Given alpha = static_cast<Given>(2), beta = static_cast<Given>(1);
    check(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &alpha, a.data(), in, kM,
                       b.data(), in, kK, &beta, c.data(), out, kM, compute, CUBLAS_GEMM_DEFAULT),
          name);
    for (int i = 0; i < kM * kN; ++i) {
        double sum = static_cast<double>(c.start()[i]);
        for (int k = 0; k < kK; ++k) {
            sum += 2 * static_cast<double>(a.start()[i % kM + k * kM]) *
                   static_cast<double>(b.start()[k + i / kM * kK]);
        }
        expect(static_cast<double>(c.read()[i]) == sum, name);
    }
}

void try_copies() {
    const std::vector<float> host = numbers<float>(12, 1);
    const OnDevice<float> device(std::vector<float>(12));
    std::vector<float> back(12);
    check(cublasSetMatrix(3, 4, sizeof(float), host.data(), 3, device.data(), 3), "SetMatrix");
    check(cublasGetMatrix(2, 4, sizeof(float), device.data(), 3, back.data(), 3), "GetMatrix");
    for (int i = 0; i < 12; ++i) expect(back[i] == (i % 3 < 2 ? host[i] : 0), "GetMatrix");
    check(cublasSetVector(6, sizeof(float), host.data(), 2, device.data(), 1), "SetVector");
    check(cublasGetVector(6, sizeof(float), device.data(), 1, back.data(), 1), "GetVector");
    for (int i = 0; i < 6; ++i) expect(back[i] == host[2 * i], "SetVector");
}

// Two streams write two parts of one matrix, and a kernel reads it after both.
__global__ void sum_kernel(const float* values, int count, float* sum) {
    float result = 0;
    for (int i = 0; i < count; ++i) result += values[i];
    *sum = result;
}

void try_streams(cublasHandle_t handle) {
    constexpr int kSize = 8;
    const OnDevice<float> a(std::vector<float>(kSize * kSize, 1)), sum({0});
    float* c;
    cudaMalloc(&c, kSize * kSize * sizeof(float));
    const float alpha = 1, beta = 0;
    cudaStream_t streams[2];
    for (int i = 0; i < 2; ++i) {
        cudaStreamCreate(&streams[i]);
        cublasSetStream(handle, streams[i]);
        const int rows = kSize / 2;
        check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, rows, kSize, kSize, &alpha, a.data(),
                          kSize, a.data(), kSize, &beta, c + i * rows, kSize),
              "Sgemm in a stream");
    }
    cublasSetStream(handle, nullptr);
    sum_kernel<<<1, 1>>>(c, kSize * kSize, sum.data());
    expect(sum.read()[0] == kSize * kSize * kSize, "streams");
    for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
    cudaFree(c);
}

}  // namespace

int main(int argc, char** argv) {
    cublasHandle_t handle;
    check(cublasCreate(&handle), "Create");
    if (argc > 1) {  // calls that are wrong
        const OnDevice<float> a(std::vector<float>(16, 1)), c(std::vector<float>(16));
        const float one = 1;
        const bool leading = std::string(argv[1]) == "leading";
        const cublasStatus_t status =
            cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, leading ? 4 : 8, 4, 4, &one, a.data(),
                        leading ? 3 : 8, a.data(), 4, &one, c.data(), 8);
        std::printf("%s\n", cublasGetStatusName(status));
        return 0;
    }
    try_level1(handle);
    try_level2(handle);
    try_level3(handle);
    try_gemms<float>("S", cublasSgemm, cublasSgemmStridedBatched, cublasSgemmBatched, handle);
    try_gemms<double>("D", cublasDgemm, cublasDgemmStridedBatched, cublasDgemmBatched, handle);
    try_gemm<__half>(
        "Hgemm", [&](auto ta, auto tb, const __half& alpha, const __half* a, int lda,
                     const __half* b, int ldb, const __half& beta, __half* c, int ldc) {
            return cublasHgemm(handle, ta, tb, kM, kN, kK, &alpha, a, lda, b, ldb, &beta, c, ldc);
        });
    try_gemm_ex<__half, float, float>(handle, "GemmEx half", CUDA_R_16F, CUDA_R_32F,
                                      CUBLAS_COMPUTE_32F);
    try_gemm_ex<__nv_bfloat16, __nv_bfloat16, float>(handle, "GemmEx bfloat16", CUDA_R_16BF,
                                                     CUDA_R_16BF, CUBLAS_COMPUTE_32F);
    try_gemm_ex<signed char, int, int>(handle, "GemmEx int8", CUDA_R_8I, CUDA_R_32I,
                                       CUBLAS_COMPUTE_32I);
    try_gemm_ex<double, double, double>(handle, "GemmEx double", CUDA_R_64F, CUDA_R_64F,
                                        CUBLAS_COMPUTE_64F);
    const OnDevice<cuComplex> z({{1, 2}}), w({{3, -1}}), product({{0, 0}});
    const cuComplex i = {0, 1}, nothing = {0, 0};
    check(cublasCgemm(handle, CUBLAS_OP_C, CUBLAS_OP_N, 1, 1, 1, &i, z.data(), 1, w.data(), 1,
                      &nothing, product.data(), 1),
          "Cgemm");
    // i (1 - 2i) (3 - i) = i (1 - 7i)
    expect(product.read()[0].x == 7 && product.read()[0].y == 1, "Cgemm");
    try_copies();
    try_streams(handle);
    check(cublasDestroy(handle), "Destroy");
    std::printf("%d faults\n", faults);
    return faults == 0 ? 0 : 1;
}
