// Points and vectors of surfaces.
#pragma once

#include "common/real.cuh"

struct Vector3 {
    real x, y, z;
};

// Points have four numbers: x, y, z and one that pads them to whole vectors.
__device__ __forceinline__ Vector3 load_point(const real* points, unsigned id) {
    real p[4];
    load_vectors(p, points + 4 * size_t(id));
    return {p[0], p[1], p[2]};
}

__device__ __forceinline__ Vector3 operator+(Vector3 a, Vector3 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

__device__ __forceinline__ Vector3 operator-(Vector3 a, Vector3 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

__device__ __forceinline__ Vector3 operator*(real s, Vector3 a) { return {s * a.x, s * a.y, s * a.z}; }

__device__ __forceinline__ real dot(Vector3 a, Vector3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ __forceinline__ Vector3 cross(Vector3 a, Vector3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// sum + a x b, by as many operations as the product alone.
__device__ __forceinline__ Vector3 add_cross(Vector3 sum, Vector3 a, Vector3 b) {
    return {sum.x + a.y * b.z - a.z * b.y, sum.y + a.z * b.x - a.x * b.z,
            sum.z + a.x * b.y - a.y * b.x};
}

// The least number that has a reciprocal.
constexpr real MIN_POSITIVE = DOUBLE ? 2.2250738585072014e-308 : 1.17549435e-38;

// 1 / x; in single precision within 1 unit in the last place, by one instruction.
__device__ __forceinline__ real reciprocal(real x) {
#if DOUBLE
    return 1 / x;
#else
    float found;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(found) : "f"(x));
    return found;
#endif
}

__device__ __forceinline__ real norm(Vector3 a) { return sqrt(dot(a, a)); }

// In single precision within 2 units in the last place.
__device__ __forceinline__ real reciprocal_norm(Vector3 a) { return rsqrt(dot(a, a)); }

// The two other vertices of a triangle: the one behind `vertex`, and the one before it.
__device__ __forceinline__ uint2 others(const unsigned* triangles, unsigned face, unsigned vertex) {
    const unsigned* v = triangles + 3 * size_t(face);
    const unsigned a = __ldg(v), b = __ldg(v + 1), c = __ldg(v + 2);
    if (a == vertex) return {b, c};
    if (b == vertex) return {c, a};
    return {a, b};
}

// Cotangent of the angle at `p` of the triangle p, a, b; the same bits for p, b, a.
__device__ __forceinline__ real cotangent(Vector3 p, Vector3 a, Vector3 b) {
    const Vector3 u = a - p, v = b - p;
    return dot(u, v) / norm(cross(u, v));
}
