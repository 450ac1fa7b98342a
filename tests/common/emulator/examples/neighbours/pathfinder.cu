// SPDX-License-Identifier: MIT
// Pathfinder after Rodinia: the cheapest way down a grid by dynamic programming, several rows per
// launch. The range of valid columns in shared memory shrinks from row to row.
#include <algorithm>
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

#define BLOCK_SIZE 64
#define HALO 1
#define MIN(a, b) ((a) <= (b) ? (a) : (b))
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
#define CLAMP_RANGE(x, min, max) x = (x < (min)) ? min : ((x > (max)) ? max : x)

__global__ void dynproc_kernel(int iteration, int* gpuWall, int* gpuSrc, int* gpuResults, int cols,
                               int rows, int startStep, int border) {
    __shared__ int prev[BLOCK_SIZE];
    __shared__ int result[BLOCK_SIZE];
    int bx = blockIdx.x;
    int tx = threadIdx.x;
    int small_block_cols = BLOCK_SIZE - iteration * HALO * 2;
    int blkX = small_block_cols * bx - border;
    int blkXmax = blkX + BLOCK_SIZE - 1;
    int xidx = blkX + tx;
    int validXmin = (blkX < 0) ? -blkX : 0;
    int validXmax = (blkXmax > cols - 1) ? BLOCK_SIZE - 1 - (blkXmax - cols + 1) : BLOCK_SIZE - 1;
    int W = tx - 1;
    int E = tx + 1;
    W = (W < validXmin) ? validXmin : W;
    E = (E > validXmax) ? validXmax : E;
    bool isValid = IN_RANGE(tx, validXmin, validXmax);
    if (IN_RANGE(xidx, 0, cols - 1)) prev[tx] = gpuSrc[xidx];
    __syncthreads();
    bool computed;
    for (int i = 0; i < iteration; i++) {
        computed = false;
        if (IN_RANGE(tx, i + 1, BLOCK_SIZE - i - 2) && isValid) {
            computed = true;
            int left = prev[W];
            int up = prev[tx];
            int right = prev[E];
            int shortest = MIN(left, up);
            shortest = MIN(shortest, right);
            int index = cols * (startStep + i) + xidx;
            result[tx] = shortest + gpuWall[index];
        }
        __syncthreads();
        if (i == iteration - 1) break;
        if (computed) prev[tx] = result[tx];  // Assign the computation range
        __syncthreads();
    }
    if (computed) gpuResults[xidx] = result[tx];
}

int main() {
    int cols = 500, rows = 40, pyramid_height = 5;
    std::vector<int> data(rows * cols), found(cols);
    for (int& cell : data) cell = rand() % 10;
    int borderCols = pyramid_height * HALO;
    int smallBlockCol = BLOCK_SIZE - pyramid_height * HALO * 2;
    int blockCols = cols / smallBlockCol + ((cols % smallBlockCol == 0) ? 0 : 1);
    int *gpuWall, *gpuResult[2];
    CHECK(cudaMalloc((void**)&gpuResult[0], sizeof(int) * cols));
    CHECK(cudaMalloc((void**)&gpuResult[1], sizeof(int) * cols));
    CHECK(cudaMemcpy(gpuResult[0], data.data(), sizeof(int) * cols, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc((void**)&gpuWall, sizeof(int) * (rows * cols - cols)));
    CHECK(cudaMemcpy(gpuWall, &data[cols], sizeof(int) * (rows * cols - cols),
                     cudaMemcpyHostToDevice));
    dim3 dimBlock(BLOCK_SIZE);
    dim3 dimGrid(blockCols);
    int src = 1, dst = 0;
    for (int t = 0; t < rows - 1; t += pyramid_height) {
        int temp = src;
        src = dst;
        dst = temp;
        dynproc_kernel<<<dimGrid, dimBlock>>>(MIN(pyramid_height, rows - t - 1), gpuWall,
                                              gpuResult[src], gpuResult[dst], cols, rows, t,
                                              borderCols);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(found.data(), gpuResult[dst], sizeof(int) * cols, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(gpuWall));
    CHECK(cudaFree(gpuResult[0]));
    CHECK(cudaFree(gpuResult[1]));
    std::vector<int> cheapest(data.begin(), data.begin() + cols);
    for (int row = 1; row < rows; ++row) {
        std::vector<int> next(cols);
        for (int column = 0; column < cols; ++column) {
            auto first = cheapest.begin() + std::max(column - 1, 0);
            auto last = cheapest.begin() + std::min(column + 2, cols);
            next[column] = *std::min_element(first, last) + data[row * cols + column];
        }
        cheapest = next;
    }
    printf("pathfinder: %s\n", found == cheapest ? "right" : "wrong");
    return found == cheapest ? 0 : 1;
}
