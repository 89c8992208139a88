// LAY16x16 and LAY32x16: the published kernels for layered cells (Besler et al. 2022, 4.2.3).
// A block takes a tile of ROWS x 16 of the planar eigenstructure E, for all samples of a group
// in one cell, and adds its part of each point,
//
//     sum over layers l and rows r of b_w[l] (E b_uv)[r] c[l][r],
//
// to the result, which is 0 before. The first tile brings the origin.
// WARP_BASED 0: a thread per point; 1: a warp per point, every 32nd weight a lane.
//
// Plain reference: weights of single points in double precision, summed by
// tests/common/conformance/solid.rs for the strategies thread and warp.
#include "published/published.cuh"

constexpr int COLUMNS = 16;

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS, MIN_BLOCKS)
    lay(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
        const Group* __restrict__ groups, const Tile* __restrict__ tiles,
        const Block* __restrict__ blocks, const Sample* __restrict__ samples,
        const real* __restrict__ structures) {
    __shared__ real e[COLUMNS][ROWS + 1];
    // [layer][row]
    __shared__ real c[4 * ROWS * W];
    __shared__ real origin[W];

    const Block block = blocks[blockIdx.x];
    const Tile tile = tiles[block.tile];
    const Group& group = groups[tile.group];
    const unsigned leaf = group.first_leaf + block.leaf;
    const unsigned element = __ldg(leaves.elements + leaf);
    const unsigned ends = __ldg(leaves.ends + leaf);
    const int lines = group.controls;
    const int rows = min(ROWS, lines - int(tile.row));
    const unsigned* const net = static_cast<const unsigned*>(leaves.nets) + group.first_net +
                                size_t(block.leaf) * group.net;

    // line 0 of layer 1 exists in every net
    if (threadIdx.x < W) {
        origin[threadIdx.x] = real(component(job, __ldg(net + lines), threadIdx.x));
    }
    __syncthreads();
    gather(job, 4 * ROWS, origin, c, [&](int i) {
        // rows beyond the last repeat it, with weight 0
        return __ldg(net + i / ROWS * lines + tile.row + min(i % ROWS, rows - 1));
    });
    __syncthreads();
    if (threadIdx.x < LANES && ends) {
        fill_ends(ends, ROWS, ROWS * W, [&](int row) { return c + row * W; });
    }

#pragma unroll 1
    for (int output = 0; output < OUTPUTS; ++output) {
        if (output == 0 || group.structures[output] != group.structures[output - 1]) {
            __syncthreads();
            load_tile<ROWS, COLUMNS>(structures + group.structures[output], COLUMNS, tile.row, 0,
                                     lines, e[0]);
            __syncthreads();
        }
        const int orders = group.basis[output];
        const real scale = real(group.scales[output]);
        const bool brings_origin = output == 0 && tile.row == 0;
#if WARP_BASED
        __shared__ real planar[MAX_BLOCK_WARPS][COLUMNS], across[MAX_BLOCK_WARPS][4];
        const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
        for (unsigned s = warp; s < group.count; s += blockDim.x / LANES) {
            const Sample sample = samples[group.first + s];
            __syncwarp();
            if (lane == 0) {
                real u[4], v[4];
                basis_functions(orders & 3, sample.local[0], u);
                basis_functions(orders >> 2 & 3, sample.local[1], v);
#pragma unroll
                for (int j = 0; j < COLUMNS; ++j) planar[warp][j] = u[j % 4] * v[j / 4];
            } else if (lane == 1) {
                real w[4];
                basis_functions(orders >> 4 & 3, sample.local[2], w);
#pragma unroll
                for (int l = 0; l < 4; ++l) across[warp][l] = w[l];
            }
            __syncwarp();
            real sums[W] = {};
#pragma unroll
            for (int k = lane; k < 4 * ROWS; k += LANES) {
                const int row = k % ROWS;
                real weight = 0;
#pragma unroll
                for (int j = 0; j < COLUMNS; ++j) weight += e[j][row] * planar[warp][j];
                weight *= across[warp][k / ROWS];
#pragma unroll
                for (int i = 0; i < W; ++i) sums[i] += weight * c[k * W + i];
            }
            real* const to = result_of(job, output, element, sample.result);
            add_warp(to, sums, origin, brings_origin, scale);
        }
#else
        for (unsigned s = threadIdx.x; s < group.count; s += blockDim.x) {
            const Sample sample = samples[group.first + s];
            real u[4], v[4], across[4], planar[COLUMNS];
            basis_functions(orders & 3, sample.local[0], u);
            basis_functions(orders >> 2 & 3, sample.local[1], v);
            basis_functions(orders >> 4 & 3, sample.local[2], across);
#pragma unroll
            for (int j = 0; j < COLUMNS; ++j) planar[j] = u[j % 4] * v[j / 4];
            real sums[W] = {};
            for (int row = 0; row < rows; ++row) {
                real weight = 0;
#pragma unroll
                for (int j = 0; j < COLUMNS; ++j) weight += e[j][row] * planar[j];
#pragma unroll
                for (int l = 0; l < 4; ++l) {
                    const real own = across[l] * weight;
#pragma unroll
                    for (int i = 0; i < W; ++i) sums[i] += own * c[(l * ROWS + row) * W + i];
                }
            }
            real* const to = result_of(job, output, element, sample.result);
            add(to, sums, origin, brings_origin, scale);
        }
#endif
    }
}
