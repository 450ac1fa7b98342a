// SPDX-License-Identifier: MIT
// One call of cuBLAS: its checks, the memory that it uses, and its place in the stream.
#pragma once

#include <cublas_v2.h>

#include <cstdlib>
#include <emulator/for_libraries/library_work.hpp>
#include <functional>
#include <utility>
#include <vector>

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
    cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
};

namespace emulator::cublas {

// A number that stands in host memory, and is read now, or in device memory, and is read when the
// work runs.
template <class T>
struct Number {
    T value{};
    const T* on_device = nullptr;
    T get() const { return on_device != nullptr ? *on_device : value; }
    bool is_zero() const {
        const T zero{};
        return on_device == nullptr && __builtin_memcmp(&value, &zero, sizeof(T)) == 0;
    }
};

class Call {
  public:
    // `function` is a literal.
    Call(const char* function, cublasHandle_t handle) : function_(function), handle_(handle) {}

    bool is_host_mode() const {
        return handle_ == nullptr || handle_->pointer_mode == CUBLAS_POINTER_MODE_HOST;
    }
    // `what` is said of a call for which `holds` is false.
    void require(bool holds, const char* what);
    void require_sizes(std::initializer_list<int> sizes);
    void require_leading(const char* name, int leading, int rows);

    void reads(const void* begin, std::size_t bytes) { read_.push_back({begin, bytes}); }
    template <class T>
    void reads_vector(const T* x, int n, int increment) {
        if (n > 0) reads(x, vector_bytes(n, increment) * sizeof(T));
    }
    template <class T>
    void writes_vector(T* x, int n, int increment) {
        if (n > 0) written_.push_back({x, vector_bytes(n, increment) * sizeof(T)});
    }
    template <class T>
    void reads_matrix(const T* a, int rows, int columns, int leading) {
        add_columns(read_, a, sizeof(T), rows, columns, leading);
    }
    template <class T>
    void writes_matrix(T* a, int rows, int columns, int leading) {
        add_columns(written_, a, sizeof(T), rows, columns, leading);
    }
    // One triangle of a square matrix.
    template <class T>
    void reads_triangle(const T* a, bool upper, int order, int leading) {
        for (int i = 0; i < order; ++i) {
            const int row = upper ? 0 : i;
            reads_vector(a + row + static_cast<std::ptrdiff_t>(i) * leading,
                         upper ? i + 1 : order - i, 1);
        }
    }
    template <class T>
    void writes_triangle(T* a, bool upper, int order, int leading) {
        for (int i = 0; i < order; ++i) {
            const int row = upper ? 0 : i;
            writes_vector(a + row + static_cast<std::ptrdiff_t>(i) * leading,
                          upper ? i + 1 : order - i, 1);
        }
    }
    // A matrix that is only read where `beta` is not 0, and written.
    template <class T>
    void updates_matrix(const Number<T>& beta, T* c, int rows, int columns, int leading) {
        if (!beta.is_zero()) reads_matrix(c, rows, columns, leading);
        writes_matrix(c, rows, columns, leading);
    }
    template <class T>
    Number<T> number(const T* pointer) {
        require(pointer != nullptr, "a scalar's address is null");
        if (status_ != CUBLAS_STATUS_SUCCESS) return {};
        if (is_host_mode()) return {*pointer, nullptr};
        reads(pointer, sizeof(T));
        return {{}, pointer};
    }

    cublasStatus_t run(std::function<void()> work);
    // Of work with one result: in host mode, the call waits for it.
    template <class T>
    cublasStatus_t run_for(T* result, std::function<T()> work) {
        require(result != nullptr, "the result's address is null");
        if (!is_host_mode()) writes_vector(result, 1, 1);
        const cublasStatus_t status = run([=] { *result = work(); });
        if (status == CUBLAS_STATUS_SUCCESS && is_host_mode()) wait();
        return status;
    }

  private:
    static std::size_t vector_bytes(int n, int increment) {
        return 1 + static_cast<std::size_t>(n - 1) * static_cast<std::size_t>(std::abs(increment));
    }
    static void add_columns(std::vector<LibraryRange>& ranges, const void* begin,
                            std::size_t element, int rows, int columns, int leading);
    void wait() const;

    const char* function_;
    cublasHandle_t handle_;
    cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
    std::vector<LibraryRange> written_, read_;
};

}  // namespace emulator::cublas
