// Which outputs an evaluation has: the value, then first derivatives u, v, w if FIRST,
// then second derivatives uu, vv, ww, uv, uw, vw if SECOND (src/plan: wanted_orders).
#pragma once

constexpr int OUTPUTS = 1 + (FIRST ? 3 : 0) + (SECOND ? 6 : 0);

// Derivative orders that occur along one axis: 0 to ORDERS - 1.
constexpr int ORDERS = SECOND ? 3 : FIRST ? 2 : 1;

// Number of the output with these orders along u, v and w; -1 if it is not wanted.
__device__ constexpr int output_of(int u, int v, int w) {
    const int total = u + v + w;
    if (total == 0) return 0;
    if (total == 1) return FIRST ? (u ? 1 : v ? 2 : 3) : -1;
    if (total > 2 || !SECOND) return -1;
    const int first = FIRST ? 4 : 1;
    if (u == 2) return first;
    if (v == 2) return first + 1;
    if (w == 2) return first + 2;
    return first + (w == 0 ? 3 : v == 0 ? 4 : 5);
}

// Whether any wanted output has these orders along u and v (v < 0: any).
__device__ constexpr bool is_wanted(int u, int v) {
    for (int b = 0; b < ORDERS; ++b) {
        for (int w = 0; w < ORDERS; ++w) {
            if ((v < 0 || v == b) && output_of(u, b, w) >= 0) return true;
        }
    }
    return false;
}
