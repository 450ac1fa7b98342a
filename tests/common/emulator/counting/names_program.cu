// SPDX-License-Identifier: MIT
// Launches whose expression does not name the function that runs.
#include <cuda_runtime.h>

namespace {

enum class Mode { plain, fast };

// It has its own copy constructor, which runs before the kernel.
class Numbers {
  public:
    explicit Numbers(int* first) : first_(first) {}
    Numbers(const Numbers& other);
    int* first() const { return first_; }

  private:
    int* first_;
};

Numbers::Numbers(const Numbers& other) : first_(other.first_) {}

template <int kStep, bool kUp, Mode kMode>
__global__ void step_kernel(int* values) {
    values[threadIdx.x] += kUp ? kStep : -kStep;
}

template <class T>
__global__ void fill_kernel(T* values) {
    values[threadIdx.x] = T(1);
}

__global__ void copied_kernel(Numbers numbers) { numbers.first()[threadIdx.x] = 1; }

__global__ void empty_kernel() {}

}  // namespace

namespace outer {
__global__ void kernel(int* values, int index) { values[index] = 1; }
}  // namespace outer

template <class T>
void launch_fill() {
    T* values = nullptr;
    cudaMalloc(&values, 32 * sizeof(T));
    fill_kernel<<<1, 32>>>(values);
    cudaFree(values);
}

int main() {
    int* values = nullptr;
    cudaMalloc(&values, 32 * sizeof(int));
    cudaMemset(values, 0, 32 * sizeof(int));
    void (*kernels[])(int*) = {step_kernel<1, (2 > 1), Mode::plain>,
                               step_kernel<2, (2 < 1), Mode::fast>};
    for (const auto kernel : kernels) kernel<<<1, 32>>>(values);
    for (int i = 0; i < 2; ++i) kernels[i]<<<1, 32>>>(values);
    launch_fill<int>();
    launch_fill<double>();
    copied_kernel<<<1, 32>>>(Numbers(values));
    empty_kernel<<<1, 32>>>();
    int index = 0;
    void* arguments[] = {&values, &index};
    cudaLaunchCooperativeKernel(outer::kernel, dim3(1), dim3(1), arguments, 0, nullptr);
    cudaDeviceSynchronize();
    cudaFree(values);
}
