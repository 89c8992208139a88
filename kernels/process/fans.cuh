// Products of cotangent weights, found from the points whenever they are used, with values at the
// neighbors of a vertex.
//
//     fan of neighbors, points, values > cotangents of each triangle > weighted sum
//
// As RXMesh has it (Mahmoud et al. 2021, section 7); two neighbors beside each other in a fan
// (kernels/process/slices.cu) have a triangle with the vertex in common.
//
// Plain reference: src/process/surface/products.rs.
#pragma once

#include "process/rows.cuh"
#include "process/vector.cuh"

// The sum over the neighbors of an unknown of weight times value, where the weight is half the
// cotangents of the angles opposite to the edge; returns the sum of the weights. rows: fans for
// ids, and points for weights. SCALED: with the fourth numbers of both points as factors.
template <bool SCALED, int N>
__device__ __forceinline__ real sum_fan(const Rows& rows, unsigned id, const real* of,
                                        real (&sum)[N]) {
    // more take too many registers
    constexpr unsigned AHEAD = DOUBLE ? 2 : 4;
    const unsigned width = width_of(rows.slices, id);
    const size_t first = item_of(rows.slices, id, 0);
    real own[4];
    load_vectors(own, rows.weights + 4 * size_t(id));
    const Vector3 p = {own[0], own[1], own[2]};
    Vector3 last{};
    real value[N] = {}, all = 0;
#pragma unroll
    for (int c = 0; c < N; ++c) sum[c] = 0;
    for (unsigned begin = 0; begin < width; begin += AHEAD) {
        real points[AHEAD][4], values[AHEAD][STRIDE<N>];
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            const unsigned k = begin + i;
            const unsigned other = k < width ? __ldcs(rows.ids + first + k * LANES) : id;
            load_vectors(points[i], rows.weights + 4 * size_t(other));
            load_columns<N>(values[i], of, other);
        }
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            const Vector3 next = Vector3{points[i][0], points[i][1], points[i][2]} - p;
            const Vector3 normal = cross(last, next), side = next - last;
            const real square = dot(normal, normal);
            // no triangle where one of them is the vertex itself
            const real half = square > 0 ? rsqrt(square) / 2 : 0;
            const real of_last = half * dot(next, side), of_next = -half * dot(last, side);
            all += of_last + of_next;
#pragma unroll
            for (int c = 0; c < N; ++c) {
                const real there = SCALED ? points[i][3] * values[i][c] : values[i][c];
                sum[c] += of_last * value[c] + of_next * there;
                value[c] = there;
            }
            last = next;
        }
    }
    if (SCALED) {
#pragma unroll
        for (int c = 0; c < N; ++c) sum[c] *= own[3];
    }
    return all;
}
