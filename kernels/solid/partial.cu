// Leaves that hold only a part of their element's samples, and grids too large to be staged:
// a warp per leaf, a lane per column of samples, results stored one by one.
//
// Plain reference: weights of single points in double precision
// (tests/common/conformance/solid.rs).
#include "solid/orders.cuh"
#include "common/gather.cuh"

constexpr int W = WIDTH;
constexpr int WARPS = 4;
// blocks a multiprocessor holds at least: a bound for the registers
constexpr int BLOCKS = DOUBLE ? 3 : 4;
constexpr int LINE = 4 * W;

// Shared memory of a block in bytes: for regular leaves, and for each line of layered ones.
extern "C" __device__ const int regular_part_shared = WARPS * 16 * LINE * sizeof(real);
extern "C" __device__ const int layered_part_shared_control = WARPS * LINE * sizeof(real);

// Contracts columns along the local axis c and stores them; z(layer) are the sums over the
// other two axes.
__device__ __forceinline__ void store_column(const Job& job, const Batch& batch, int output,
                                             unsigned element, int a, int b, const real* axis,
                                             const real (&z)[4][W], const real (&add)[W]) {
    const real sign = batch.negate >> output & 1 ? real(-1) : real(1);
    const size_t first = static_cast<size_t>(element - job.first_element) * job.samples +
                         batch.start + a * batch.steps[0] + b * batch.steps[1];
    for (int n = 0; n < batch.counts[2]; ++n) {
        real weight[4];
        load_vectors(weight, axis + n * 4);
        const size_t sample = first + static_cast<size_t>(n * static_cast<long long>(batch.steps[2]));
        real* const to = job.outputs[output] + place(job, sample, 0);
#pragma unroll
        for (int i = 0; i < W; ++i) {
            const real sum = weight[0] * z[0][i] + weight[1] * z[1][i] + weight[2] * z[2][i] +
                             weight[3] * z[3][i];
            to[i] = sign * sum + add[i];
        }
    }
}

extern "C" __global__ void __launch_bounds__(WARPS* LANES, BLOCKS)
    regular_part(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
                 const Batch* __restrict__ batches, const Item* __restrict__ items, unsigned count,
                 const real* __restrict__ axes) {
    extern __shared__ __align__(16) unsigned char memory[];
    const int lane = threadIdx.x % LANES;
    const int warp = threadIdx.x / LANES;
    real* const c = reinterpret_cast<real*>(memory) + warp * 16 * LINE;
    for (unsigned at = blockIdx.x * WARPS + warp; at < count; at += gridDim.x * WARPS) {
        const Item item = items[at];
        const Batch& batch = batches[item.batch];
        for (unsigned leaf = item.first; leaf < item.first + item.count; ++leaf) {
            const unsigned* const net = static_cast<const unsigned*>(leaves.nets) +
                                        batch.first_net + static_cast<size_t>(leaf) * 64;
            real origin[W];
            gather(job, net, 64, 21, 21, origin, c);
            __syncwarp();
            const unsigned ends = __ldg(leaves.ends + batch.first_leaf + leaf);
            if (ends) {
                fill_ends(ends, 16, W, [&](int l) { return c + l * 4 * W; });
                fill_ends(ends >> 2, 16, 4 * W,
                          [&](int l) { return c + (l / 4 * 16 + l % 4) * W; });
                fill_ends(ends >> 4, 16, 16 * W, [&](int l) { return c + l * W; });
            }
            const unsigned element = __ldg(leaves.elements + batch.first_leaf + leaf);
            const int columns = batch.counts[0] * batch.counts[1];
            for (int output = 0; output < OUTPUTS; ++output) {
                const int orders = batch.orders[output];
                const real* axis[3];
#pragma unroll
                for (int d = 0; d < 3; ++d) {
                    axis[d] = axes + batch.axes[d] + (orders >> 2 * d & 3) * batch.counts[d] * 4;
                }
                real add[W];
#pragma unroll
                for (int i = 0; i < W; ++i) add[i] = output == 0 ? origin[i] : real(0);
                for (int column = lane; column < columns; column += LANES) {
                    const int a = column % batch.counts[0], b = column / batch.counts[0];
                    real weights_a[4], z[4][W];
                    load_vectors(weights_a, axis[0] + a * 4);
#pragma unroll
                    for (int w = 0; w < 4; ++w) {
#pragma unroll
                        for (int i = 0; i < W; ++i) z[w][i] = 0;
#pragma unroll 1
                        for (int v = 0; v < 4; ++v) {
                            const real weight = __ldg(axis[1] + b * 4 + v);
                            real line[LINE];
                            load_vectors(line, c + (w * 4 + v) * LINE);
#pragma unroll
                            for (int i = 0; i < W; ++i) {
                                const real sum =
                                    weights_a[0] * line[i] + weights_a[1] * line[W + i] +
                                    weights_a[2] * line[2 * W + i] + weights_a[3] * line[3 * W + i];
                                z[w][i] += weight * sum;
                            }
                        }
                    }
                    store_column(job, batch, output, element, a, b, axis[2], z, add);
                }
            }
            __syncwarp();
        }
    }
}

