// SPDX-License-Identifier: MIT
// Stencils in one, two and three dimensions, with coefficients in constant memory.
#include <cmath>
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

#define RADIUS 3
#define BLOCK_SIZE 64

__constant__ float c_coeff[RADIUS + 1];
__constant__ struct { float centre, neighbour; } c_heat = {0.4f, 0.1f};

__global__ void stencil_1d(const int* in, int* out) {
    __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
    int lindex = threadIdx.x + RADIUS;
    temp[lindex] = in[gindex];
    if (threadIdx.x < RADIUS) {
        temp[lindex - RADIUS] = in[gindex - RADIUS];
        temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE];
    }
    __syncthreads();
    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[lindex + offset];
    out[gindex - RADIUS] = result;
}

// Rows with a pitch; five points; the border does not change.
__global__ void heat_2d(const float* in, float* out, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float* row = (const float*)((const char*)in + y * pitch);
    float value = row[x];
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        const float* above = (const float*)((const char*)in + (y - 1) * pitch);
        const float* below = (const float*)((const char*)in + (y + 1) * pitch);
        value = c_heat.centre * value + c_heat.neighbour * (row[x - 1] + row[x + 1] + above[x]) +
                0.3f * below[x];
    }
    ((float*)((char*)out + y * pitch))[x] = value;
}

// One thread per point of a box with a halo: a 3-D grid of 3-D blocks.
__global__ void laplacian_3d(const float* __restrict__ in, float* __restrict__ out, int3 size) {
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;
    int iz = blockIdx.z * blockDim.z + threadIdx.z;
    if (ix >= size.x || iy >= size.y || iz >= size.z) return;
    const int row = size.x + 2 * RADIUS, plane = row * (size.y + 2 * RADIUS);
    const int center = (iz + RADIUS) * plane + (iy + RADIUS) * row + ix + RADIUS;
    float value = c_coeff[0] * in[center];
#pragma unroll
    for (int r = 1; r <= RADIUS; r++) {
        value +=
            c_coeff[r] * (in[center - r] + in[center + r] + in[center - r * row] +
                          in[center + r * row] + in[center - r * plane] + in[center + r * plane]);
    }
    out[(iz * size.y + iy) * size.x + ix] = value;
}

int check_1d() {
    const int n = 20 * BLOCK_SIZE;
    std::vector<int> in(n + 2 * RADIUS), out(n);
    for (size_t i = 0; i < in.size(); ++i) in[i] = (int)(i * i % 31);
    int *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, in.size() * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
    stencil_1d<<<n / BLOCK_SIZE, BLOCK_SIZE>>>(d_in, d_out);
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    cudaFree(d_in);
    cudaFree(d_out);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        int sum = 0;
        for (int j = 0; j < 2 * RADIUS + 1; ++j) sum += in[i + j];
        wrong += sum != out[i];
    }
    return wrong;
}

int check_2d() {
    const int width = 100, height = 45, steps = 4;
    std::vector<float> field(width * height), result(width * height);
    for (float& value : field) value = rand() / (float)RAND_MAX;
    float *d_a, *d_b;
    size_t pitch;
    const size_t row = width * sizeof(float);
    CHECK(cudaMallocPitch(&d_a, &pitch, row, height));
    CHECK(cudaMallocPitch(&d_b, &pitch, row, height));
    CHECK(cudaMemcpy2D(d_a, pitch, field.data(), row, row, height, cudaMemcpyHostToDevice));
    dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
    for (int step = 0; step < steps; ++step) {
        heat_2d<<<grid, block>>>(d_a, d_b, pitch, width, height);
        float* swap = d_a;
        d_a = d_b;
        d_b = swap;
    }
    CHECK(cudaMemcpy2D(result.data(), row, d_a, pitch, row, height, cudaMemcpyDeviceToHost));
    cudaFree(d_a);
    cudaFree(d_b);
    std::vector<double> now(field.begin(), field.end());
    for (int step = 0; step < steps; ++step) {
        std::vector<double> next = now;
        for (int i = 1; i < height - 1; ++i) {
            for (int j = 1; j < width - 1; ++j) {
                const double* at = &now[i * width + j];
                next[i * width + j] =
                    0.4 * at[0] + 0.1 * (at[-1] + at[1] + at[-width]) + 0.3 * at[width];
            }
        }
        now = next;
    }
    int wrong = 0;
    for (int i = 0; i < width * height; ++i) wrong += !(std::fabs(now[i] - result[i]) < 1e-5);
    return wrong;
}

int check_3d() {
    const int3 size = make_int3(37, 21, 10);
    const int dx = size.x + 2 * RADIUS, dy = size.y + 2 * RADIUS, dz = size.z + 2 * RADIUS;
    const float coeff[RADIUS + 1] = {-2.5f, 0.75f, -0.125f, 0.0625f};
    std::vector<float> in(dx * dy * dz), out(size.x * size.y * size.z);
    for (float& value : in) value = (float)(rand() % 64);
    float *d_in, *d_out;
    CHECK(cudaMalloc((void**)&d_in, in.size() * sizeof(float)));
    CHECK(cudaMalloc((void**)&d_out, out.size() * sizeof(float)));
    CHECK(cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(c_coeff, coeff, sizeof(coeff)));
    dim3 threads(16, 4, 4);
    dim3 blocks((size.x + threads.x - 1) / threads.x, (size.y + threads.y - 1) / threads.y,
                (size.z + threads.z - 1) / threads.z);
    laplacian_3d<<<blocks, threads>>>(d_in, d_out, size);
    CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
    cudaFree(d_in);
    cudaFree(d_out);
    auto at = [&](int x, int y, int z) {
        return in[((z + RADIUS) * dy + y + RADIUS) * dx + x + RADIUS];
    };
    int wrong = 0;
    for (int x = 0; x < size.x; ++x) {
        for (int y = 0; y < size.y; ++y) {
            for (int z = 0; z < size.z; ++z) {
                double sum = coeff[0] * at(x, y, z);
                for (int r = RADIUS; r > 0; --r) {
                    sum += coeff[r] * (at(x + r, y, z) + at(x - r, y, z));
                    sum += coeff[r] * (at(x, y + r, z) + at(x, y - r, z));
                    sum += coeff[r] * (at(x, y, z + r) + at(x, y, z - r));
                }
                wrong += !(sum == out[(z * size.y + y) * size.x + x]);
            }
        }
    }
    return wrong;
}

int main() {
    const int one = check_1d(), two = check_2d(), three = check_3d();
    printf("stencil: %d, %d, %d wrong\n", one, two, three);
    return one + two + three == 0 ? 0 : 1;
}
