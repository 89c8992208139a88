// Points of surface leaves as products of tables of weights with the leaves' control points.
//
// A block takes leaves of one batch, which share their table, and some of its samples. A thread
// sums VECTOR samples of LEAVES leaves: a vector of weights and the control points of all its
// leaves, which stand side by side in shared memory, give VECTOR * LEAVES * 3 multiply-adds.
// Results cross the warp through shared memory, so that neighboring lanes write neighboring
// numbers.
//
// NORMALS: the derivatives by u and v, and unit normals, come along.
//
// Plain reference: src/surface/limit on the CPU (tests/gpu/surface_limit.rs).
//
// Measured without gain (24 us on the wrench): the three numbers of a control point gathered by
// neighboring lanes; four leaves per thread for positions, one for normals. The limit is the L1
// cache that control points are gathered through.
#include "common/shared.cuh"
#include "surface/normal.cuh"

constexpr int THREADS = host::TABLE_THREADS;
constexpr int QUANTITIES = NORMALS ? 3 : 1;
constexpr int LEAVES = 2;
// control points of a leaf in shared memory at once, and leaves of a block
constexpr int DEPTH = 24;
constexpr int MAX_GROUPS = DOUBLE ? 16 : 32;
constexpr int MAX_LEAVES = MAX_GROUPS * LEAVES;
// for the host: leaves of a thread, and most threads side by side along leaves
extern "C" __device__ const int surface_table_leaves = LEAVES;
extern "C" __device__ const int surface_table_groups = MAX_GROUPS;
// reals of a lane's samples
constexpr int OWN = VECTOR * 3;

// What the leaves of a batch share.
struct Batch {
    // first id, leaf and weight, and where the results lie, in the arrays of all batches
    unsigned long long net, weights;
    unsigned leaf, places;
    unsigned controls, samples;
    // samples of a row of the table, a multiple of VECTOR
    unsigned stride;
    unsigned leaves;
};

// Leaves and samples of one block.
struct Item {
    unsigned batch, leaf, leaves, sample;
    // threads along the samples, a power of two
    unsigned threads;
    unsigned padding;
};

struct Tables {
    // [point][3]
    const double* points;
    // [control][leaf] of each batch: points; neighboring threads read neighboring ones
    const unsigned* nets;
    // first result of each leaf
    const unsigned* starts;
    // [quantity][control][stride]: positions, derivatives by u and v
    const real* weights;
    // result of each sample, counted from the leaf's first; ascending
    const unsigned* places;
    const Batch* batches;
    const Item* items;
    // [result][3] each: positions, derivatives by u and v, normals
    real* outputs[4];
};

