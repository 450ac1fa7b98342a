// SPDX-License-Identifier: MIT
// The sequence of results of a generator of cuRAND's host API, and what may be drawn from it.
#pragma once

#include <curand.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/emulator/libraries/curand/poisson_counts.hpp"

namespace emulator::curand {

enum class Distribution {
    bits,  // unsigned int
    long_bits,  // unsigned long long; Sobol' sequences of 64 bits only
    uniform,
    uniform_double,
    normal,
    normal_double,
    log_normal,
    log_normal_double,
    poisson  // unsigned int
};

// One call of a generation function. `count` is the number of results.
struct Order {
    Distribution distribution = Distribution::bits;
    std::size_t count = 0;
    double mean = 0.0;
    double deviation = 0.0;
    std::shared_ptr<const PoissonCounts> poisson;
};

class Sequence {
  public:
    virtual ~Sequence() = default;
    // Writes the next results, of the type that the distribution names.
    virtual void draw(const Order& order, void* results) = 0;
    // The offset at which the sequence goes on after a new seed, ordering or number of dimensions.
    virtual std::uint64_t restart_offset() const = 0;
};

// What a sequence starts from.
struct Start {
    curandRngType_t type;
    curandOrdering_t ordering;
    std::uint64_t seed;
    std::uint64_t offset;
    unsigned int dimensions;
};

// Each of these knows some types; nullptr: the tables that it needs are not installed here.
std::unique_ptr<Sequence> make_interleaved_sequence(const Start& start);  // XORWOW, MRG32k3a
std::unique_ptr<Sequence> make_philox_sequence(const Start& start);
std::unique_ptr<Sequence> make_mt19937_sequence(const Start& start);
std::unique_ptr<Sequence> make_mtgp32_sequence(const Start& start);
std::unique_ptr<Sequence> make_sobol_sequence(const Start& start);

}  // namespace emulator::curand
