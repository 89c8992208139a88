// Refined points of a surface as one sparse matrix times its control points (Mlakar et al. 2020,
// section 6.3).
//
// Rows stand in blocks of 32, a lane each, so that a warp reads its weights in whole lines and
// all its lanes end together. Most rows of a block have the same columns, since all points
// inside a face depend on the same control points: such a block has its columns once, which
// saves half of the bytes of compressed rows. Nothing else is large, and weights pass by the
// caches, where the control points stay.
//
//     weights   [group][row 32][entry 4]
//     columns   [group][entry 4] of a block with common columns, else as the weights
//
// Sums run in the order of the columns, products and sums apart: the bits of
// src/surface/stencils/single.rs.
//
// WIDTH: components of a point, 1 to 4.
//
// Plain reference: src/surface/stencils/single.rs, bit by bit (tests/gpu/single.rs).
#include "common/shared.cuh"
#include "common/real.cuh"

constexpr unsigned THREADS = host::PRODUCT_THREADS;
constexpr unsigned WARPS = THREADS / LANES;
// blocks a multiprocessor holds at least; before sm_80 more than 4 would spill
constexpr int BLOCKS = __CUDA_ARCH__ < 800 ? 4 : DOUBLE ? 9 : 10;
// entries of a row that are read at once
constexpr int ENTRIES = 4;
// a fourth component makes points whole vectors
constexpr int STRIDE = WIDTH == 3 ? 4 : WIDTH;

struct alignas(STRIDE * sizeof(real) < 16 ? STRIDE * sizeof(real) : 16) Control {
    real values[STRIDE];
};

// Rows that a warp sums.
struct Block {
    // first group of weights, first group of columns, number of groups
    unsigned weights, columns, groups;
    // number of rows; result of the first if they follow one another, else NONE
    unsigned rows, first;
    // where the results of the rows stand among the listed ones
    unsigned listed;
    // whether every row has its own columns
    unsigned own_columns, unused;
};

struct Matrix {
    const Block* blocks;
    const uint4* columns;
    const real* weights;
    const unsigned* listed;
    unsigned blocks_count, unused;
};

// Weights of a row, which no other row needs.
__device__ __forceinline__ void load_weights(real (&to)[ENTRIES], const real* from) {
#pragma unroll
    for (int i = 0; i < ENTRIES / VECTOR; ++i) {
        const Vector vector = __ldcs(reinterpret_cast<const Vector*>(from) + i);
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) {
            to[i * VECTOR + k] = reinterpret_cast<const real*>(&vector)[k];
        }
    }
}

__device__ __forceinline__ Control control_at(const Control* __restrict__ controls,
                                              unsigned column) {
    Control control;
    if constexpr (STRIDE % VECTOR == 0) {
        const Vector* const from = reinterpret_cast<const Vector*>(controls + column);
#pragma unroll
        for (int i = 0; i < STRIDE / VECTOR; ++i) {
            reinterpret_cast<Vector*>(control.values)[i] = __ldg(from + i);
        }
    } else {
        const real* const from = controls[column].values;
#pragma unroll
        for (int d = 0; d < WIDTH; ++d) control.values[d] = __ldg(from + d);
    }
    return control;
}

// A warp per block.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    matrix_product(const __grid_constant__ Matrix matrix, const Control* __restrict__ controls,
                   real* __restrict__ results) {
    __shared__ real stages[WARPS][LANES * WIDTH];
    const unsigned at = blockIdx.x * WARPS + threadIdx.x / LANES;
    const unsigned lane = threadIdx.x % LANES;
    if (at >= matrix.blocks_count) return;
    const Block block = matrix.blocks[at];
    const real* const weights =
        matrix.weights + (size_t(block.weights) * LANES + lane) * ENTRIES;
    const unsigned step = block.own_columns ? LANES : 1;
    const uint4* const columns = matrix.columns + block.columns + (block.own_columns ? lane : 0);
    real sums[WIDTH] = {};
#pragma unroll 4
    for (unsigned group = 0; group < block.groups; ++group) {
        const uint4 ids = __ldg(columns + size_t(group) * step);
        const unsigned column[ENTRIES] = {ids.x, ids.y, ids.z, ids.w};
        real weight[ENTRIES];
        load_weights(weight, weights + size_t(group) * (LANES * ENTRIES));
#pragma unroll
        for (int i = 0; i < ENTRIES; ++i) {
            const Control control = control_at(controls, column[i]);
#pragma unroll
            for (int d = 0; d < WIDTH; ++d) sums[d] += weight[i] * control.values[d];
        }
    }
    if (block.first == NONE) {
        if (lane >= block.rows) return;
        real* const to = results + WIDTH * size_t(__ldg(matrix.listed + block.listed + lane));
#pragma unroll
        for (int d = 0; d < WIDTH; ++d) __stcs(to + d, sums[d]);
        return;
    }
    real* const stage = stages[threadIdx.x / LANES];
#pragma unroll
    for (int d = 0; d < WIDTH; ++d) stage[lane * WIDTH + d] = sums[d];
    __syncwarp();
    real* const to = results + WIDTH * size_t(block.first);
    for (unsigned i = lane; i < WIDTH * block.rows; i += LANES) __stcs(to + i, stage[i]);
}
