// The map from parameters to space at quadrature points, and the derivatives of basis
// functions in space, in double precision.
//
// A block a leaf: its net in shared memory, relative to its first control point. A warp a
// quadrature point: lanes take control points, twelve sums cross the warp, and every lane
// turns its own basis functions' derivatives by the inverse Jacobian. Writing these,
// 24 bytes a basis function and point, is the limit.
#include "real.cuh"

constexpr int WARPS = 4;

// The leaves of a batch and what they share.
struct Batch {
    // [sample][control], [sample][3][control], [sample]
    const double *values, *gradients, *weights;
    // vertices, [leaf][control]
    const unsigned* controls;
    unsigned control_count, samples;
};

// [leaf][sample] each: (x, y, z), [xyz][uvw], 1, 1, [uvw][xyz], and [3][control] if wanted.
struct Mapped {
    double *points, *jacobians, *determinants, *measures, *inverses, *derivatives;
};

// The net of a leaf, relative to its first control point, `origin`, for a block: [control][3].
__device__ __forceinline__ void load_net(const double* __restrict__ positions,
                                         const unsigned* __restrict__ ids, unsigned count,
                                         double* net, double (&origin)[3]) {
#pragma unroll
    for (int d = 0; d < 3; ++d) origin[d] = __ldg(positions + 3 * size_t(__ldg(ids)) + d);
    for (unsigned c = threadIdx.x; c < count; c += WARPS * LANES) {
        const double* const from = positions + 3 * size_t(__ldg(ids + c));
#pragma unroll
        for (int d = 0; d < 3; ++d) net[3 * c + d] = __ldg(from + d) - origin[d];
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(WARPS* LANES)
    map_points(const double* __restrict__ positions, const __grid_constant__ Batch batch,
               unsigned first, const __grid_constant__ Mapped mapped) {
    // [control][3]
    extern __shared__ double net[];
    const unsigned lane = threadIdx.x % LANES;
    const unsigned count = batch.control_count;
    const unsigned* const ids = batch.controls + size_t(first + blockIdx.x) * count;
    double origin[3];
    load_net(positions, ids, count, net, origin);

    for (unsigned sample = threadIdx.x / LANES; sample < batch.samples; sample += WARPS) {
        const double* const values = batch.values + size_t(sample) * count;
        const double* const gradients = batch.gradients + 3 * size_t(sample) * count;
        // Jacobian [xyz][uvw], then the position
        double sums[16] = {};
        for (unsigned c = lane; c < count; c += LANES) {
            const double n[4] = {__ldg(gradients + c), __ldg(gradients + count + c),
                                 __ldg(gradients + 2 * count + c), __ldg(values + c)};
#pragma unroll
            for (int d = 0; d < 3; ++d) {
                const double x = net[3 * c + d];
#pragma unroll
                for (int k = 0; k < 3; ++k) sums[3 * d + k] += n[k] * x;
                sums[9 + d] += n[3] * x;
            }
        }
        // halves the sums that a lane keeps while it doubles the lanes in them: sum i ends in
        // lanes 2i and 2i + 1
#pragma unroll
        for (int step = 0; step < 4; ++step) {
            const int half = 8 >> step, mask = 16 >> step;
            const bool upper = lane & mask;
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                if (i >= half) continue;
                const double sent = upper ? sums[i] : sums[i + half];
                const double kept = upper ? sums[i + half] : sums[i];
                sums[i] = kept + __shfl_xor_sync(ALL_LANES, sent, mask);
            }
        }
        const double own = sums[0] + __shfl_xor_sync(ALL_LANES, sums[0], 1);
        double j[3][3];
#pragma unroll
        for (int i = 0; i < 9; ++i) j[i / 3][i % 3] = __shfl_sync(ALL_LANES, own, 2 * i);

        double inverse[3][3];
#pragma unroll
        for (int r = 0; r < 3; ++r) {
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                const int a = (r + 1) % 3, b = (r + 2) % 3, d = (c + 1) % 3, e = (c + 2) % 3;
                inverse[c][r] = j[a][d] * j[b][e] - j[a][e] * j[b][d];
            }
        }
        const double determinant =
            j[0][0] * inverse[0][0] + j[0][1] * inverse[1][0] + j[0][2] * inverse[2][0];
        const double scale = 1.0 / determinant;
#pragma unroll
        for (int i = 0; i < 9; ++i) inverse[i / 3][i % 3] *= scale;

        const size_t at = size_t(blockIdx.x) * batch.samples + sample;
        const unsigned sum = lane / 2;
        if (lane % 2 == 0 && sum < 9) mapped.jacobians[9 * at + sum] = own;
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            if (lane == 18 + 2 * d) mapped.points[3 * at + d] = own + origin[d];
        }
        if (lane == 1) mapped.determinants[at] = determinant;
        if (lane == 3) mapped.measures[at] = __ldg(batch.weights + sample) * determinant;
#pragma unroll
        for (int i = 0; i < 9; ++i) {
            if (lane == 5 + i) mapped.inverses[9 * at + i] = inverse[i / 3][i % 3];
        }
        if (mapped.derivatives == nullptr) continue;
        double* const to = mapped.derivatives + 3 * at * count;
        for (unsigned c = lane; c < count; c += LANES) {
            const double u = __ldg(gradients + c), v = __ldg(gradients + count + c);
            const double w = __ldg(gradients + 2 * count + c);
#pragma unroll
            for (int d = 0; d < 3; ++d) {
                __stcs(to + d * count + c, inverse[0][d] * u + inverse[1][d] * v + inverse[2][d] * w);
            }
        }
    }
}

// Second derivatives of the position, [leaf][sample][6][xyz], from those of the basis functions,
// [sample][6][control]: a block a leaf, a warp a sum.
extern "C" __global__ void __launch_bounds__(WARPS* LANES)
    map_second(const double* __restrict__ positions, const __grid_constant__ Batch batch,
               const double* __restrict__ table, unsigned first, double* __restrict__ second) {
    // [control][3]
    extern __shared__ double net[];
    const unsigned lane = threadIdx.x % LANES;
    const unsigned count = batch.control_count;
    double origin[3];
    load_net(positions, batch.controls + size_t(first + blockIdx.x) * count, count, net, origin);
    const unsigned rows = 6 * batch.samples;
    for (unsigned row = threadIdx.x / LANES; row < rows; row += WARPS) {
        double sums[3] = {};
        for (unsigned c = lane; c < count; c += LANES) {
            const double n = __ldg(table + size_t(row) * count + c);
#pragma unroll
            for (int d = 0; d < 3; ++d) sums[d] += n * net[3 * c + d];
        }
#pragma unroll
        for (int d = 0; d < 3; ++d) {
#pragma unroll
            for (int mask = 16; mask > 0; mask /= 2) {
                sums[d] += __shfl_xor_sync(ALL_LANES, sums[d], mask);
            }
            if (lane == unsigned(d)) second[3 * (size_t(blockIdx.x) * rows + row) + d] = sums[d];
        }
    }
}
