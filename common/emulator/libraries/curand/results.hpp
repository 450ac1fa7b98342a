// SPDX-License-Identifier: MIT
// From bits to results, for generators that make each result from one draw.
#pragma once

#include <cmath>
#include <emulator/curand/draws.hpp>

#include "common/emulator/libraries/curand/sequence.hpp"

namespace emulator::curand {

// Calls write(begin, convert) for the type of results that the distribution has; convert() makes a
// result from the bits of one draw. to_double() makes a uniform double.
template <class Bits, class Write, class ToDouble>
void write_from_bits(const Order& order, void* results, Write write, ToDouble to_double) {
    const auto mean = static_cast<float>(order.mean);
    const auto deviation = static_cast<float>(order.deviation);
    switch (order.distribution) {
        case Distribution::bits:
            return write(static_cast<unsigned int*>(results),
                         [](Bits bits) { return static_cast<unsigned int>(bits); });
        case Distribution::long_bits:
            return write(static_cast<unsigned long long*>(results),
                         [](Bits bits) { return static_cast<unsigned long long>(bits); });
        case Distribution::uniform:
            return write(static_cast<float*>(results), [](Bits bits) { return to_uniform(bits); });
        case Distribution::uniform_double:
            return write(static_cast<double*>(results), to_double);
        case Distribution::normal:
            return write(static_cast<float*>(results),
                         [=](Bits bits) { return mean + deviation * to_normal(bits); });
        case Distribution::normal_double:
            return write(static_cast<double*>(results), [&order](Bits bits) {
                return order.mean + order.deviation * to_normal_double(bits);
            });
        case Distribution::log_normal:
            return write(static_cast<float*>(results),
                         [=](Bits bits) { return std::exp(mean + deviation * to_normal(bits)); });
        case Distribution::log_normal_double:
            return write(static_cast<double*>(results), [&order](Bits bits) {
                return std::exp(order.mean + order.deviation * to_normal_double(bits));
            });
        case Distribution::poisson:
            return write(static_cast<unsigned int*>(results),
                         [&order](Bits bits) { return order.poisson->of_bits(bits); });
    }
}

}  // namespace emulator::curand
