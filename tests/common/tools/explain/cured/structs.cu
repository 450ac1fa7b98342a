// SPDX-License-Identifier: MIT
// Each member of the particles has an array of its own.
constexpr int kCount = 4096;

struct Particles {
    float *x, *vx;
};

__global__ void push_kernel(Particles particles, float duration) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    particles.x[i] += duration * particles.vx[i];
}

int main() {
    Particles particles{};
    cudaMalloc(&particles.x, kCount * sizeof(float));
    cudaMalloc(&particles.vx, kCount * sizeof(float));
    cudaMemset(particles.x, 0, kCount * sizeof(float));
    cudaMemset(particles.vx, 0, kCount * sizeof(float));
    push_kernel<<<kCount / 128, 128>>>(particles, 0.5f);
    cudaDeviceSynchronize();
    cudaFree(particles.x);
    cudaFree(particles.vx);
}
