// Uniform cubic B-spline, mirror of src/basis/bspline.rs.
#pragma once

#include "real.cuh"

// Weights of the four control points of a segment for derivative `order` at u in [0, 1].
__device__ __forceinline__ void bspline_weights(int order, real u, real (&b)[4]) {
    const real s = real(1) - u;
    const real sixth = real(1.0 / 6.0);
    if (order == 0) {
        b[0] = s * s * s * sixth;
        b[1] = u * u * (real(0.5) * u - real(1)) + real(2.0 / 3.0);
        b[2] = s * s * (real(0.5) * s - real(1)) + real(2.0 / 3.0);
        b[3] = u * u * u * sixth;
    } else if (order == 1) {
        b[0] = -real(0.5) * s * s;
        b[1] = u * (real(1.5) * u - real(2));
        b[2] = -s * (real(1.5) * s - real(2));
        b[3] = real(0.5) * u * u;
    } else {
        b[0] = s;
        b[1] = real(3) * u - real(2);
        b[2] = real(3) * s - real(2);
        b[3] = u;
    }
}
