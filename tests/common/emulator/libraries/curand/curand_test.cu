// SPDX-License-Identifier: MIT
// The CPU engine's cuRAND against the draws recorded on a GPU (data/curand_vectors.txt).
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "curand_draws_text.hpp"

using curand_draws::Case;
using curand_draws::Draws;

namespace {

// Lines by "generator kind seed subsequence offset", with the numbers as text.
using Lines = std::map<std::string, std::vector<std::string>>;

Lines parse(std::istream& text) {
    Lines lines;
    std::string line;
    while (std::getline(text, line)) {
        std::istringstream words(line);
        std::string key;
        std::string word;
        for (int i = 0; i < 5 && words >> word; ++i) key += (i > 0 ? " " : "") + word;
        while (words >> word) lines[key].push_back(word);
    }
    return lines;
}

Lines recorded() {
    std::ifstream file(CURAND_VECTORS);
    if (!file) ADD_FAILURE() << CURAND_VECTORS << " is missing: curand_vectors.cu writes it";
    return parse(file);
}

__global__ void draw_kernel(const Case* cases, int count, Draws* draws) {
    const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (index < count) curand_draws::draw(cases[index], &draws[index]);
}

// The same lines, drawn by a kernel on the engine.
Lines drawn() {
    constexpr int kCount = curand_draws::kCaseCount;
    Case* d_cases = nullptr;
    Draws* d_draws = nullptr;
    EXPECT_EQ(cudaMalloc(&d_cases, kCount * sizeof(Case)), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&d_draws, kCount * sizeof(Draws)), cudaSuccess);
    std::vector<Case> cases;
    for (int i = 0; i < kCount; ++i) cases.push_back(curand_draws::case_at(i));
    EXPECT_EQ(cudaMemcpy(d_cases, cases.data(), kCount * sizeof(Case), cudaMemcpyHostToDevice),
              cudaSuccess);
    draw_kernel<<<(kCount + 63) / 64, 64>>>(d_cases, kCount, d_draws);
    std::vector<Draws> draws(kCount);
    EXPECT_EQ(cudaMemcpy(draws.data(), d_draws, kCount * sizeof(Draws), cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(cudaFree(d_cases), cudaSuccess);
    EXPECT_EQ(cudaFree(d_draws), cudaSuccess);
    std::stringstream text;
    for (int i = 0; i < kCount; ++i) text << to_text(cases[i], draws[i]);
    return parse(text);
}

bool is_normal(const std::string& key) { return key.find(" normal") != std::string::npos; }

double real_of(const std::string& bits) {
    const std::uint64_t value = std::stoull(bits, nullptr, 16);
    return bits.size() == 8 ? std::bit_cast<float>(static_cast<std::uint32_t>(value))
                            : std::bit_cast<double>(value);
}

TEST(Curand, IntegersAndUniformsAreBitIdentical) {
    const Lines expected = recorded();
    const Lines actual = drawn();
    ASSERT_EQ(actual.size(), expected.size());
    int compared = 0;
    for (const auto& [key, values] : expected) {
        if (is_normal(key)) continue;
        const auto found = actual.find(key);
        ASSERT_NE(found, actual.end()) << key;
        EXPECT_EQ(found->second, values) << key;
        ++compared;
    }
    // Integers of all cases; uniforms of 7 seeds, 3 subsequences and 2 offsets, four at once of 5.
    EXPECT_EQ(compared, 2 * curand_draws::kCaseCount + 7 * 3 * (2 * 2 + 5));
}

// The angle of the Box-Muller transform goes through the GPU's fast sine and cosine, whose absolute
// error is 2^-21.2 in [-pi, pi] and about twice that up to 2 pi; the radius is at most 6.7, the
// log-normals magnify it by at most 0.25 exp(0.5 + 0.25 * 6.7) < 2.3: 1.3e-5 in all. Doubles go
// through sincospi and log, right to 2 ulp.
TEST(Curand, NormalsAgreeWithinTheGpusRounding) {
    const Lines expected = recorded();
    const Lines actual = drawn();
    int compared = 0;
    for (const auto& [key, values] : expected) {
        if (!is_normal(key)) continue;
        const auto found = actual.find(key);
        ASSERT_NE(found, actual.end()) << key;
        ASSERT_EQ(found->second.size(), values.size()) << key;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double wanted = real_of(values[i]);
            const double tolerance = values[i].size() == 8 ? 1.5e-5 : 1e-14;
            EXPECT_NEAR(real_of(found->second[i]), wanted, tolerance) << key << ", number " << i;
            ++compared;
        }
    }
    EXPECT_EQ(compared, 7 * 3 * (2 * 2 * 14 + 5 * 4));
}

// Published for Philox4x32-10 in Random123's known-answer file: counter and key all zeros, all
// ones, and digits of pi.
TEST(Curand, PhiloxKnownAnswers) {
    const auto philox = [](std::vector<unsigned int> c, unsigned int k0, unsigned int k1) {
        const uint4 out = emulator::philox(make_uint4(c[0], c[1], c[2], c[3]), make_uint2(k0, k1));
        return std::vector<unsigned int>{out.x, out.y, out.z, out.w};
    };
    EXPECT_EQ(philox({0, 0, 0, 0}, 0, 0),
              (std::vector<unsigned int>{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
    constexpr unsigned int kOnes = 0xffffffffu;
    EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, kOnes, kOnes),
              (std::vector<unsigned int>{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
    EXPECT_EQ(
        philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, 0xa4093822u, 0x299f31d0u),
        (std::vector<unsigned int>{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}));
}

// No recorded draw is small enough to show the half unit that keeps zero out.
TEST(Curand, UniformsAreCentredInTheirUnits) {
    EXPECT_EQ(emulator::to_uniform(0u), 0x1p-33f);
    EXPECT_EQ(emulator::to_uniform(1u), 0x1.8p-32f);
    EXPECT_EQ(emulator::to_uniform(0xffffffffu), 1.0f);
    EXPECT_EQ(emulator::to_uniform_double(0u), 0x1p-32);
    EXPECT_EQ(emulator::to_uniform_double(0xffffffffu), 1.0);
    EXPECT_EQ(emulator::to_uniform_double(0u, 0u), 0x1p-54);
    EXPECT_EQ(emulator::to_uniform_double(1u, 1u), 0x200001p-53 + 0x1p-54);
}

template <class State>
class Jumps : public testing::Test {};
using States = testing::Types<curandStateXORWOW_t, curandStatePhilox4_32_10_t>;
TYPED_TEST_SUITE(Jumps, States);

TYPED_TEST(Jumps, SkippingEqualsDrawing) {
    for (const unsigned long long n : {0ull, 1ull, 3ull, 4ull, 15ull, 16ull, 17ull, 1000ull}) {
        TypeParam skipped;
        TypeParam walked;
        TypeParam started;
        curand_init(99, 5, 2, &skipped);
        curand_init(99, 5, 2, &walked);
        curand_init(99, 5, 2 + n, &started);
        skipahead(n, &skipped);
        for (unsigned long long i = 0; i < n; ++i) curand(&walked);
        for (int i = 0; i < 10; ++i) {
            const unsigned int expected = curand(&walked);
            EXPECT_EQ(curand(&skipped), expected) << n;
            EXPECT_EQ(curand(&started), expected) << n;
        }
    }
}

TYPED_TEST(Jumps, AddUp) {
    constexpr unsigned long long kFirst = 0x123456789abcdefull;
    constexpr unsigned long long kSecond = 0xfedcba987654321ull;
    TypeParam once;
    TypeParam twice;
    curand_init(7, 0, 0, &once);
    curand_init(7, 0, 0, &twice);
    skipahead(kFirst + kSecond, &once);
    skipahead(kFirst, &twice);
    skipahead(kSecond, &twice);
    skipahead_sequence(kFirst + kSecond, &once);
    skipahead_sequence(kSecond, &twice);
    skipahead_sequence(kFirst, &twice);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(curand(&once), curand(&twice));
}

TYPED_TEST(Jumps, SequencesAreTwoToThe67Apart) {
    // 2^63 draws, sixteen times: one subsequence further for XORWOW. Philox' are 2^66 apart.
    constexpr bool kIsPhilox = std::is_same_v<TypeParam, curandStatePhilox4_32_10_t>;
    TypeParam walked;
    TypeParam jumped;
    curand_init(1, 0, 0, &walked);
    curand_init(1, 1, 0, &jumped);
    for (int i = 0; i < (kIsPhilox ? 8 : 16); ++i) skipahead(1ull << 63, &walked);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(curand(&walked), curand(&jumped));
}

TYPED_TEST(Jumps, UniformsLieInTheHalfOpenInterval) {
    TypeParam state;
    curand_init(3, 0, 0, &state);
    double sum = 0.0;
    double squares = 0.0;
    constexpr int kCount = 100000;
    for (int i = 0; i < kCount; ++i) {
        const float x = curand_uniform(&state);
        ASSERT_GT(x, 0.0f);
        ASSERT_LE(x, 1.0f);
        const double normal = static_cast<double>(curand_normal(&state));
        sum += static_cast<double>(x);
        squares += normal * normal;
    }
    EXPECT_NEAR(sum / kCount, 0.5, 0.005);  // 5 standard errors
    EXPECT_NEAR(squares / kCount, 1.0, 0.025);
}

static_assert(sizeof(curandStateXORWOW_t) == 48 && sizeof(curandStatePhilox4_32_10_t) == 64);

}  // namespace
