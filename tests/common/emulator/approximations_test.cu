// SPDX-License-Identifier: MIT
// Functions that a GPU approximates err within their documented bounds, and always in the same way.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "engine_test.hpp"

namespace {

constexpr int kFunctions = 15;
constexpr int kCount = 4096;

class ApproximationsTest : public EngineTest {
  protected:
    static void use_approximations(const char* text) {
        emulator::Settings settings = emulator::settings();
        settings.approximation_seed = emulator::parse_approximations(text);
        emulator::configure(settings);
    }
};

__host__ __device__ void compute_all(float x, float* results) {
    float sine = 0;
    float cosine = 0;
    __sincosf(x, &sine, &cosine);
    const float values[kFunctions] = {
        rsqrtf(x),  __fdividef(1.7f, x), __expf(x), __exp10f(x), __logf(x),
        __log2f(x), __log10f(x),         __sinf(x), __cosf(x),   __tanf(x),
        __tanhf(x), __powf(x, 1.3f),     sine,      cosine,      __frsqrt_rn(x)};
    for (int i = 0; i < kFunctions; ++i) results[i] = values[i];
}

__global__ void compute_kernel(const float* x, float* results) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    compute_all(x[i], results + i * kFunctions);
}

double unit_of(double value) { return std::ldexp(1.0, std::ilogb(value) - 23); }

struct Truth {
    double value;
    double bound;
};

std::vector<Truth> truths(float argument) {
    const double x = argument;
    const bool near_one = x >= 0.5 && x <= 2;
    const auto by_units = [](double value, double units) {
        return Truth{value, units * unit_of(value)};
    };
    const auto log_of = [&](double value, double bound, double units) {
        return near_one ? Truth{value, bound} : by_units(value, units);
    };
    const double sine_bound = std::exp2(-21.41);
    const double cosine_bound = std::exp2(-21.19);
    return {by_units(1 / std::sqrt(x), 2),
            by_units(1.7f / x, 2),
            by_units(std::exp(x), 2 + std::floor(1.173 * x)),
            by_units(std::pow(10, x), 2 + std::floor(2.97 * x)),
            log_of(std::log(x), std::exp2(-21.41), 3),
            log_of(std::log2(x), 0x1p-22, 2),
            log_of(std::log10(x), 0x1p-24, 3),
            {std::sin(x), sine_bound},
            {std::cos(x), cosine_bound},
            {std::tan(x), 8 * sine_bound / (std::cos(x) * std::cos(x))},
            {std::tanh(x), 0x1p-11},
            {std::pow(x, 1.3f), std::pow(x, 1.3f) * 0x1p-18},
            {std::sin(x), sine_bound},
            {std::cos(x), cosine_bound},
            by_units(1 / std::sqrt(x), 0.5001)};
}

std::vector<float> arguments() {
    std::vector<float> all;
    for (int i = 0; i < kCount; ++i) all.push_back(0.01f + 3.1f * static_cast<float>(i) / kCount);
    return all;
}

std::vector<float> results_in_kernel(const std::vector<float>& x) {
    ManagedArray<float> in(x.size());
    ManagedArray<float> out(x.size() * kFunctions);
    for (std::size_t i = 0; i < x.size(); ++i) in[i] = x[i];
    compute_kernel<<<static_cast<unsigned int>(x.size() / 32), 32>>>(in.data(), out.data());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return out.values();
}

TEST_F(ApproximationsTest, errors_are_within_the_documented_bounds) {
    const std::vector<float> x = arguments();
    for (const char* setting : {"bounded", "bounded:2", "bounded:3"}) {
        use_approximations(setting);
        const std::vector<float> results = results_in_kernel(x);
        std::vector<int> rounded(kFunctions);
        for (int i = 0; i < kCount; ++i) {
            const std::vector<Truth> expected = truths(x[i]);
            for (int f = 0; f < kFunctions; ++f) {
                const float result = results[i * kFunctions + f];
                EXPECT_NEAR(result, expected[f].value, expected[f].bound)
                    << "function " << f << " of " << x[i] << ", " << setting;
                rounded[f] += result == static_cast<float>(expected[f].value);
            }
        }
        for (int f = 0; f < kFunctions - 1; ++f) EXPECT_LT(rounded[f], kCount * 3 / 4) << f;
        EXPECT_EQ(rounded[kFunctions - 1], kCount) << "__frsqrt_rn() is exact";
    }
}

TEST_F(ApproximationsTest, errors_depend_on_the_setting_alone) {
    const std::vector<float> x = arguments();
    use_approximations("bounded");
    const std::vector<float> first = results_in_kernel(x);
    use_schedule("reversed", 2);
    EXPECT_EQ(results_in_kernel(x), first);
    use_approximations("bounded:2");
    EXPECT_NE(results_in_kernel(x), first);
}

TEST_F(ApproximationsTest, the_host_and_the_exact_setting_have_no_errors) {
    const std::vector<float> x = arguments();
    std::vector<float> on_host(x.size() * kFunctions);
    use_approximations("bounded");
    for (int i = 0; i < kCount; ++i) compute_all(x[i], &on_host[i * kFunctions]);
    use_approximations("exact");
    EXPECT_EQ(results_in_kernel(x), on_host);
}

__global__ void exact_kernel(float* out) {
    out[0] = rsqrtf(0.25f);
    out[1] = __expf(0.0f);
    out[2] = __sinf(0.0f);
    out[3] = __cosf(0.0f);
    out[4] = __log2f(8.0f);
    out[5] = __fdividef(3.0f, 4.0f);
    out[6] = __fdividef(1.0f, 0x1p127f);
    out[7] = rsqrtf(0.0f);
    out[8] = __logf(0.0f);
    out[9] = __expf(-200.0f);
    out[10] = __powf(-2.0f, 2.0f);
    out[11] = rsqrtf(INFINITY);
}

TEST_F(ApproximationsTest, exact_results_and_limits_stay) {
    use_approximations("bounded");
    ManagedArray<float> out(12);
    exact_kernel<<<1, 1>>>(out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const float expected[] = {2, 1, 0, 1, 3, 0.75f, 0, INFINITY, -INFINITY, 0};
    for (int i = 0; i < 10; ++i) EXPECT_EQ(out[i], expected[i]) << i;
    EXPECT_TRUE(std::isnan(out[10])) << "a logarithm of a negative number";
    EXPECT_EQ(out[11], 0.0f);
}

TEST_F(ApproximationsTest, other_words_are_refused) {
    for (const char* text : {"", "yes", "bounded:", "bounded:0", "bounded:x", "Exact"}) {
        EXPECT_THROW(emulator::parse_approximations(text), std::invalid_argument) << text;
    }
}

}  // namespace
