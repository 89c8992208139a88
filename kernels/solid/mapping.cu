// The map from parameters to space at quadrature points, and the derivatives of basis
// functions in space, in double precision.
//
// Sums over control points: a thread takes one sample of LEAVES leaves, so that a weight is
// read once for all of them, by threads side by side; nets are in shared memory, relative to
// their first control point. Results leave through shared memory in the order of the
// samples. Derivatives of basis functions: a warp takes a sample of LEAVES_A_WARP leaves,
// lanes take control points; a basis function's own derivatives are read once for all leaves.
//
// Plain reference: src/quadrature/mapping.rs on the CPU (tests/gpu/quadrature.rs).
#include "common/shared.cuh"
#include "common/real.cuh"

constexpr int THREADS = host::MAPPING_THREADS;
// leaves of a thread for two sums over control points: of 4 and of 6 rows
constexpr int FIRST_LEAVES = LEAVES, SECOND_LEAVES = LEAVES > 1 ? 2 : 1;
constexpr int WARPS = host::MAPPING_WARPS;
constexpr int LEAVES_A_WARP = host::LEAVES_A_WARP;

// Leaves of a batch, and how many samples each has.
struct Batch {
    // vertices, [leaf][control]
    const unsigned* controls;
    unsigned control_count, samples, first, leaves;
};

// Leaf k of a thread in group g of all is leaf k groups + g. A block takes `block_groups`
// groups, and of each `span` samples.
struct Tiling {
    unsigned groups, block_groups, span;
};

// [leaf][sample] each: (x, y, z), [xyz][uvw], 1, 1, [uvw][xyz]
struct Mapped {
    double *points, *jacobians, *determinants, *measures, *inverses;
};

// The first group and the first sample of this block.
__device__ __forceinline__ unsigned first_group(const Batch& batch, const Tiling& tiling) {
    const unsigned across = (batch.samples + tiling.span - 1) / tiling.span;
    return blockIdx.x / across * tiling.block_groups;
}

__device__ __forceinline__ unsigned first_sample(const Batch& batch, const Tiling& tiling) {
    const unsigned across = (batch.samples + tiling.span - 1) / tiling.span;
    return blockIdx.x % across * tiling.span;
}

// What a thread sums: the group in its block, and the sample.
struct Place {
    unsigned group, sample;
    bool valid;
};

__device__ __forceinline__ Place place(const Batch& batch, const Tiling& tiling) {
    const unsigned group = threadIdx.x / tiling.span;
    const unsigned sample = first_sample(batch, tiling) + threadIdx.x % tiling.span;
    const bool valid = group < tiling.block_groups && sample < batch.samples &&
                       first_group(batch, tiling) + group < tiling.groups;
    return {valid ? group : 0, valid ? sample : 0, valid};
}

// The nets of a block's leaves, [group][control][COUNT][3], relative to `origins`, their first
// control points, [group][COUNT][3].
template <int COUNT>
__device__ __forceinline__ void load_nets(const double* __restrict__ positions, const Batch& batch,
                                          const Tiling& tiling, double* nets, double* origins) {
    const unsigned count = batch.control_count, width = 3 * COUNT;
    const unsigned first = first_group(batch, tiling);
    const auto ids = [&](unsigned group, unsigned k) {
        const unsigned leaf = min(k * tiling.groups + first + group, batch.leaves - 1);
        return batch.controls + size_t(batch.first + leaf) * count;
    };
    for (unsigned i = threadIdx.x; i < tiling.block_groups * width; i += THREADS) {
        const unsigned id = __ldg(ids(i / width, i % width / 3));
        origins[i] = __ldg(positions + 3 * size_t(id) + i % 3);
    }
    __syncthreads();
    // control points side by side, whose ids are
    for (unsigned i = threadIdx.x; i < tiling.block_groups * COUNT * count; i += THREADS) {
        const unsigned c = i % count, k = i / count % COUNT, group = i / count / COUNT;
        const double* const from = positions + 3 * size_t(__ldg(ids(group, k) + c));
        const double* const origin = origins + 3 * (group * COUNT + k);
        double* const to = nets + (group * count + c) * width + 3 * k;
#pragma unroll
        for (int d = 0; d < 3; ++d) to[d] = __ldg(from + d) - origin[d];
    }
    __syncthreads();
}

