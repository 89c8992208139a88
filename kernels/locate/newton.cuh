// Parts of a solid in which Newton's method decides where a point is, as src/locate/device.rs
// makes them.
#pragma once

#include "common/real.cuh"

// Newton steps at most; points that need more are left to the CPU.
constexpr int STEPS = 8;
// A step so short was the last: the error that it leaves is about its square.
constexpr double SHORT = 1e-7;
// How far beyond [0, 1] a part with points is one-to-one.
constexpr double MARGIN = 0.125;

// A box of parameters on which the limit is tricubic and nearly affine; or, without points,
// one that only the CPU can look into.
struct Part {
    // y(x) = inverse x + offset is about the part's own parameters of x
    double inverse[3][3], offset[3];
    // beyond these y, a point is not in the part
    double low[3], high[3];
    // how far from [0, 1] a point is in the part for certain, and how far it is not any more
    double enough[3], most[3];
    // the part in the element's parameters
    double origin[3], size[3];
    // its Bézier points, or NONE
    unsigned points;
    unsigned piece, element, padding;
};

enum class Answer { outside, undecided, inside };

// Bernstein polynomials and their derivatives.
__device__ __forceinline__ void bernstein(double t, double (&b)[4], double (&d)[4]) {
    const double s = 1.0 - t, s2 = s * s, t2 = t * t, st = s * t;
    b[0] = s2 * s;
    b[1] = 3.0 * s2 * t;
    b[2] = 3.0 * s * t2;
    b[3] = t2 * t;
    d[0] = -3.0 * s2;
    d[1] = 3.0 * (s2 - 2.0 * st);
    d[2] = 3.0 * (2.0 * st - t2);
    d[3] = 3.0 * t2;
}

// Four points, [u][xyz], from an address that is a multiple of 16 bytes.
__device__ __forceinline__ void load_line(double (&line)[12], const double* from) {
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        const double2 pair = __ldg(reinterpret_cast<const double2*>(from) + i);
        line[2 * i] = pair.x;
        line[2 * i + 1] = pair.y;
    }
}

// Bernstein polynomial k and its derivative.
__device__ __forceinline__ double2 bernstein(double t, int k) {
    const double s = 1.0 - t;
    if (k == 0) return make_double2(s * s * s, -3.0 * s * s);
    if (k == 1) return make_double2(3.0 * s * s * t, 3.0 * s * (s - 2.0 * t));
    if (k == 2) return make_double2(3.0 * s * t * t, 3.0 * t * (2.0 * s - t));
    return make_double2(t * t * t, 3.0 * t * t);
}

// Point and derivatives by u, v, w of Bézier points [w][v][u][xyz].
__device__ __forceinline__ void jet(const double* __restrict__ points, const double (&t)[3],
                                    double (&sums)[4][3]) {
    double u[4], du[4], v[4], dv[4], w[4], dw[4];
    bernstein(t[0], u, du);
    bernstein(t[1], v, dv);
    bernstein(t[2], w, dw);
#pragma unroll
    for (int q = 0; q < 4; ++q) {
#pragma unroll
        for (int d = 0; d < 3; ++d) sums[q][d] = 0.0;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        // value, by u, by v
        double across[3][3] = {};
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            double line[12];
            load_line(line, points + 48 * k + 12 * j);
#pragma unroll
            for (int d = 0; d < 3; ++d) {
                const double value =
                    u[0] * line[d] + u[1] * line[3 + d] + u[2] * line[6 + d] + u[3] * line[9 + d];
                const double slope = du[0] * line[d] + du[1] * line[3 + d] + du[2] * line[6 + d] +
                                     du[3] * line[9 + d];
                across[0][d] += v[j] * value;
                across[1][d] += v[j] * slope;
                across[2][d] += dv[j] * value;
            }
        }
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            sums[0][d] += w[k] * across[0][d];
            sums[1][d] += w[k] * across[1][d];
            sums[2][d] += w[k] * across[2][d];
            sums[3][d] += dw[k] * across[0][d];
        }
    }
}

