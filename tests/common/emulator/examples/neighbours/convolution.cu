// SPDX-License-Identifier: MIT
// Separable convolution as in NVIDIA's sample: the filter in constant memory, rows and columns with
// several results per thread, and halos in shared memory.
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

#define KERNEL_RADIUS 4
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
#define ROWS_BLOCKDIM_X 16
#define ROWS_BLOCKDIM_Y 4
#define ROWS_RESULT_STEPS 2
#define ROWS_HALO_STEPS 1
#define COLUMNS_BLOCKDIM_X 16
#define COLUMNS_BLOCKDIM_Y 8
#define COLUMNS_RESULT_STEPS 2
#define COLUMNS_HALO_STEPS 1

__constant__ float c_Kernel[KERNEL_LENGTH];

__global__ void convolutionRowsKernel(float* d_Dst, float* d_Src, int imageW, int pitch) {
    __shared__ float s_Data[ROWS_BLOCKDIM_Y]
                           [(ROWS_RESULT_STEPS + 2 * ROWS_HALO_STEPS) * ROWS_BLOCKDIM_X];
    // Offset to the left halo edge
    const int baseX =
        (blockIdx.x * ROWS_RESULT_STEPS - ROWS_HALO_STEPS) * ROWS_BLOCKDIM_X + threadIdx.x;
    const int baseY = blockIdx.y * ROWS_BLOCKDIM_Y + threadIdx.y;
    d_Src += baseY * pitch + baseX;
    d_Dst += baseY * pitch + baseX;
#pragma unroll
    for (int i = ROWS_HALO_STEPS; i < ROWS_HALO_STEPS + ROWS_RESULT_STEPS; i++)
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X] = d_Src[i * ROWS_BLOCKDIM_X];
#pragma unroll
    for (int i = 0; i < ROWS_HALO_STEPS; i++)
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X] =
            (baseX >= -i * ROWS_BLOCKDIM_X) ? d_Src[i * ROWS_BLOCKDIM_X] : 0;
#pragma unroll
    for (int i = ROWS_HALO_STEPS + ROWS_RESULT_STEPS;
         i < ROWS_HALO_STEPS + ROWS_RESULT_STEPS + ROWS_HALO_STEPS; i++)
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X] =
            (imageW - baseX > i * ROWS_BLOCKDIM_X) ? d_Src[i * ROWS_BLOCKDIM_X] : 0;
    __syncthreads();
#pragma unroll
    for (int i = ROWS_HALO_STEPS; i < ROWS_HALO_STEPS + ROWS_RESULT_STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
            sum += c_Kernel[KERNEL_RADIUS - j] *
                   s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X + j];
        d_Dst[i * ROWS_BLOCKDIM_X] = sum;
    }
}

__global__ void convolutionColumnsKernel(float* d_Dst, float* d_Src, int imageH, int pitch) {
    __shared__ float
        s_Data[COLUMNS_BLOCKDIM_X]
              [(COLUMNS_RESULT_STEPS + 2 * COLUMNS_HALO_STEPS) * COLUMNS_BLOCKDIM_Y + 1];
    const int baseX = blockIdx.x * COLUMNS_BLOCKDIM_X + threadIdx.x;
    const int baseY =
        (blockIdx.y * COLUMNS_RESULT_STEPS - COLUMNS_HALO_STEPS) * COLUMNS_BLOCKDIM_Y + threadIdx.y;
    d_Src += baseY * pitch + baseX;
    d_Dst += baseY * pitch + baseX;
    for (int i = 0; i < COLUMNS_RESULT_STEPS + 2 * COLUMNS_HALO_STEPS; i++) {
        const int y = baseY + i * COLUMNS_BLOCKDIM_Y;
        s_Data[threadIdx.x][threadIdx.y + i * COLUMNS_BLOCKDIM_Y] =
            (y >= 0 && y < imageH) ? d_Src[i * COLUMNS_BLOCKDIM_Y * pitch] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = COLUMNS_HALO_STEPS; i < COLUMNS_HALO_STEPS + COLUMNS_RESULT_STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
            sum += c_Kernel[KERNEL_RADIUS - j] *
                   s_Data[threadIdx.x][threadIdx.y + i * COLUMNS_BLOCKDIM_Y + j];
        d_Dst[i * COLUMNS_BLOCKDIM_Y * pitch] = sum;
    }
}

int main() {
    const int imageW = 96, imageH = 64, n = imageW * imageH;
    float h_Kernel[KERNEL_LENGTH];
    std::vector<float> image(n), result(n);
    for (int i = 0; i < KERNEL_LENGTH; i++) h_Kernel[i] = (float)(rand() % 16);
    for (float& pixel : image) pixel = (float)(rand() % 16);
    float *d_Input, *d_Buffer, *d_Output;
    CHECK(cudaMalloc((void**)&d_Input, n * sizeof(float)));
    CHECK(cudaMalloc((void**)&d_Buffer, n * sizeof(float)));
    CHECK(cudaMalloc((void**)&d_Output, n * sizeof(float)));
    CHECK(cudaMemcpyToSymbol(c_Kernel, h_Kernel, KERNEL_LENGTH * sizeof(float)));
    CHECK(cudaMemcpy(d_Input, image.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    dim3 rowBlocks(imageW / (ROWS_RESULT_STEPS * ROWS_BLOCKDIM_X), imageH / ROWS_BLOCKDIM_Y);
    dim3 rowThreads(ROWS_BLOCKDIM_X, ROWS_BLOCKDIM_Y);
    convolutionRowsKernel<<<rowBlocks, rowThreads>>>(d_Buffer, d_Input, imageW, imageW);
    dim3 columnBlocks(imageW / COLUMNS_BLOCKDIM_X,
                      imageH / (COLUMNS_RESULT_STEPS * COLUMNS_BLOCKDIM_Y));
    dim3 columnThreads(COLUMNS_BLOCKDIM_X, COLUMNS_BLOCKDIM_Y);
    convolutionColumnsKernel<<<columnBlocks, columnThreads>>>(d_Output, d_Buffer, imageH, imageW);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), d_Output, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_Output));
    CHECK(cudaFree(d_Buffer));
    CHECK(cudaFree(d_Input));

    // Both dimensions at once. All numbers are small integers, and therefore exact.
    int wrong = 0;
    for (int y = 0; y < imageH; y++) {
        for (int x = 0; x < imageW; x++) {
            double sum = 0;
            for (int v = 0; v < KERNEL_LENGTH; v++) {
                for (int u = 0; u < KERNEL_LENGTH; u++) {
                    const int sx = x + KERNEL_RADIUS - u, sy = y + KERNEL_RADIUS - v;
                    if (sx >= 0 && sx < imageW && sy >= 0 && sy < imageH)
                        sum += (double)h_Kernel[u] * h_Kernel[v] * image[sy * imageW + sx];
                }
            }
            wrong += !(result[y * imageW + x] == sum);
        }
    }
    printf("convolution: %d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