// Writes `own` (VECTOR samples of a leaf) of all lanes by way of `stage`.
__device__ __forceinline__ void write(const Tables& tables, const Batch& batch, real* output,
                                      const real (&own)[OWN], real* stage, unsigned start,
                                      unsigned sample, bool mine) {
    const int lane = threadIdx.x % LANES;
    __syncwarp();
    store_vectors(stage + lane * OWN, own);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        // a vector of numbers of lane `source`, from its number `part` on
        const int source = (k * LANES + lane) / 3;
        const int part = (k * LANES + lane) % 3 * VECTOR;
        const unsigned first = __shfl_sync(ALL_LANES, sample, source);
        const size_t from = __shfl_sync(ALL_LANES, start, source);
        if (!__shfl_sync(ALL_LANES, mine, source)) continue;
        real vector[VECTOR];
        load_vectors(vector, stage + source * OWN + part);
        const unsigned* const places = tables.places + batch.places + first;
        if (first + VECTOR <= batch.samples) {
            // places ascend: of a run if they are no farther apart than that
            const unsigned place = __ldg(places);
            real* const to = output + (from + place) * 3 + part;
            if (__ldg(places + VECTOR - 1) - place == VECTOR - 1 &&
                reinterpret_cast<size_t>(to) % 16 == 0) {
                __stcs(reinterpret_cast<Vector*>(to), *reinterpret_cast<const Vector*>(vector));
                continue;
            }
        }
#pragma unroll
        for (int i = 0; i < VECTOR; ++i) {
            const int at = (part + i) / 3;
            if (first + at >= batch.samples) continue;
            output[(from + __ldg(places + at)) * 3 + (part + i) % 3] = vector[i];
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, NORMALS ? (DOUBLE ? 3 : 4) : 7)
    surface_table(const __grid_constant__ Tables tables) {
    // [control][leaf][3]
    __shared__ __align__(16) real controls[DEPTH * MAX_LEAVES * 3];
    __shared__ real origins[MAX_LEAVES * 3];
    __shared__ __align__(16) real stages[THREADS * OWN];
    const Item item = tables.items[blockIdx.x];
    const Batch batch = tables.batches[item.batch];
    const unsigned groups = min(THREADS / item.threads, MAX_GROUPS);
    const unsigned shift = 31 - __clz(groups * LEAVES);
    const unsigned thread = threadIdx.x % item.threads;
    const unsigned group = min(threadIdx.x / item.threads, groups - 1);
    const unsigned sample = item.sample + thread * VECTOR;
    const unsigned* const nets = tables.nets + batch.net + item.leaf;
    const real* const weights = tables.weights + batch.weights + min(sample, batch.stride - VECTOR);
    const size_t quantity = size_t(batch.controls) * batch.stride;

    // past the last leaf the last one again
    const auto net_point = [&](unsigned leaf, unsigned control) {
        const unsigned* const row = nets + size_t(control) * batch.leaves;
        return tables.points + 3 * size_t(__ldg(row + min(leaf, item.leaves - 1)));
    };
    for (unsigned i = threadIdx.x; i < groups * LEAVES * 3; i += THREADS) {
        origins[i] = real(__ldg(net_point(i / 3, 0) + i % 3));
    }
    real sums[QUANTITIES][LEAVES][OWN];
#pragma unroll
    for (int i = 0; i < QUANTITIES * LEAVES * OWN; ++i) {
        sums[i / (LEAVES * OWN)][i / OWN % LEAVES][i % OWN] = 0;
    }
    for (unsigned start = 0; start < batch.controls; start += DEPTH) {
        const unsigned depth = min(DEPTH, batch.controls - start);
        __syncthreads();
        // a power of two of leaves: neighboring threads take neighboring ones
#pragma unroll 6
        for (unsigned i = threadIdx.x; i < depth << shift; i += THREADS) {
            const unsigned leaf = i & ((1u << shift) - 1);
            const double* const point = net_point(leaf, start + (i >> shift));
#pragma unroll
            for (int d = 0; d < 3; ++d) {
                // as rounded as it is added again
                controls[i * 3 + d] = real(__ldg(point + d) - double(origins[leaf * 3 + d]));
            }
        }
        __syncthreads();
        const real* const from = controls + group * LEAVES * 3;
#pragma unroll 2
        for (unsigned k = 0; k < depth; ++k) {
            real point[LEAVES * 3];
            if constexpr (LEAVES * 3 % VECTOR == 0) {
                load_vectors(point, from + k * groups * LEAVES * 3);
            } else {
                load_pairs(point, from + k * groups * LEAVES * 3);
            }
#pragma unroll
            for (int q = 0; q < QUANTITIES; ++q) {
                real row[VECTOR];
                load_vectors(row, weights + q * quantity + size_t(start + k) * batch.stride);
#pragma unroll
                for (int i = 0; i < LEAVES * OWN; ++i) {
                    sums[q][i / OWN][i % OWN] += row[i % OWN / 3] * point[i / OWN * 3 + i % 3];
                }
            }
        }
    }

    real* const stage = stages + threadIdx.x / LANES * LANES * OWN;
#pragma unroll
    for (int leaf = 0; leaf < LEAVES; ++leaf) {
        const unsigned own = group * LEAVES + leaf;
        const bool mine =
            threadIdx.x / item.threads < groups && own < item.leaves && sample < batch.samples;
        const unsigned start =
            __ldg(tables.starts + batch.leaf + item.leaf + min(own, item.leaves - 1));
        real results[OWN];
#pragma unroll
        for (int i = 0; i < OWN; ++i) results[i] = sums[0][leaf][i] + origins[own * 3 + i % 3];
        write(tables, batch, tables.outputs[0], results, stage, start, sample, mine);
        if constexpr (NORMALS) {
#pragma unroll
            for (int q = 1; q < QUANTITIES; ++q) {
                write(tables, batch, tables.outputs[q], sums[q][leaf], stage, start, sample, mine);
            }
#pragma unroll
            for (int s = 0; s < VECTOR; ++s) {
                real d_u[3], d_v[3], normal[3];
#pragma unroll
                for (int d = 0; d < 3; ++d) {
                    d_u[d] = sums[1][leaf][s * 3 + d];
                    d_v[d] = sums[2][leaf][s * 3 + d];
                }
                unit_normal(d_u, d_v, normal);
#pragma unroll
                for (int d = 0; d < 3; ++d) results[s * 3 + d] = normal[d];
            }
            write(tables, batch, tables.outputs[3], results, stage, start, sample, mine);
        }
    }
}

// A normal by tangents of its own, at an extraordinary point.
struct Tangents {
    // first id of the net, first of the weights [2][control]
    unsigned long long net, weights;
    unsigned controls, result;
    // from one id to the next
    unsigned stride, unused;
};

// Lanes that share the control points of a normal.
constexpr unsigned SHARE = 8;

extern "C" __global__ void __launch_bounds__(THREADS)
    tangent_normals(const double* __restrict__ points, const unsigned* __restrict__ nets,
                    const double* __restrict__ weights, const Tangents* __restrict__ all,
                    unsigned count, real* __restrict__ normals) {
    const unsigned at = blockIdx.x * (THREADS / SHARE) + threadIdx.x / SHARE;
    const unsigned lane = threadIdx.x % SHARE;
    // lanes past the last normal do its work without writing
    const Tangents own = all[min(at, count - 1)];
    const unsigned* const net = nets + own.net;
    const double* const row = weights + own.weights;
    double origin[3], sums[2][3] = {};
#pragma unroll
    for (int d = 0; d < 3; ++d) origin[d] = __ldg(points + 3 * size_t(__ldg(net)) + d);
    for (unsigned k = lane; k < own.controls; k += SHARE) {
        const size_t point = 3 * size_t(__ldg(net + size_t(k) * own.stride));
        const double first = __ldg(row + k), second = __ldg(row + own.controls + k);
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            const double local = __ldg(points + point + d) - origin[d];
            sums[0][d] += first * local;
            sums[1][d] += second * local;
        }
    }
    real a[3], b[3], normal[3];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
#pragma unroll
        for (unsigned far = SHARE / 2; far > 0; far /= 2) {
            sums[0][d] += __shfl_xor_sync(ALL_LANES, sums[0][d], far);
            sums[1][d] += __shfl_xor_sync(ALL_LANES, sums[1][d], far);
        }
        a[d] = real(sums[0][d]);
        b[d] = real(sums[1][d]);
    }
    if (at >= count || lane != 0) return;
    unit_normal(a, b, normal);
