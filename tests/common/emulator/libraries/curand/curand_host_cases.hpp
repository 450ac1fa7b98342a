// SPDX-License-Identifier: MIT
// Calls of cuRAND's host API and their results as text. The program that records them with NVIDIA's
// library and the test of the CPU engine both include this.
//
// A line is: KIND GENERATOR ORDERING SEED OFFSET DIMENSIONS CALLS | STATUSES, and per call
// COUNT HASH SUM SAMPLES. KIND is device or host. A call is FUNCTION:COUNT; several calls in a line
// go to one generator. The hash is FNV-1a of the results' bytes. The sum weights every result by
// its position, so it finds a wrong order where the last bits of results may differ.
#pragma once

#include <cuda_runtime.h>
#include <curand.h>

#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace curand_host {

enum class Function {
    generate,
    long_long,
    uniform,
    uniform_double,
    normal,
    normal_double,
    log_normal,
    log_normal_double,
    poisson
};

struct Call {
    Function function;
    std::size_t count;
    double lambda = 0.0;  // poisson only
};

constexpr long long kNotSet = -1;

struct Case {
    bool on_device;
    curandRngType_t type;
    int ordering;  // kNotSet: as created
    long long seed, offset;  // kNotSet: as created
    long long dimensions;  // kNotSet: as created
    std::vector<Call> calls;
};

inline const char* name_of(curandRngType_t type) {
    switch (type) {
        case CURAND_RNG_PSEUDO_XORWOW:
            return "xorwow";
        case CURAND_RNG_PSEUDO_MRG32K3A:
            return "mrg32k3a";
        case CURAND_RNG_PSEUDO_MTGP32:
            return "mtgp32";
        case CURAND_RNG_PSEUDO_MT19937:
            return "mt19937";
        case CURAND_RNG_PSEUDO_PHILOX4_32_10:
            return "philox";
        case CURAND_RNG_QUASI_SOBOL32:
            return "sobol32";
        case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
            return "scrambled_sobol32";
        case CURAND_RNG_QUASI_SOBOL64:
            return "sobol64";
        case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
            return "scrambled_sobol64";
        default:
            return "other";
    }
}

inline const char* name_of(Function function) {
    constexpr const char* kNames[] = {
        "generate",      "long_long",  "uniform",           "uniform_double", "normal",
        "normal_double", "log_normal", "log_normal_double", "poisson"};
    return kNames[static_cast<int>(function)];
}

// Results whose last bits depend on the logarithm, sine and cosine.
inline bool is_rounded(Function function) {
    return function >= Function::normal && function <= Function::log_normal_double;
}

