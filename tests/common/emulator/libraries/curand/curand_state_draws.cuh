// SPDX-License-Identifier: MIT
// Draws from the states of cuRAND's device API that curand_draws.cuh leaves out: MRG32k3a, MTGP32,
// the Sobol sequences, and the Poisson and discrete distributions of all generators. The program
// that records them on a GPU and the test of the CPU engine both include this.
//
// A line is: NAME NUMBERS, each number as hexadecimal bits. The name of a line whose last bits
// depend on logarithm, sine and cosine begins with "rounded".
#pragma once

#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace curand_states {

constexpr int kSlots = 32;

// The numbers of a line, as bits.
struct Line {
    unsigned long long bits[kSlots];
    int bytes[kSlots];
    int count;

    __device__ void put(unsigned int value) { add(value, 4); }
    __device__ void put(unsigned long long value) { add(value, 8); }
    __device__ void put(float value) { add(__float_as_uint(value), 4); }
    __device__ void put(double value) {
        add(static_cast<unsigned long long>(__double_as_longlong(value)), 8);
    }
    __device__ void put(uint4 v) { put(v.x), put(v.y), put(v.z), put(v.w); }
    __device__ void put(float2 v) { put(v.x), put(v.y); }
    __device__ void put(float4 v) { put(v.x), put(v.y), put(v.z), put(v.w); }
    __device__ void put(double2 v) { put(v.x), put(v.y); }

  private:
    __device__ void add(unsigned long long value, int size) {
        bits[count] = value;
        bytes[count++] = size;
    }
};

inline void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

inline void check(curandStatus_t status, const char* what) {
    if (status == CURAND_STATUS_SUCCESS) return;
    std::fprintf(stderr, "%s: cuRAND status %d\n", what, static_cast<int>(status));
    std::exit(1);
}

