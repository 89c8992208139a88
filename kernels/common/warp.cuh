// Threads of a warp, and sums over them.
#pragma once

#include "common/constants.cuh"

__device__ __forceinline__ unsigned lane_id() { return threadIdx.x % LANES; }
__device__ __forceinline__ unsigned warp_id() { return threadIdx.x / LANES; }

// Sum over this lane and those before it.
__device__ __forceinline__ unsigned sum_up_to(unsigned value) {
#pragma unroll
    for (unsigned step = 1; step < LANES; step *= 2) {
        const unsigned other = __shfl_up_sync(ALL_LANES, value, step);
        if (lane_id() >= step) value += other;
    }
    return value;
}
