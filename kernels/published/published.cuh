// What the kernels of the published method share (Besler et al. 2022), as
// src/backend/cuda/solid/published lays it out.
#pragma once

#include "common/basis.cuh"
#include "common/gather.cuh"
#include "solid/orders.cuh"

constexpr int W = WIDTH;
// the paper's best size of a block
constexpr int MAX_BLOCK_THREADS = 128;
constexpr int MAX_BLOCK_WARPS = MAX_BLOCK_THREADS / LANES;
// blocks a multiprocessor holds at least: a bound for the registers
constexpr int MIN_BLOCKS = DOUBLE ? 3 : 6;

// A sample of a batch: its parameters where it is evaluated, and its result.
struct Sample {
    real local[3];
    unsigned result;
};

// Samples of a batch that share an eigenstructure.
struct Group {
    // eigenstructure of each output: [control point][basis function]
    unsigned long long structures[10];
    // first id among the nets
    unsigned long long first_net;
    // of each output: sign of the axis permutation, scale of the derivative
    double scales[10];
    // ids of a net, control points of the structure
    unsigned net, controls;
    // samples
    unsigned first, count;
    unsigned first_leaf;
    // basis of each output along the three parameters: a + 4 b + 16 c, each the order of a
    // derivative or CONSTANT
    unsigned char basis[12];
};

// What a block does: a tile of the eigenstructure of a group, given by its first row and
// column, and a leaf within the batch.
struct Tile {
    unsigned group, row, column;
};
struct Block {
    unsigned tile, leaf;
};

// The basis 1, 0, 0, 0.
constexpr int CONSTANT = 3;

__device__ __forceinline__ void basis_functions(int order, real t, real (&b)[4]) {
    if (order == CONSTANT) {
        b[0] = 1;
        b[1] = b[2] = b[3] = 0;
    } else {
        bspline_weights(order, t, b);
    }
}

// Number `i` of three, without an array in memory.
template <typename Number>
__device__ __forceinline__ Number pick(Number a, Number b, Number c, int i) {
    return i == 0 ? a : i == 1 ? b : c;
}

// The sum over a warp, in its first lane.
__device__ __forceinline__ real warp_sum(real sum) {
#pragma unroll
    for (int far = LANES / 2; far > 0; far /= 2) sum += __shfl_down_sync(ALL_LANES, sum, far);
    return sum;
}

// Keeps the compiler from holding shared memory in registers from one point to the next.
__device__ __forceinline__ void read_shared_again() { asm volatile("" ::: "memory"); }

// Where a result of an element lies.
__device__ __forceinline__ real* result_of(const Job& job, int output, unsigned element,
                                           unsigned result) {
    const size_t sample = static_cast<size_t>(element - job.first_element) * job.samples + result;
    return job.outputs[output] + sample * job.stride + job.offset;
}

// Adds what a thread's tile gives a point; of a point's tiles one brings the origin.
__device__ __forceinline__ void add(real* to, const real (&sums)[W], const real* origin,
                                    bool brings_origin, real scale) {
#pragma unroll
    for (int i = 0; i < W; ++i) {
        atomicAdd(to + i, brings_origin ? sums[i] + origin[i] : scale * sums[i]);
    }
}

// The same of a warp, whose lanes hold parts of the sums.
__device__ __forceinline__ void add_warp(real* to, const real (&sums)[W], const real* origin,
                                         bool brings_origin, real scale) {
#pragma unroll
    for (int i = 0; i < W; ++i) {
        const real sum = warp_sum(sums[i]);
        const bool first = threadIdx.x % LANES == 0;
        if (first) atomicAdd(to + i, brings_origin ? sum + origin[i] : scale * sum);
    }
}

// Copies the control points of `count` ids to shared memory, relative to an origin.
// Entry i takes id(i).
template <typename Id>
__device__ __forceinline__ void gather(const Job& job, int count, const real* origin, real* to,
                                       Id id) {
    for (int i = threadIdx.x; i < count * W; i += blockDim.x) {
        const int c = i % W;
        to[i] = real(component(job, id(i / W), c) - double(origin[c]));
    }
}

// Copies a tile of TALL x WIDE of an eigenstructure `width` columns wide to shared memory,
// transposed; rows that the eigenstructure does not have are 0. A row of padding keeps the
// threads that transpose on different banks.
template <int TALL, int WIDE>
__device__ __forceinline__ void load_tile(const real* structure, int width, int row, int column,
                                          int controls, real* tile) {
    for (int i = threadIdx.x; i < TALL * WIDE; i += blockDim.x) {
        const int r = i / WIDE, c = i % WIDE;
        tile[c * (TALL + 1) + r] =
            row + r < controls ? __ldg(structure + (row + r) * width + column + c) : real(0);
    }
}
