// Uniform cubic B-spline, mirror of src/basis/bspline.rs.
#pragma once

#include "common/real.cuh"

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

// Weights of the control points along an axis for all derivatives below ORDERS, at `local` in a
// leaf of size 1 / speed. Bits 0 and 1 of `ends`: there is no control point beyond the low and
// high end; the phantom 2 near - next in its place is folded into the weights.
template <int ORDERS>
__device__ __forceinline__ void axis_weights(real local, unsigned ends, real speed,
                                             real (&b)[ORDERS][4]) {
    real factor = 1;
#pragma unroll
    for (int order = 0; order < ORDERS; ++order) {
        real(&w)[4] = b[order];
        bspline_weights(order, local, w);
        if (ends & 1) {
            w[1] += 2 * w[0];
            w[2] -= w[0];
            w[0] = 0;
        }
        if (ends & 2) {
            w[2] += 2 * w[3];
            w[1] -= w[3];
            w[3] = 0;
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) w[i] *= factor;
        factor *= speed;
    }
}