// Rows of a table, [control][ROWS][sample], times nets: [leaf][xyz][row].
template <int ROWS, int COUNT>
__device__ __forceinline__ void sum(const double* __restrict__ table, const Batch& batch,
                                    unsigned sample, const double* net,
                                    double (&sums)[COUNT][3][ROWS]) {
#pragma unroll
    for (int i = 0; i < COUNT * 3 * ROWS; ++i) sums[i / (3 * ROWS)][i / ROWS % 3][i % ROWS] = 0;
    const double* from = table + sample;
#pragma unroll 2
    for (unsigned c = 0; c < batch.control_count; ++c) {
        double n[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) n[r] = __ldg(from + size_t(r) * batch.samples);
        from += size_t(ROWS) * batch.samples;
        double x[3 * COUNT];
        load_pairs(x, net + c * 3 * COUNT);
#pragma unroll
        for (int k = 0; k < COUNT; ++k) {
#pragma unroll
            for (int d = 0; d < 3; ++d) {
#pragma unroll
                for (int r = 0; r < ROWS; ++r) sums[k][d][r] += n[r] * x[3 * k + d];
            }
        }
    }
}

// The sums of a block's threads over nets in `memory`, and the nets' origins.
template <int COUNT, int ROWS>
__device__ __forceinline__ Place sum_nets(const double* __restrict__ positions, const Batch& batch,
                                          const Tiling& tiling, const double* __restrict__ table,
                                          double* memory, const double*& origins,
                                          double (&sums)[COUNT][3][ROWS]) {
    double* const to = memory + 3 * COUNT * tiling.block_groups * batch.control_count;
    load_nets<COUNT>(positions, batch, tiling, memory, to);
    origins = to;
    const Place own = place(batch, tiling);
    sum(table, batch, own.sample, memory + own.group * batch.control_count * 3 * COUNT, sums);
    return own;
}

// How many results of leaf k of every thread a block has, side by side, and their first.
__device__ __forceinline__ unsigned results(const Batch& batch, const Tiling& tiling, unsigned k,
                                            size_t& start) {
    const unsigned first = first_group(batch, tiling), sample = first_sample(batch, tiling);
    const unsigned leaf = k * tiling.groups + first;
    start = size_t(leaf) * batch.samples + sample;
    if (leaf >= batch.leaves) return 0;
    const unsigned groups =
        min(min(tiling.block_groups, tiling.groups - first), batch.leaves - leaf);
    // several groups have all samples each
    return groups > 1 ? groups * tiling.span : min(tiling.span, batch.samples - sample);
}

__device__ __forceinline__ void copy_out(double* to, const double* stage, unsigned count) {
    for (unsigned i = threadIdx.x; i < count; i += THREADS) __stcs(to + i, stage[i]);
}

