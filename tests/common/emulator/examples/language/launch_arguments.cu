// SPDX-License-Identifier: MIT
// How a launch passes its arguments: it copies each once on the host, and destroys the copy when it
// returns. The kernel has the bytes of this copy, for which no constructor and no destructor runs.
#include <cstdio>

int copies = 0;
int ends = 0;

class Handle {
  public:
    explicit Handle(int* values) : values_(values) {}
    Handle(const Handle& other) : values_(other.values_), step_(other.step_) { ++copies; }
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        ++ends;
        values_ = nullptr;
    }
    __device__ void add(int i) {
        step_ += i;  // the thread's own
        values_[i] = step_;
    }

  private:
    int* values_;
    int step_ = 100;
};

// Moves only.
struct Owner {
    int* values;
    explicit Owner(int* pointer) : values(pointer) {}
    Owner(Owner&& other) noexcept : values(other.values) { other.values = nullptr; }
};

struct Vec {
    float x, y, z;
};

__global__ void add_kernel(Handle handle) { handle.add(threadIdx.x); }
__global__ void move_kernel(int factor, Owner owner) { owner.values[threadIdx.x] = factor; }
__global__ void fill_kernel(int* values, const int* source, int n) {
    values[threadIdx.x] = source != nullptr ? source[threadIdx.x] + 1 : n;
}
template <class T>
__global__ void template_kernel(T* values, T value, const T* source = nullptr) {
    values[threadIdx.x] = source == nullptr ? value : -value;
}
__global__ void braces_kernel(int* values, Vec vec, dim3 extent) {
    values[threadIdx.x] = static_cast<int>(vec.y) + static_cast<int>(extent.z);
}

constexpr int kThreads = 32;
int wrong = 0;
int* d_values;

void expect(const char* what, int first, int last) {
    int h_values[kThreads];
    cudaMemcpy(h_values, d_values, sizeof h_values, cudaMemcpyDeviceToHost);
    if (h_values[0] == first && h_values[kThreads - 1] == last) return;
    ++wrong;
    std::printf("%s: %d and %d, not %d and %d\n", what, h_values[0], h_values[kThreads - 1], first,
                last);
}

void expect_calls(const char* what, int wanted_copies, int wanted_ends) {
    if (copies == wanted_copies && ends == wanted_ends) return;
    ++wrong;
    std::printf("%s: %d copies and %d destructors, not %d and %d\n", what, copies, ends,
                wanted_copies, wanted_ends);
}

int main() {
    cudaMalloc(&d_values, kThreads * sizeof(int));
    {
        Handle handle(d_values);
        add_kernel<<<1, kThreads>>>(handle);
        expect_calls("a launch", 1, 1);
        expect("bytes", 100, 131);
        expect_calls("the kernel", 1, 1);
        void* arguments[] = {&handle};
        cudaLaunchKernel(add_kernel, dim3(1), dim3(kThreads), arguments, 0, nullptr);
        cudaLaunchKernel((void*)add_kernel, dim3(1), dim3(kThreads), arguments, 0, nullptr);
        expect("pointers to bytes", 100, 131);
        expect_calls("cudaLaunchKernel()", 1, 1);
        add_kernel<<<1, kThreads>>>(Handle(d_values));
        expect_calls("a temporary", 1, 2);
    }
    expect_calls("the end", 1, 3);

    move_kernel<<<1, kThreads>>>(7, Owner(d_values));
    expect("moved", 7, 7);
    fill_kernel<<<1, kThreads>>>(d_values, 0, 5);
    expect("0 as a pointer", 5, 5);
    fill_kernel<<<1, kThreads>>>(d_values, NULL, 6.9);
    expect("NULL, and a double", 6, 6);
    fill_kernel<<<1, kThreads>>>(d_values, {}, 8);
    expect("empty braces", 8, 8);
    template_kernel<int><<<1, kThreads>>>(d_values, 3, 0);
    expect("0 for a template", 3, 3);
    template_kernel<int><<<1, kThreads>>>(d_values, 4);
    expect("a default argument", 4, 4);
    template_kernel<<<1, kThreads>>>(d_values, 9, d_values);
    expect("a deduced type", -9, -9);
    braces_kernel<<<1, kThreads>>>(d_values, {1, 20, 3}, {1, 1, 3});
    expect("braces", 23, 23);

    // What editors make of the launch brackets.
    // clang-format off
    fill_kernel << < 1, kThreads >> > (d_values, nullptr, 11);
    expect("spaced", 11, 11);
    fill_kernel << <dim3(1), kThreads >> 0, 0, nullptr>>>(d_values, nullptr, 12);
    expect("half spaced", 12, 12);
    template_kernel<int> << <
        1, kThreads
    >> >
        (d_values, 13);
    expect("on several lines", 13, 13);
    // clang-format on

    cudaFree(d_values);
    std::printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong != 0;
}
