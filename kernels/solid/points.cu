// Single points at any parameters, in the order of their leaves.
//
//     regular leaf    4 x 4 x 4 control points [w][v][u], contracted along u, then v and w
//     other leaves    weights [quantity][control] of the point times the leaf's net
//
// Plain reference: weights of single points in double precision
// (tests/common/conformance/solid.rs).
#include "common/basis.cuh"
#include "solid/orders.cuh"
#include "common/gather.cuh"
#include "common/single_points.cuh"

constexpr int W = WIDTH;
constexpr int THREADS = 128;

// A thread per point; neighbors share control points through the caches.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    regular_points(const __grid_constant__ Job job, const unsigned* __restrict__ nets,
                   const RegularPoint<3>* __restrict__ points, unsigned count) {
    const unsigned at = blockIdx.x * THREADS + threadIdx.x;
    if (at >= count) return;
    const RegularPoint<3> point = points[at];
    const unsigned* const net = nets + static_cast<size_t>(point.net) * 64;

    real b[3][ORDERS][4];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        axis_weights(real(point.local[d]), point.ends >> 2 * d, real(1u << point.depth), b[d]);
    }

    const unsigned center = __ldg(net + 21);
    real origin[W], sums[OUTPUTS][W];
#pragma unroll
    for (int i = 0; i < W; ++i) {
        origin[i] = real(component(job, center, i));
#pragma unroll
        for (int o = 0; o < OUTPUTS; ++o) sums[o][i] = 0;
    }
#pragma unroll
    for (int w = 0; w < 4; ++w) {
#pragma unroll
        for (int v = 0; v < 4; ++v) {
            real x[ORDERS][W];
#pragma unroll
            for (int o = 0; o < ORDERS; ++o) {
#pragma unroll
                for (int i = 0; i < W; ++i) x[o][i] = 0;
            }
            const uint4 ids = __ldg(reinterpret_cast<const uint4*>(net) + w * 4 + v);
            const unsigned line[4] = {ids.x, ids.y, ids.z, ids.w};
#pragma unroll
            for (int u = 0; u < 4; ++u) {
#pragma unroll
                for (int i = 0; i < W; ++i) {
                    const real local = real(component(job, line[u], i) - double(origin[i]));
#pragma unroll
                    for (int o = 0; o < ORDERS; ++o) x[o][i] += b[0][o][u] * local;
                }
            }
#pragma unroll
            for (int ou = 0; ou < ORDERS; ++ou) {
#pragma unroll
                for (int ov = 0; ov < ORDERS; ++ov) {
#pragma unroll
                    for (int ow = 0; ow < ORDERS; ++ow) {
                        const int output = output_of(ou, ov, ow);
                        if (output < 0) continue;
                        const real weight = b[1][ov][v] * b[2][ow][w];
#pragma unroll
                        for (int i = 0; i < W; ++i) sums[output][i] += weight * x[ou][i];
                    }
                }
            }
        }
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; ++o) {
        real* const to = job.outputs[o] + place(job, point.row, 0);
#pragma unroll
        for (int i = 0; i < W; ++i) to[i] = o == 0 ? sums[o][i] + origin[i] : sums[o][i];
    }
}

// A warp per point: lanes share its control points.
extern "C" __global__ void __launch_bounds__(THREADS, 4)
    weighted_points(const __grid_constant__ Job job, const unsigned* __restrict__ nets,
                    const WeightedPoint* __restrict__ points, const real* __restrict__ weights,
                    unsigned count) {
    const unsigned at = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    if (at >= count) return;
    const int lane = threadIdx.x % LANES;
    const WeightedPoint point = points[at];
    const unsigned* const net = nets + point.net;
    const unsigned center = __ldg(net);
    real origin[W];
#pragma unroll
    for (int i = 0; i < W; ++i) origin[i] = real(component(job, center, i));
    for (int output = 0; output < OUTPUTS; ++output) {
        const real* const own = weights + point.weights + output * point.controls;
        real sums[W];
#pragma unroll
        for (int i = 0; i < W; ++i) sums[i] = 0;
        for (unsigned k = lane; k < point.controls; k += LANES) {
            const unsigned id = __ldg(net + k);
            const real weight = __ldg(own + k);
#pragma unroll
            for (int i = 0; i < W; ++i) {
                sums[i] += weight * real(component(job, id, i) - double(origin[i]));
            }
        }
#pragma unroll
        for (int i = 0; i < W; ++i) {
#pragma unroll
            for (int far = LANES / 2; far > 0; far /= 2) {
                sums[i] += __shfl_xor_sync(ALL_LANES, sums[i], far);
            }
        }
        if (lane == 0) {
            real* const to = job.outputs[output] + place(job, point.row, 0);
#pragma unroll
            for (int i = 0; i < W; ++i) to[i] = output == 0 ? sums[i] + origin[i] : sums[i];
        }
    }
}
