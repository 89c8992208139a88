// REG64 and REG48: the published kernels for regular cells (Besler et al. 2022, 4.2.1), one
// block per cell.
//
// CONTROLS 64: an interior cell; where two or more layers are missing, which the paper does
// not treat, they are filled in. CONTROLS 48: one layer is missing and folded into the basis
// along its axis, which is taken as the slowest.
// WARP_BASED 0: a thread per point; 1: a warp per point, every 32nd weight a lane.
//
// Plain reference: weights of single points in double precision, summed by
// tests/common/conformance/solid.rs for the strategies thread and warp.
#include "published/published.cuh"

constexpr int LAYERS = CONTROLS / 16;

// How a net lies in a block, the same for all points of the cell.
struct Shape {
    // which of the parameters u, v, w run along the rows, the columns and the layers
    int axes[3];
    // missing end of the layers, bit 0 low, bit 1 high
    unsigned missing;
};

__device__ __forceinline__ Shape shape_of(unsigned ends) {
    if (LAYERS == 4 || ends >> 4) return {{0, 1, 2}, LAYERS == 4 ? 0 : ends >> 4};
    if (ends >> 2 & 3) return {{0, 2, 1}, ends >> 2 & 3};
    return {{1, 2, 0}, ends & 3};
}

// Basis functions of the layers; the phantom 2 near - next stands for a missing one.
__device__ __forceinline__ void layer_functions(const Shape& shape, int order, real t,
                                                real (&b)[LAYERS]) {
    real all[4];
    basis_functions(order, t, all);
    const bool low = shape.missing == 1;
    if constexpr (LAYERS == 4) {
#pragma unroll
        for (int i = 0; i < 4; ++i) b[i] = all[i];
    } else {
        b[0] = low ? 2 * all[0] + all[1] : all[0];
        b[1] = low ? all[2] - all[0] : all[1] - all[3];
        b[2] = low ? all[3] : 2 * all[3] + all[2];
    }
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS, MIN_BLOCKS)
    reg(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
        const Group* __restrict__ groups, const Tile* __restrict__ tiles,
        const Block* __restrict__ blocks, const Sample* __restrict__ samples,
        const real* __restrict__) {
    __shared__ real c[CONTROLS * W];
    __shared__ real origin[W];
    __shared__ Shape shape;

    const Block block = blocks[blockIdx.x];
    const Group& group = groups[tiles[block.tile].group];
    const unsigned leaf = group.first_leaf + block.leaf;
    const unsigned element = __ldg(leaves.elements + leaf);
    const unsigned ends = __ldg(leaves.ends + leaf);
    const unsigned* const net =
        static_cast<const unsigned*>(leaves.nets) + group.first_net + size_t(block.leaf) * 64;

    // control point 21 is (1, 1, 1), which exists in every net
    if (threadIdx.x < W) origin[threadIdx.x] = real(component(job, __ldg(net + 21), threadIdx.x));
    if (threadIdx.x == 0) shape = shape_of(ends);
    __syncthreads();
    gather(job, CONTROLS, origin, c, [&](int i) {
        const auto step = [&](int d) { return 1 << 2 * shape.axes[d]; };
        const int layer = i / 16 + int(shape.missing & 1);
        return __ldg(net + i % 4 * step(0) + i / 4 % 4 * step(1) + layer * step(2));
    });
    __syncthreads();
    if (LAYERS == 4 && ends) {
        if (threadIdx.x < LANES) {
            const auto at = [&](int w, int v, int u) { return c + (w * 16 + v * 4 + u) * W; };
            fill_ends(ends, 16, W, [&](int l) { return at(l / 4, l % 4, 0); });
            fill_ends(ends >> 2, 16, 4 * W, [&](int l) { return at(l / 4, 0, l % 4); });
            fill_ends(ends >> 4, 16, 16 * W, [&](int l) { return at(0, l / 4, l % 4); });
        }
        __syncthreads();
    }

    const auto parameter = [&](const Sample& sample, int d) {
        return pick(sample.local[0], sample.local[1], sample.local[2], shape.axes[d]);
    };
    const auto order_of = [&](int output, int d) {
        return group.basis[output] >> 2 * shape.axes[d] & 3;
    };
#if WARP_BASED
    __shared__ real basis[MAX_BLOCK_WARPS][8 + LAYERS];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    for (unsigned s = warp; s < group.count; s += blockDim.x / LANES) {
        const Sample sample = samples[group.first + s];
#pragma unroll 1
        for (int output = 0; output < OUTPUTS; ++output) {
            __syncwarp();
            if (lane < 2) {
                real b[4];
                basis_functions(order_of(output, lane), parameter(sample, lane), b);
#pragma unroll
                for (int i = 0; i < 4; ++i) basis[warp][lane * 4 + i] = b[i];
            } else if (lane == 2) {
                real b[LAYERS];
                layer_functions(shape, order_of(output, 2), parameter(sample, 2), b);
#pragma unroll
                for (int i = 0; i < LAYERS; ++i) basis[warp][8 + i] = b[i];
            }
            __syncwarp();
            real sums[W] = {};
#pragma unroll
            for (int k = lane; k < CONTROLS; k += LANES) {
                const real weight =
                    basis[warp][8 + k / 16] * basis[warp][4 + k / 4 % 4] * basis[warp][k % 4];
#pragma unroll
                for (int i = 0; i < W; ++i) sums[i] += weight * c[k * W + i];
            }
            real* const to = result_of(job, output, element, sample.result);
            const real scale = real(group.scales[output]);
#pragma unroll
            for (int i = 0; i < W; ++i) {
                const real sum = warp_sum(sums[i]);
                if (lane == 0) to[i] = output == 0 ? sum + origin[i] : scale * sum;
            }
        }
    }
#else
    for (unsigned s = threadIdx.x; s < group.count; s += blockDim.x) {
        const Sample sample = samples[group.first + s];
#pragma unroll 1
        for (int output = 0; output < OUTPUTS; ++output) {
            read_shared_again();
            real a[4], b[4], layers[LAYERS];
            basis_functions(order_of(output, 0), parameter(sample, 0), a);
            basis_functions(order_of(output, 1), parameter(sample, 1), b);
            layer_functions(shape, order_of(output, 2), parameter(sample, 2), layers);
            real sums[W] = {};
#pragma unroll
            for (int k = 0; k < CONTROLS; ++k) {
                const real weight = layers[k / 16] * b[k / 4 % 4] * a[k % 4];
#pragma unroll
                for (int i = 0; i < W; ++i) sums[i] += weight * c[k * W + i];
            }
            real* const to = result_of(job, output, element, sample.result);
            const real scale = real(group.scales[output]);
#pragma unroll
            for (int i = 0; i < W; ++i) to[i] = output == 0 ? sums[i] + origin[i] : scale * sums[i];
        }
    }
#endif
}