// `table`: N and its derivatives by u, v, w, [control][4][sample].
extern "C" __global__ void __launch_bounds__(THREADS, 6)
    map_points(const double* __restrict__ positions, const __grid_constant__ Batch batch,
               const __grid_constant__ Tiling tiling, const double* __restrict__ table,
               const double* __restrict__ weights, const __grid_constant__ Mapped mapped) {
    constexpr int COUNT = FIRST_LEAVES;
    extern __shared__ __align__(16) double memory[];
    // [23][THREADS], then nets and origins
    double* const stage = memory;
    const double* origins;
    double sums[COUNT][3][4];
    const Place own =
        sum_nets(positions, batch, tiling, table, stage + 23 * THREADS, origins, sums);

    const unsigned t = threadIdx.x;
    const double weight = __ldg(weights + own.sample);
#pragma unroll
    for (int k = 0; k < COUNT; ++k) {
        const double(&j)[3][4] = sums[k];
        // columns 1 to 3 are the Jacobian's
        double inverse[3][3];
#pragma unroll
        for (int r = 0; r < 3; ++r) {
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                const int a = (r + 1) % 3, b = (r + 2) % 3;
                const int d = 1 + (c + 1) % 3, e = 1 + (c + 2) % 3;
                inverse[c][r] = j[a][d] * j[b][e] - j[a][e] * j[b][d];
            }
        }
        const double determinant =
            j[0][1] * inverse[0][0] + j[0][2] * inverse[1][0] + j[0][3] * inverse[2][0];
        const double scale = 1.0 / determinant;
        const double* const origin = origins + 3 * (own.group * COUNT + k);
        __syncthreads();
        if (own.valid) {
#pragma unroll
            for (int d = 0; d < 3; ++d) stage[3 * t + d] = j[d][0] + origin[d];
#pragma unroll
            for (int i = 0; i < 9; ++i) {
                stage[3 * THREADS + 9 * t + i] = j[i / 3][1 + i % 3];
                stage[12 * THREADS + 9 * t + i] = scale * inverse[i / 3][i % 3];
            }
            stage[21 * THREADS + t] = determinant;
            stage[22 * THREADS + t] = weight * determinant;
        }
        __syncthreads();
        size_t start;
        const unsigned count = results(batch, tiling, k, start);
        copy_out(mapped.points + 3 * start, stage, 3 * count);
        copy_out(mapped.jacobians + 9 * start, stage + 3 * THREADS, 9 * count);
        copy_out(mapped.inverses + 9 * start, stage + 12 * THREADS, 9 * count);
        copy_out(mapped.determinants + start, stage + 21 * THREADS, count);
        copy_out(mapped.measures + start, stage + 22 * THREADS, count);
    }
}

// Second derivatives of the position, [leaf][sample][6][xyz], from the basis functions',
// `table`: [control][6][sample].
extern "C" __global__ void __launch_bounds__(THREADS, 6)
    map_second(const double* __restrict__ positions, const __grid_constant__ Batch batch,
               const __grid_constant__ Tiling tiling, const double* __restrict__ table,
               double* __restrict__ second) {
    constexpr int COUNT = SECOND_LEAVES;
    extern __shared__ __align__(16) double memory[];
    // [18][THREADS], then nets and origins
    double* const stage = memory;
    const double* origins;
    double sums[COUNT][3][6];
    const Place own =
        sum_nets(positions, batch, tiling, table, stage + 18 * THREADS, origins, sums);
#pragma unroll
    for (int k = 0; k < COUNT; ++k) {
        __syncthreads();
        if (own.valid) {
#pragma unroll
            for (int i = 0; i < 18; ++i) stage[18 * threadIdx.x + i] = sums[k][i % 3][i / 3];
        }
        __syncthreads();
        size_t start;
        const unsigned count = results(batch, tiling, k, start);
        copy_out(second + 18 * start, stage, 18 * count);
    }
}

// A warp's sample and leaves, or none.
struct Work {
    unsigned sample, first, end;
};

__device__ __forceinline__ Work work(const Batch& batch) {
    const unsigned across = (batch.samples + WARPS - 1) / WARPS;
    const unsigned sample = blockIdx.x % across * WARPS + threadIdx.x / LANES;
    const unsigned first = blockIdx.x / across * LEAVES_A_WARP;
    return {sample, first, sample < batch.samples ? min(first + LEAVES_A_WARP, batch.leaves) : 0};
}

