// SPDX-License-Identifier: MIT
// Prints a digest of each integer and SIMD intrinsic over the same operands. The file
// data/intrinsic_vectors.txt has the output of an H200 (nvcc -arch=sm_90a); the engine prints the
// same. The argument --full prints the first 64 results of each function instead.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kCount = 4096;
bool print_all = false;

void check(cudaError_t error, int line) {
    if (error == cudaSuccess) return;
    std::printf("line %d: %s\n", line, cudaGetErrorName(error));
    std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

struct Operands {
    unsigned a, b, c;
};

// Boundary values of bytes, halfwords and words, then random bits.
std::vector<Operands> make_operands() {
    constexpr unsigned kSpecial[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff,
                                     0x80008000, 0x7fff7fff, 0x80808080, 0x7f7f7f7f, 0xff00ff00,
                                     0x00ff00ff, 0x8000,     0x7fff,     0xffff0001, 0x01010101,
                                     33,         31,         32};
    std::uint64_t state = 42;
    const auto random = [&state] {
        std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<unsigned>((z ^ (z >> 31)) >> 32);
    };
    std::vector<Operands> operands;
    for (const unsigned a : kSpecial) {
        for (const unsigned b : kSpecial) operands.push_back({a, b, random()});
    }
    while (operands.size() < kCount) {
        Operands next{random(), random(), random()};
        // Some lanes of equal value.
        if (random() % 4 == 0) next.b = (next.b & 0xff00ff00u) | (next.a & 0x00ff00ffu);
        if (random() % 8 == 0) next.c = kSpecial[random() % 18];
        operands.push_back(next);
    }
    return operands;
}

template <class Function>
__global__ void apply_kernel(const Operands* operands, unsigned* results, Function function) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < kCount) results[i] = function(operands[i].a, operands[i].b, operands[i].c);
}

Operands* d_operands = nullptr;
unsigned* d_results = nullptr;

template <class Function>
void run(const char* name, Function function) {
    apply_kernel<<<kCount / 128, 128>>>(d_operands, d_results, function);
    CHECK(cudaGetLastError());
    std::vector<unsigned> results(kCount);
    CHECK(cudaMemcpy(results.data(), d_results, kCount * sizeof(unsigned), cudaMemcpyDeviceToHost));
    std::uint64_t digest = 0xcbf29ce484222325u;
    for (const unsigned result : results) digest = (digest ^ result) * 0x100000001b3u;
    std::printf("%s %016llx", name, static_cast<unsigned long long>(digest));
    for (int i = 0; print_all && i < kCount; i += 16) {
        std::printf(" %08x", results[static_cast<std::size_t>(i)]);
    }
    std::printf("\n");
}

// Each macro makes a function object for one intrinsic.
#define UNARY(name)                                                            \
    struct name##_call {                                                       \
        __device__ unsigned operator()(unsigned a, unsigned, unsigned) const { \
            return static_cast<unsigned>(name(a));                             \
        }                                                                      \
    };
#define BINARY(name)                                                             \
    struct name##_call {                                                         \
        __device__ unsigned operator()(unsigned a, unsigned b, unsigned) const { \
            return static_cast<unsigned>(name(a, b));                            \
        }                                                                        \
    };
#define TERNARY(name)                                                              \
    struct name##_call {                                                           \
        __device__ unsigned operator()(unsigned a, unsigned b, unsigned c) const { \
            return static_cast<unsigned>(name(a, b, c));                           \
        }                                                                          \
    };
// The same with operands of another type, and with any expression.
#define EXPRESSION(name, expression)                                               \
    struct name##_call {                                                           \
        __device__ unsigned operator()(unsigned a, unsigned b, unsigned c) const { \
            static_cast<void>(b);                                                  \
            static_cast<void>(c);                                                  \
            return expression;                                                     \
        }                                                                          \
    };
#define PREDICATE(name, T)                                                                \
    struct name##_call {                                                                  \
        __device__ unsigned operator()(unsigned a, unsigned b, unsigned) const {          \
            bool is_a = false;                                                            \
            const auto result =                                                           \
                static_cast<unsigned>(name(static_cast<T>(a), static_cast<T>(b), &is_a)); \
            return result ^ (is_a ? 0x55555555u : 0);                                     \
        }                                                                                 \
    };