// The point alone.
__device__ __forceinline__ void point_at(const double* __restrict__ points, const double (&t)[3],
                                         double (&sum)[3]) {
    double u[4], v[4], slopes[4];
    bernstein(t[0], u, slopes);
    bernstein(t[1], v, slopes);
    sum[0] = sum[1] = sum[2] = 0.0;
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
        const double w = bernstein(t[2], k).x;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            double line[12];
            load_line(line, points + 48 * k + 12 * j);
            const double weight = v[j] * w;
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                sum[c] += weight * (u[0] * line[c] + u[1] * line[3 + c] + u[2] * line[6 + c] +
                                    u[3] * line[9 + c]);
            }
        }
    }
}

// One Newton step from t toward x, kept near the part. Returns how long it was, or what is
// not a number.
__device__ __forceinline__ double newton(const double* __restrict__ points, const double (&x)[3],
                                         double (&t)[3]) {
    double sums[4][3];
    jet(points, t, sums);
    const double(&a)[3] = sums[1], (&b)[3] = sums[2], (&c)[3] = sums[3];
    const double r[3] = {x[0] - sums[0][0], x[1] - sums[0][1], x[2] - sums[0][2]};
    const auto dot_cross = [](const double(&p)[3], const double(&q)[3], const double(&s)[3]) {
        return p[0] * (q[1] * s[2] - q[2] * s[1]) + p[1] * (q[2] * s[0] - q[0] * s[2]) +
               p[2] * (q[0] * s[1] - q[1] * s[0]);
    };
    const double scale = 1.0 / dot_cross(a, b, c);
    const double steps[3] = {dot_cross(r, b, c) * scale, dot_cross(r, c, a) * scale,
                             dot_cross(r, a, b) * scale};
    double longest = 0.0;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        t[d] = fmin(fmax(t[d] + steps[d], -MARGIN), 1.0 + MARGIN);
        const double length = fabs(steps[d]);
        longest = length <= longest ? longest : length;
    }
    return longest;
}

// About the part's own parameters of x; false if x is not in the part.
__device__ __forceinline__ bool guess(const Part& part, const double (&x)[3], double (&y)[3]) {
    bool maybe = true;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        y[d] = part.inverse[d][0] * x[0] + part.inverse[d][1] * x[1] + part.inverse[d][2] * x[2] +
               part.offset[d];
        maybe &= y[d] >= part.low[d] && y[d] <= part.high[d];
    }
    return maybe;
}

// Whether x is in the part, and its parameters there, from a guess.
__device__ __forceinline__ Answer decide(const Part& part, const double* __restrict__ all_points,
                                         const double (&x)[3], double (&t)[3]) {
    if (part.points == NONE) return Answer::undecided;
    const double* const points = all_points + size_t(192) * part.points;
#pragma unroll
    for (int d = 0; d < 3; ++d) t[d] = fmin(fmax(t[d], -MARGIN), 1.0 + MARGIN);
    bool settled = false;
#pragma unroll 1
    for (int step = 0; step < STEPS && !settled; ++step) settled = newton(points, x, t) <= SHORT;
    if (!settled) return Answer::undecided;
    bool inside = true, near = true;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        inside &= t[d] >= -part.enough[d] && t[d] <= 1.0 + part.enough[d];
        near &= t[d] >= -part.most[d] && t[d] <= 1.0 + part.most[d];
        t[d] = fmin(fmax(t[d], 0.0), 1.0);
    }
    return inside ? Answer::inside : near ? Answer::undecided : Answer::outside;
}

// The element's parameters of a part's own.
__device__ __forceinline__ void in_element(const Part& part, const double (&t)[3],
                                           double (&p)[3]) {
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        p[d] = fmin(fmax(part.origin[d] + part.size[d] * t[d], 0.0), 1.0);
    }
}
