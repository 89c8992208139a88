// Cubics in Bernstein form and their roots, as src/slice/contours/root.rs.
#pragma once

__device__ void bernstein(double t, double (&b)[4]) {
    const double s = 1.0 - t;
    b[0] = s * s * s;
    b[1] = 3.0 * s * s * t;
    b[2] = 3.0 * s * t * t;
    b[3] = t * t * t;
}

__device__ double value(const double (&c)[4], double t) {
    double b[4];
    bernstein(t, b);
    return b[0] * c[0] + b[1] * c[1] + b[2] * c[2] + b[3] * c[3];
}

// Where a cubic that is monotone on [from, to] changes to above.
__device__ double solve(const double (&c)[4], double from, double to, bool above_after) {
    const double sign = above_after ? 1.0 : -1.0;
    double low = from, high = to;
    const double at_low = sign * value(c, low), at_high = sign * value(c, high);
    if (at_low == 0.0) return low;
    if (at_high == 0.0) return high;
    double t = at_high > at_low ? low - at_low / (at_high - at_low) * (high - low) : low;
    for (int step = 0; step < 64; ++step) {
        if (!(t > low && t < high)) t = 0.5 * (low + high);
        const double s = 1.0 - t;
        double a = s * c[0] + t * c[1], b = s * c[1] + t * c[2];
        const double d = s * c[2] + t * c[3];
        a = s * a + t * b;
        b = s * b + t * d;
        const double f = sign * (s * a + t * b);
        const double slope = 3.0 * (b - a);
        if (f > 0.0) {
            high = t;
        } else {
            low = t;
        }
        const double newton = f / (sign * slope);
        const double next = t - newton;
        if (fabs(newton) <= 1e-15) return fmin(fmax(next, low), high);
        if (high - low <= 1e-15) return high;
        t = next;
    }
    return fmin(fmax(t, low), high);
}

// Calls `found(t, rising)` for the roots of a cubic in [0, 1], ascending.
template <typename Found>
__device__ void roots(const double (&c)[4], Found found) {
    bool any_above = false, any_below = false;
    for (int i = 0; i < 4; ++i) {
        any_above |= c[i] > 0.0;
        any_below |= c[i] <= 0.0;
    }
    if (!any_above || !any_below) return;
    const double a = c[1] - c[0], b = c[2] - c[1], d = c[3] - c[2];
    double first = 1.0, second = 1.0;
    int spans = 1;
    if (!(a >= 0.0 && b >= 0.0 && d >= 0.0) && !(a <= 0.0 && b <= 0.0 && d <= 0.0)) {
        // a (1-t)^2 + 2b t(1-t) + d t^2
        const double square = a - 2.0 * b + d, half = b - a;
        const double discriminant = half * half - square * a;
        if (discriminant >= 0.0) {
            const double q = -(half + copysign(sqrt(discriminant), half));
            double low = q / square, high = a / q;
            if (low > high) {
                const double other = low;
                low = high;
                high = other;
            }
            const bool low_inside = low > 0.0 && low < 1.0;
            const bool high_inside = high > 0.0 && high < 1.0;
            if (low_inside) {
                first = low;
                spans = 2;
            }
            if (high_inside) {
                (low_inside ? second : first) = high;
                ++spans;
            }
        }
    }
    double from = 0.0;
    for (int span = 0; span < spans; ++span) {
        const double to = span + 1 == spans ? 1.0 : span == 0 ? first : second;
        const bool before = value(c, from) > 0.0, after = value(c, to) > 0.0;
        if (before != after) found(solve(c, from, to, after), after);
        from = to;
    }
}