#define PREDICATES(name)                                                         \
    struct name##_call {                                                         \
        __device__ unsigned operator()(unsigned a, unsigned b, unsigned) const { \
            bool high = false;                                                   \
            bool low = false;                                                    \
            const unsigned result = name(a, b, &high, &low);                     \
            return result ^ (high ? 0x55550000u : 0) ^ (low ? 0x3333u : 0);      \
        }                                                                        \
    };

template <class T>
__device__ T bits_as(unsigned bits) {
    T value;
    memcpy(&value, &bits, 4);
    return value;
}

UNARY(__vabs2)
UNARY(__vabs4)
UNARY(__vabsss2)
UNARY(__vabsss4)
UNARY(__vneg2)
UNARY(__vneg4)
UNARY(__vnegss2)
UNARY(__vnegss4)
BINARY(__vadd2)
BINARY(__vadd4)
BINARY(__vaddss2)
BINARY(__vaddss4)
BINARY(__vaddus2)
BINARY(__vaddus4)
BINARY(__vsub2)
BINARY(__vsub4)
BINARY(__vsubss2)
BINARY(__vsubss4)
BINARY(__vsubus2)
BINARY(__vsubus4)
BINARY(__vabsdiffs2)
BINARY(__vabsdiffs4)
BINARY(__vabsdiffu2)
BINARY(__vabsdiffu4)
BINARY(__vavgs2)
BINARY(__vavgs4)
BINARY(__vavgu2)
BINARY(__vavgu4)
BINARY(__vhaddu2)
BINARY(__vhaddu4)
BINARY(__vmaxs2)
BINARY(__vmaxs4)
BINARY(__vmaxu2)
BINARY(__vmaxu4)
BINARY(__vmins2)
BINARY(__vmins4)
BINARY(__vminu2)
BINARY(__vminu4)
BINARY(__vsads2)
BINARY(__vsads4)
BINARY(__vsadu2)
BINARY(__vsadu4)
BINARY(__vcmpeq2)
BINARY(__vcmpeq4)
BINARY(__vcmpne2)
BINARY(__vcmpne4)
BINARY(__vseteq2)
BINARY(__vseteq4)
BINARY(__vsetne2)
BINARY(__vsetne4)
BINARY(__vcmpges2)
BINARY(__vcmpges4)
BINARY(__vcmpgeu2)
BINARY(__vcmpgeu4)
BINARY(__vsetges2)
BINARY(__vsetges4)
BINARY(__vsetgeu2)
BINARY(__vsetgeu4)
BINARY(__vcmpgts2)
BINARY(__vcmpgts4)
BINARY(__vcmpgtu2)
BINARY(__vcmpgtu4)
BINARY(__vsetgts2)
BINARY(__vsetgts4)
BINARY(__vsetgtu2)
BINARY(__vsetgtu4)
BINARY(__vcmples2)
BINARY(__vcmples4)
BINARY(__vcmpleu2)
BINARY(__vcmpleu4)
BINARY(__vsetles2)
BINARY(__vsetles4)
BINARY(__vsetleu2)
BINARY(__vsetleu4)
BINARY(__vcmplts2)
BINARY(__vcmplts4)
BINARY(__vcmpltu2)
BINARY(__vcmpltu4)
BINARY(__vsetlts2)
BINARY(__vsetlts4)
BINARY(__vsetltu2)
BINARY(__vsetltu4)
TERNARY(__vimax3_s32)
TERNARY(__vimin3_s32)
TERNARY(__viaddmax_s32)
TERNARY(__viaddmin_s32)
TERNARY(__vimax3_u32)
TERNARY(__vimin3_u32)
TERNARY(__viaddmax_u32)
TERNARY(__viaddmin_u32)
TERNARY(__vimax3_s16x2)
TERNARY(__vimin3_s16x2)
TERNARY(__viaddmax_s16x2)
TERNARY(__viaddmin_s16x2)
TERNARY(__vimax3_u16x2)
TERNARY(__vimin3_u16x2)
TERNARY(__viaddmax_u16x2)
TERNARY(__viaddmin_u16x2)
TERNARY(__vimax3_s32_relu)
TERNARY(__vimin3_s32_relu)
TERNARY(__viaddmax_s32_relu)
TERNARY(__viaddmin_s32_relu)
BINARY(__vimax_s32_relu)
BINARY(__vimin_s32_relu)
TERNARY(__vimax3_s16x2_relu)
TERNARY(__vimin3_s16x2_relu)
TERNARY(__viaddmax_s16x2_relu)
TERNARY(__viaddmin_s16x2_relu)
BINARY(__vimax_s16x2_relu)
BINARY(__vimin_s16x2_relu)
PREDICATE(__vibmax_s32, int)
PREDICATE(__vibmax_u32, unsigned)
PREDICATES(__vibmax_s16x2)
PREDICATES(__vibmax_u16x2)
PREDICATE(__vibmin_s32, int)
PREDICATE(__vibmin_u32, unsigned)
PREDICATES(__vibmin_s16x2)
PREDICATES(__vibmin_u16x2)
UNARY(__popc)
UNARY(__clz)
UNARY(__ffs)
UNARY(__brev)
BINARY(__umul24)
BINARY(__umulhi)
BINARY(__uhadd)
BINARY(__urhadd)
BINARY(__mul24)
BINARY(__mulhi)
BINARY(__hadd)
BINARY(__rhadd)
TERNARY(__byte_perm)
TERNARY(__usad)
TERNARY(__sad)
TERNARY(__funnelshift_l)
TERNARY(__funnelshift_r)
TERNARY(__funnelshift_lc)
TERNARY(__funnelshift_rc)
EXPRESSION(dp4a_s, __dp4a(int(a), int(b), int(c)))
EXPRESSION(dp4a_u, __dp4a(a, b, c))
EXPRESSION(dp4a_char4, __dp4a(bits_as<char4>(a), bits_as<char4>(b), int(c)))
EXPRESSION(dp4a_uchar4, __dp4a(bits_as<uchar4>(a), bits_as<uchar4>(b), c))
EXPRESSION(dp2a_lo_s, __dp2a_lo(int(a), int(b), int(c)))
EXPRESSION(dp2a_lo_u, __dp2a_lo(a, b, c))
EXPRESSION(dp2a_hi_s, __dp2a_hi(int(a), int(b), int(c)))
EXPRESSION(dp2a_hi_u, __dp2a_hi(a, b, c))
EXPRESSION(dp2a_lo_short2, __dp2a_lo(bits_as<short2>(a), bits_as<char4>(b), int(c)))
EXPRESSION(dp2a_hi_ushort2, __dp2a_hi(bits_as<ushort2>(a), bits_as<uchar4>(b), c))
EXPRESSION(fns, __fns(a, b % 32, int(c % 70) - 35))
EXPRESSION(mul64hi, unsigned(__mul64hi((long long)(((unsigned long long)a << 32) | b),
                                       (long long)(((unsigned long long)c << 32) | a)) >>
                             13))
