// Points of a surface at any places.
//
// ORDER 0, 1, 2: positions, these and first derivatives, these and second ones, by u and v.
// NORMALS (with ORDER 1): the two rows after the position are tangents; the unit
// normal is written beside it.
//
// Plain reference: src/surface/limit on the CPU (tests/gpu/surface_limit.rs).
#include "common/shared.cuh"
#include "common/basis.cuh"
#include "surface/normal.cuh"
#include "common/single_points.cuh"

constexpr int THREADS = host::SURFACE_POINT_THREADS;
constexpr int QUANTITIES = (ORDER + 1) * (ORDER + 2) / 2;

// [result][3] each; NORMALS: the position and the normal.
struct Outputs {
    real* of[6];
};

// A thread per point; neighbors share control points through the caches.
extern "C" __global__ void __launch_bounds__(THREADS)
    regular_surface_points(const double* __restrict__ points, const uint4* __restrict__ nets,
                           const RegularPoint<2>* __restrict__ all, unsigned count,
                           const __grid_constant__ Outputs outputs) {
    const unsigned at = blockIdx.x * THREADS + threadIdx.x;
    if (at >= count) return;
    const RegularPoint<2> point = all[at];
    real b[2][ORDER + 1][4];
#pragma unroll
    for (int d = 0; d < 2; ++d) {
        axis_weights(real(point.local[d]), point.ends >> 2 * d, real(1u << point.depth), b[d]);
    }
    const uint4* const net = nets + 4 * size_t(point.net);
    // (1, 1) is in every net
    const size_t center = 3 * size_t(__ldg(net + 1).y);
    real origin[3], sums[QUANTITIES][3] = {};
#pragma unroll
    for (int d = 0; d < 3; ++d) origin[d] = real(__ldg(points + center + d));
#pragma unroll
    for (int v = 0; v < 4; ++v) {
        const uint4 ids = __ldg(net + v);
        const unsigned line[4] = {ids.x, ids.y, ids.z, ids.w};
        real x[ORDER + 1][3] = {};
#pragma unroll
        for (int u = 0; u < 4; ++u) {
#pragma unroll
            for (int d = 0; d < 3; ++d) {
                const real local =
                    real(__ldg(points + 3 * size_t(line[u]) + d) - double(origin[d]));
#pragma unroll
                for (int o = 0; o <= ORDER; ++o) x[o][d] += b[0][o][u] * local;
            }
        }
        // the value, u, v, uu, uv, vv
#pragma unroll
        for (int o = 0; o < QUANTITIES; ++o) {
            const int total = o == 0 ? 0 : o < 3 ? 1 : 2;
            const int by_v = o - total * (total + 1) / 2;
#pragma unroll
            for (int d = 0; d < 3; ++d) sums[o][d] += b[1][by_v][v] * x[total - by_v][d];
        }
    }
#pragma unroll
    for (int o = 0; o < QUANTITIES; ++o) {
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            outputs.of[o][3 * size_t(point.row) + d] = o == 0 ? sums[o][d] + origin[d] : sums[o][d];
        }
    }
}

// Eight lanes per point share its control points.
constexpr int SHARE = 8;

extern "C" __global__ void __launch_bounds__(THREADS)
    weighted_surface_points(const double* __restrict__ points, const unsigned* __restrict__ nets,
                            const real* __restrict__ weights,
                            const WeightedPoint* __restrict__ all, unsigned count,
                            const __grid_constant__ Outputs outputs) {
    const unsigned at = blockIdx.x * (THREADS / SHARE) + threadIdx.x / SHARE;
    const unsigned lane = threadIdx.x % SHARE;
    // lanes past the last point do its work without writing
    const WeightedPoint point = all[min(at, count - 1)];
    const unsigned* const net = nets + point.net;
    const real* const row = weights + point.weights;
    real origin[3], sums[QUANTITIES][3] = {};
    const size_t center = 3 * size_t(__ldg(net));
#pragma unroll
    for (int d = 0; d < 3; ++d) origin[d] = real(__ldg(points + center + d));
    for (unsigned k = lane; k < point.controls; k += SHARE) {
        const size_t id = 3 * size_t(__ldg(net + k));
        real local[3];
#pragma unroll
        for (int d = 0; d < 3; ++d) local[d] = real(__ldg(points + id + d) - double(origin[d]));
#pragma unroll
        for (int o = 0; o < QUANTITIES; ++o) {
            const real weight = __ldg(row + o * point.controls + k);
#pragma unroll
            for (int d = 0; d < 3; ++d) sums[o][d] += weight * local[d];
        }
    }
#pragma unroll
    for (int o = 0; o < QUANTITIES; ++o) {
#pragma unroll
        for (int d = 0; d < 3; ++d) {
#pragma unroll
            for (int far = SHARE / 2; far > 0; far /= 2) {
                sums[o][d] += __shfl_xor_sync(ALL_LANES, sums[o][d], far);
            }
        }
    }
    if (at >= count || lane != 0) return;
    const size_t to = 3 * size_t(point.row);
#pragma unroll
    for (int d = 0; d < 3; ++d) outputs.of[0][to + d] = sums[0][d] + origin[d];
#if NORMALS
    real normal[3];
    unit_normal(sums[1], sums[2], normal);
#pragma unroll
    for (int d = 0; d < 3; ++d) outputs.of[1][to + d] = normal[d];
#else
#pragma unroll
    for (int o = 1; o < QUANTITIES; ++o) {
#pragma unroll
        for (int d = 0; d < 3; ++d) outputs.of[o][to + d] = sums[o][d];
    }
#endif
}
