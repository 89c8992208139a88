// Unit normals from two tangents.
#pragma once

#include "common/real.cuh"

__device__ __forceinline__ void unit_normal(const real (&a)[3], const real (&b)[3],
                                            real (&normal)[3]) {
    // of vectors of size 1, so that neither small nor large ones are lost
    const real size_a = fmax(fmax(fabs(a[0]), fabs(a[1])), fabs(a[2]));
    const real size_b = fmax(fmax(fabs(b[0]), fabs(b[1])), fabs(b[2]));
    const real to_a = real(1) / size_a, to_b = real(1) / size_b;
    const real x[3] = {a[0] * to_a, a[1] * to_a, a[2] * to_a};
    const real y[3] = {b[0] * to_b, b[1] * to_b, b[2] * to_b};
    const real c[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                       x[0] * y[1] - x[1] * y[0]};
    const real area = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    const real lengths = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) *
                         (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    // the cross product of parallel vectors is rounding
    constexpr real ROUNDING = DOUBLE ? real(1e-28) : real(1e-12);
    const real scale = area > ROUNDING * lengths ? rsqrt(area) : real(__int_as_float(0x7fffffff));
#pragma unroll
    for (int d = 0; d < 3; ++d) normal[d] = c[d] * scale;
}
