// Products of rows of weights with values at their unknowns.
#pragma once

#include "process/slices.cuh"

// Neighbors and their weights, in slices.
struct Rows {
    const unsigned *slices, *ids;
    const real* weights;
    unsigned long long count;
};

// Numbers of an unknown in an array that rows are multiplied by: rows of three are padded.
template <int N>
constexpr int STRIDE = N == 3 ? 4 : N;

template <int N>
__device__ __forceinline__ void load_columns(real (&value)[STRIDE<N>], const real* of,
                                             unsigned id) {
    if constexpr (N == 3) {
        load_vectors(value, of + size_t(STRIDE<N>) * id);
    } else {
        value[0] = of[id];
    }
}

// The weighted sum of the values of an unknown's neighbors.
template <int N>
__device__ __forceinline__ void sum_row(const Rows& rows, unsigned id, const real* of,
                                        real (&sum)[N]) {
    // the neighbors of a regular vertex, if registers allow
    constexpr unsigned AHEAD = N == 1 ? 8 : DOUBLE ? 4 : 6;
    const unsigned width = width_of(rows.slices, id);
    const size_t first = item_of(rows.slices, id, 0);
#pragma unroll
    for (int c = 0; c < N; ++c) sum[c] = 0;
    for (unsigned begin = 0; begin < width; begin += AHEAD) {
        unsigned ids[AHEAD];
        real weights[AHEAD];
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            if (begin + i < width) {
                ids[i] = __ldcs(rows.ids + first + (begin + i) * LANES);
                weights[i] = __ldcs(rows.weights + first + (begin + i) * LANES);
            }
        }
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            if (begin + i < width) {
                real other[STRIDE<N>];
                load_columns<N>(other, of, ids[i]);
#pragma unroll
                for (int c = 0; c < N; ++c) sum[c] += weights[i] * other[c];
            }
        }
    }
}
