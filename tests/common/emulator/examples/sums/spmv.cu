// SPDX-License-Identifier: MIT
// Sparse matrix times vector after Bell and Garland: CSR with a thread or a warp per row, and ELL.
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

__global__ void spmv_csr_scalar_kernel(const int num_rows, const int* ptr, const int* indices,
                                       const float* data, const float* x, float* y) {
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < num_rows) {
        float dot = 0;
        int row_start = ptr[row];
        int row_end = ptr[row + 1];
        for (int jj = row_start; jj < row_end; jj++) dot += data[jj] * x[indices[jj]];
        y[row] += dot;
    }
}

__global__ void spmv_csr_vector_kernel(const int num_rows, const int* ptr, const int* indices,
                                       const float* data, const float* x, float* y) {
    __shared__ float vals[128];
    int thread_id = blockDim.x * blockIdx.x + threadIdx.x;  // global thread index
    int warp_id = thread_id / 32;  // global warp index
    int lane = thread_id & (32 - 1);  // thread index within the warp
    int row = warp_id;  // one warp per row
    if (row < num_rows) {
        int row_start = ptr[row];
        int row_end = ptr[row + 1];
        vals[threadIdx.x] = 0;
        for (int jj = row_start + lane; jj < row_end; jj += 32)
            vals[threadIdx.x] += data[jj] * __ldg(&x[indices[jj]]);
        __syncwarp();
        for (int offset = 16; offset > 0; offset >>= 1) {
            if (lane < offset) vals[threadIdx.x] += vals[threadIdx.x + offset];
            __syncwarp();
        }
        if (lane == 0) y[row] += vals[threadIdx.x];
    }
}

__global__ void spmv_ell_kernel(const int num_rows, const int num_cols_per_row, const int* indices,
                                const float* data, const float* x, float* y) {
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < num_rows) {
        float dot = 0;
        for (int n = 0; n < num_cols_per_row; n++) {
            int col = indices[num_rows * n + row];
            float val = data[num_rows * n + row];
            if (val != 0) dot += val * x[col];
        }
        y[row] += dot;
    }
}

template <class T>
T* to_device(const std::vector<T>& values) {
    T* pointer;
    CHECK(cudaMalloc(&pointer, values.size() * sizeof(T)));
    CHECK(cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return pointer;
}

int main() {
    const int rows = 500, columns = 600;
    std::vector<int> ptr(1, 0), indices;
    std::vector<float> data, x(columns), y(rows, 1.0f);
    std::vector<double> expected(rows, 1.0);
    for (float& value : x) value = (float)(rand() % 9 - 4);
    size_t longest = 0;
    for (int row = 0; row < rows; ++row) {
        const int length = row % 7 == 0 ? 0 : row % 50 == 1 ? 100 : rand() % 20;
        for (int k = 0; k < length; ++k) {
            indices.push_back((row * 13 + k * 5) % columns);
            data.push_back((float)(rand() % 5 + 1));
            expected[row] += double(data.back()) * x[indices.back()];
        }
        ptr.push_back((int)indices.size());
        if ((size_t)length > longest) longest = length;
    }
    std::vector<int> ell_indices(rows * longest, 0);
    std::vector<float> ell_data(rows * longest, 0.0f);
    for (int row = 0; row < rows; ++row) {
        for (int j = ptr[row]; j < ptr[row + 1]; ++j) {
            ell_indices[rows * (j - ptr[row]) + row] = indices[j];
            ell_data[rows * (j - ptr[row]) + row] = data[j];
        }
    }

    int *d_ptr = to_device(ptr), *d_indices = to_device(indices), *d_ell = to_device(ell_indices);
    float *d_data = to_device(data), *d_x = to_device(x), *d_ell_data = to_device(ell_data);
    int wrong = 0;
    for (int format = 0; format < 3; ++format) {
        float* d_y = to_device(y);
        if (format == 0) {
            spmv_csr_scalar_kernel<<<(rows + 127) / 128, 128>>>(rows, d_ptr, d_indices, d_data, d_x,
                                                                d_y);
        } else if (format == 1) {
            spmv_csr_vector_kernel<<<(rows * 32 + 127) / 128, 128>>>(rows, d_ptr, d_indices, d_data,
                                                                     d_x, d_y);
        } else {
            spmv_ell_kernel<<<(rows + 255) / 256, 256>>>(rows, (int)longest, d_ell, d_ell_data, d_x,
                                                         d_y);
        }
        CHECK(cudaGetLastError());
        std::vector<float> result(rows);
        CHECK(cudaMemcpy(result.data(), d_y, rows * sizeof(float), cudaMemcpyDeviceToHost));
        for (int row = 0; row < rows; ++row) wrong += !(result[row] == expected[row]);
        CHECK(cudaFree(d_y));
    }
    for (void* pointer : {(void*)d_ptr, (void*)d_indices, (void*)d_ell, (void*)d_data, (void*)d_x,
                          (void*)d_ell_data})
        CHECK(cudaFree(pointer));
    printf("spmv: %d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
