// Rows of vertices in slices of a warp: entry k of vertex v of slice s = v / 32 is item
// (starts[s] + k) * 32 + v % 32, and all rows of a slice are as long as its longest. A warp reads an
// entry of its rows in one piece.
#pragma once

#include "common/real.cuh"

// The item of entry k of a vertex.
__device__ __forceinline__ size_t item_of(const unsigned* starts, unsigned vertex, unsigned k) {
    return (size_t(starts[vertex / LANES]) + k) * LANES + vertex % LANES;
}

// Entries of each row of a vertex's slice.
__device__ __forceinline__ unsigned width_of(const unsigned* starts, unsigned vertex) {
    return starts[vertex / LANES + 1] - starts[vertex / LANES];
}
