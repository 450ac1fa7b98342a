// SPDX-License-Identifier: MIT
// Instructions of ptx_vectors.cu, part 1: case by case.
#pragma once

__device__ inline unsigned part_1(int which, unsigned a, unsigned b, unsigned c) {
    unsigned r = 0;
    switch (which) {
        case 0:
            asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 1:
            asm("bfind.s32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 2:
            asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 3:
            asm("bfind.shiftamt.s32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 4:
            asm("clz.b32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 5:
            asm("popc.b32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 6:
            asm("brev.b32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 7:
            asm("abs.s32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 8:
            asm("neg.s32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 9:
            asm("not.b32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 10:
            asm("cnot.b32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 11:
            asm("add.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 12:
            asm("add.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 13:
            asm("sub.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 14:
            asm("sub.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 15:
            asm("mul.lo.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 16:
            asm("mul.hi.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 17:
            asm("mul.hi.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 18:
            asm("mul24.lo.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 19:
            asm("mul24.hi.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 20:
            asm("mul24.lo.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 21:
            asm("mul24.hi.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 22:
            asm("min.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 23:
            asm("max.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 24:
            asm("and.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 25:
            asm("or.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 26:
            asm("xor.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 27:
            asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 28:
            asm("shr.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 29:
            asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 30:
            asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 31:
            asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 32:
            asm("szext.clamp.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 33:
            asm("szext.wrap.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 34:
            asm("szext.clamp.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 35:
            asm("szext.wrap.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 36:
            asm("min.s16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 37:
            asm("max.u16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 38:
            asm("add.s16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 39:
            asm("set.lt.u32.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 40:
            asm("set.ge.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 41:
            asm("set.gt.s32.f32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 42:
            asm("set.num.u32.f32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 43:
            asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 44:
            asm("mad.hi.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 45:
            asm("mad.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 46:
            asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 47:
            asm("mad24.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 48:
            asm("mad24.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 49:
            asm("mad24.hi.sat.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 50:
            asm("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 51:
            asm("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 52:
            asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 53:
            asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 54:
            asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 55:
            asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 56:
            asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 57:
            asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 58:
            asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 59:
            asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 60:
            asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 61:
            asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 62:
            asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 63:
            asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 64:
            asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 65:
            asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 66:
            asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 67:
            asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 68:
            asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 69:
            asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 70:
            asm("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 71:
            asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 72:
            asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 73:
            asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 74:
            asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 75:
            asm("lop3.b32 %0, %1, %2, %3, 0x1b;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 76:
            asm("bfi.b32 %0, %1, %2, %3, 7;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 77:
            asm("bfi.b32 %0, %1, %2, 5, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 78:
            asm("bfi.b32 %0, %1, %2, 250, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 79:
            asm("bfi.b32 %0, %1, %2, 30, 9;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 80:
            asm("bfe.s32 %0, %1, 28, 9;" : "=r"(r) : "r"(a));
            break;
        case 81:
            asm("bfe.u32 %0, %1, 3, 0;" : "=r"(r) : "r"(a));
            break;
        case 83:
            asm("fns.b32 %0, %1, 3, 4;" : "=r"(r) : "r"(a));
            break;
        case 84:
            asm("fns.b32 %0, %1, 30, -5;" : "=r"(r) : "r"(a));
            break;
        case 85:
            asm("fns.b32 %0, %1, 9, 0;" : "=r"(r) : "r"(a));
            break;
        case 86:
            asm("vadd.s32.s32.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 87:
            asm("vadd.s32.u32.s32.sat %0, %1.b2, %2.h1;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 88:
            asm("vadd.u32.s32.u32.sat.min %0, %1.h0, %2.b3, %3;"
                : "=r"(r)
                : "r"(a), "r"(b), "r"(c));
            break;
        case 89:
            asm("vadd.s32.s32.s32.add %0, %1.b1, %2.h0, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 90:
            asm("vadd.s32.s32.s32 %0.b1, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 92:
            asm("vsub.s32.s32.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 93:
            asm("vsub.s32.u32.s32.sat %0, %1.b2, %2.h1;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 94:
            asm("vsub.u32.s32.u32.sat.min %0, %1.h0, %2.b3, %3;"
                : "=r"(r)
                : "r"(a), "r"(b), "r"(c));
            break;
        case 95:
            asm("vsub.s32.s32.s32.add %0, %1.b1, %2.h0, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 96:
            asm("vsub.s32.s32.s32 %0.b1, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 98:
            asm("vabsdiff.s32.s32.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 99:
            asm("vabsdiff.s32.u32.s32.sat %0, %1.b2, %2.h1;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 100:
            asm("vabsdiff.u32.s32.u32.sat.min %0, %1.h0, %2.b3, %3;"
                : "=r"(r)
                : "r"(a), "r"(b), "r"(c));
            break;
        case 101:
            asm("vabsdiff.s32.s32.s32.add %0, %1.b1, %2.h0, %3;"
                : "=r"(r)
                : "r"(a), "r"(b), "r"(c));
            break;
        case 102:
            asm("vabsdiff.s32.s32.s32 %0.b1, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 104:
            asm("vmin.s32.s32.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 105:
            asm("vmin.s32.u32.s32.sat %0, %1.b2, %2.h1;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 106:
            asm("vmin.u32.s32.u32.sat.min %0, %1.h0, %2.b3, %3;"
                : "=r"(r)
                : "r"(a), "r"(b), "r"(c));
            break;
        case 107:
            asm("vmin.s32.s32.s32.add %0, %1.b1, %2.h0, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 108:
            asm("vmin.s32.s32.s32 %0.b1, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 110:
            asm("vmax.s32.s32.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 111:
            asm("vmax.s32.u32.s32.sat %0, %1.b2, %2.h1;" : "=r"(r) : "r"(a), "r"(b));
            break;
        case 112:
            asm("vmax.u32.s32.u32.sat.min %0, %1.h0, %2.b3, %3;"
                : "=r"(r)
                : "r"(a), "r"(b), "r"(c));
            break;
        case 113:
            asm("vmax.s32.s32.s32.add %0, %1.b1, %2.h0, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 114:
            asm("vmax.s32.s32.s32 %0.b1, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
    }
    return r;
}
constexpr int kCases1 = 122;
