// Sums over all threads of a cooperative launch, in an order of their own: the same bits in every run.
#pragma once

#include "common/grid_barrier.cuh"
#include "common/real.cuh"

// Sums the values of all threads of the block; in every thread.
template <int THREADS, int SUMS>
__device__ __forceinline__ void reduce(double (&values)[SUMS]) {
    __shared__ double of_warps[SUMS][THREADS / LANES];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
#pragma unroll
    for (int i = 0; i < SUMS; ++i) {
        for (int other = LANES / 2; other > 0; other /= 2) {
            values[i] += __shfl_xor_sync(ALL_LANES, values[i], other);
        }
        if (lane == 0) of_warps[i][warp] = values[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SUMS; ++i) {
        values[i] = of_warps[i][0];
        for (int other = 1; other < THREADS / LANES; ++other) values[i] += of_warps[i][other];
    }
    __syncthreads();
}

// Room for the sums of blocks: two halves, that take turns.
struct Partial {
    // [half][SUMS][block]
    double* sums;
    unsigned half;
};

// The same of all blocks, which wait for one another.
template <int THREADS, int SUMS>
__device__ __forceinline__ void reduce_all(double (&values)[SUMS], Partial& partial,
                                           unsigned* arrived) {
    reduce<THREADS>(values);
    double* own = partial.sums + size_t(partial.half) * SUMS * gridDim.x;
    partial.half ^= 1;
    if (threadIdx.x == 0) {
#pragma unroll
        for (int i = 0; i < SUMS; ++i) own[i * gridDim.x + blockIdx.x] = values[i];
    }
    wait_for_grid(arrived);
#pragma unroll
    for (int i = 0; i < SUMS; ++i) {
        values[i] = 0;
        for (unsigned block = threadIdx.x; block < gridDim.x; block += THREADS) {
            values[i] += own[i * gridDim.x + block];
        }
    }
    reduce<THREADS>(values);
}
