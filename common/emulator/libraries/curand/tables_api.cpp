// SPDX-License-Identifier: MIT
// The tables that cuRAND's host API gives to kernels: Poisson distributions and direction vectors.
#include <curand.h>

#include <cmath>
#include <cstring>
#include <emulator/curand/discrete.hpp>
#include <vector>

#include "common/emulator/libraries/curand/poisson_table.hpp"
#include "common/emulator/libraries/curand/sobol_tables.hpp"
#include "common/emulator/process/errors.hpp"

using emulator::curand::kMaxDimensions;
using emulator::curand::PoissonHistogram;
using emulator::curand::SobolTable;

namespace {

// One allocation holds the distribution and all that it points to.
struct DeviceDistribution {
    curandDiscreteDistribution_st distribution;
    curandDistributionM2Shift_st table;
    curandHistogramM2_st histogram;
};

curandStatus_t explain_missing_vectors(const char* function) {
    emulator::explain(
        "%s: these tables are part of the CUDA toolkit's libcurand.so.10, which is not installed; "
        "use the plain direction vectors",
        function);
    return CURAND_STATUS_INITIALIZATION_FAILED;
}

// All dimensions where the toolkit is installed, else those of Boost's table.
template <class Bits>
SobolTable<Bits> largest_table(SobolTable<Bits> (*table_of)(bool, unsigned int),
                               bool is_scrambled) {
    const SobolTable<Bits> all = table_of(is_scrambled, kMaxDimensions);
    return all.vectors != nullptr || is_scrambled ? all : table_of(false, 1);
}

template <class Bits, class Vectors>
curandStatus_t give_vectors(const char* function, Vectors* vectors[],
                            SobolTable<Bits> (*table_of)(bool, unsigned int), bool is_scrambled) {
    if (vectors == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
    const SobolTable<Bits> table = largest_table(table_of, is_scrambled);
    if (table.vectors == nullptr) return explain_missing_vectors(function);
    *vectors = reinterpret_cast<Vectors*>(const_cast<Bits*>(table.vectors));
    return CURAND_STATUS_SUCCESS;
}

template <class Bits>
curandStatus_t give_constants(const char* function, Bits** constants,
                              SobolTable<Bits> (*table_of)(bool, unsigned int)) {
    if (constants == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
    const SobolTable<Bits> table = table_of(true, kMaxDimensions);
    if (table.constants == nullptr) return explain_missing_vectors(function);
    *constants = const_cast<Bits*>(table.constants);
    return CURAND_STATUS_SUCCESS;
}

}  // namespace

curandStatus_t curandCreatePoissonDistribution(double lambda,
                                               curandDiscreteDistribution_t* distribution) {
    if (distribution == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (!(lambda > 0.0) || lambda > emulator::curand::kMaxLambda) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    const bool has_table = lambda < emulator::curand::kPoissonTableBelow;
    std::vector<double> thresholds;
    std::vector<unsigned int> values;
    DeviceDistribution copy{};
    copy.distribution.mean = lambda;
    copy.distribution.stddev = std::sqrt(lambda);
    copy.distribution.method = has_table ? CURAND_M2 : CURAND_DISCRETE_GAUSS;
    if (has_table) {
        const PoissonHistogram histogram(lambda);
        thresholds = histogram.thresholds;
        values = histogram.values;
        copy.table.shift = histogram.shift;
        copy.table.length = static_cast<unsigned int>(values.size());
    }
    const std::size_t threshold_bytes = thresholds.size() * sizeof(double);
    const std::size_t value_bytes = values.size() * sizeof(unsigned int);
    std::vector<char> bytes(sizeof copy + threshold_bytes + value_bytes);
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes.size()) != cudaSuccess) return CURAND_STATUS_ALLOCATION_FAILED;
    auto* const device = static_cast<DeviceDistribution*>(memory);
    copy.histogram.V = reinterpret_cast<double*>(device + 1);
    copy.histogram.K =
        reinterpret_cast<unsigned int*>(reinterpret_cast<char*>(device + 1) + threshold_bytes);
    copy.table.histogram = &device->histogram;
    copy.distribution.M2 = &device->table;
    std::memcpy(bytes.data(), &copy, sizeof copy);
    if (has_table) {
        std::memcpy(bytes.data() + sizeof copy, thresholds.data(), threshold_bytes);
        std::memcpy(bytes.data() + sizeof copy + threshold_bytes, values.data(), value_bytes);
    }
    if (cudaMemcpy(memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice) != cudaSuccess) {
        return CURAND_STATUS_PREEXISTING_FAILURE;
    }
    *distribution = &device->distribution;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution) {
    if (distribution == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    return cudaFree(distribution) == cudaSuccess ? CURAND_STATUS_SUCCESS
                                                 : CURAND_STATUS_PREEXISTING_FAILURE;
}

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t* vectors[],
                                           curandDirectionVectorSet_t set) {
    if (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6 &&
        set != CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    return give_vectors("curandGetDirectionVectors32", vectors, emulator::curand::sobol_table_32,
                        set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6);
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t* vectors[],
                                           curandDirectionVectorSet_t set) {
    if (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6 &&
        set != CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    return give_vectors("curandGetDirectionVectors64", vectors, emulator::curand::sobol_table_64,
                        set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6);
}

curandStatus_t curandGetScrambleConstants32(unsigned int** constants) {
    return give_constants("curandGetScrambleConstants32", constants,
                          emulator::curand::sobol_table_32);
}

curandStatus_t curandGetScrambleConstants64(unsigned long long** constants) {
    return give_constants("curandGetScrambleConstants64", constants,
                          emulator::curand::sobol_table_64);
}
