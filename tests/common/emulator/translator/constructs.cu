// SPDX-License-Identifier: MIT
// Every form of launch and of dynamic shared memory that the translator handles: compiled, never
// run. nvcc takes it too.
// clang-format off
#include <cuda_runtime.h>

extern __shared__ double file_values[];
namespace outer {
extern __shared__ __align__(16) float file_rows[][33];

__global__ void file_scope_kernel(int* out, const int* optional) {
    int* numbers = (int*)file_values;
    double* second = file_values + 1;
    numbers[0] = threadIdx.x;
    *second = file_values[0] + file_rows[1][threadIdx.x];
    if (optional != NULL) *out = *optional;
}

template <class T, int kCount>
__global__ void fill_kernel(T* out, T value) {
    extern __shared__ __align__(16) unsigned char raw[];
    T* s_values = reinterpret_cast<T*>(raw);
    if (threadIdx.x < kCount) {
        s_values[threadIdx.x] = value;
        out[threadIdx.x] = s_values[threadIdx.x];
    }
}

namespace inner {
__global__ void plain_kernel(int n) {
    extern __shared__ float tile[][33];
    tile[threadIdx.x][0] = static_cast<float>(n);
}
}  // namespace inner

}  // namespace outer

__global__ void __launch_bounds__(256) overloaded_kernel(int* out) { *out = 1; }
__global__ void __launch_bounds__(256) overloaded_kernel(float* out) { *out = 1.0f; }

template <class T>
__global__ void deduced_kernel(const T* __restrict__ in, T* __restrict__ out) {
    *out = *in;
}

template <class T>
struct Launcher {
    template <int kThreads>
    static void run(T* out, cudaStream_t stream) {
        outer::fill_kernel<T, kThreads><<<1, kThreads, kThreads * sizeof(T), stream>>>(out, T{});
        constexpr int kLocal = kThreads / 2;
        outer::fill_kernel<T, kLocal><<<dim3{1, 1}, dim3(kLocal), 1 << 10>>>(out, T{});
    }
};

#define LAUNCH(kernel, n) \
    kernel                \
        <<<1, n>>>(n)

void launch_all(int* ints, float* floats, int n, cudaStream_t stream) {
    Launcher<int>::run<64>(ints, stream);
    outer::file_scope_kernel<<<1, 1, 1024>>>(ints, NULL);
    outer::inner::plain_kernel<<<(n + 255) / 256, n > 256 ? 256 : n>>>(n);
    if (n > 1)
        ::outer::inner::plain_kernel<<<n >> 1, 32>>>(n);
    else
        LAUNCH(outer::inner::plain_kernel, 32);
    overloaded_kernel<<<1, 1>>>(ints);
    overloaded_kernel<<<1, 1>>>(floats);
    deduced_kernel<<<1, 1>>>(floats, floats + 1);
    void (*kernel)(int) = outer::inner::plain_kernel;
    kernel<<<1, 1>>>(n);
    void (*kernels[])(int) = {kernel};
    kernels[0]<<<1, 1, 0, stream>>>(n);
    (*kernel)<<<1, 1>>>(n);
    const auto launch_later = [&](int blocks) {
        outer::inner::plain_kernel  // a comment with <<<
            <<<blocks,
               32>>>(n);
    };
    launch_later(2);
#ifdef WRONG
    deliberate_error();
#endif
}