inline std::string format(const char* pattern, auto... values) {
    char text[160];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

inline std::string value_or_dash(long long value) {
    return value == kNotSet ? "-" : format("%lld", value);
}

inline std::string key_of(const Case& c) {
    std::string key = c.on_device ? "device " : "host ";
    key += name_of(c.type);
    key += format(" %s %s %s %s ", value_or_dash(c.ordering).c_str(), value_or_dash(c.seed).c_str(),
                  value_or_dash(c.offset).c_str(), value_or_dash(c.dimensions).c_str());
    const char* separator = "";
    for (const Call& call : c.calls) {
        key += separator;
        key += name_of(call.function);
        key += format(":%zu", call.count);
        if (call.function == Function::poisson) key += format("(%g)", call.lambda);
        separator = ",";
    }
    return key;
}

// Memory of a case: on the device or on the host.
class Results {
  public:
    Results(bool on_device, std::size_t bytes) : on_device_(on_device), host_(bytes + 8, '\xab') {
        if (!on_device_) return;
        if (cudaMalloc(&device_, host_.size()) != cudaSuccess) device_ = nullptr;
        if (cudaMemcpy(device_, host_.data(), host_.size(), cudaMemcpyHostToDevice) !=
            cudaSuccess) {
            std::fprintf(stderr, "no device memory\n");
        }
    }
    ~Results() {
        if (on_device_ && cudaFree(device_) != cudaSuccess) std::fprintf(stderr, "no cudaFree\n");
    }
    Results(const Results&) = delete;
    Results& operator=(const Results&) = delete;

    void* target() { return on_device_ ? device_ : host_.data(); }
    const std::vector<char>& fetch() {
        if (on_device_ && cudaMemcpy(host_.data(), device_, host_.size(), cudaMemcpyDeviceToHost) !=
                              cudaSuccess) {
            std::fprintf(stderr, "no copy of the results\n");
        }
        return host_;
    }

  private:
    bool on_device_;
    std::vector<char> host_;
    void* device_ = nullptr;
};

// Four arguments for distributions; as a template, the compiler chooses the type of results.
template <class T>
curandStatus_t generate(curandGenerator_t generator, const Call& call, T* target);

template <>
inline curandStatus_t generate(curandGenerator_t generator, const Call& call, unsigned* target) {
    if (call.function == Function::poisson) {
        return curandGeneratePoisson(generator, target, call.count, call.lambda);
    }
    return curandGenerate(generator, target, call.count);
}
template <>
inline curandStatus_t generate(curandGenerator_t generator, const Call& call,
                               unsigned long long* target) {
    return curandGenerateLongLong(generator, target, call.count);
}
template <>
inline curandStatus_t generate(curandGenerator_t generator, const Call& call, float* target) {
    constexpr float kMean = 1.5f;
    constexpr float kDeviation = 0.25f;
    if (call.function == Function::uniform) {
        return curandGenerateUniform(generator, target, call.count);
    }
    return call.function == Function::normal
               ? curandGenerateNormal(generator, target, call.count, kMean, kDeviation)
               : curandGenerateLogNormal(generator, target, call.count, kMean, kDeviation);
}
template <>
inline curandStatus_t generate(curandGenerator_t generator, const Call& call, double* target) {
    constexpr double kMean = 1.5;
    constexpr double kDeviation = 0.25;
    if (call.function == Function::uniform_double) {
        return curandGenerateUniformDouble(generator, target, call.count);
    }
    return call.function == Function::normal_double
               ? curandGenerateNormalDouble(generator, target, call.count, kMean, kDeviation)
               : curandGenerateLogNormalDouble(generator, target, call.count, kMean, kDeviation);
}

template <class T>
std::string describe(const std::vector<char>& bytes, std::size_t count) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < count * sizeof(T); ++i) {
        hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3u;
    }
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), bytes.data(), count * sizeof(T));
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        sum +=
            static_cast<double>(values[i]) * static_cast<double>((i * 40503u) % 65536u) / 65536.0;
    }
    std::string text = format(" | %zu %016" PRIx64 " %.17g", count, hash, sum);
    std::size_t shown = 0;
    for (const std::size_t i :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, count / 2, count - 2, count - 1}) {
        if (i >= count || (shown > 0 && i < shown)) continue;
        shown = i + 1;
        std::uint64_t bits = 0;
        std::memcpy(&bits, &values[i], sizeof(T));
        text += format(" %zu=%0*" PRIx64, i, static_cast<int>(2 * sizeof(T)), bits);
    }
    return text;
}

template <class T>
std::string run(curandGenerator_t generator, const Case& c, const Call& call,
                std::string& statuses) {
    Results results(c.on_device, call.count * sizeof(T));
    const curandStatus_t status = generate(generator, call, static_cast<T*>(results.target()));
    statuses += format(" %d", static_cast<int>(status));
    if (status != CURAND_STATUS_SUCCESS) return " | -";
    return describe<T>(results.fetch(), call.count);
}

