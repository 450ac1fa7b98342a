// SPDX-License-Identifier: MIT
// Cubemaps: which face a direction meets, and where.
#pragma once

#include <cmath>

namespace emulator {

struct FacePoint {
    int face;
    float x, y;  // in [0, 1]
};

// CUDA C++ Programming Guide, "Cubemap Textures": the component with the largest magnitude m
// chooses the face; the other two, s and t, give the point (s/m + 1)/2, (t/m + 1)/2.
inline FacePoint face_point(float x, float y, float z) {
    const float ax = std::fabs(x);
    const float ay = std::fabs(y);
    const float az = std::fabs(z);
    int face = 0;
    float m = 0;
    float s = 0;
    float t = 0;
    if (az >= ax && az >= ay) {
        face = std::signbit(z) ? 5 : 4;
        m = az;
        s = face == 5 ? -x : x;
        t = -y;
    } else if (ay >= ax) {
        face = std::signbit(y) ? 3 : 2;
        m = ay;
        s = x;
        t = face == 3 ? -z : z;
    } else {
        face = std::signbit(x) ? 1 : 0;
        m = ax;
        s = face == 1 ? z : -z;
        t = -y;
    }
    return {face, (s / m + 1) / 2, (t / m + 1) / 2};
}

}  // namespace emulator