extern "C" __global__ void __launch_bounds__(WARPS* LANES, BLOCKS)
    layered_part(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
                 const Batch* __restrict__ batches, const Item* __restrict__ items, unsigned count,
                 const real* __restrict__ tables, const real* __restrict__ axes,
                 unsigned controls) {
    extern __shared__ __align__(16) unsigned char memory[];
    const int lane = threadIdx.x % LANES;
    const int warp = threadIdx.x / LANES;
    real* const c = reinterpret_cast<real*>(memory) + warp * LINE * controls;
    for (unsigned at = blockIdx.x * WARPS + warp; at < count; at += gridDim.x * WARPS) {
        const Item item = items[at];
        const Batch& batch = batches[item.batch];
        const int lines = batch.controls;
        for (unsigned leaf = item.first; leaf < item.first + item.count; ++leaf) {
            const unsigned* const net = static_cast<const unsigned*>(leaves.nets) +
                                        batch.first_net + static_cast<size_t>(leaf) * (4 * lines);
            real origin[W];
            gather(job, net, 4 * lines, 1, 14, origin, c);
            __syncwarp();
            const unsigned ends = __ldg(leaves.ends + batch.first_leaf + leaf);
            if (ends) fill_ends(ends, lines, W, [&](int l) { return c + l * LINE; });
            const unsigned element = __ldg(leaves.elements + batch.first_leaf + leaf);
            const int columns = batch.counts[0] * batch.counts[1];
            for (int output = 0; output < OUTPUTS; ++output) {
                const real* const table = tables + batch.tables[output];
                const real* const axis =
                    axes + batch.axes[2] + (batch.orders[output] >> 4) * batch.counts[2] * 4;
                real add[W];
#pragma unroll
                for (int i = 0; i < W; ++i) add[i] = output == 0 ? origin[i] : real(0);
                for (int column = lane; column < columns; column += LANES) {
                    real z[4][W];
#pragma unroll
                    for (int l = 0; l < 4; ++l) {
#pragma unroll
                        for (int i = 0; i < W; ++i) z[l][i] = 0;
                    }
#pragma unroll 1
                    for (int line = 0; line < lines; ++line) {
                        const real weight = __ldg(table + line * columns + column);
                        real point[LINE];
                        load_vectors(point, c + line * LINE);
#pragma unroll
                        for (int l = 0; l < 4; ++l) {
#pragma unroll
                            for (int i = 0; i < W; ++i) z[l][i] += weight * point[l * W + i];
                        }
                    }
                    const int a = column % batch.counts[0], b = column / batch.counts[0];
                    store_column(job, batch, output, element, a, b, axis, z, add);
                }
            }
            __syncwarp();
        }
    }
}
