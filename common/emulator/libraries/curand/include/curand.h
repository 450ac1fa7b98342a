// SPDX-License-Identifier: MIT
// cuRAND's host API for the CPU engine. Device generators queue their work in a stream, as a kernel
// is queued; host generators work at once. The results are NVIDIA's of cuRAND 10.4 for the same
// generator, ordering, seed and offset (see README.md, "cuRAND").
#pragma once

#include <cuda_runtime.h>

#include "emulator/curand/types.hpp"

#define CURAND_H_  // the toolkit's guard, which programs ask for
#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 4
#define CURAND_VER_PATCH 0
#define CURAND_VER_BUILD 35
#define CURAND_VERSION (CURAND_VER_MAJOR * 1000 + CURAND_VER_MINOR * 100 + CURAND_VER_PATCH)
#define CURANDAPI

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t rng_type);
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t rng_type);
curandStatus_t curandDestroyGenerator(curandGenerator_t generator);

curandStatus_t curandGetVersion(int* version);
curandStatus_t curandGetProperty(libraryPropertyType type, int* value);

// Settings. Each starts the sequence anew.
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream);
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed);
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset);
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order);
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned int num_dimensions);

// Results. `num` counts numbers, not bytes. Normal numbers of pseudorandom generators come in
// pairs: an odd count is CURAND_STATUS_LENGTH_NOT_MULTIPLE. So is, for quasirandom generators, a
// count that is not a multiple of the dimensions.
curandStatus_t curandGenerateSeeds(curandGenerator_t generator);
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* output, size_t num);
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long* output,
                                      size_t num);
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* output, size_t num);
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* output, size_t num);
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* output, size_t num,
                                    float mean, float stddev);
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* output, size_t num,
                                          double mean, double stddev);
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* output, size_t num,
                                       float mean, float stddev);
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* output,
                                             size_t num, double mean, double stddev);
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int* output, size_t num,
                                     double lambda);

// A distribution in device memory for curand_discrete(); lambda in (0, 400000].
curandStatus_t curandCreatePoissonDistribution(double lambda,
                                               curandDiscreteDistribution_t* distribution);
curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution);

// Tables of Sobol' sequences, in host memory: one entry for each dimension.
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t* vectors[],
                                           curandDirectionVectorSet_t set);
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t* vectors[],
                                           curandDirectionVectorSet_t set);
curandStatus_t curandGetScrambleConstants32(unsigned int** constants);
curandStatus_t curandGetScrambleConstants64(unsigned long long** constants);

}  // extern "C"
