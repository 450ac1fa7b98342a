// SPDX-License-Identifier: MIT
// Instructions of ptx_vectors.cu, part 2: case by case.
#pragma once

__device__ inline unsigned part_2(int which, unsigned a, unsigned b, unsigned c) {
    unsigned r = 0;
    switch (which) {
        case 3:
            asm("vadd2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 4:
            asm("vadd2.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 5:
            asm("vadd2.s32.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 6:
            asm("vadd2.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 7:
            asm("vadd2.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 8:
            asm("vadd2.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 9:
            asm("vsub2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 10:
            asm("vsub2.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 11:
            asm("vsub2.s32.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 12:
            asm("vsub2.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 13:
            asm("vsub2.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 14:
            asm("vsub2.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 15:
            asm("vavrg2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 16:
            asm("vavrg2.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 17:
            asm("vavrg2.s32.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 18:
            asm("vavrg2.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 19:
            asm("vavrg2.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 20:
            asm("vavrg2.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 21:
            asm("vabsdiff2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 22:
            asm("vabsdiff2.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 23:
            asm("vabsdiff2.s32.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 24:
            asm("vabsdiff2.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 25:
            asm("vabsdiff2.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 26:
            asm("vabsdiff2.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 27:
            asm("vmin2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 28:
            asm("vmin2.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 29:
            asm("vmin2.s32.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 30:
            asm("vmin2.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 31:
            asm("vmin2.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 32:
            asm("vmin2.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 33:
            asm("vmax2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 34:
            asm("vmax2.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 35:
            asm("vmax2.s32.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 36:
            asm("vmax2.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 37:
            asm("vmax2.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 38:
            asm("vmax2.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 41:
            asm("vadd4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 42:
            asm("vadd4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 43:
            asm("vadd4.s32.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 44:
            asm("vadd4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 45:
            asm("vadd4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 46:
            asm("vadd4.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 47:
            asm("vsub4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 48:
            asm("vsub4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 49:
            asm("vsub4.s32.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 50:
            asm("vsub4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 51:
            asm("vsub4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 52:
            asm("vsub4.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 53:
            asm("vavrg4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 54:
            asm("vavrg4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 55:
            asm("vavrg4.s32.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 56:
            asm("vavrg4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 57:
            asm("vavrg4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 58:
            asm("vavrg4.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 59:
            asm("vabsdiff4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 60:
            asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 61:
            asm("vabsdiff4.s32.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 62:
            asm("vabsdiff4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 63:
            asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 64:
            asm("vabsdiff4.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 65:
            asm("vmin4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 66:
            asm("vmin4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 67:
            asm("vmin4.s32.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 68:
            asm("vmin4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 69:
            asm("vmin4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 70:
            asm("vmin4.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 71:
            asm("vmax4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 72:
            asm("vmax4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 73:
            asm("vmax4.s32.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 74:
            asm("vmax4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 75:
            asm("vmax4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 76:
            asm("vmax4.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
            break;
        case 79:
            asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 80:
            asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 81:
            asm("cvt.rmi.u32.f32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 82:
            asm("cvt.rpi.u32.f32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 83:
            asm("cvt.rzi.s8.f32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 84:
            asm("cvt.rni.u16.f32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 85:
            asm("cvt.rn.f32.s32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 86:
            asm("cvt.rz.f32.u32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 87:
            asm("cvt.rp.f32.s32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 88:
            asm("cvt.rni.sat.s32.f32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 89:
            asm("cvt.sat.f32.f32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 90:
            asm("cvt.rni.f32.f32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 91:
            asm("cvt.rmi.f32.f32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 92:
            asm("cvt.ftz.f32.f32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 93:
            asm("cvt.sat.s8.s32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 94:
            asm("cvt.sat.u16.s32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 95:
            asm("cvt.s32.s8 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 96:
            asm("cvt.u32.u16 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 97:
            asm("cvt.sat.u32.s32 %0, %1;" : "=r"(r) : "r"(a));
            break;
        case 98:
            asm("cvt.sat.s32.u32 %0, %1;" : "=r"(r) : "r"(a));
            break;
    }
    return r;
}
constexpr int kCases2 = 99;
