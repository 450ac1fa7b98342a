// SPDX-License-Identifier: MIT
// cuRAND's host API. Status codes are those of cuRAND 10.4 on an H200 for the same calls.
#include <curand.h>

#include <cstring>
#include <memory>
#include <string>

#include "common/emulator/libraries/curand/sequence.hpp"
#include "common/emulator/libraries/curand/sobol_tables.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/library_work.hpp"

using emulator::explain;
using emulator::curand::Distribution;
using emulator::curand::Order;
using emulator::curand::PoissonCounts;
using emulator::curand::Sequence;

struct curandGenerator_st {
    emulator::curand::Start start;
    bool is_device;
    cudaStream_t stream = nullptr;
    std::shared_ptr<Sequence> sequence;  // queued work keeps it, too

    bool is_quasi() const { return start.type >= CURAND_RNG_QUASI_DEFAULT; }
    bool is_64_bit() const { return start.type >= CURAND_RNG_QUASI_SOBOL64; }
};

namespace {

bool is_generator(int type) {
    switch (type) {
        case CURAND_RNG_PSEUDO_XORWOW:
        case CURAND_RNG_PSEUDO_MRG32K3A:
        case CURAND_RNG_PSEUDO_MTGP32:
        case CURAND_RNG_PSEUDO_MT19937:
        case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        case CURAND_RNG_QUASI_SOBOL32:
        case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
        case CURAND_RNG_QUASI_SOBOL64:
        case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
            return true;
        default:
            return false;
    }
}

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool is_device) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (type == CURAND_RNG_PSEUDO_DEFAULT) type = CURAND_RNG_PSEUDO_XORWOW;
    if (type == CURAND_RNG_QUASI_DEFAULT) type = CURAND_RNG_QUASI_SOBOL32;
    if (!is_generator(type)) return CURAND_STATUS_TYPE_ERROR;
    const bool is_quasi = type >= CURAND_RNG_QUASI_DEFAULT;
    const curandOrdering_t ordering =
        is_quasi ? CURAND_ORDERING_QUASI_DEFAULT : CURAND_ORDERING_PSEUDO_DEFAULT;
    *generator = new curandGenerator_st{{type, ordering, 0, 0, 1}, is_device, nullptr, nullptr};
    return CURAND_STATUS_SUCCESS;
}

// Ends the queued work, so that the position in the sequence is known.
void settle(curandGenerator_st& generator) {
    if (generator.is_device) emulator::run_library_work(generator.stream);
}

// The next call starts a sequence with the new settings where the old one would have gone on.
void start_anew(curandGenerator_st& generator) {
    settle(generator);
    if (generator.sequence != nullptr) {
        generator.start.offset = generator.sequence->restart_offset();
    }
    generator.sequence = nullptr;
}

bool accepts_ordering(const curandGenerator_st& generator, curandOrdering_t ordering) {
    if (generator.is_quasi()) return ordering == CURAND_ORDERING_QUASI_DEFAULT;
    const bool is_mt19937 = generator.start.type == CURAND_RNG_PSEUDO_MT19937;
    switch (ordering) {
        case CURAND_ORDERING_PSEUDO_DEFAULT:
        case CURAND_ORDERING_PSEUDO_LEGACY:
            return true;
        case CURAND_ORDERING_PSEUDO_BEST:
            return generator.is_device || !is_mt19937;
        case CURAND_ORDERING_PSEUDO_SEEDED:
            return generator.start.type == CURAND_RNG_PSEUDO_XORWOW;
        case CURAND_ORDERING_PSEUDO_DYNAMIC:
            return generator.is_device && !is_mt19937;
        default:
            return false;
    }
}

