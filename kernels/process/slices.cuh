// Rows of vertices in slices of a warp: entry k of vertex v of slice s = v / 32 is item
// (starts[s] + k) * 32 + v % 32, and all rows of a slice are as long as its longest. A warp reads an
// entry of its rows in one piece.
#pragma once

#include "common/real.cuh"

// The item of entry k of a vertex.
__device__ __forceinline__ size_t item_of(const unsigned* starts, unsigned vertex, unsigned k) {
    return (size_t(starts[vertex / LANES]) + k) * LANES + vertex % LANES;
}

// Stores WIDTH numbers per thread, of thread `id`, in whole lines. rows: shared, WIDTH numbers per
// thread. All threads of a warp come here, with ids in a row.
template <int WIDTH>
__device__ __forceinline__ void store_rows(real* array, real* rows, unsigned id, unsigned count,
                                           const real (&row)[WIDTH]) {
    const unsigned lane = threadIdx.x % LANES;
    real* own = rows + (threadIdx.x - lane) * WIDTH;
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) own[lane * WIDTH + i] = row[i];
    __syncwarp();
    const size_t first = size_t(id - lane) * WIDTH, end = size_t(count) * WIDTH;
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) {
        const size_t at = first + i * LANES + lane;
        if (at < end) array[at] = own[i * LANES + lane];
    }
    __syncwarp();
}

// Entries of each row of a vertex's slice.
__device__ __forceinline__ unsigned width_of(const unsigned* starts, unsigned vertex) {
    return starts[vertex / LANES + 1] - starts[vertex / LANES];
}
