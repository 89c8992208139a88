// IRR32x32 and IRR64x32: the published kernels for irregular cells (Besler et al. 2022,
// 4.2.4). A block takes a tile of ROWS x 32 of the spatial eigenstructure E, for all samples
// of a group in one cell, and adds its part of each point, the sum over rows r of
// (E b_uvw)[r] c[r], to the result, which is 0 before. The first tile brings the origin.
// WARP_BASED 0: a thread per point; 1: a warp per point, every 32nd weight a lane.
//
// Plain reference: weights of single points in double precision, summed by
// tests/common/conformance/solid.rs for the strategies thread and warp.
#include "published/published.cuh"

// columns of a tile, and of an eigenstructure
constexpr int COLUMNS = 32;
constexpr int FUNCTIONS = 64;

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS, MIN_BLOCKS)
    irr(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
        const Group* __restrict__ groups, const Tile* __restrict__ tiles,
        const Block* __restrict__ blocks, const Sample* __restrict__ samples,
        const real* __restrict__ structures) {
    __shared__ real e[COLUMNS][ROWS + 1];
    __shared__ real c[ROWS * W];
    __shared__ real origin[W];

    const Block block = blocks[blockIdx.x];
    const Tile tile = tiles[block.tile];
    const Group& group = groups[tile.group];
    const unsigned element = __ldg(leaves.elements + group.first_leaf + block.leaf);
    const int controls = group.controls;
    const int rows = min(ROWS, controls - int(tile.row));
    const unsigned* const net = static_cast<const unsigned*>(leaves.nets) + group.first_net +
                                size_t(block.leaf) * group.net;

    if (threadIdx.x < W) origin[threadIdx.x] = real(component(job, __ldg(net), threadIdx.x));
    __syncthreads();
    // rows beyond the last repeat it, with weight 0
    gather(job, ROWS, origin, c, [&](int i) { return __ldg(net + tile.row + min(i, rows - 1)); });

    // the tile's functions are two layers of the 4 x 4 x 4
    const int layer = tile.column / 16;
#pragma unroll 1
    for (int output = 0; output < OUTPUTS; ++output) {
        if (output == 0 || group.structures[output] != group.structures[output - 1]) {
            __syncthreads();
            load_tile<ROWS, COLUMNS>(structures + group.structures[output], FUNCTIONS, tile.row,
                                     tile.column, controls, e[0]);
            __syncthreads();
        }
        const int orders = group.basis[output];
        const real scale = real(group.scales[output]);
        const bool brings_origin = output == 0 && tile.row == 0 && tile.column == 0;
#if WARP_BASED
        __shared__ real axes[MAX_BLOCK_WARPS][3][4], functions[MAX_BLOCK_WARPS][COLUMNS];
        const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
        for (unsigned s = warp; s < group.count; s += blockDim.x / LANES) {
            const Sample sample = samples[group.first + s];
            __syncwarp();
            if (lane < 3) {
                real b[4];
                basis_functions(orders >> 2 * lane & 3,
                                pick(sample.local[0], sample.local[1], sample.local[2], lane), b);
#pragma unroll
                for (int i = 0; i < 4; ++i) axes[warp][lane][i] = b[i];
            }
            __syncwarp();
            functions[warp][lane] = axes[warp][0][lane % 4] * axes[warp][1][lane / 4 % 4] *
                                    axes[warp][2][layer + lane / 16];
            __syncwarp();
            real sums[W] = {};
#pragma unroll
            for (int row = lane; row < ROWS; row += LANES) {
                real weight = 0;
#pragma unroll
                for (int j = 0; j < COLUMNS; ++j) weight += e[j][row] * functions[warp][j];
#pragma unroll
                for (int i = 0; i < W; ++i) sums[i] += weight * c[row * W + i];
            }
            real* const to = result_of(job, output, element, sample.result);
            add_warp(to, sums, origin, brings_origin, scale);
        }
#else
        for (unsigned s = threadIdx.x; s < group.count; s += blockDim.x) {
            const Sample sample = samples[group.first + s];
            real u[4], v[4], w[4], functions[COLUMNS];
            basis_functions(orders & 3, sample.local[0], u);
            basis_functions(orders >> 2 & 3, sample.local[1], v);
            basis_functions(orders >> 4 & 3, sample.local[2], w);
#pragma unroll
            for (int j = 0; j < COLUMNS; ++j) {
                const real own = layer == 0 ? w[j / 16] : w[2 + j / 16];
                functions[j] = u[j % 4] * v[j / 4 % 4] * own;
            }
            real sums[W] = {};
            for (int row = 0; row < rows; ++row) {
                real weight = 0;
#pragma unroll
                for (int j = 0; j < COLUMNS; ++j) weight += e[j][row] * functions[j];
#pragma unroll
                for (int i = 0; i < W; ++i) sums[i] += weight * c[row * W + i];
            }
            real* const to = result_of(job, output, element, sample.result);
            add(to, sums, origin, brings_origin, scale);
        }
#endif
    }
}