// nullptr: explained.
std::unique_ptr<Sequence> make_sequence(const curandGenerator_st& generator) {
    const emulator::curand::Start& start = generator.start;
    std::unique_ptr<Sequence> sequence;
    switch (start.type) {
        case CURAND_RNG_PSEUDO_XORWOW:
        case CURAND_RNG_PSEUDO_MRG32K3A:
            return make_interleaved_sequence(start);
        case CURAND_RNG_PSEUDO_PHILOX4_32_10:
            return make_philox_sequence(start);
        case CURAND_RNG_PSEUDO_MT19937:
            return make_mt19937_sequence(start);
        case CURAND_RNG_PSEUDO_MTGP32:
            if (start.ordering == CURAND_ORDERING_PSEUDO_DYNAMIC) {
                explain(
                    "cuRAND: MTGP32 with CURAND_ORDERING_PSEUDO_DYNAMIC depends on the GPU and "
                    "is not available; use CURAND_ORDERING_PSEUDO_DEFAULT");
                return nullptr;
            }
            sequence = make_mtgp32_sequence(start);
            if (sequence == nullptr) {
                explain(
                    "cuRAND: MTGP32 needs the CUDA toolkit's table "
                    "(curand_mtgp32dc_p_11213.h), which was not found when the engine was "
                    "built; use another generator");
            }
            return sequence;
        default:
            sequence = make_sobol_sequence(start);
            if (sequence == nullptr) {
                explain(
                    "cuRAND: scrambled Sobol' sequences, and more than 3667 dimensions, need "
                    "the tables of the CUDA toolkit's libcurand.so.10, which is not installed; "
                    "use CURAND_RNG_QUASI_SOBOL32 or 64 with fewer dimensions");
            }
            return sequence;
    }
}

curandStatus_t start_sequence(curandGenerator_t generator) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (generator->sequence == nullptr) generator->sequence = make_sequence(*generator);
    return generator->sequence == nullptr ? CURAND_STATUS_INITIALIZATION_FAILED
                                          : CURAND_STATUS_SUCCESS;
}

// XORWOW and MRG32k3a make normal numbers in pairs, and write them in pairs.
bool makes_pairs(const curandGenerator_st& generator, Distribution distribution) {
    const bool is_normal =
        distribution >= Distribution::normal && distribution <= Distribution::log_normal_double;
    return is_normal && (generator.start.type == CURAND_RNG_PSEUDO_XORWOW ||
                         generator.start.type == CURAND_RNG_PSEUDO_MRG32K3A);
}

// A GPU's own order of pairs. Large Poisson numbers are rounded normal numbers.
bool has_unknown_order(const curandGenerator_st& generator, const Order& order) {
    return generator.start.type == CURAND_RNG_PSEUDO_XORWOW &&
           generator.start.ordering == CURAND_ORDERING_PSEUDO_DYNAMIC &&
           (makes_pairs(generator, order.distribution) ||
            (order.distribution == Distribution::poisson && order.poisson->rounds_normals()));
}

