// Write bandwidth: stores as many bytes as an evaluation and does nothing else, by coalesced
// stores and, on Hopper and later, by bulk copies. Its time bounds every evaluation from below.
//
// Plain reference: none, its output is never read.
#include "common/shared.cuh"
#include "common/stage.cuh"

constexpr int THREADS = 128;

// Bits that look random, as in results: memory may take simpler data faster.
__device__ __forceinline__ unsigned mixed(unsigned bits) {
    bits *= 0x9e3779b9u;
    bits ^= bits >> 15;
    bits *= 0x85ebca6bu;
    return bits ^ bits >> 13;
}

// Coalesced 16-byte stores over the whole output.
extern "C" __global__ void __launch_bounds__(THREADS)
    write_vectors(uint4* __restrict__ to, unsigned long long count, unsigned salt) {
    const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * THREADS;
    for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * THREADS + threadIdx.x;
         i < count; i += step) {
        const unsigned bits = mixed(static_cast<unsigned>(i) + salt);
        __stcs(to + i, make_uint4(bits, mixed(bits), bits * 0xc2b2ae35u, mixed(bits + 1)));
    }
}

#if BULK
constexpr int CHUNK = host::WRITE_CHUNK;

// Bulk copies of staged data, a warp a chunk.
extern "C" __global__ void __launch_bounds__(THREADS)
    write_bulk(uint4* __restrict__ to, unsigned long long chunks, unsigned salt) {
    __shared__ __align__(16) unsigned stage[CHUNK / 4];
    for (int i = threadIdx.x; i < CHUNK / 4; i += THREADS) {
        stage[i] = mixed(blockIdx.x * (CHUNK / 4) + i + salt);
    }
    publish_stage();
    __syncthreads();
    if (threadIdx.x % LANES != 0) return;
    const unsigned long long warps = static_cast<unsigned long long>(gridDim.x) * THREADS / LANES;
    for (unsigned long long chunk =
             static_cast<unsigned long long>(blockIdx.x) * THREADS / LANES + threadIdx.x / LANES;
         chunk < chunks; chunk += warps) {
        bulk_copy(to + chunk * (CHUNK / 16), stage, CHUNK);
        commit_stage();
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
#endif