// The line of a case.
inline std::string line_of(const Case& c) {
    curandGenerator_t generator = nullptr;
    std::string statuses;
    const auto note = [&](curandStatus_t status) {
        statuses += format(" %d", static_cast<int>(status));
    };
    note(c.on_device ? curandCreateGenerator(&generator, c.type)
                     : curandCreateGeneratorHost(&generator, c.type));
    if (c.ordering != kNotSet) {
        note(curandSetGeneratorOrdering(generator, static_cast<curandOrdering_t>(c.ordering)));
    }
    if (c.seed != kNotSet) {
        note(curandSetPseudoRandomGeneratorSeed(generator, static_cast<std::uint64_t>(c.seed)));
    }
    if (c.offset != kNotSet) {
        note(curandSetGeneratorOffset(generator, static_cast<std::uint64_t>(c.offset)));
    }
    if (c.dimensions != kNotSet) {
        note(curandSetQuasiRandomGeneratorDimensions(generator,
                                                     static_cast<unsigned>(c.dimensions)));
    }
    std::string results;
    for (const Call& call : c.calls) {
        switch (call.function) {
            case Function::generate:
            case Function::poisson:
                results += run<unsigned>(generator, c, call, statuses);
                break;
            case Function::long_long:
                results += run<unsigned long long>(generator, c, call, statuses);
                break;
            case Function::uniform:
            case Function::normal:
            case Function::log_normal:
                results += run<float>(generator, c, call, statuses);
                break;
            default:
                results += run<double>(generator, c, call, statuses);
        }
    }
    note(curandDestroyGenerator(generator));
    return key_of(c) + " :" + statuses + results + "\n";
}

constexpr curandRngType_t kPseudoTypes[] = {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
                                            CURAND_RNG_PSEUDO_MTGP32, CURAND_RNG_PSEUDO_MT19937,
                                            CURAND_RNG_PSEUDO_PHILOX4_32_10};
constexpr curandRngType_t kQuasiTypes[] = {
    CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, CURAND_RNG_QUASI_SOBOL64,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL64};
constexpr Function kFunctions[] = {
    Function::generate, Function::long_long,     Function::uniform,    Function::uniform_double,
    Function::normal,   Function::normal_double, Function::log_normal, Function::log_normal_double};
constexpr double kLambdas[] = {0.5, 10.0, 63.5, 64.0, 900.0, 2000.0, 2500.0, 4500.0, 200000.0};

inline void add_pseudo_cases(bool on_device, curandRngType_t type, std::vector<Case>& cases) {
    constexpr long long kSeed = 1234;
    // The states of MT19937 take a while: few cases, and only of the first states.
    const bool is_slow = type == CURAND_RNG_PSEUDO_MT19937;
    const auto add = [&](int ordering, long long seed, long long offset, std::vector<Call> calls) {
        cases.push_back({on_device, type, ordering, seed, offset, kNotSet, std::move(calls)});
    };
    for (const long long seed : {kNotSet, 0ll, 0xffffffffll, 0x123456789abcdefll}) {
        if (!is_slow || seed > 0) add(kNotSet, seed, kNotSet, {{Function::generate, 20000}});
    }
    for (const int ordering : {100, 101, 102, 103, 104, 201, 7}) {
        add(ordering, kSeed, kNotSet, {{Function::generate, 7}, {Function::generate, 5000}});
        if (is_slow) continue;
        if (ordering >= 102 && ordering <= 104) {
            if (ordering != CURAND_ORDERING_PSEUDO_DYNAMIC || on_device) {
                add(ordering, kSeed, kNotSet, {{Function::generate, 300000}});
            }
            add(ordering, kSeed, kNotSet, {{Function::uniform_double, 10000}});
            add(ordering, kSeed, kNotSet, {{Function::normal, 10000}});
            add(ordering, kSeed, 4099, {{Function::uniform, 10000}});
        }
    }
    for (const Function function : kFunctions) {
        add(kNotSet, kSeed, kNotSet, {{function, 3}});  // normal: an odd count
        if (is_slow) continue;
        add(kNotSet, kSeed, kNotSet,
            {{function, 6},
             {function, 4},
             {function, 4096},
             {function, 10},
             {function, 70000},
             {function, 12}});
        for (const long long offset : {1, 3}) {
            add(kNotSet, kSeed, offset, {{function, 5002}, {function, 20}});
        }
    }
    if (!is_slow) {
        for (const long long offset : {4095ll, 4096ll, 81921ll, 1ll << 33, 1ll << 62}) {
            add(kNotSet, kSeed, offset, {{Function::generate, 9000}, {Function::generate, 9}});
        }
    }
    add(kNotSet, kSeed, kNotSet, {{Function::generate, 0}, {Function::generate, 5}});
    add(kNotSet, kSeed, kNotSet,
        {{Function::uniform, 5},
         {Function::normal, 6},
         {Function::uniform_double, 3},
         {Function::generate, 1},
         {Function::normal_double, 8},
         {Function::log_normal, 4},
         {Function::poisson, 5, 10.0},
         {Function::uniform, 100}});
    for (const double lambda : kLambdas) {
        if (is_slow && lambda > 64.0) continue;
        add(kNotSet, kSeed, kNotSet,
            {{Function::poisson, 9999, lambda},
             {Function::poisson, 3, lambda},
             {Function::generate, 9}});
    }
    for (const double lambda : {0.0, -1.0, 400000.0, 400001.0}) {
        add(kNotSet, kSeed, kNotSet, {{Function::poisson, 10, lambda}});
    }
}