template <class T>
curandStatus_t generate(const char* function, curandGenerator_t generator, T* output,
                        const Order& order) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    const bool is_pair = makes_pairs(*generator, order.distribution);
    const std::size_t unit = generator->is_quasi() ? generator->start.dimensions : is_pair ? 2 : 1;
    if (order.count % unit != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (has_unknown_order(*generator, order)) {
        explain(
            "%s: the order of XORWOW's normal numbers under CURAND_ORDERING_PSEUDO_DYNAMIC is not "
            "known; use CURAND_ORDERING_PSEUDO_DEFAULT",
            function);
        return CURAND_STATUS_TYPE_ERROR;
    }
    const curandStatus_t status = start_sequence(generator);
    if (status != CURAND_STATUS_SUCCESS || order.count == 0) return status;
    if (!generator->is_device) {
        if (output == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
        generator->sequence->draw(order, output);
        return CURAND_STATUS_SUCCESS;
    }
    if (is_pair && reinterpret_cast<std::uintptr_t>(output) % (2 * sizeof(T)) != 0) {
        explain("%s: the output %p is not aligned to the %zu bytes of a pair of results", function,
                static_cast<void*>(output), 2 * sizeof(T));
        emulator::set_sticky_error(cudaErrorMisalignedAddress);
        return CURAND_STATUS_LAUNCH_FAILURE;
    }
    const cudaError_t error = emulator::queue_library_work(
        function, generator->stream, {{output, order.count * sizeof(T)}}, {},
        [sequence = generator->sequence, order, output] { sequence->draw(order, output); });
    return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

}  // namespace

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t rng_type) {
    return create(generator, rng_type, true);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t rng_type) {
    return create(generator, rng_type, false);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    delete generator;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int* version) {
    if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int* value) {
    if (value == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
    switch (type) {
        case MAJOR_VERSION:
            *value = CURAND_VER_MAJOR;
            return CURAND_STATUS_SUCCESS;
        case MINOR_VERSION:
            *value = CURAND_VER_MINOR;
            return CURAND_STATUS_SUCCESS;
        case PATCH_LEVEL:
            *value = CURAND_VER_PATCH;
            return CURAND_STATUS_SUCCESS;
    }
    return CURAND_STATUS_OUT_OF_RANGE;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (stream == generator->stream) return CURAND_STATUS_SUCCESS;
    settle(*generator);  // the results of the old stream come first in the sequence
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (generator->is_quasi()) return CURAND_STATUS_TYPE_ERROR;
    start_anew(*generator);
    generator->start.seed = seed;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (generator->start.type == CURAND_RNG_PSEUDO_MTGP32 ||
        generator->start.type == CURAND_RNG_PSEUDO_MT19937) {
        return CURAND_STATUS_TYPE_ERROR;
    }
    start_anew(*generator);
    generator->start.offset = offset;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (!accepts_ordering(*generator, order)) return CURAND_STATUS_OUT_OF_RANGE;
    start_anew(*generator);
    generator->start.ordering = order;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned int num_dimensions) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (!generator->is_quasi()) return CURAND_STATUS_TYPE_ERROR;
    if (num_dimensions < 1 || num_dimensions > emulator::curand::kMaxDimensions) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    start_anew(*generator);
    generator->start.dimensions = num_dimensions;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
    return start_sequence(generator);
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* output, size_t num) {
    if (generator != nullptr && generator->is_64_bit()) return CURAND_STATUS_TYPE_ERROR;
    return generate("curandGenerate", generator, output,
                    {Distribution::bits, num, 0.0, 0.0, nullptr});
}

curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long* output,
                                      size_t num) {
    if (generator != nullptr && !generator->is_64_bit()) return CURAND_STATUS_TYPE_ERROR;
    return generate("curandGenerateLongLong", generator, output,
                    {Distribution::long_bits, num, 0.0, 0.0, nullptr});
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* output, size_t num) {
    return generate("curandGenerateUniform", generator, output,
                    {Distribution::uniform, num, 0.0, 0.0, nullptr});
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* output,
                                           size_t num) {
    return generate("curandGenerateUniformDouble", generator, output,
                    {Distribution::uniform_double, num, 0.0, 0.0, nullptr});
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* output, size_t num,
                                    float mean, float stddev) {
    return generate("curandGenerateNormal", generator, output,
                    {Distribution::normal, num, mean, stddev, nullptr});
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* output, size_t num,
                                          double mean, double stddev) {
    return generate("curandGenerateNormalDouble", generator, output,
                    {Distribution::normal_double, num, mean, stddev, nullptr});
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* output, size_t num,
                                       float mean, float stddev) {
    return generate("curandGenerateLogNormal", generator, output,
                    {Distribution::log_normal, num, mean, stddev, nullptr});
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* output,
                                             size_t num, double mean, double stddev) {
    return generate("curandGenerateLogNormalDouble", generator, output,
                    {Distribution::log_normal_double, num, mean, stddev, nullptr});
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int* output, size_t num,
                                     double lambda) {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (!(lambda > 0.0) || lambda > emulator::curand::kMaxLambda) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    return generate("curandGeneratePoisson", generator, output,
                    {Distribution::poisson, num, 0.0, 0.0,
                     std::make_shared<PoissonCounts>(generator->start.type, lambda)});
}
