// Stable ranks of digits, sums over blocks, searches in sorted lists: what sorts and scans are
// made of.
#pragma once

#include "common/shared.cuh"
#include "common/warp.cuh"

constexpr unsigned DIGIT_BITS = host::DIGIT_BITS;
constexpr unsigned DIGITS = 1 << DIGIT_BITS;

// Lanes among some whose digit is this lane's.
__device__ __forceinline__ unsigned lanes_alike(unsigned digit, unsigned among) {
    unsigned alike = among;
#pragma unroll
    for (unsigned bit = 0; bit < DIGIT_BITS; ++bit) {
        const bool set = digit >> bit & 1;
        const unsigned with = __ballot_sync(ALL_LANES, set);
        alike &= set ? with : ~with;
    }
    return alike;
}

// How many items of this digit the warp has met so far in `counters`, which then count these
// too. Lanes are met in order; those not `among` the lanes do not count.
__device__ __forceinline__ unsigned rank_in_warp(unsigned* counters, unsigned digit,
                                                 unsigned among) {
    const unsigned alike = lanes_alike(digit, among), lane = lane_id();
    const bool counts = among >> lane & 1;
    const unsigned before = counts ? counters[digit] : 0;
    __syncwarp();
    if (counts && alike >> lane == 1) counters[digit] = before + __popc(alike);
    __syncwarp();
    return before + __popc(alike & ((1u << lane) - 1));
}

// Turns counters [warp][digit] of a block of DIGITS threads into the first places of items: items
// of a thread's digit come warp by warp, from `place` on, which becomes the end of the last.
template <unsigned WARPS>
__device__ __forceinline__ void counters_to_places(unsigned (&counters)[WARPS][DIGITS],
                                                   unsigned& place) {
#pragma unroll
    for (unsigned w = 0; w < WARPS; ++w) {
        const unsigned here = counters[w][threadIdx.x];
        counters[w][threadIdx.x] = place;
        place += here;
    }
}

// Sum over the threads of the block before this one, and over all.
template <unsigned THREADS>
__device__ __forceinline__ unsigned sum_before(unsigned value, unsigned& total,
                                               unsigned (&sums)[LANES]) {
    const unsigned sum = sum_up_to(value);
    __syncthreads(); // of an earlier call
    if (lane_id() == LANES - 1) sums[warp_id()] = sum;
    __syncthreads();
    if (warp_id() == 0) {
        const unsigned all = sum_up_to(lane_id() < THREADS / LANES ? sums[lane_id()] : 0);
        __syncwarp();
        sums[lane_id()] = all;
    }
    __syncthreads();
    total = sums[THREADS / LANES - 1];
    return sum - value + (warp_id() == 0 ? 0 : sums[warp_id() - 1]);
}

// The first entry of a sorted list that is not below.
__device__ __forceinline__ unsigned lower_bound(const unsigned* __restrict__ keys, unsigned count,
                                                unsigned bound) {
    unsigned low = 0, high = count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (keys[middle] < bound) low = middle + 1;
        else high = middle;
    }
    return low;
}

// A block sorts its items in registers: item k of a thread is number
// 32 (rounds warp + k) + lane. Items beyond the last have keys of ones.
constexpr unsigned BLOCK_THREADS = host::BLOCK_THREADS;
constexpr unsigned BLOCK_ITEMS = host::BLOCK_ITEMS;
constexpr unsigned BLOCK_ROUNDS = BLOCK_ITEMS / BLOCK_THREADS;

// counters of two warps are so far apart that threads meet different banks
constexpr unsigned PITCH = DIGITS + 1;

struct BlockSort {
    unsigned words[BLOCK_THREADS / LANES * PITCH]; // counters [warp], then items on their way
    unsigned sums[LANES];
};

__device__ __forceinline__ unsigned block_item(unsigned rounds, unsigned k) {
    return LANES * (rounds * warp_id() + k) + lane_id();
}

__device__ __forceinline__ void exchange(BlockSort& shared, unsigned rounds,
                                         const unsigned (&places)[BLOCK_ROUNDS],
                                         unsigned (&items)[BLOCK_ROUNDS]) {
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < BLOCK_ROUNDS; ++k) {
        if (k < rounds) shared.words[places[k]] = items[k];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < BLOCK_ROUNDS; ++k) {
        if (k < rounds) items[k] = shared.words[block_item(rounds, k)];
    }
}

// Sorts by the lowest `bits` of the keys, stably. All threads of the block call it.
__device__ __forceinline__ void sort_in_block(BlockSort& shared, unsigned rounds, unsigned bits,
                                              unsigned (&keys)[BLOCK_ROUNDS],
                                              unsigned (&values)[BLOCK_ROUNDS]) {
    constexpr unsigned WARPS = BLOCK_THREADS / LANES;
    unsigned places[BLOCK_ROUNDS];
    for (unsigned shift = 0; shift < bits; shift += DIGIT_BITS) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < WARPS * PITCH; i += BLOCK_THREADS) {
            shared.words[i] = 0;
        }
        __syncthreads();
        unsigned* const counters = shared.words + PITCH * warp_id();
#pragma unroll
        for (unsigned k = 0; k < BLOCK_ROUNDS; ++k) {
            if (k >= rounds) break;
            places[k] = rank_in_warp(counters, keys[k] >> shift & (DIGITS - 1), ALL_LANES);
        }
        __syncthreads();
        // counters to first places, digit by digit and warp by warp: a quarter of a digit's
        // warps per thread
        constexpr unsigned PART = WARPS * DIGITS / BLOCK_THREADS;
        const unsigned digit = threadIdx.x * PART / WARPS, first = threadIdx.x * PART % WARPS;
        unsigned counts[PART], sum = 0, total;
#pragma unroll
        for (unsigned w = 0; w < PART; ++w) {
            counts[w] = shared.words[PITCH * (first + w) + digit];
            sum += counts[w];
        }
        unsigned place = sum_before<BLOCK_THREADS>(sum, total, shared.sums);
#pragma unroll
        for (unsigned w = 0; w < PART; ++w) {
            shared.words[PITCH * (first + w) + digit] = place;
            place += counts[w];
        }
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < BLOCK_ROUNDS; ++k) {
            if (k < rounds) places[k] += counters[keys[k] >> shift & (DIGITS - 1)];
        }
        exchange(shared, rounds, places, keys);
        exchange(shared, rounds, places, values);
    }
}
