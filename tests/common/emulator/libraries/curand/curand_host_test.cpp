// SPDX-License-Identifier: MIT
// The CPU engine's cuRAND host API against the results of an H200
// (data/curand_device_generators.txt).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "curand_host_cases.hpp"

using namespace curand_host;

namespace {

// Lines by their key.
std::map<std::string, std::string> recorded() {
    std::ifstream file(CURAND_GENERATORS);
    if (!file)
        ADD_FAILURE() << CURAND_GENERATORS << " is missing: curand_host_vectors.cu writes it";
    std::map<std::string, std::string> lines;
    std::string line;
    while (std::getline(file, line)) {
        const std::size_t end = line.find(" : ");
        lines[line.substr(0, end)] = line.substr(end + 3);
    }
    return lines;
}

// Statuses, and for each call the count, the hash, the sum and the samples.
std::vector<std::vector<std::string>> split(const std::string& text) {
    std::vector<std::vector<std::string>> parts(1);
    std::istringstream words(text);
    std::string word;
    while (words >> word) {
        if (word == "|") {
            parts.emplace_back();
        } else {
            parts.back().push_back(word);
        }
    }
    return parts;
}

// Rounded normal numbers: a last bit may decide between two neighbours.
bool is_rounded_count(const Call& call) {
    return call.function == Function::poisson && call.lambda >= 2000.0;
}

// Equal but for the last bits: the sum of n results, and hence all, agrees to a few units of
// theirs.
void expect_close(const Call& call, const std::vector<std::string>& actual,
                  const std::vector<std::string>& wanted, const std::string& key) {
    ASSERT_EQ(actual.size(), wanted.size()) << key;
    ASSERT_EQ(actual[0], wanted[0]) << key;
    if (actual.size() < 3) return;
    const bool is_double =
        call.function == Function::normal_double || call.function == Function::log_normal_double;
    const double tolerance = is_rounded_count(call) ? 0.1 : is_double ? 1e-13 : 1e-5;
    EXPECT_NEAR(std::stod(actual[2]), std::stod(wanted[2]),
                tolerance * std::sqrt(static_cast<double>(call.count)))
        << key;
}

// What the toolkit's tables are needed for is not tested where they are missing.
bool needs_toolkit(const Case& c) {
    return c.type == CURAND_RNG_PSEUDO_MTGP32 || c.type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 ||
           c.type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 || c.dimensions > 3667;
}

bool has_toolkit() {
    unsigned int* constants = nullptr;
    return curandGetScrambleConstants32(&constants) == CURAND_STATUS_SUCCESS;
}

int compare_all(const std::vector<Case>& cases) {
    const auto lines = recorded();
    int compared = 0;
    for (const Case& c : cases) {
        if (needs_toolkit(c) && !has_toolkit()) continue;
        const bool is_refused =
            c.type == CURAND_RNG_PSEUDO_MTGP32 && c.ordering == CURAND_ORDERING_PSEUDO_DYNAMIC;
        const bool has_normal = std::ranges::any_of(
            c.calls, [](const Call& call) { return is_rounded(call.function); });
        const bool has_unknown_order = c.type == CURAND_RNG_PSEUDO_XORWOW &&
                                       c.ordering == CURAND_ORDERING_PSEUDO_DYNAMIC && has_normal;
        if (is_refused || has_unknown_order) continue;
        Case as_recorded = c;
        as_recorded.on_device = true;
        const auto found = lines.find(key_of(as_recorded));
        if (found == lines.end()) {
            ADD_FAILURE() << "not recorded: " << key_of(as_recorded);
            continue;
        }
        const std::string line = line_of(c);
        const auto actual = split(line.substr(line.find(" : ") + 3));
        const auto wanted = split(found->second);
        EXPECT_EQ(actual.size(), wanted.size());
        EXPECT_EQ(actual[0], wanted[0]) << key_of(c);
        for (std::size_t i = 0; i < c.calls.size(); ++i) {
            // The dynamic ordering of normal numbers is the device's own (README.md, "cuRAND").
            const bool is_normal = is_rounded(c.calls[i].function);
            if (is_normal && c.ordering == CURAND_ORDERING_PSEUDO_DYNAMIC) continue;
            if (is_normal || is_rounded_count(c.calls[i])) {
                expect_close(c.calls[i], actual[i + 1], wanted[i + 1], key_of(c));
            } else {
                EXPECT_EQ(actual[i + 1], wanted[i + 1]) << key_of(c);
            }
        }
        ++compared;
    }
    return compared;
}

class Generators : public testing::TestWithParam<curandRngType_t> {};

TEST_P(Generators, OnTheDeviceGiveTheResultsOfAGpu) {
    std::vector<Case> cases;
    for (Case& c : all_cases(true)) {
        if (c.type == GetParam()) cases.push_back(c);
    }
    if (needs_toolkit(cases.front()) && !has_toolkit()) GTEST_SKIP() << "no toolkit";
    EXPECT_GT(compare_all(cases), 10);
}

// The toolkit's host generators give the results of its device generators.
TEST_P(Generators, OnTheHostGiveTheSameResults) {
    std::vector<Case> cases;
    for (Case& c : all_cases(false)) {
        if (c.type == GetParam() && c.ordering == kNotSet) cases.push_back(c);
    }
    if (needs_toolkit(cases.front()) && !has_toolkit()) GTEST_SKIP() << "no toolkit";
    EXPECT_GT(compare_all(cases), 10);
}

std::string test_name(const testing::TestParamInfo<curandRngType_t>& info) {
    return name_of(info.param);
}
INSTANTIATE_TEST_SUITE_P(Quick, Generators,
                         testing::Values(CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_PHILOX4_32_10,
                                         CURAND_RNG_QUASI_SOBOL32),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Long, Generators,
                         testing::Values(CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_MTGP32,
                                         CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_QUASI_SOBOL64,
                                         CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
                                         CURAND_RNG_QUASI_SCRAMBLED_SOBOL64),
                         test_name);

TEST(CurandHost, TheDynamicOrderOfXorwowsNormalNumbersIsNotKnown) {
    curandGenerator_t generator = nullptr;
    ASSERT_EQ(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW), CURAND_STATUS_SUCCESS);
    ASSERT_EQ(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DYNAMIC),
              CURAND_STATUS_SUCCESS);
    float* numbers = nullptr;
    ASSERT_EQ(cudaMalloc(&numbers, 4 * sizeof *numbers), cudaSuccess);
    EXPECT_EQ(curandGenerateUniform(generator, numbers, 4), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(curandGenerateNormal(generator, numbers, 4, 0.0f, 1.0f), CURAND_STATUS_TYPE_ERROR);
    EXPECT_EQ(curandDestroyGenerator(generator), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(cudaFree(numbers), cudaSuccess);
}

TEST(CurandHost, WrongCallsHaveTheirStatus) {
    EXPECT_EQ(curandCreateGenerator(nullptr, CURAND_RNG_PSEUDO_DEFAULT),
              CURAND_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(curandDestroyGenerator(nullptr), CURAND_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(curandGenerate(nullptr, nullptr, 4), CURAND_STATUS_NOT_INITIALIZED);
    curandGenerator_t generator = nullptr;
    EXPECT_EQ(curandCreateGenerator(&generator, static_cast<curandRngType_t>(50)),
              CURAND_STATUS_TYPE_ERROR);
    ASSERT_EQ(curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_XORWOW),
              CURAND_STATUS_SUCCESS);
    EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(generator, 2), CURAND_STATUS_TYPE_ERROR);
    EXPECT_EQ(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DYNAMIC),
              CURAND_STATUS_OUT_OF_RANGE);
    EXPECT_EQ(curandDestroyGenerator(generator), CURAND_STATUS_SUCCESS);
    int version = 0;
    EXPECT_EQ(curandGetVersion(&version), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(version, 10400);
    EXPECT_EQ(curandGetProperty(static_cast<libraryPropertyType>(3), &version),
              CURAND_STATUS_OUT_OF_RANGE);
    curandDiscreteDistribution_t distribution = nullptr;
    EXPECT_EQ(curandCreatePoissonDistribution(0.0, &distribution), CURAND_STATUS_OUT_OF_RANGE);
    EXPECT_EQ(curandCreatePoissonDistribution(1.0, nullptr), CURAND_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(curandDestroyDistribution(nullptr), CURAND_STATUS_NOT_INITIALIZED);
}

// A new seed does not go back to the start of the sequence (measured).
TEST(CurandHost, ANewSeedGoesOnAtTheSamePosition) {
    constexpr std::size_t kCount = 40;
    std::vector<unsigned int> whole(kCount);
    std::vector<unsigned int> parts(kCount);
    curandGenerator_t generator = nullptr;
    ASSERT_EQ(curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_XORWOW), 0);
    ASSERT_EQ(curandGenerate(generator, parts.data(), 30), CURAND_STATUS_SUCCESS);
    ASSERT_EQ(curandSetPseudoRandomGeneratorSeed(generator, 7), CURAND_STATUS_SUCCESS);
    ASSERT_EQ(curandGenerate(generator, parts.data(), 10), CURAND_STATUS_SUCCESS);
    ASSERT_EQ(curandSetGeneratorOffset(generator, 0), CURAND_STATUS_SUCCESS);
    ASSERT_EQ(curandGenerate(generator, whole.data(), kCount), CURAND_STATUS_SUCCESS);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(parts[i], whole[30 + i]);
    EXPECT_EQ(curandDestroyGenerator(generator), CURAND_STATUS_SUCCESS);
}

}  // namespace
