// SPDX-License-Identifier: MIT
// The states of cuRAND's device API against the draws recorded on an H200 (data/curand_states.txt).
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "curand_state_draws.cuh"

namespace {

using Lines = std::map<std::string, std::vector<std::string>>;

Lines parse(std::istream& text) {
    Lines lines;
    std::string line;
    while (std::getline(text, line)) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        for (std::string word; words >> word;) lines[name].push_back(word);
    }
    return lines;
}

double real_of(const std::string& bits) {
    const std::uint64_t value = std::stoull(bits, nullptr, 16);
    return bits.size() == 8 ? std::bit_cast<float>(static_cast<std::uint32_t>(value))
                            : std::bit_cast<double>(value);
}

// On the GPU, jumps of MRG32k3a over 2^63 subsequences and more give other states, some of which
// draw the largest number for ever. The CPU engine computes the jumps. The name has the seed, and
// the jump is two more.
bool is_too_long_for_the_gpu(const std::string& name) {
    const std::string prefix = "skips_mrg32k3a_";
    return name.starts_with(prefix) &&
           std::stoull(name.substr(prefix.size()), nullptr, 16) + 2 >= std::uint64_t{1} << 63;
}

// Rejection, for lambda from 64 to 4000: the GPU's approximate functions decide some trials
// otherwise, and then the next numbers come from later draws.
bool is_decided_by_rounding(const std::string& name) {
    return name.starts_with("poisson_xorwow") || name.starts_with("poisson_mrg") ||
           name.starts_with("poisson_philox");
}

TEST(CurandStates, GiveTheDrawsOfAGpu) {
    std::ifstream file(CURAND_STATES);
    ASSERT_TRUE(file) << CURAND_STATES << " is missing: curand_state_vectors.cu writes it";
    const Lines wanted = parse(file);
    std::stringstream text(curand_states::all_text());
    const Lines actual = parse(text);
    ASSERT_EQ(actual.size(), wanted.size());
    int rejected = 0;
    for (const auto& [name, numbers] : wanted) {
        ASSERT_TRUE(actual.contains(name)) << name;
        const std::vector<std::string>& drawn = actual.at(name);
        ASSERT_EQ(drawn.size(), numbers.size()) << name;
        if (name.starts_with("rounded_")) {
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                const double value = real_of(numbers[i]);
                const double tolerance =
                    (numbers[i].size() == 8 ? 1.5e-5 : 1e-13) * std::max(1.0, std::abs(value));
                EXPECT_NEAR(real_of(drawn[i]), value, tolerance) << name << ", number " << i;
            }
        } else if (is_decided_by_rounding(name)) {
            rejected += drawn != numbers ? 1 : 0;
        } else if (!is_too_long_for_the_gpu(name)) {
            EXPECT_EQ(drawn, numbers) << name;
        }
    }
    EXPECT_LE(rejected, 1);  // of 24
}

}  // namespace
