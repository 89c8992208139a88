// The floor of every evaluation: writing as many bytes and doing nothing else.
#include "stage.cuh"

constexpr int THREADS = 128;

// Coalesced 16-byte stores over the whole output.
extern "C" __global__ void __launch_bounds__(THREADS)
    write_vectors(Vector* __restrict__ to, unsigned long long count, unsigned salt) {
    Vector value;
    value.x = real(salt + threadIdx.x);
    value.y = value.x + real(0.5);
#if !DOUBLE
    value.z = value.x + real(0.25);
    value.w = value.x + real(0.125);
#endif
    const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * THREADS;
    for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * THREADS + threadIdx.x;
         i < count; i += step) {
        __stcs(to + i, value);
    }
}

#if BULK
constexpr int CHUNK = 6144;

// Bulk copies of staged data, a warp a chunk.
extern "C" __global__ void __launch_bounds__(THREADS)
    write_bulk(Vector* __restrict__ to, unsigned long long chunks, unsigned salt) {
    __shared__ __align__(16) Vector stage[CHUNK / 16];
    for (int i = threadIdx.x; i < CHUNK / 16; i += THREADS) {
        stage[i].x = real(salt + i);
        stage[i].y = real(salt) + real(0.5);
    }
    publish_stage();
    __syncthreads();
    if (threadIdx.x % LANES != 0) return;
    const unsigned long long warps = static_cast<unsigned long long>(gridDim.x) * THREADS / LANES;
    for (unsigned long long chunk =
             static_cast<unsigned long long>(blockIdx.x) * THREADS / LANES + threadIdx.x / LANES;
         chunk < chunks; chunk += warps) {
        bulk_copy(to + chunk * (CHUNK / 16), stage, CHUNK);
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
#endif
