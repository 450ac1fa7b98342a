// SPDX-License-Identifier: MIT
// Matrix transpose as in NVIDIA's blog: naive, through shared memory, and with a padded tile.
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

const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;

__global__ void copySharedMem(float* odata, const float* idata) {
    __shared__ float tile[TILE_DIM * TILE_DIM];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int width = gridDim.x * TILE_DIM;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        tile[(threadIdx.y + j) * TILE_DIM + threadIdx.x] = idata[(y + j) * width + x];
    __syncthreads();
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        odata[(y + j) * width + x] = tile[(threadIdx.y + j) * TILE_DIM + threadIdx.x];
}

__global__ void transposeNaive(float* odata, const float* idata) {
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int width = gridDim.x * TILE_DIM;
    int height = gridDim.y * TILE_DIM;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        odata[x * height + (y + j)] = idata[(y + j) * width + x];
}

template <int PADDING>
__global__ void transposeTile(float* odata, const float* idata) {
    __shared__ float tile[TILE_DIM][TILE_DIM + PADDING];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int width = gridDim.x * TILE_DIM;
    int height = gridDim.y * TILE_DIM;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;  // transpose block offset
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char** argv) {
    const int nx = 128, ny = 96;
    const size_t mem_size = nx * ny * sizeof(float);
    dim3 dimGrid(nx / TILE_DIM, ny / TILE_DIM, 1);
    dim3 dimBlock(TILE_DIM, BLOCK_ROWS, 1);
    CHECK(cudaSetDevice(argc > 1 ? atoi(argv[1]) : 0));
    std::vector<float> h_idata(nx * ny), h_odata(nx * ny);
    for (int i = 0; i < nx * ny; ++i) h_idata[i] = (float)i;
    float *d_idata, *d_odata;
    CHECK(cudaMalloc(&d_idata, mem_size));
    CHECK(cudaMalloc(&d_odata, mem_size));
    CHECK(cudaMemcpy(d_idata, h_idata.data(), mem_size, cudaMemcpyHostToDevice));

    void (*const kernels[])(float*, const float*) = {copySharedMem, transposeNaive,
                                                     transposeTile<0>, transposeTile<1>};
    int wrong = 0;
    for (int k = 0; k < 4; ++k) {
        CHECK(cudaMemset(d_odata, 0xff, mem_size));
        kernels[k]<<<dimGrid, dimBlock>>>(d_odata, d_idata);
        CHECK(cudaMemcpy(h_odata.data(), d_odata, mem_size, cudaMemcpyDeviceToHost));
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) {
                const float got = k == 0 ? h_odata[j * nx + i] : h_odata[i * ny + j];
                if (!(got == (float)(j * nx + i))) ++wrong;
            }
        }
    }
    CHECK(cudaFree(d_odata));
    CHECK(cudaFree(d_idata));
    printf("transpose: %d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