// dN/d(x, y, z), [leaf][sample][3][control], from `table`, dN/d(u, v, w), [sample][3][control].
extern "C" __global__ void __launch_bounds__(WARPS* LANES)
    map_gradients(const __grid_constant__ Batch batch, const double* __restrict__ table,
                  const double* __restrict__ inverses, double* __restrict__ gradients) {
    // control points of a lane at a time
    constexpr int EACH = 2;
    const unsigned lane = threadIdx.x % LANES, count = batch.control_count;
    const Work own = work(batch);
    for (unsigned start = 0; start < count; start += EACH * LANES) {
        double n[EACH][3];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const unsigned c = start + e * LANES + lane;
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                const bool there = c < count && own.end > 0;
                n[e][j] = there ? __ldg(table + (3 * size_t(own.sample) + j) * count + c) : 0;
            }
        }
        for (unsigned leaf = own.first; leaf < own.end; ++leaf) {
            const size_t at = size_t(leaf) * batch.samples + own.sample;
            double inverse[3][3];
#pragma unroll
            for (int i = 0; i < 9; ++i) inverse[i / 3][i % 3] = __ldg(inverses + 9 * at + i);
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const unsigned c = start + e * LANES + lane;
                if (c >= count) continue;
#pragma unroll
                for (int d = 0; d < 3; ++d) {
                    __stcs(gradients + (3 * at + d) * count + c,
                           inverse[0][d] * n[e][0] + inverse[1][d] * n[e][1] +
                               inverse[2][d] * n[e][2]);
                }
            }
        }
    }
}

// Second derivatives of N by xx, yy, zz, xy, xz, yz, [leaf][sample][6][control], from `table`,
// those by uu, vv, ww, uv, uw, vw, [sample][6][control], and `first`, [sample][3][control]:
// d2N/du_j du_k = sum dN/dx_m d2x_m/du_j du_k + sum d2N/dx_a dx_b dx_a/du_j dx_b/du_k.
extern "C" __global__ void __launch_bounds__(WARPS* LANES)
    map_second_gradients(const __grid_constant__ Batch batch, const double* __restrict__ first,
                         const double* __restrict__ table, const double* __restrict__ inverses,
                         const double* __restrict__ positions, double* __restrict__ second) {
    const unsigned lane = threadIdx.x % LANES, count = batch.control_count;
    const Work own = work(batch);
    for (unsigned c = lane; c < count; c += LANES) {
        double n[3], bent[6];
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            n[j] = own.end > 0 ? __ldg(first + (3 * size_t(own.sample) + j) * count + c) : 0;
        }
#pragma unroll
        for (int k = 0; k < 6; ++k) {
            bent[k] = own.end > 0 ? __ldg(table + (6 * size_t(own.sample) + k) * count + c) : 0;
        }
        for (unsigned leaf = own.first; leaf < own.end; ++leaf) {
            const size_t at = size_t(leaf) * batch.samples + own.sample;
            double inverse[3][3];
#pragma unroll
            for (int i = 0; i < 9; ++i) inverse[i / 3][i % 3] = __ldg(inverses + 9 * at + i);
            double gradient[3];
#pragma unroll
            for (int d = 0; d < 3; ++d) {
                gradient[d] = inverse[0][d] * n[0] + inverse[1][d] * n[1] + inverse[2][d] * n[2];
            }
            double rest[6];
#pragma unroll
            for (int k = 0; k < 6; ++k) {
                rest[k] = bent[k];
#pragma unroll
                for (int m = 0; m < 3; ++m) {
                    rest[k] -= gradient[m] * __ldg(positions + 18 * at + 3 * k + m);
                }
            }
            // rest as a matrix times the inverse: [uvw][xyz]
            double half[3][3];
#pragma unroll
            for (int i = 0; i < 9; ++i) {
                const int j = i / 3, b = i % 3;
                half[j][b] = 0;
#pragma unroll
                for (int k = 0; k < 3; ++k) {
                    half[j][b] += rest[j == k ? j : 2 + j + k] * inverse[k][b];
                }
            }
            constexpr int A[6] = {0, 1, 2, 0, 0, 1}, B[6] = {0, 1, 2, 1, 2, 2};
#pragma unroll
            for (int row = 0; row < 6; ++row) {
                const int a = A[row], b = B[row];
                __stcs(second + (6 * at + row) * count + c,
                       inverse[0][a] * half[0][b] + inverse[1][a] * half[1][b] +
                           inverse[2][a] * half[2][b]);
            }
        }
    }
}