template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(std::size_t count) : count_(count) {
        check(cudaMalloc(&data_, count * sizeof(T)), "cudaMalloc");
        check(cudaMemset(data_, 0, count * sizeof(T)), "cudaMemset");
    }
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
        check(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), "copy");
    }
    ~DeviceArray() { check(cudaFree(data_), "cudaFree"); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    T* data() { return data_; }
    std::vector<T> values() {
        std::vector<T> copy(count_);
        check(cudaMemcpy(copy.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "copy");
        return copy;
    }

  private:
    std::size_t count_;
    T* data_ = nullptr;
};

inline std::string text_of(const std::string& name, const Line& line) {
    std::string text = name;
    for (int i = 0; i < line.count; ++i) {
        char number[32];
        std::snprintf(number, sizeof number, " %0*llx", 2 * line.bytes[i], line.bits[i]);
        text += number;
    }
    return text + "\n";
}

// ---- pseudorandom states ----
struct Start {
    unsigned long long seed, subsequence, offset;
};

// Every draw that all pseudorandom states have: exact numbers, rounded numbers, Poisson.
template <class State>
__global__ void draw_pseudo(Start start, Line* lines) {
    State state;
    curand_init(start.seed, start.subsequence, start.offset, &state);
    for (int i = 0; i < 5; ++i) lines[0].put(curand(&state));
    for (int i = 0; i < 3; ++i) lines[0].put(curand_uniform(&state));
    for (int i = 0; i < 3; ++i) lines[0].put(curand_uniform_double(&state));
    skipahead(start.seed + 3, &state);
    lines[0].put(curand(&state));
    skipahead_sequence(start.subsequence + 5, &state);
    lines[0].put(curand(&state));

    for (int i = 0; i < 3; ++i) lines[1].put(curand_normal(&state));
    for (int i = 0; i < 3; ++i) lines[1].put(curand_normal_double(&state));
    lines[1].put(curand_normal2(&state));
    lines[1].put(curand_normal2_double(&state));
    for (int i = 0; i < 3; ++i) lines[1].put(curand_log_normal(&state, 0.5f, 0.25f));
    for (int i = 0; i < 3; ++i) lines[1].put(curand_log_normal_double(&state, 0.5, 0.25));
    lines[1].put(curand_log_normal2(&state, 0.5f, 0.25f));
    lines[1].put(curand_log_normal2_double(&state, 0.5, 0.25));

    const double lambdas[] = {0.25, 3.0, 63.0, 64.0, 500.0, 3999.0, 4001.0, 1e6};
    for (const double lambda : lambdas) {
        curand_init(start.seed, start.subsequence, start.offset, &state);
        for (int i = 0; i < 3; ++i) lines[2].put(curand_poisson(&state, lambda));
    }
}

__global__ void skip_mrg(Start start, Line* lines) {
    curandStateMRG32k3a_t state;
    curand_init(start.seed, start.subsequence, start.offset, &state);
    skipahead_subsequence(start.seed + 2, &state);
    for (int i = 0; i < 3; ++i) lines[0].put(curand(&state));
    skipahead_sequence(start.seed, &state);
    for (int i = 0; i < 3; ++i) lines[0].put(curand(&state));
}

// What only Philox has.
__global__ void draw_four(Start start, curandDiscreteDistribution_t distribution, Line* lines) {
    curandStatePhilox4_32_10_t state;
    curand_init(start.seed, start.subsequence, start.offset, &state);
    lines[0].put(curand_poisson4(&state, 10.0));
    lines[0].put(curand_poisson4(&state, 500.0));
    lines[0].put(curand_poisson4(&state, 5000.0));
    lines[0].put(curand_discrete4(&state, distribution));
    lines[0].put(curand(&state));
    const auto uniforms = curand_uniform4_double(&state);
    lines[0].put(uniforms.x), lines[0].put(uniforms.y);
    lines[0].put(uniforms.z), lines[0].put(uniforms.w);
    const auto normals = curand_normal4_double(&state);
    lines[1].put(normals.x), lines[1].put(normals.y);
    lines[1].put(normals.z), lines[1].put(normals.w);
    const auto logs = curand_log_normal4_double(&state, 0.5, 0.25);
    lines[1].put(logs.x), lines[1].put(logs.y), lines[1].put(logs.z), lines[1].put(logs.w);
    lines[1].put(curand_log_normal4(&state, 0.5f, 0.25f));
}

template <class State>
__global__ void draw_discrete(Start start, curandDiscreteDistribution_t distribution, Line* lines) {
    State state;
    curand_init(start.seed, start.subsequence, start.offset, &state);
    for (int i = 0; i < 12; ++i) lines[0].put(curand_discrete(&state, distribution));
}

// ---- Sobol states ----
template <class State>
__device__ void draw_sobol(State& state, unsigned int step,
                           curandDiscreteDistribution_t distribution, Line* lines) {
    for (int i = 0; i < 4; ++i) lines[0].put(curand(&state));
    for (int i = 0; i < 2; ++i) lines[0].put(curand_uniform(&state));
    for (int i = 0; i < 2; ++i) lines[0].put(curand_uniform_double(&state));
    skipahead(step, &state);
    for (int i = 0; i < 2; ++i) lines[0].put(curand(&state));
    for (int i = 0; i < 4; ++i) lines[0].put(curand_discrete(&state, distribution));
    for (int i = 0; i < 4; ++i) lines[1].put(curand_normal(&state));
    for (int i = 0; i < 4; ++i) lines[1].put(curand_normal_double(&state));
    for (int i = 0; i < 2; ++i) lines[1].put(curand_log_normal(&state, 0.5f, 0.25f));
    for (int i = 0; i < 2; ++i) lines[1].put(curand_log_normal_double(&state, 0.5, 0.25));
    for (int i = 0; i < 4; ++i) lines[2].put(curand_poisson(&state, 10.0));
    for (int i = 0; i < 4; ++i) lines[2].put(curand_poisson(&state, 900.0));
    for (int i = 0; i < 4; ++i) lines[2].put(curand_poisson(&state, 2000.0));
}

template <class State, class Vectors>
__global__ void draw_plain_sobol(Vectors* vectors, unsigned int offset, unsigned int step,
                                 curandDiscreteDistribution_t distribution, Line* lines) {
    State state;
    curand_init(vectors[0], offset, &state);
    draw_sobol(state, step, distribution, lines);
}

template <class State, class Vectors, class Constant>
__global__ void draw_scrambled_sobol(Vectors* vectors, Constant constant, unsigned int offset,
                                     unsigned int step, curandDiscreteDistribution_t distribution,
                                     Line* lines) {
    State state;
    curand_init(vectors[0], constant, offset, &state);
    draw_sobol(state, step, distribution, lines);
}

// ---- MTGP32: a block of up to 256 threads draws from one state ----
// Kinds of draws in turn, by all threads; each line has one thread's numbers.
__global__ void draw_mtgp(curandStateMtgp32_t* states, curandDiscreteDistribution_t distribution,
                          Line* lines) {
    curandStateMtgp32_t* state = &states[blockIdx.x];
    Line* line = &lines[2 * (blockIdx.x * blockDim.x + threadIdx.x)];
    for (int i = 0; i < 4; ++i) line[0].put(curand(state));
    line[0].put(curand_uniform(state));
    line[0].put(curand_uniform_double(state));
    line[0].put(curand_poisson(state, 10.0));
    line[0].put(curand_discrete(state, distribution));
    line[0].put(curand_mtgp32_specific(state, threadIdx.x, blockDim.x));
    if (blockDim.x == 32) {  // more threads race for the words that a draw of this kind replaces
        line[0].put(curand_mtgp32_single(state));
        line[0].put(curand_mtgp32_single_specific(state, threadIdx.x, 32));
    }
    line[0].put(curand(state));
    line[1].put(curand_normal(state));
    line[1].put(curand_normal_double(state));
    line[1].put(curand_log_normal(state, 0.5f, 0.25f));
    line[1].put(curand_log_normal_double(state, 0.5, 0.25));
}

using Launch = std::function<void(Line*)>;

inline std::string recorded(const std::vector<std::string>& names, const Launch& launch) {
    DeviceArray<Line> lines(names.size());
    launch(lines.data());
    check(cudaGetLastError(), names[0].c_str());
    const std::vector<Line> values = lines.values();
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) text += text_of(names[i], values[i]);
    return text;
}

