// SPDX-License-Identifier: MIT
// Monte Carlo, stage peers/curand_host: libraries draw and count.
// Idea: cuRAND's host API writes random numbers into device memory, a chunk at a time, and CUB
// counts the points that are inside. There is no kernel to write. Every number goes through memory:
// 8 bytes per point are written, and read again.
// Compared with limit/04_four_tap: nothing stays in registers from the draw to the test.
// Limit now: with XORWOW, cuRAND's own kernel; with Philox, the bandwidth of the memory. A chunk
// that fits in the L2 cache is slower, because its two launches take as long as its points.
// Not of the thesis.
#include <cuda_runtime.h>
#include <curand.h>

#include <algorithm>
#include <cstdint>
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/montecarlo.hpp"

using course::cuda_check, course::DeviceBuffer;
using montecarlo::Input, montecarlo::Output, montecarlo::Phase, montecarlo::PhaseTimer;

using Count = unsigned long long;

struct IsInside {
    // fmaf fixes the roundings, as in the stages that write the test into their kernel.
    __host__ __device__ Count operator()(float2 point) const {
        return fmaf(point.x, point.x, point.y * point.y) < 1.0f;
    }
};

void curand_check(curandStatus_t status, const char* call) {
    if (status == CURAND_STATUS_SUCCESS) return;
    throw std::runtime_error(std::string(call) + ": cuRAND's status is " + std::to_string(status));
}

// Owns a generator of cuRAND's host API.
class UniformGenerator {
  public:
    UniformGenerator(curandRngType_t type, std::uint64_t seed) {
        curand_check(curandCreateGenerator(&generator_, type), "curandCreateGenerator");
        curand_check(curandSetPseudoRandomGeneratorSeed(generator_, seed),
                     "curandSetPseudoRandomGeneratorSeed");
    }
    UniformGenerator(const UniformGenerator&) = delete;
    UniformGenerator& operator=(const UniformGenerator&) = delete;
    ~UniformGenerator() { curandDestroyGenerator(generator_); }

    // Writes the coordinates of `count` points.
    void write(float2* points, std::int64_t count) {
        curand_check(curandGenerateUniform(generator_, reinterpret_cast<float*>(points), 2 * count),
                     "curandGenerateUniform");
    }

  private:
    curandGenerator_t generator_ = nullptr;
};

// CUB's calls need temporary storage. Without it, they only say how much.
void count_points(void* storage, std::size_t& storage_bytes, const float2* points,
                  std::int64_t count, Count* inside) {
    cuda_check(cub::DeviceReduce::TransformReduce(storage, storage_bytes, points, inside, count,
                                                  cuda::std::plus<>{}, IsInside{}, Count{0}));
}

void count_inside(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    const std::int64_t chunk = std::min(input.chunk, input.samples);
    const std::int64_t chunks = (input.samples - 1) / chunk + 1;
    UniformGenerator generator(input.generator == montecarlo::Generator::kCurandPhilox
                                   ? CURAND_RNG_PSEUDO_PHILOX4_32_10
                                   : CURAND_RNG_PSEUDO_XORWOW,
                               input.seed);
    std::vector<Count> h_chunk_counts(chunks);
    DeviceBuffer<float2> d_points(chunk);
    DeviceBuffer<Count> d_chunk_counts(chunks);
    std::size_t storage_bytes = 0;
    count_points(nullptr, storage_bytes, d_points.data(), chunk, d_chunk_counts.data());
    DeviceBuffer<unsigned char> d_storage(storage_bytes);

    timer.begin(Phase::kKernels);
    for (std::int64_t i = 0; i < chunks; ++i) {
        const std::int64_t count = std::min(chunk, input.samples - i * chunk);
        generator.write(d_points.data(), count);
        count_points(d_storage.data(), storage_bytes, d_points.data(), count,
                     d_chunk_counts.data() + i);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(h_chunk_counts.data(), d_chunk_counts.data(), d_chunk_counts.bytes(),
                          cudaMemcpyDeviceToHost));
    output.inside = 0;
    for (const Count chunk_count : h_chunk_counts) output.inside += chunk_count;
    output.generators = 1;  // one sequence, whatever the grid
    timer.end();
    // Each number is written and read. Only the chunk is in memory at once.
    const montecarlo::Method method = {.generator = input.generator};
    timer.declare_work({.bytes = 2.0 * sizeof(float2) * input.samples,
                        .operations = method.operations_per_point() * input.samples,
                        .working_set_bytes = static_cast<double>(d_points.bytes())});
}

int main(int argc, char** argv) {
    return montecarlo::run_stage(argc, argv, STAGE_NAME, count_inside,
                                 std::numeric_limits<Count>::max(),
                                 {.generator = montecarlo::Generator::kCurandXorwow});
}
