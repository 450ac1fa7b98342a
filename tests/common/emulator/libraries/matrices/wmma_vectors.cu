// SPDX-License-Identifier: MIT
// Prints the results of tensor core operations, bit by bit. The file data/wmma_vectors.txt has the
// output of an H200 (nvcc -arch=sm_90a); the engine prints the same.
// The argument --full prints each element instead of a digest per case.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace nvcuda;

namespace {

bool print_all = false;

void check(cudaError_t error, int line) {
    if (error == cudaSuccess) return;
    std::printf("line %d: %s\n", line, cudaGetErrorName(error));
    std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

// splitmix64
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

  private:
    std::uint64_t state_;
};

enum class Values { unit, wide, small_integers, cancelling, special, tiny };

double draw(Random& random, Values values) {
    const std::uint64_t bits = random.bits();
    const double unit = static_cast<double>(static_cast<std::int64_t>(bits)) / 9.3e18;
    switch (values) {
        case Values::unit:
            return unit;
        case Values::wide:
            return std::ldexp(unit, static_cast<int>(random.bits() % 16) - 8);
        case Values::small_integers:
            return static_cast<double>(bits % 7) - 3;
        case Values::cancelling:
            return (bits & 1) != 0 ? unit * 1000 : unit / 1000;
        case Values::special:
            if (bits % 50 == 0) return HUGE_VAL;
            if (bits % 50 == 1) return -HUGE_VAL;
            if (bits % 50 == 2) return NAN;
            return (bits >> 8) % 5 == 0 ? 60000 * unit : unit;
        case Values::tiny:
            return std::ldexp(unit, -12 - static_cast<int>(random.bits() % 10));
    }
    return 0;
}

void set(__half& element, Random& random, Values values) {
    element = __float2half(static_cast<float>(draw(random, values)));
}
void set(__nv_bfloat16& element, Random& random, Values values) {
    element = __float2bfloat16(static_cast<float>(draw(random, values)));
}
void set(float& element, Random& random, Values values) {
    element = static_cast<float>(draw(random, values));
}
void set(double& element, Random& random, Values values) { element = draw(random, values); }
void set(int& element, Random& random, Values) { element = static_cast<int>(random.bits()); }
void set(signed char& element, Random& random, Values) {
    element = static_cast<signed char>(random.bits());
}
void set(unsigned char& element, Random& random, Values) {
    element = static_cast<unsigned char>(random.bits());
}

template <class T>
std::uint64_t word_of(const T& value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
struct Memory {
    using Type = T;
};
template <>
struct Memory<wmma::precision::tf32> {
    using Type = float;
};

template <class Fragment>
__device__ void round_elements(Fragment&) {}
template <class Use, int m, int n, int k, class Layout>
__device__ void round_elements(
    wmma::fragment<Use, m, n, k, wmma::precision::tf32, Layout>& fragment) {
    for (int i = 0; i < fragment.num_elements; ++i) {
        fragment.x[i] = wmma::__float_to_tf32(fragment.x[i]);
    }
}

// `sums` chained products, so that the accumulator's rounding shows too.
template <int m, int n, int k, class In, class LayoutA, class LayoutB, class Sum>
__global__ void product_kernel(const typename Memory<In>::Type* a,
                               const typename Memory<In>::Type* b, const Sum* c, Sum* d,
                               int products, bool round) {
    wmma::fragment<wmma::matrix_a, m, n, k, In, LayoutA> fragment_a;
    wmma::fragment<wmma::matrix_b, m, n, k, In, LayoutB> fragment_b;
    wmma::fragment<wmma::accumulator, m, n, k, Sum> sum;
    constexpr int kLeadingA = std::is_same_v<LayoutA, wmma::row_major> ? k : m;
    constexpr int kLeadingB = std::is_same_v<LayoutB, wmma::row_major> ? n : k;
    const int test = static_cast<int>(blockIdx.x);
    c += test * m * n;
    d += test * m * n;
    wmma::load_matrix_sync(sum, c, n, wmma::mem_row_major);
    for (int i = 0; i < products; ++i) {
        wmma::load_matrix_sync(fragment_a, a + (test * products + i) * m * k, kLeadingA);
        wmma::load_matrix_sync(fragment_b, b + (test * products + i) * k * n, kLeadingB);
        if (round) {
            round_elements(fragment_a);
            round_elements(fragment_b);
        }
        wmma::mma_sync(sum, fragment_a, fragment_b, sum);
    }
    wmma::store_matrix_sync(d, sum, n, wmma::mem_row_major);
}

template <class T>
struct Buffer {
    std::vector<T> host;
    T* device = nullptr;

    Buffer(std::size_t count, Random& random, Values values) : host(count) {
        for (T& element : host) set(element, random, values);
        CHECK(cudaMalloc(&device, count * sizeof(T)));
        CHECK(cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Buffer() { CHECK(cudaFree(device)); }
    Buffer(const Buffer&) = delete;
    void read() {
        CHECK(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
    }
};

template <int m, int n, int k, class In, class LayoutA, class LayoutB, class Sum>
void run_case(const std::string& name, Values values, std::uint64_t seed, int tests,
              int products = 1, bool round = true) {
    using Element = typename Memory<In>::Type;
    Random random(seed);
    const auto count = static_cast<std::size_t>(tests);
    Buffer<Element> a(count * static_cast<std::size_t>(products) * m * k, random, values);
    Buffer<Element> b(count * static_cast<std::size_t>(products) * n * k, random, values);
    Buffer<Sum> c(count * m * n, random, values);
    Buffer<Sum> d(count * m * n, random, values);
    product_kernel<m, n, k, In, LayoutA, LayoutB, Sum>
        <<<tests, 32>>>(a.device, b.device, c.device, d.device, products, round);
    CHECK(cudaGetLastError());
    d.read();
    std::uint64_t digest = 0xcbf29ce484222325u;
    for (const Sum& element : d.host) digest = (digest ^ word_of(element)) * 0x100000001b3u;
    if (!print_all) {
        std::printf("%s %zu %016llx\n", name.c_str(), d.host.size(),
                    static_cast<unsigned long long>(digest));
        return;
    }
    for (std::size_t i = 0; i < d.host.size(); ++i) {
        std::printf("%s %zu : %llx\n", name.c_str(), i,
                    static_cast<unsigned long long>(word_of(d.host[i])));
    }
}

using Row = wmma::row_major;
using Column = wmma::col_major;

template <int m, int n, int k>
void run_shape(const std::string& shape) {
    constexpr struct {
        const char* name;
        Values values;
    } kinds[] = {{"unit", Values::unit},
                 {"wide", Values::wide},
                 {"integers", Values::small_integers},
                 {"cancelling", Values::cancelling},
                 {"special", Values::special},
                 {"tiny", Values::tiny}};
    for (const auto& kind : kinds) {
        const std::string suffix = shape + "-" + kind.name;
        run_case<m, n, k, __half, Row, Column, float>("half-float-" + suffix, kind.values, 1, 2);
        run_case<m, n, k, __half, Row, Row, __half>("half-half-" + suffix, kind.values, 2, 2);
        run_case<m, n, k, __nv_bfloat16, Column, Row, float>("bf16-float-" + suffix, kind.values, 3,
                                                             2);
    }
    run_case<m, n, k, __half, Column, Column, float>("half-float-chain-" + shape, Values::unit, 4,
                                                     1, 5);
    run_case<m, n, k, __half, Column, Column, __half>("half-half-chain-" + shape, Values::unit, 5,
                                                      1, 5);
    run_case<m, n, k, signed char, Row, Column, int>("int8-" + shape, Values::unit, 6, 1, 2);
    run_case<m, n, k, unsigned char, Column, Row, int>("uint8-" + shape, Values::unit, 7, 1, 2);
}

}  // namespace

int main(int argc, char** argv) {
    print_all = argc > 1 && std::strcmp(argv[1], "--full") == 0;
    run_shape<16, 16, 16>("16x16x16");
    run_shape<32, 8, 16>("32x8x16");
    run_shape<8, 32, 16>("8x32x16");
    for (const auto values : {Values::unit, Values::wide, Values::cancelling, Values::special,
                              Values::tiny, Values::small_integers}) {
        const std::string suffix = std::to_string(static_cast<int>(values));
        run_case<16, 16, 8, wmma::precision::tf32, Row, Column, float>("tf32-" + suffix, values, 8,
                                                                       2);
        run_case<16, 16, 8, wmma::precision::tf32, Column, Row, float>("tf32-unrounded-" + suffix,
                                                                       values, 9, 2, 1, false);
        run_case<8, 8, 4, double, Row, Column, double>("double-" + suffix, values, 10, 2);
        run_case<8, 8, 4, double, Column, Row, double>("double-chain-" + suffix, values, 11, 1, 4);
    }
    return EXIT_SUCCESS;
}
