// Waiting for all blocks of a cooperative launch.
#pragma once

// Returns in every thread once all blocks have come here; what they wrote before is seen after.
// arrived: a word of the launch's own, 0 before the first wait.
__device__ __forceinline__ void wait_for_grid(unsigned* arrived) {
    constexpr unsigned TOP = 0x80000000u;
    __syncthreads();
    if (threadIdx.x == 0) {
        // one block adds what the others lack: the last to come turns the top bit
        const unsigned own = blockIdx.x == 0 ? TOP - (gridDim.x - 1) : 1;
        __threadfence();
        const unsigned before = atomicAdd(arrived, own);
        while (((*static_cast<volatile unsigned*>(arrived) ^ before) & TOP) == 0) {}
        __threadfence();
    }
    __syncthreads();
}
