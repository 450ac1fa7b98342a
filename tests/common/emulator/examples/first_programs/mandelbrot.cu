// SPDX-License-Identifier: MIT
// Mandelbrot and Julia sets: complex numbers as a struct with operators, loops whose length differs
// between threads, and pixels as uchar4.
#include <complex>
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

const int DIM = 80;

struct cuComplex {
    float r;
    float i;
    __host__ __device__ cuComplex(float a, float b) : r(a), i(b) {}
    __device__ float magnitude2(void) { return r * r + i * i; }
    __device__ cuComplex operator*(const cuComplex& a) {
        return cuComplex(r * a.r - i * a.i, i * a.r + r * a.i);
    }
    __device__ cuComplex operator+(const cuComplex& a) { return cuComplex(r + a.r, i + a.i); }
};

__device__ int julia(int x, int y, cuComplex c) {
    const float scale = 1.5;
    float jx = scale * (float)(DIM / 2 - x) / (DIM / 2);
    float jy = scale * (float)(DIM / 2 - y) / (DIM / 2);
    cuComplex a(jx, jy);
    for (int i = 0; i < 200; i++) {
        a = a * a + c;
        if (a.magnitude2() > 1000) return 0;
    }
    return 1;
}

__global__ void kernel(uchar4* ptr, cuComplex c) {
    int x = blockIdx.x;
    int y = blockIdx.y;
    int offset = x + y * gridDim.x;
    int juliaValue = julia(x, y, c);
    ptr[offset].x = 255 * juliaValue;
    ptr[offset].y = 0;
    ptr[offset].z = 0;
    ptr[offset].w = 255;
}

__global__ void mandelbrot(int* iterations, int width, int height, double2 corner, double step,
                           int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    double cr = corner.x + x * step, ci = corner.y + y * step;
    double zr = 0, zi = 0;
    int count = 0;
    while (count < most && zr * zr + zi * zi <= 4.0) {
        double next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
        ++count;
    }
    iterations[y * width + x] = count;
}

int main(void) {
    std::vector<uchar4> bitmap(DIM * DIM);
    uchar4* dev_bitmap;
    CHECK(cudaMalloc((void**)&dev_bitmap, bitmap.size() * sizeof(uchar4)));
    dim3 grid(DIM, DIM);
    kernel<<<grid, 1>>>(dev_bitmap, cuComplex(-0.8f, 0.156f));
    CHECK(cudaMemcpy(bitmap.data(), dev_bitmap, bitmap.size() * sizeof(uchar4),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(dev_bitmap));
    int differ = 0;
    for (int i = 0; i < DIM * DIM; ++i) {
        std::complex<double> z(1.5 * (DIM / 2 - i % DIM) / (DIM / 2),
                               1.5 * (DIM / 2 - i / DIM) / (DIM / 2));
        int inside = 255;
        for (int step = 0; step < 200 && inside != 0; ++step) {
            z = z * z + std::complex<double>(-0.8, 0.156);
            if (std::norm(z) > 1000) inside = 0;
        }
        differ += bitmap[i].x != inside || bitmap[i].y != 0 || bitmap[i].w != 255;
    }

    const int width = 100, height = 70, most = 150;
    std::vector<int> iterations(width * height);
    int* d_iterations;
    CHECK(cudaMalloc(&d_iterations, iterations.size() * sizeof(int)));
    dim3 threads(16, 16), blocks((width + 15) / 16, (height + 15) / 16);
    mandelbrot<<<blocks, threads>>>(d_iterations, width, height, make_double2(-2.2, -1.1), 0.03125,
                                    most);
    CHECK(cudaMemcpy(iterations.data(), d_iterations, iterations.size() * sizeof(int),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_iterations));
    for (int i = 0; i < width * height; ++i) {
        const std::complex<double> c(-2.2 + i % width * 0.03125, -1.1 + i / width * 0.03125);
        std::complex<double> z = 0;
        int count = 0;
        while (count < most && std::norm(z) <= 4) {
            z = z * z + c;
            ++count;
        }
        differ += iterations[i] != count;
    }
    // Rounding changes a few points on the border.
    printf("mandelbrot: %d of %d points differ\n", differ, DIM * DIM + width * height);
    return differ < 60 ? 0 : 1;
}
