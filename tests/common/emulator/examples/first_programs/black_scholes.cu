// SPDX-License-Identifier: MIT
// Black and Scholes' prices of European options, as in NVIDIA's sample: two options per thread.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

const int OPT_N = 5000;
const float RISKFREE = 0.02f;
const float VOLATILITY = 0.30f;

__device__ inline float cndGPU(float d) {
    const float A1 = 0.31938153f;
    const float A2 = -0.356563782f;
    const float A3 = 1.781477937f;
    const float A4 = -1.821255978f;
    const float A5 = 1.330274429f;
    const float RSQRT2PI = 0.39894228040143267793994605993438f;
    float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
    float cnd =
        RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0) cnd = 1.0f - cnd;
    return cnd;
}

__device__ inline void BlackScholesBodyGPU(float& CallResult, float& PutResult, float S, float X,
                                           float T, float R, float V) {
    float sqrtT = __fdividef(1.0F, rsqrtf(T));
    float d1 = __fdividef(__logf(S / X) + (R + 0.5f * V * V) * T, V * sqrtT);
    float d2 = d1 - V * sqrtT;
    float CNDD1 = cndGPU(d1);
    float CNDD2 = cndGPU(d2);
    float expRT = __expf(-R * T);
    CallResult = S * CNDD1 - X * expRT * CNDD2;
    PutResult = X * expRT * (1.0f - CNDD2) - S * (1.0f - CNDD1);
}

__launch_bounds__(128) __global__
    void BlackScholesGPU(float2* __restrict d_CallResult, float2* __restrict d_PutResult,
                         float2* __restrict d_StockPrice, float2* __restrict d_OptionStrike,
                         float2* __restrict d_OptionYears, float Riskfree, float Volatility,
                         int optN) {
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;
    if (opt < (optN / 2)) {
        float callResult1, callResult2;
        float putResult1, putResult2;
        BlackScholesBodyGPU(callResult1, putResult1, d_StockPrice[opt].x, d_OptionStrike[opt].x,
                            d_OptionYears[opt].x, Riskfree, Volatility);
        BlackScholesBodyGPU(callResult2, putResult2, d_StockPrice[opt].y, d_OptionStrike[opt].y,
                            d_OptionYears[opt].y, Riskfree, Volatility);
        d_CallResult[opt] = make_float2(callResult1, callResult2);
        d_PutResult[opt] = make_float2(putResult1, putResult2);
    }
}

float RandFloat(float low, float high) {
    float t = (float)rand() / (float)RAND_MAX;
    return (1.0f - t) * low + t * high;
}

int main() {
    const size_t OPT_SZ = OPT_N * sizeof(float);
    std::vector<float> price(OPT_N), strike(OPT_N), years(OPT_N), call(OPT_N, -1), put(OPT_N, -1);
    for (int i = 0; i < OPT_N; i++) {
        price[i] = RandFloat(5.0f, 30.0f);
        strike[i] = RandFloat(1.0f, 100.0f);
        years[i] = RandFloat(0.25f, 10.0f);
    }
    float *d_call, *d_put, *d_price, *d_strike, *d_years;
    CHECK(cudaMalloc((void**)&d_call, OPT_SZ));
    CHECK(cudaMalloc((void**)&d_put, OPT_SZ));
    CHECK(cudaMalloc((void**)&d_price, OPT_SZ));
    CHECK(cudaMalloc((void**)&d_strike, OPT_SZ));
    CHECK(cudaMalloc((void**)&d_years, OPT_SZ));
    CHECK(cudaMemcpy(d_price, price.data(), OPT_SZ, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_strike, strike.data(), OPT_SZ, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_years, years.data(), OPT_SZ, cudaMemcpyHostToDevice));
    BlackScholesGPU<<<(OPT_N / 2 + 127) / 128, 128>>>(
        (float2*)d_call, (float2*)d_put, (float2*)d_price, (float2*)d_strike, (float2*)d_years,
        RISKFREE, VOLATILITY, OPT_N);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(call.data(), d_call, OPT_SZ, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(put.data(), d_put, OPT_SZ, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_years));
    CHECK(cudaFree(d_strike));
    CHECK(cudaFree(d_price));
    CHECK(cudaFree(d_put));
    CHECK(cudaFree(d_call));

    // With the normal distribution, not with its approximation.
    auto normal = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
    double worst = 0;
    for (int i = 0; i < OPT_N; i++) {
        const double S = price[i], X = strike[i], T = years[i], R = RISKFREE, V = VOLATILITY;
        const double d1 = (std::log(S / X) + (R + V * V / 2) * T) / (V * std::sqrt(T));
        const double d2 = d1 - V * std::sqrt(T), discounted = X * std::exp(-R * T);
        const double expected = S * normal(d1) - discounted * normal(d2);
        const double error =
            std::fabs(call[i] - expected) + std::fabs(put[i] - (expected - S + discounted));
        if (!(error <= worst)) worst = error;
    }
    printf("black_scholes: largest error %g\n", worst);
    return worst < 1e-4 ? 0 : 1;
}
