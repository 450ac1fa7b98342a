// SPDX-License-Identifier: MIT
// Instructions of ptx_vectors.cu, part 3: several in one statement, other types, predicates.
#pragma once

__device__ inline unsigned part_3(int which, unsigned a, unsigned b, unsigned c) {
    switch (which) {
        case 0: {  // carry64
            unsigned low, high;
            asm("add.cc.u32 %0, %2, %3;\n\t"
                "addc.u32 %1, %4, %2;"
                : "=r"(low), "=r"(high)
                : "r"(a), "r"(b), "r"(c));
            return low ^ (high * 3);
        }
        case 1: {  // borrow64
            unsigned low, high;
            asm("{ sub.cc.u32 %0, %2, %3; subc.u32 %1, %4, %2; }"
                : "=r"(low), "=r"(high)
                : "r"(a), "r"(b), "r"(c));
            return low ^ (high * 3);
        }
        case 2: {  // carry chain
            unsigned x = a, y = b, z = c;
            asm("mad.lo.cc.u32 %0, %0, %1, %2;\n\t"
                "madc.hi.cc.u32 %1, %0, %2, %1;\n\t"
                "madc.lo.cc.u32 %2, %2, %1, %0;\n\t"
                "addc.u32 %0, %0, 0;"
                : "+r"(x), "+r"(y), "+r"(z));
            return x ^ (y * 3) ^ (z * 5);
        }
        case 3: {  // wide
            unsigned long long product;
            asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
            long long sum;
            asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(sum) : "r"(b), "r"(c), "l"(product));
            return static_cast<unsigned>(sum) ^ static_cast<unsigned>(sum >> 32);
        }
        case 4: {  // wide bits
            unsigned long long both;
            asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "r"(a), "r"(b));
            unsigned position;
            asm("bfind.s64 %0, %1;" : "=r"(position) : "l"(both));
            unsigned count;
            asm("popc.b64 %0, %1;" : "=r"(count) : "l"(both));
            unsigned long long field;
            asm("bfe.s64 %0, %1, %2, 23;" : "=l"(field) : "l"(both), "r"(c));
            unsigned low, high;
            asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(field));
            return position * 1000003 ^ count ^ low ^ (high * 7);
        }
        case 5: {  // predicates
            unsigned result;
            asm("{\n\t"
                ".reg .pred p, q;\n\t"
                "setp.lt.s32 p, %1, %2;\n\t"
                "setp.ge.and.u32 q, %2, %3, p;\n\t"
                "selp.u32 %0, %1, %3, p;\n\t"
                "@q add.u32 %0, %0, 17;\n\t"
                "@!p xor.b32 %0, %0, 0xff;\n\t"
                "}"
                : "=r"(result)
                : "r"(a), "r"(b), "r"(c));
            return result;
        }
        case 6: {  // dual predicate
            unsigned result;
            asm("{ .reg .pred p<3>; .reg .u32 t; setp.hi.u32 p0|p1, %1, %2; mov.u32 t, 5; "
                "@p0 mov.u32 t, %3; not.pred p2, p1; and.pred p2, p2, p0; selp.b32 %0, t, 9, p2; }"
                : "=r"(result)
                : "r"(a), "r"(b), "r"(c));
            return result;
        }
        case 7: {  // floats
            const float x = __uint_as_float(a & 0x4fffffff), y = __uint_as_float(b | 0x20000000);
            float sum, least, quotient;
            asm("add.rn.f32 %0, %1, %2;" : "=f"(sum) : "f"(x), "f"(y));
            asm("fma.rz.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(x), "f"(0.37f));
            asm("min.f32 %0, %1, %2;" : "=f"(least) : "f"(x), "f"(y));
            asm("div.rn.f32 %0, %1, %2;" : "=f"(quotient) : "f"(x), "f"(y));
            return __float_as_uint(sum) ^ __float_as_uint(least) * 3 ^
                   __float_as_uint(quotient) * 5;
        }
        case 8: {  // constants
            float x;
            asm("mov.f32 %0, 0f3fc00000;" : "=f"(x));
            double y;
            asm("mov.f64 %0, 0d4000000000000000;" : "=d"(y));
            unsigned z;
            asm("mov.u32 %0, %1;" : "=r"(z) : "n"(77));
            return __float_as_uint(x) ^ static_cast<unsigned>(y) ^ z ^ a ^ b ^ c;
        }
    }
    return 0;
}
constexpr int kCases3 = 9;
