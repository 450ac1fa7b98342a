// SPDX-License-Identifier: MIT
// Kernels as C++ allows functions: in namespaces, overloaded, as templates of types, values and
// functors, called through pointers, with structs and references to structs as parameters.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

namespace image {

struct Pixel {
    unsigned char r, g, b;
};

namespace filter {

__global__ void apply(Pixel* pixels, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        Pixel pixel = pixels[i];
        unsigned char gray = (unsigned char)((pixel.r * 77 + pixel.g * 150 + pixel.b * 29) >> 8);
        pixels[i] = Pixel{gray, gray, gray};
    }
}

// The same name for another type.
__global__ void apply(float* values, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = values[i] * 0.5f + 1.0f;
}

}  // namespace filter
}  // namespace image

namespace {

struct Square {
    __host__ __device__ int operator()(int x) const { return x * x; }
};

class Affine {
  public:
    __host__ __device__ Affine(int scale, int offset) : scale_(scale), offset_(offset) {}
    __host__ __device__ int operator()(int x) const { return scale_ * x + offset_; }

  private:
    int scale_, offset_;
};

template <typename T, typename Function>
__global__ void transform(T* values, int count, Function function) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
        values[i] = function(values[i]);
}

template <int kFactor, bool kAdd>
__global__ void combine(int* values, const int* others, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    if constexpr (kAdd) {
        values[i] += kFactor * others[i];
    } else {
        values[i] -= kFactor * others[i];
    }
}

// It owns device memory. A kernel gets the view.
template <class T>
class Array {
  public:
    struct View {
        T* data;
        int count;
        __device__ T& operator[](int i) { return data[i]; }
    };
    explicit Array(int count) : count_(count) { CHECK(cudaMalloc(&data_, count * sizeof(T))); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    ~Array() { cudaFree(data_); }
    View view() { return View{data_, count_}; }
    T* data() { return data_; }
    void write(const std::vector<T>& values) {
        CHECK(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> read() const {
        std::vector<T> values(count_);
        CHECK(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

  private:
    T* data_ = nullptr;
    int count_;
};

__global__ void reverse(Array<int>::View view) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < view.count / 2) {
        int other = view[view.count - 1 - i];
        view[view.count - 1 - i] = view[i];
        view[i] = other;
    }
}

}  // namespace

int main() {
    const int n = 1000, threads = 96, blocks = (n + threads - 1) / threads;
    using namespace image;
    std::vector<Pixel> pixels(n);
    std::vector<float> reals(n);
    std::vector<int> numbers(n);
    for (int i = 0; i < n; ++i) {
        pixels[i] = Pixel{(unsigned char)i, (unsigned char)(3 * i), (unsigned char)(7 * i)};
        reals[i] = (float)i;
        numbers[i] = i - 300;
    }
    Array<Pixel> d_pixels(n);
    Array<float> d_reals(n);
    Array<int> d_numbers(n), d_others(n);
    d_pixels.write(pixels);
    d_reals.write(reals);
    d_numbers.write(numbers);
    d_others.write(numbers);

    filter::apply<<<blocks, threads>>>(d_pixels.data(), n);
    image::filter::apply<<<blocks, threads>>>(d_reals.data(), n);
    transform<<<3, threads>>>(d_numbers.data(), n, Square());
    ::transform<int><<<3, threads>>>(d_numbers.data(), n, Affine(2, -5));
    combine<3, (4 > 2)><<<blocks, threads>>>(d_numbers.data(), d_others.data(), n);
    auto subtract = combine<1, false>;
    subtract<<<blocks, threads>>>(d_numbers.data(), d_others.data(), n);
    reverse<<<dim3{(unsigned)blocks}, dim3{threads}>>>(d_numbers.view());
    CHECK(cudaGetLastError());

    const std::vector<Pixel> gray = d_pixels.read();
    const std::vector<float> halves = d_reals.read();
    const std::vector<int> results = d_numbers.read();
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        const int luminance = (i % 256 * 77 + 3 * i % 256 * 150 + 7 * i % 256 * 29) / 256;
        wrong += gray[i].r != luminance || gray[i].g != luminance || gray[i].b != luminance;
        wrong += !(halves[i] == 0.5f * i + 1);
        const int x = numbers[n - 1 - i];
        wrong += results[i] != 2 * x * x - 5 + 2 * x;
    }
    printf("namespaces: %d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