EXPRESSION(umul64hi, unsigned(__umul64hi(((unsigned long long)a << 32) | b,
                                         ((unsigned long long)c << 32) | a) >>
                              13))
EXPRESSION(brevll, unsigned(__brevll(((unsigned long long)a << 32) | b) >> 16))
EXPRESSION(clzll, unsigned(__clzll((long long)(((unsigned long long)(a & b & c) << 32) | b))))
EXPRESSION(ffsll, unsigned(__ffsll((long long)(((unsigned long long)b << 32) | (a & b & c)))))
EXPRESSION(popcll, unsigned(__popcll(((unsigned long long)a << 32) | b)))
EXPRESSION(float2int, unsigned(__float2int_rn(__uint_as_float(a))) ^
                          unsigned(__float2int_rz(__uint_as_float(b))))
EXPRESSION(float2uint, __float2uint_ru(__uint_as_float(a)) ^ __float2uint_rd(__uint_as_float(b)))
EXPRESSION(int2float, __float_as_uint(__int2float_rn(int(a))) ^ __float_as_uint(__uint2float_ru(b)))
EXPRESSION(hiloint2double, unsigned(__double2hiint(__hiloint2double(int(a), int(b)))) ^
                               unsigned(__double2int_rn(__hiloint2double(int(a), int(b)))))

}  // namespace