template <class State>
std::string pseudo_text(const std::string& name, curandDiscreteDistribution_t distribution) {
    std::string text;
    const Start starts[] = {{0, 0, 0},
                            {1, 0, 0},
                            {42, 1, 1},
                            {42, 2, 3},
                            {~0ull, 65535, 4},
                            {0x9e3779b97f4a7c15, 1 << 20, 7},
                            {7, 1ull << 40, 1001},
                            {1ull << 63, 3, 1ull << 33}};
    for (const Start& start : starts) {
        char where[80];
        std::snprintf(where, sizeof where, "_%llx_%llx_%llx", start.seed, start.subsequence,
                      start.offset);
        text += recorded({name + where, "rounded_" + name + where, "poisson_" + name + where},
                         [&](Line* lines) { draw_pseudo<State><<<1, 1>>>(start, lines); });
        text += recorded({"discrete_" + name + where}, [&](Line* lines) {
            draw_discrete<State><<<1, 1>>>(start, distribution, lines);
        });
        if (name == "mrg32k3a") {
            text += recorded({"skips_" + name + where},
                             [&](Line* lines) { skip_mrg<<<1, 1>>>(start, lines); });
        }
        if (name == "philox") {
            text += recorded({"four_" + name + where, "rounded_four_" + name + where},
                             [&](Line* lines) { draw_four<<<1, 1>>>(start, distribution, lines); });
        }
    }
    return text;
}

constexpr int kDimensions[] = {0, 1, 2, 50, 3000};
constexpr unsigned int kOffsets[] = {0, 1, 1000, 0x7fffffff};

