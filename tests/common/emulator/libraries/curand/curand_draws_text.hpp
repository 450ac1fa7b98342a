// SPDX-License-Identifier: MIT
// The vector file's text: a line per generator, kind and case, numbers as hexadecimal bits.
//
//     xorwow integers SEED SUBSEQUENCE OFFSET    8 numbers of 32 bits
//     xorwow uniform|normal SEED ...             the members of Reals in order, 32 or 64 bits each
//     philox uniform4|normal4 SEED ...           the members of Quadruples in order
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "curand_draws.cuh"

namespace curand_draws {

class Line {
  public:
    Line(const char* generator, const char* kind, const Case& c) {
        char text[128];
        std::snprintf(text, sizeof text, "%s %s %llx %llx %llx", generator, kind, c.seed,
                      c.subsequence, c.offset);
        text_ = text;
    }
    template <class T, int count>
    Line& add(const T (&values)[count]) {
        for (const T& value : values) add(value);
        return *this;
    }
    template <class T>
    Line& add(const T& value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof(T));
        char text[32];
        std::snprintf(text, sizeof text, " %0*" PRIx64, static_cast<int>(2 * sizeof(T)), bits);
        text_ += text;
        return *this;
    }
    std::string text() const { return text_ + '\n'; }

  private:
    std::string text_;
};

inline std::string to_text(const char* generator, const Case& c, const Integers& integers) {
    return Line(generator, "integers", c)
        .add(integers.draws)
        .add(integers.after_skipahead)
        .add(integers.after_skipahead_sequence)
        .text();
}

inline std::string to_text(const char* generator, const Case& c, const Reals& reals) {
    return Line(generator, "uniform", c).add(reals.uniforms).add(reals.uniform_doubles).text() +
           Line(generator, "normal", c)
               .add(reals.normals)
               .add(reals.normal_doubles)
               .add(reals.log_normals)
               .add(reals.log_normal_doubles)
               .add(reals.normal_pair)
               .add(reals.normal_double_pair)
               .text();
}

inline std::string to_text(const Case& c, const Quadruples& quadruples) {
    return Line("philox", "uniform4", c)
               .add(quadruples.draws)
               .add(quadruples.uniforms)
               .add(quadruples.uniform_doubles)
               .add(quadruples.last)
               .text() +
           Line("philox", "normal4", c).add(quadruples.normals).text();
}

inline std::string to_text(const Case& c, const Draws& draws) {
    std::string text = to_text("xorwow", c, draws.xorwow) + to_text("philox", c, draws.philox);
    if (has_reals(c)) {
        text += to_text("xorwow", c, draws.xorwow_reals) + to_text("philox", c, draws.philox_reals);
    }
    if (has_quadruples(c)) text += to_text(c, draws.quadruples);
    return text;
}

}  // namespace curand_draws
