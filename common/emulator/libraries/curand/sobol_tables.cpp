// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/curand/sobol_tables.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#if __has_include(<boost/random/detail/sobol_table.hpp>)
#include <boost/random/detail/sobol_table.hpp>
#endif

namespace emulator::curand {
namespace {

void* toolkit_function(const char* name) {
    static void* const library = [] {
        void* found = nullptr;
        for (const char* path : {"libcurand.so.10", "/usr/local/cuda/lib64/libcurand.so.10"}) {
            if (found == nullptr) found = ::dlopen(path, RTLD_LAZY | RTLD_LOCAL);
        }
        return found;
    }();
    return library == nullptr ? nullptr : ::dlsym(library, name);
}

// Calls a function of the toolkit that sets a pointer; nullptr if there is no toolkit.
template <class T, class... Arguments>
T* toolkit_table(const char* name, Arguments... arguments) {
    using Function = curandStatus_t (*)(T**, Arguments...);
    const auto function = reinterpret_cast<Function>(toolkit_function(name));
    T* table = nullptr;
    if (function == nullptr || function(&table, arguments...) != CURAND_STATUS_SUCCESS) {
        return nullptr;
    }
    return table;
}

#if __has_include(<boost/random/detail/sobol_table.hpp>)
using Numbers = boost::random::detail::qrng_tables::sobol;
constexpr unsigned int kOwnDimensions = Numbers::max_dimension;

// Source: P. Bratley, B. Fox, "Algorithm 659: implementing Sobol's quasirandom sequence generator",
// ACM Transactions on Mathematical Software 14(1), 1988, section 2. The first vector is the highest
// bit; the first dimension has one bit in each vector.
template <class Bits>
void make_vectors(unsigned int dimension, Bits* vectors) {
    constexpr int kBits = 8 * sizeof(Bits);
    if (dimension == 0) {
        for (int j = 0; j < kBits; ++j) vectors[j] = Bits{1} << (kBits - 1 - j);
        return;
    }
    const unsigned int polynomial = Numbers::polynomial(dimension - 1);
    const int degree = std::bit_width(polynomial) - 1;
    for (int j = 0; j < kBits; ++j) {
        if (j < degree) {
            vectors[j] = Bits{Numbers::minit(dimension - 1, static_cast<std::size_t>(j))}
                         << (kBits - 1 - j);
            continue;
        }
        vectors[j] = vectors[j - degree] ^ vectors[j - degree] >> degree;
        for (int k = 1; k < degree; ++k) {
            if ((polynomial >> (degree - k) & 1) != 0) vectors[j] ^= vectors[j - k];
        }
    }
}

// The table is followed by a page that may not be read: a dimension beyond the last one faults.
template <class Bits>
const Bits* own_vectors() {
    static const Bits* const table = [] {
        constexpr std::size_t kVectors = 8 * sizeof(Bits);
        const std::size_t bytes = kOwnDimensions * kVectors * sizeof(Bits);
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const std::size_t pages = (bytes + page - 1) / page * page;
        void* const memory = ::mmap(nullptr, pages + page, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED ||
            ::mprotect(static_cast<char*>(memory) + pages, page, PROT_NONE) != 0) {
            return static_cast<Bits*>(nullptr);
        }
        auto* const vectors = reinterpret_cast<Bits*>(static_cast<char*>(memory) + pages - bytes);
        for (unsigned int i = 0; i < kOwnDimensions; ++i) make_vectors(i, vectors + kVectors * i);
        return vectors;
    }();
    return table;
}
#else
constexpr unsigned int kOwnDimensions = 0;
template <class Bits>
const Bits* own_vectors() {
    return nullptr;
}
#endif

template <class Bits, class Vectors>
SobolTable<Bits> table_of(bool is_scrambled, unsigned int dimensions, const char* vectors_name,
                          const char* constants_name, curandDirectionVectorSet_t plain,
                          curandDirectionVectorSet_t scrambled) {
    if (!is_scrambled && dimensions <= kOwnDimensions) {
        return {own_vectors<Bits>(), kOwnDimensions, nullptr};
    }
    Vectors* const vectors = toolkit_table<Vectors>(vectors_name, is_scrambled ? scrambled : plain);
    const Bits* const constants = is_scrambled ? toolkit_table<Bits>(constants_name) : nullptr;
    if (vectors == nullptr || (is_scrambled && constants == nullptr)) return {};
    return {vectors[0], kMaxDimensions, constants};
}

}  // namespace

SobolTable<unsigned int> sobol_table_32(bool is_scrambled, unsigned int dimensions) {
    return table_of<unsigned int, curandDirectionVectors32_t>(
        is_scrambled, dimensions, "curandGetDirectionVectors32", "curandGetScrambleConstants32",
        CURAND_DIRECTION_VECTORS_32_JOEKUO6, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6);
}

SobolTable<unsigned long long> sobol_table_64(bool is_scrambled, unsigned int dimensions) {
    return table_of<unsigned long long, curandDirectionVectors64_t>(
        is_scrambled, dimensions, "curandGetDirectionVectors64", "curandGetScrambleConstants64",
        CURAND_DIRECTION_VECTORS_64_JOEKUO6, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6);
}

}  // namespace emulator::curand
