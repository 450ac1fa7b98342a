// SPDX-License-Identifier: MIT
// Particles are structs: neighbouring lanes read members that are 32 bytes apart.
// With CURED: each member of the particles has an array of its own.
constexpr int kCount = 4096;

#ifndef CURED
struct Particle {
    float x, y, z, mass, vx, vy, vz, charge;
};

__global__ void push_kernel(Particle* particles, float duration) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    particles[i].x += duration * particles[i].vx;
}
#else
struct Particles {
    float *x, *vx;
};

__global__ void push_kernel(Particles particles, float duration) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    particles.x[i] += duration * particles.vx[i];
}
#endif

int main() {
#ifndef CURED
    Particle* particles = nullptr;
    cudaMalloc(&particles, kCount * sizeof(Particle));
    cudaMemset(particles, 0, kCount * sizeof(Particle));
#else
    Particles particles{};
    cudaMalloc(&particles.x, kCount * sizeof(float));
    cudaMalloc(&particles.vx, kCount * sizeof(float));
    cudaMemset(particles.x, 0, kCount * sizeof(float));
    cudaMemset(particles.vx, 0, kCount * sizeof(float));
#endif
    push_kernel<<<kCount / 128, 128>>>(particles, 0.5f);
    cudaDeviceSynchronize();
#ifndef CURED
    cudaFree(particles);
#else
    cudaFree(particles.x);
    cudaFree(particles.vx);
#endif
}
