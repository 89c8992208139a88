// Radix sort of keys with values, least significant digit first, and exclusive scans.
//
//     one block         sort_block, scan_block: a few thousand items, or the sums of tiles
//     any number        count_digits > scan > move_items, a digit of 8 bits a pass;
//                       sum_tiles > scan_block > scan_tiles
//
// Items of equal digits keep their order, so that every result is the same on any device.
// LONG_KEYS: keys of 64 bits instead of 32.
//
// Plain reference: the standard library's stable sort and running sums (tests/gpu/sort.rs).
#include "common/shared.cuh"
#include "common/sort.cuh"

#if LONG_KEYS
using Key = unsigned long long;
#else
using Key = unsigned;
#endif

constexpr unsigned THREADS = host::SORT_THREADS;
constexpr unsigned WARPS = THREADS / LANES;
constexpr unsigned TILE = host::SORT_TILE;
constexpr unsigned ROUNDS = TILE / THREADS;

__device__ __forceinline__ unsigned digit_of(Key key, unsigned shift) {
    return unsigned(key >> shift) & (DIGITS - 1);
}

// counts: [digit][tile]
extern "C" __global__ void __launch_bounds__(THREADS)
    count_digits(const Key* __restrict__ keys, unsigned count, unsigned shift,
                 unsigned* __restrict__ counts) {
    __shared__ unsigned digits[DIGITS];
    digits[threadIdx.x] = 0;
    __syncthreads();
    const unsigned first = blockIdx.x * TILE + threadIdx.x;
#pragma unroll 4
    for (unsigned k = 0; k < ROUNDS; ++k) {
        const unsigned i = first + k * THREADS;
        if (i < count) atomicAdd(&digits[digit_of(keys[i], shift)], 1);
    }
    __syncthreads();
    counts[size_t(threadIdx.x) * gridDim.x + blockIdx.x] = digits[threadIdx.x];
}

// places: [digit][tile], the first place of each. Without values an item's own number is its.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    move_items(const Key* __restrict__ keys, const unsigned* __restrict__ values, unsigned count,
               unsigned shift, const unsigned* __restrict__ places, Key* __restrict__ moved_keys,
               unsigned* __restrict__ moved_values) {
    __shared__ unsigned counters[WARPS][DIGITS];
#pragma unroll
    for (unsigned w = 0; w < WARPS; ++w) counters[w][threadIdx.x] = 0;
    __syncthreads();
    const unsigned first = blockIdx.x * TILE + LANES * ROUNDS * warp_id() + lane_id();
    unsigned* const own = counters[warp_id()];
    Key key[ROUNDS];
    unsigned rank[ROUNDS];
#pragma unroll
    for (unsigned k = 0; k < ROUNDS; ++k) {
        const unsigned i = first + k * LANES;
        key[k] = i < count ? keys[i] : 0;
    }
#pragma unroll
    for (unsigned k = 0; k < ROUNDS; ++k) {
        const unsigned among = __ballot_sync(ALL_LANES, first + k * LANES < count);
        rank[k] = rank_in_warp(own, digit_of(key[k], shift), among);
    }
    __syncthreads();
    unsigned place = places[size_t(threadIdx.x) * gridDim.x + blockIdx.x];
    counters_to_places(counters, place);
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < ROUNDS; ++k) {
        const unsigned i = first + k * LANES;
        if (i >= count) break;
        const unsigned to = own[digit_of(key[k], shift)] + rank[k];
        moved_keys[to] = key[k];
        moved_values[to] = values == nullptr ? i : values[i];
    }
}

#if !LONG_KEYS
// Up to 8192 items. Without values an item's own number is its.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS)
    sort_block(const unsigned* keys, const unsigned* values, unsigned count, unsigned bits,
               unsigned* sorted_keys, unsigned* sorted_values) {
    __shared__ BlockSort shared;
    const unsigned rounds = (count + BLOCK_THREADS - 1) / BLOCK_THREADS;
    unsigned key[BLOCK_ROUNDS], value[BLOCK_ROUNDS];
#pragma unroll
    for (unsigned k = 0; k < BLOCK_ROUNDS; ++k) {
        const unsigned i = block_item(rounds, k);
        const bool there = k < rounds && i < count;
        key[k] = there ? keys[i] : ~0u;
        value[k] = there && values != nullptr ? values[i] : i;
    }
    sort_in_block(shared, rounds, bits, key, value);
#pragma unroll
    for (unsigned k = 0; k < BLOCK_ROUNDS; ++k) {
        const unsigned i = block_item(rounds, k);
        if (k >= rounds || i >= count) continue;
        sorted_keys[i] = key[k];
        sorted_values[i] = value[k];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    sum_tiles(const unsigned* __restrict__ values, unsigned count, unsigned* __restrict__ sums) {
    __shared__ unsigned warps[LANES];
    unsigned sum = 0, total;
    const unsigned first = blockIdx.x * TILE + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < ROUNDS; ++k) {
        const unsigned i = first + k * THREADS;
        if (i < count) sum += values[i];
    }
    sum_before<THREADS>(sum, total, warps);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// One block. `sums` may be `values`; behind the last stands the sum of all, if it is wanted.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS)
    scan_block(const unsigned* values, unsigned count, unsigned* sums, unsigned with_total) {
    __shared__ unsigned warps[LANES];
    constexpr unsigned EACH = 4;
    unsigned before = 0;
    for (unsigned start = 0; start < count; start += EACH * BLOCK_THREADS) {
        const unsigned first = start + EACH * threadIdx.x;
        unsigned value[EACH], sum = 0, total;
#pragma unroll
        for (unsigned k = 0; k < EACH; ++k) {
            value[k] = first + k < count ? values[first + k] : 0;
            sum += value[k];
        }
        unsigned here = before + sum_before<BLOCK_THREADS>(sum, total, warps);
#pragma unroll
        for (unsigned k = 0; k < EACH; ++k) {
            if (first + k < count) sums[first + k] = here;
            here += value[k];
        }
        before += total;
    }
    if (with_total != 0 && threadIdx.x == 0) sums[count] = before;
}

// `before`: sums of the tiles before each. The sum of all stands behind the last.
extern "C" __global__ void __launch_bounds__(THREADS)
    scan_tiles(const unsigned* values, unsigned count, const unsigned* __restrict__ before,
               unsigned* sums) {
    __shared__ unsigned warps[LANES];
    unsigned sum_here = before[blockIdx.x];
#pragma unroll 1
    for (unsigned k = 0; k < ROUNDS; k += 4) {
        // four neighbors per thread
        const unsigned first = blockIdx.x * TILE + k * THREADS + 4 * threadIdx.x;
        unsigned value[4], sum = 0, total;
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) {
            value[j] = first + j < count ? values[first + j] : 0;
            sum += value[j];
        }
        unsigned here = sum_here + sum_before<THREADS>(sum, total, warps);
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) {
            if (first + j < count) sums[first + j] = here;
            here += value[j];
            if (first + j + 1 == count) sums[count] = here;
        }
        sum_here += total;
    }
}
#endif