inline std::string sobol_text(curandDiscreteDistribution_t distribution) {
    curandDirectionVectors32_t *vectors32, *scrambled32;
    curandDirectionVectors64_t *vectors64, *scrambled64;
    unsigned int* constants32;
    unsigned long long* constants64;
    check(curandGetDirectionVectors32(&vectors32, CURAND_DIRECTION_VECTORS_32_JOEKUO6), "vectors");
    check(curandGetDirectionVectors32(&scrambled32, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6),
          "vectors");
    check(curandGetDirectionVectors64(&vectors64, CURAND_DIRECTION_VECTORS_64_JOEKUO6), "vectors");
    check(curandGetDirectionVectors64(&scrambled64, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6),
          "vectors");
    check(curandGetScrambleConstants32(&constants32), "constants");
    check(curandGetScrambleConstants64(&constants64), "constants");
    std::string text;
    for (const int dimension : kDimensions) {
        DeviceArray<unsigned int> plain32(
            std::vector<unsigned int>(vectors32[dimension], vectors32[dimension] + 32));
        DeviceArray<unsigned int> mixed32(
            std::vector<unsigned int>(scrambled32[dimension], scrambled32[dimension] + 32));
        DeviceArray<unsigned long long> plain64(
            std::vector<unsigned long long>(vectors64[dimension], vectors64[dimension] + 64));
        DeviceArray<unsigned long long> mixed64(
            std::vector<unsigned long long>(scrambled64[dimension], scrambled64[dimension] + 64));
        auto* const p32 = reinterpret_cast<curandDirectionVectors32_t*>(plain32.data());
        auto* const m32 = reinterpret_cast<curandDirectionVectors32_t*>(mixed32.data());
        auto* const p64 = reinterpret_cast<curandDirectionVectors64_t*>(plain64.data());
        auto* const m64 = reinterpret_cast<curandDirectionVectors64_t*>(mixed64.data());
        for (const unsigned int offset : kOffsets) {
            char where[60];
            std::snprintf(where, sizeof where, "_%d_%x", dimension, offset);
            const auto add = [&](const std::string& name, const Launch& launch) {
                text += recorded(
                    {name + where, "rounded_" + name + where, "poisson_" + name + where}, launch);
            };
            add("sobol32", [&](Line* lines) {
                draw_plain_sobol<curandStateSobol32_t>
                    <<<1, 1>>>(p32, offset, 12345u, distribution, lines);
            });
            add("scrambled_sobol32", [&](Line* lines) {
                draw_scrambled_sobol<curandStateScrambledSobol32_t>
                    <<<1, 1>>>(m32, constants32[dimension], offset, 12345u, distribution, lines);
            });
            add("sobol64", [&](Line* lines) {
                draw_plain_sobol<curandStateSobol64_t>
                    <<<1, 1>>>(p64, offset, 12345u, distribution, lines);
            });
            add("scrambled_sobol64", [&](Line* lines) {
                draw_scrambled_sobol<curandStateScrambledSobol64_t>
                    <<<1, 1>>>(m64, constants64[dimension], offset, 12345u, distribution, lines);
            });
        }
    }
    return text;
}

inline std::string mtgp_text(curandDiscreteDistribution_t distribution) {
    constexpr int kStates = 3;
    std::string text;
    for (const int threads : {32, 96, 192}) {
        DeviceArray<mtgp32_kernel_params_t> parameters(1);
        DeviceArray<curandStateMtgp32_t> states(kStates);
        check(curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters.data()),
              "constants");
        check(curandMakeMTGP32KernelState(states.data(), mtgp32dc_params_fast_11213,
                                          parameters.data(), kStates, 1234),
              "states");
        DeviceArray<Line> lines(2 * kStates * threads);
        draw_mtgp<<<kStates, threads>>>(states.data(), distribution, lines.data());
        check(cudaGetLastError(), "mtgp32");
        const std::vector<Line> values = lines.values();
        for (int i = 0; i < kStates * threads; ++i) {
            const int thread = i % threads;
            if (thread != 0 && thread != 1 && thread != 33 && thread != threads - 1) continue;
            char where[60];
            std::snprintf(where, sizeof where, "mtgp32_%d_%d_%d", threads, i / threads, thread);
            text += text_of(where, values[2 * i]);
            text += text_of(std::string("rounded_") + where, values[2 * i + 1]);
        }
    }
    return text;
}

inline std::string all_text() {
    curandDiscreteDistribution_t distribution;
    check(curandCreatePoissonDistribution(20.0, &distribution), "distribution");
    std::string text = pseudo_text<curandStateMRG32k3a_t>("mrg32k3a", distribution) +
                       pseudo_text<curandStateXORWOW_t>("xorwow", distribution) +
                       pseudo_text<curandStatePhilox4_32_10_t>("philox", distribution) +
                       sobol_text(distribution) + mtgp_text(distribution);
    check(curandDestroyDistribution(distribution), "distribution");
    for (const double lambda : {0.5, 100.0, 1999.0, 2001.0, 50000.0}) {
        check(curandCreatePoissonDistribution(lambda, &distribution), "distribution");
        char name[40];
        std::snprintf(name, sizeof name, "discrete_lambda_%g", lambda);
        const Start start{5, 0, 0};
        text += recorded({name}, [&](Line* lines) {
            draw_discrete<curandStateXORWOW_t><<<1, 1>>>(start, distribution, lines);
        });
        check(curandDestroyDistribution(distribution), "distribution");
    }
    return text;
}

}  // namespace curand_states
