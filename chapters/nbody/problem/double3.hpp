// SPDX-License-Identifier: MIT
// Float64 vectors of the inputs and the oracle; never in a stage.
#pragma once

#include <cmath>

#include "problem/nbody.hpp"

namespace nbody {

struct Double3 {
    double x = 0, y = 0, z = 0;

    Double3& operator+=(const Double3& other) {
        x += other.x;
        y += other.y;
        z += other.z;
        return *this;
    }
    friend Double3 operator+(Double3 a, const Double3& b) { return a += b; }
    friend Double3 operator-(const Double3& a, const Double3& b) {
        return {a.x - b.x, a.y - b.y, a.z - b.z};
    }
    friend Double3 operator*(double factor, const Double3& v) {
        return {factor * v.x, factor * v.y, factor * v.z};
    }
};

inline double dot(const Double3& a, const Double3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double norm(const Double3& v) { return std::sqrt(dot(v, v)); }
inline Double3 cross(const Double3& a, const Double3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Double3 position_of(const Body& body) { return {body.x, body.y, body.z}; }
inline Double3 to_double(const Vector3& v) { return {v.x, v.y, v.z}; }

}  // namespace nbody