inline void add_quasi_cases(bool on_device, curandRngType_t type, std::vector<Case>& cases) {
    const auto add = [&](int ordering, long long seed, long long offset, long long dimensions,
                         std::vector<Call> calls) {
        cases.push_back({on_device, type, ordering, seed, offset, dimensions, std::move(calls)});
    };
    const bool is_long = type >= CURAND_RNG_QUASI_SOBOL64;
    const Function bits = is_long ? Function::long_long : Function::generate;
    for (const long long dimensions : {0, 1, 2, 3, 10, 100, 1111, 3667, 3668, 20000, 20001}) {
        add(kNotSet, kNotSet, kNotSet, dimensions,
            {{bits, static_cast<std::size_t>(dimensions) * 10}});
    }
    for (const int ordering : {101, 201, 7}) {
        add(ordering, kNotSet, kNotSet, 3, {{bits, 9000}});
    }
    add(kNotSet, 5, kNotSet, 3, {{bits, 9000}});  // a seed
    for (const Function function : kFunctions) {
        add(kNotSet, kNotSet, kNotSet, 3, {{function, 3 * 5}, {function, 3}, {function, 3 * 4001}});
        add(kNotSet, kNotSet, 77, 3, {{function, 3 * 5}, {function, 3}, {function, 3 * 4001}});
        add(kNotSet, kNotSet, kNotSet, 3, {{function, 10}});  // not a multiple
    }
    for (const long long offset : {1ll, 4097ll, 1ll << 31, (1ll << 32) + 5, 1ll << 40}) {
        add(kNotSet, kNotSet, offset, 2, {{bits, 2000}, {bits, 4}});
    }
    add(kNotSet, kNotSet, kNotSet, 2,
        {{Function::uniform, 6}, {Function::normal, 2}, {Function::uniform_double, 4}, {bits, 4}});
    for (const double lambda : kLambdas) {
        add(kNotSet, kNotSet, kNotSet, 3, {{Function::poisson, 9999, lambda}, {bits, 9}});
    }
}

inline std::vector<Case> all_cases(bool on_device) {
    std::vector<Case> cases;
    for (const curandRngType_t type : kPseudoTypes) add_pseudo_cases(on_device, type, cases);
    for (const curandRngType_t type : kQuasiTypes) add_quasi_cases(on_device, type, cases);
    return cases;
}

}  // namespace curand_host
