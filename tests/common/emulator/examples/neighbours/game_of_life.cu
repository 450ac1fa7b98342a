// SPDX-License-Identifier: MIT
// Game of life on a torus: 2-D blocks whose borders overlap, cells as bytes in shared memory.
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

#define BLOCK_SIZE_x 32
#define BLOCK_SIZE_y 16

typedef unsigned char ubyte;

__global__ void life(const ubyte* grid, ubyte* newGrid, int width, int height) {
    __shared__ ubyte s_grid[BLOCK_SIZE_y][BLOCK_SIZE_x];
    int ix = (blockDim.x - 2) * blockIdx.x + threadIdx.x - 1;
    int iy = (blockDim.y - 2) * blockIdx.y + threadIdx.y - 1;
    int x = (ix + width) % width;
    int y = (iy + height) % height;
    int i = threadIdx.y;
    int j = threadIdx.x;
    s_grid[i][j] = grid[y * width + x];
    __syncthreads();
    if (ix >= width || iy >= height) return;
    if (i != 0 && i != blockDim.y - 1 && j != 0 && j != blockDim.x - 1) {
        int numNeighbors = s_grid[i + 1][j] + s_grid[i - 1][j] + s_grid[i][j + 1] +
                           s_grid[i][j - 1] + s_grid[i + 1][j + 1] + s_grid[i - 1][j - 1] +
                           s_grid[i - 1][j + 1] + s_grid[i + 1][j - 1];
        ubyte cell = s_grid[i][j];
        newGrid[y * width + x] = numNeighbors == 3 || (cell == 1 && numNeighbors == 2);
    }
}

int main() {
    const int width = 100, height = 61, generations = 12;
    std::vector<ubyte> cells(width * height), result(width * height);
    for (ubyte& cell : cells) cell = rand() % 3 == 0;
    ubyte *d_grid, *d_newGrid, *d_tmpGrid;
    CHECK(cudaMalloc(&d_grid, cells.size()));
    CHECK(cudaMalloc(&d_newGrid, cells.size()));
    CHECK(cudaMemcpy(d_grid, cells.data(), cells.size(), cudaMemcpyHostToDevice));
    dim3 blockSize(BLOCK_SIZE_x, BLOCK_SIZE_y, 1);
    dim3 gridSize((width + BLOCK_SIZE_x - 3) / (BLOCK_SIZE_x - 2),
                  (height + BLOCK_SIZE_y - 3) / (BLOCK_SIZE_y - 2), 1);
    for (int generation = 0; generation < generations; ++generation) {
        life<<<gridSize, blockSize>>>(d_grid, d_newGrid, width, height);
        d_tmpGrid = d_grid;
        d_grid = d_newGrid;
        d_newGrid = d_tmpGrid;
    }
    CHECK(cudaMemcpy(result.data(), d_grid, result.size(), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_grid));
    CHECK(cudaFree(d_newGrid));

    for (int generation = 0; generation < generations; ++generation) {
        std::vector<int> neighbours(width * height, 0);
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                if (cells[y * width + x] == 0) continue;
                for (int step = 0; step < 9; ++step) {
                    const int to_x = (x + step % 3 - 1 + width) % width;
                    const int to_y = (y + step / 3 - 1 + height) % height;
                    if (step != 4) ++neighbours[to_y * width + to_x];
                }
            }
        }
        for (size_t i = 0; i < cells.size(); ++i)
            cells[i] = neighbours[i] == 3 || (neighbours[i] == 2 && cells[i]);
    }
    int wrong = 0;
    for (size_t i = 0; i < cells.size(); ++i) wrong += cells[i] != result[i];
    printf("game_of_life: %d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
