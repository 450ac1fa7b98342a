// SPDX-License-Identifier: MIT
// Particles are structs: neighbouring lanes read members that are 32 bytes apart.
constexpr int kCount = 4096;

struct Particle {
    float x, y, z, mass, vx, vy, vz, charge;
};

__global__ void push_kernel(Particle* particles, float duration) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    particles[i].x += duration * particles[i].vx;
}

int main() {
    Particle* particles = nullptr;
    cudaMalloc(&particles, kCount * sizeof(Particle));
    cudaMemset(particles, 0, kCount * sizeof(Particle));
    push_kernel<<<kCount / 128, 128>>>(particles, 0.5f);
    cudaDeviceSynchronize();
    cudaFree(particles);
}
