// SPDX-License-Identifier: MIT
// Spheres as in CUDA by Example: an array of structs in constant memory that all threads read.
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

#define DIM 96
#define SPHERES 12
#define INF 2e10f
#define rnd(x) (x * rand() / RAND_MAX)

struct Sphere {
    float r, b, g;
    float radius;
    float x, y, z;
    __device__ float hit(float ox, float oy, float* n) {
        float dx = ox - x;
        float dy = oy - y;
        if (dx * dx + dy * dy < radius * radius) {
            float dz = sqrtf(radius * radius - dx * dx - dy * dy);
            *n = dz / sqrtf(radius * radius);
            return dz + z;
        }
        return -INF;
    }
};

__constant__ Sphere s[SPHERES];

__global__ void kernel(unsigned char* ptr) {
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    int offset = x + y * blockDim.x * gridDim.x;
    float ox = (x - DIM / 2);
    float oy = (y - DIM / 2);
    float r = 0, g = 0, b = 0;
    float maxz = -INF;
    for (int i = 0; i < SPHERES; i++) {
        float n;
        float t = s[i].hit(ox, oy, &n);
        if (t > maxz) {
            float fscale = n;
            r = s[i].r * fscale;
            g = s[i].g * fscale;
            b = s[i].b * fscale;
            maxz = t;
        }
    }
    ptr[offset * 4 + 0] = (int)(r * 255);
    ptr[offset * 4 + 1] = (int)(g * 255);
    ptr[offset * 4 + 2] = (int)(b * 255);
    ptr[offset * 4 + 3] = 255;
}

int main(void) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, 0));
    std::vector<unsigned char> bitmap(DIM * DIM * 4);
    unsigned char* dev_bitmap;
    CHECK(cudaMalloc((void**)&dev_bitmap, bitmap.size()));
    Sphere* temp_s = (Sphere*)malloc(sizeof(Sphere) * SPHERES);
    for (int i = 0; i < SPHERES; i++) {
        temp_s[i].r = rnd(1.0f);
        temp_s[i].g = rnd(1.0f);
        temp_s[i].b = rnd(1.0f);
        temp_s[i].x = rnd(90.0f) - 45;
        temp_s[i].y = rnd(90.0f) - 45;
        temp_s[i].z = rnd(90.0f) - 45;
        temp_s[i].radius = rnd(20.0f) + 5;
    }
    CHECK(cudaMemcpyToSymbol(s, temp_s, sizeof(Sphere) * SPHERES));
    dim3 grids(DIM / 16, DIM / 16);
    dim3 threads(16, 16);
    kernel<<<grids, threads>>>(dev_bitmap);
    CHECK(cudaMemcpy(bitmap.data(), dev_bitmap, bitmap.size(), cudaMemcpyDeviceToHost));
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    float elapsedTime;
    CHECK(cudaEventElapsedTime(&elapsedTime, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(dev_bitmap));

    int wrong = 0;
    for (int y = 0; y < DIM; y++) {
        for (int x = 0; x < DIM; x++) {
            double nearest = -1e30, colour[3] = {0, 0, 0};
            for (int i = 0; i < SPHERES; i++) {
                const Sphere& sphere = temp_s[i];
                const double dx = x - DIM / 2 - sphere.x, dy = y - DIM / 2 - sphere.y;
                const double left = (double)sphere.radius * sphere.radius - dx * dx - dy * dy;
                if (left > 0 && std::sqrt(left) + sphere.z > nearest) {
                    nearest = std::sqrt(left) + sphere.z;
                    const double scale = std::sqrt(left) / sphere.radius;
                    colour[0] = sphere.r * scale;
                    colour[1] = sphere.g * scale;
                    colour[2] = sphere.b * scale;
                }
            }
            for (int c = 0; c < 3; c++)
                wrong += std::fabs(bitmap[(y * DIM + x) * 4 + c] - colour[c] * 255) > 1.5;
            wrong += bitmap[(y * DIM + x) * 4 + 3] != 255;
        }
    }
    free(temp_s);
    // The rim of a sphere may differ, because rounding decides there.
    printf("ray_tracing: %d of %d channels differ\n", wrong, 4 * DIM * DIM);
    return wrong < 12 ? 0 : 1;
}