int main(int argc, char** argv) {
    print_all = argc > 1 && std::strcmp(argv[1], "--full") == 0;
    const std::vector<Operands> operands = make_operands();
    CHECK(cudaMalloc(&d_operands, kCount * sizeof(Operands)));
    CHECK(cudaMalloc(&d_results, kCount * sizeof(unsigned)));
    CHECK(
        cudaMemcpy(d_operands, operands.data(), kCount * sizeof(Operands), cudaMemcpyHostToDevice));
    run("__vabs2", __vabs2_call());
    run("__vabs4", __vabs4_call());
    run("__vabsss2", __vabsss2_call());
    run("__vabsss4", __vabsss4_call());
    run("__vneg2", __vneg2_call());
    run("__vneg4", __vneg4_call());
    run("__vnegss2", __vnegss2_call());
    run("__vnegss4", __vnegss4_call());
    run("__vadd2", __vadd2_call());
    run("__vadd4", __vadd4_call());
    run("__vaddss2", __vaddss2_call());
    run("__vaddss4", __vaddss4_call());
    run("__vaddus2", __vaddus2_call());
    run("__vaddus4", __vaddus4_call());
    run("__vsub2", __vsub2_call());
    run("__vsub4", __vsub4_call());
    run("__vsubss2", __vsubss2_call());
    run("__vsubss4", __vsubss4_call());
    run("__vsubus2", __vsubus2_call());
    run("__vsubus4", __vsubus4_call());
    run("__vabsdiffs2", __vabsdiffs2_call());
    run("__vabsdiffs4", __vabsdiffs4_call());
    run("__vabsdiffu2", __vabsdiffu2_call());
    run("__vabsdiffu4", __vabsdiffu4_call());
    run("__vavgs2", __vavgs2_call());
    run("__vavgs4", __vavgs4_call());
    run("__vavgu2", __vavgu2_call());
    run("__vavgu4", __vavgu4_call());
    run("__vhaddu2", __vhaddu2_call());
    run("__vhaddu4", __vhaddu4_call());
    run("__vmaxs2", __vmaxs2_call());
    run("__vmaxs4", __vmaxs4_call());
    run("__vmaxu2", __vmaxu2_call());
    run("__vmaxu4", __vmaxu4_call());
    run("__vmins2", __vmins2_call());
    run("__vmins4", __vmins4_call());
    run("__vminu2", __vminu2_call());
    run("__vminu4", __vminu4_call());
    run("__vsads2", __vsads2_call());
    run("__vsads4", __vsads4_call());
    run("__vsadu2", __vsadu2_call());
    run("__vsadu4", __vsadu4_call());
    run("__vcmpeq2", __vcmpeq2_call());
    run("__vcmpeq4", __vcmpeq4_call());
    run("__vcmpne2", __vcmpne2_call());
    run("__vcmpne4", __vcmpne4_call());
    run("__vseteq2", __vseteq2_call());
    run("__vseteq4", __vseteq4_call());
    run("__vsetne2", __vsetne2_call());
    run("__vsetne4", __vsetne4_call());
    run("__vcmpges2", __vcmpges2_call());
    run("__vcmpges4", __vcmpges4_call());
    run("__vcmpgeu2", __vcmpgeu2_call());
    run("__vcmpgeu4", __vcmpgeu4_call());
    run("__vsetges2", __vsetges2_call());
    run("__vsetges4", __vsetges4_call());
    run("__vsetgeu2", __vsetgeu2_call());
    run("__vsetgeu4", __vsetgeu4_call());
    run("__vcmpgts2", __vcmpgts2_call());
    run("__vcmpgts4", __vcmpgts4_call());
    run("__vcmpgtu2", __vcmpgtu2_call());
    run("__vcmpgtu4", __vcmpgtu4_call());
    run("__vsetgts2", __vsetgts2_call());
    run("__vsetgts4", __vsetgts4_call());
    run("__vsetgtu2", __vsetgtu2_call());
    run("__vsetgtu4", __vsetgtu4_call());
    run("__vcmples2", __vcmples2_call());
    run("__vcmples4", __vcmples4_call());
    run("__vcmpleu2", __vcmpleu2_call());
    run("__vcmpleu4", __vcmpleu4_call());
    run("__vsetles2", __vsetles2_call());
    run("__vsetles4", __vsetles4_call());
    run("__vsetleu2", __vsetleu2_call());
    run("__vsetleu4", __vsetleu4_call());
    run("__vcmplts2", __vcmplts2_call());
    run("__vcmplts4", __vcmplts4_call());
    run("__vcmpltu2", __vcmpltu2_call());
    run("__vcmpltu4", __vcmpltu4_call());
    run("__vsetlts2", __vsetlts2_call());
    run("__vsetlts4", __vsetlts4_call());
    run("__vsetltu2", __vsetltu2_call());
    run("__vsetltu4", __vsetltu4_call());
    run("__vimax3_s32", __vimax3_s32_call());
    run("__vimin3_s32", __vimin3_s32_call());
    run("__viaddmax_s32", __viaddmax_s32_call());
    run("__viaddmin_s32", __viaddmin_s32_call());
    run("__vimax3_u32", __vimax3_u32_call());
    run("__vimin3_u32", __vimin3_u32_call());
    run("__viaddmax_u32", __viaddmax_u32_call());
    run("__viaddmin_u32", __viaddmin_u32_call());
    run("__vimax3_s16x2", __vimax3_s16x2_call());
    run("__vimin3_s16x2", __vimin3_s16x2_call());
    run("__viaddmax_s16x2", __viaddmax_s16x2_call());
    run("__viaddmin_s16x2", __viaddmin_s16x2_call());
    run("__vimax3_u16x2", __vimax3_u16x2_call());
    run("__vimin3_u16x2", __vimin3_u16x2_call());
    run("__viaddmax_u16x2", __viaddmax_u16x2_call());
    run("__viaddmin_u16x2", __viaddmin_u16x2_call());
    run("__vimax3_s32_relu", __vimax3_s32_relu_call());
    run("__vimin3_s32_relu", __vimin3_s32_relu_call());
    run("__viaddmax_s32_relu", __viaddmax_s32_relu_call());
    run("__viaddmin_s32_relu", __viaddmin_s32_relu_call());
    run("__vimax_s32_relu", __vimax_s32_relu_call());
    run("__vimin_s32_relu", __vimin_s32_relu_call());
    run("__vimax3_s16x2_relu", __vimax3_s16x2_relu_call());
    run("__vimin3_s16x2_relu", __vimin3_s16x2_relu_call());
    run("__viaddmax_s16x2_relu", __viaddmax_s16x2_relu_call());
    run("__viaddmin_s16x2_relu", __viaddmin_s16x2_relu_call());
    run("__vimax_s16x2_relu", __vimax_s16x2_relu_call());
    run("__vimin_s16x2_relu", __vimin_s16x2_relu_call());
    run("__vibmax_s32", __vibmax_s32_call());
    run("__vibmax_u32", __vibmax_u32_call());
    run("__vibmax_s16x2", __vibmax_s16x2_call());
    run("__vibmax_u16x2", __vibmax_u16x2_call());
    run("__vibmin_s32", __vibmin_s32_call());
    run("__vibmin_u32", __vibmin_u32_call());
    run("__vibmin_s16x2", __vibmin_s16x2_call());
    run("__vibmin_u16x2", __vibmin_u16x2_call());
    run("__popc", __popc_call());
    run("__clz", __clz_call());
    run("__ffs", __ffs_call());
    run("__brev", __brev_call());
    run("__umul24", __umul24_call());
    run("__umulhi", __umulhi_call());
    run("__uhadd", __uhadd_call());
    run("__urhadd", __urhadd_call());
    run("__mul24", __mul24_call());
    run("__mulhi", __mulhi_call());
    run("__hadd", __hadd_call());
    run("__rhadd", __rhadd_call());
    run("__byte_perm", __byte_perm_call());
    run("__usad", __usad_call());
    run("__sad", __sad_call());
    run("__funnelshift_l", __funnelshift_l_call());
    run("__funnelshift_r", __funnelshift_r_call());
    run("__funnelshift_lc", __funnelshift_lc_call());
    run("__funnelshift_rc", __funnelshift_rc_call());
    run("dp4a_s", dp4a_s_call());
    run("dp4a_u", dp4a_u_call());
    run("dp4a_char4", dp4a_char4_call());
    run("dp4a_uchar4", dp4a_uchar4_call());
    run("dp2a_lo_s", dp2a_lo_s_call());
    run("dp2a_lo_u", dp2a_lo_u_call());
    run("dp2a_hi_s", dp2a_hi_s_call());
    run("dp2a_hi_u", dp2a_hi_u_call());
    run("dp2a_lo_short2", dp2a_lo_short2_call());
    run("dp2a_hi_ushort2", dp2a_hi_ushort2_call());
    run("fns", fns_call());
    run("mul64hi", mul64hi_call());
    run("umul64hi", umul64hi_call());
    run("brevll", brevll_call());
    run("clzll", clzll_call());
    run("ffsll", ffsll_call());
    run("popcll", popcll_call());
    run("float2int", float2int_call());
    run("float2uint", float2uint_call());
    run("int2float", int2float_call());
    run("hiloint2double", hiloint2double_call());
    return EXIT_SUCCESS;
}