#pragma unroll
    for (int d = 0; d < 3; ++d) normals[3 * size_t(own.result) + d] = normal[d];
}

// Weights at all places of a square, [v size + 1][u size + 1][control], and a table of them for
// leaves whose axes lie in it in one way: places (i, j) below the size, at `start` plus i and j
// steps.
struct Square {
    // first weight of the square, first of the table
    unsigned long long from, to;
    unsigned controls, size, stride, unused;
    int start[2], along[2][2];
};

constexpr unsigned SQUARE_BLOCKS = host::SQUARE_BLOCKS;

extern "C" __global__ void __launch_bounds__(THREADS)
    lay_squares(const double* __restrict__ squares, const Square* __restrict__ all,
                real* __restrict__ weights) {
    const Square own = all[blockIdx.x / SQUARE_BLOCKS];
    const unsigned first = blockIdx.x % SQUARE_BLOCKS * THREADS + threadIdx.x;
    for (unsigned i = first; i < own.controls * own.stride; i += SQUARE_BLOCKS * THREADS) {
        const unsigned control = i / own.stride, sample = i % own.stride;
        const int u = sample % own.size, v = sample / own.size;
        real weight = 0;
        if (sample < own.size * own.size) {
            const unsigned at[2] = {
                unsigned(own.start[0] + own.along[0][0] * u + own.along[1][0] * v),
                unsigned(own.start[1] + own.along[0][1] * u + own.along[1][1] * v)};
            const size_t place = size_t(at[1]) * (own.size + 1) + at[0];
            weight = real(__ldg(squares + own.from + place * own.controls + control));
        }
        weights[own.to + i] = weight;
    }
}
