// Points of surfaces.
#pragma once
#include "common/real.cuh"

struct Point {
    real x, y, z;
};

__device__ __forceinline__ Point operator+(Point a, Point b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

__device__ __forceinline__ Point operator*(Point a, real s) {
    return {a.x * s, a.y * s, a.z * s};
}

__device__ __forceinline__ Point middle(Point a, Point b) { return (a + b) * real(0.5); }

// a (1 - t) + b t
__device__ __forceinline__ Point blend(Point a, Point b, double t) {
    return a * real(1.0 - t) + b * real(t);
}
