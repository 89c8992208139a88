// Grids of SAMPLES^3 samples on regular elements, by sum factorisation.
//
// A warp evaluates GROUP elements at once, without barriers between warps:
//
//     ids and control points             copied into shared memory for groups to come
//     control points c [w 4][v 4][u 4]   relative to control point (1, 1, 1)
//     -> a lane for every (w, u sample): contracts u, then v, in registers
//     -> y [w 4][v sample][u sample]     in shared memory
//     -> a lane for every (v, u sample): contracts w
//     -> stage [w sample][v sample][u sample]   sent in runs of whole layers
//
// About 21 multiply-adds a point for 8 samples, so that writing the points is the limit.
#include "async.cuh"
#include "orders.cuh"
#include "stage.cuh"

constexpr int N = SAMPLES;
constexpr int W = WIDTH;
constexpr int WARPS = 4;
// two elements of few samples keep the lanes busy: one task is a (w, u sample)
constexpr int GROUP = 8 * N <= LANES ? 2 : 1;
// blocks a multiprocessor holds at least: a bound for the registers
#if __CUDA_ARCH__ >= 900
constexpr int MOST_BLOCKS = N == 8 ? 6 : 5;
#else
constexpr int MOST_BLOCKS = 4;
#endif
constexpr int BLOCKS = N > 10 || W > 3 ? 2 : DOUBLE ? 3 : MOST_BLOCKS;

// shared memory of a warp, in reals; paddings keep lanes on different banks
constexpr int C_LAYER = 16 * W + VECTOR;
constexpr int C_CELL = 4 * C_LAYER;
constexpr int Y_PADDING = (32 + (N * W) % 32 - (N * N * W) % 32) % 32;
constexpr int Y_LAYER = N * N * W + Y_PADDING;
constexpr int Y_CELL = (4 * Y_LAYER + VECTOR - 1) / VECTOR * VECTOR;
// layers of samples staged at once: most that divide N and fit
constexpr int STAGE_BYTES = DOUBLE ? 6400 : 3200;
constexpr int layers() {
    int most = 1;
    for (int n = 2; n <= N; ++n) {
        const int bytes = GROUP * n * N * N * W * int(sizeof(real));
        if (N % n == 0 && bytes <= STAGE_BYTES) most = n;
    }
    return most;
}
constexpr int LAYERS = layers();
constexpr int RUN = LAYERS * N * N * W;
constexpr bool WHOLE = RUN % VECTOR == 0;
constexpr int STAGE_CELL = (RUN + VECTOR - 1) / VECTOR * VECTOR;
constexpr int WARP_REALS = GROUP * (C_CELL + Y_CELL + STAGE_CELL);

// What is known of a leaf beside its ids.
struct Head {
    // added to the ids if they are 16 bits
    unsigned base;
    unsigned element, ends, padding;
};

// Ahead of the work, in bytes: ids and heads of the next two groups, points of one.
constexpr int IDS = 64 * sizeof(unsigned);
constexpr int AHEAD = GROUP * (2 * IDS + 3 * sizeof(Head) + 64 * W * sizeof(double));
constexpr int WARP_BYTES = WARP_REALS * sizeof(real) + AHEAD;

// Shared memory of a block in bytes, for the host.
extern "C" __device__ const int tensor_shared = WARPS * WARP_BYTES;

// Numbers of a net that a lane gathers: number `k * LANES + lane` of [control][W], so that
// neighbouring lanes read neighbouring numbers.
constexpr int PARTS = 64 * W / LANES;

// Begins to copy the ids and the head of a leaf.
template <bool COMPACT>
__device__ __forceinline__ void copy_ids(const Leaves& leaves, size_t leaf, int lane,
                                         unsigned char* ids, Head* head) {
    constexpr int BYTES = COMPACT ? 128 : 256;
    const unsigned char* const net = static_cast<const unsigned char*>(leaves.nets) + leaf * BYTES;
    if (lane < BYTES / 16) copy_async<16>(ids + lane * 16, net + lane * 16);
    if (lane == LANES - 1) copy_async<16>(head, static_cast<const Head*>(leaves.heads) + leaf);
}

// Begins to copy the control points of a leaf whose ids are there.
template <bool COMPACT>
__device__ __forceinline__ void copy_points(const Job& job, int lane, const unsigned char* ids,
                                            const Head& head, double* points) {
#pragma unroll
    for (int k = 0; k < PARTS; ++k) {
        const int number = k * LANES + lane;
        const unsigned id =
            COMPACT ? head.base + reinterpret_cast<const unsigned short*>(ids)[number / W]
                    : reinterpret_cast<const unsigned*>(ids)[number / W];
        copy_async<8>(points + number, job.points + place(job, id, number % W));
    }
}

template <bool COMPACT>
__device__ __forceinline__ void evaluate(const Job& job, const Leaves& leaves,
                                         const real* __restrict__ axis, unsigned first,
                                         unsigned count) {
    extern __shared__ __align__(16) unsigned char memory[];
    // weights of the samples, alike on all axes: [order][sample][4]
    __shared__ __align__(16) real weights[ORDERS * N * 4];
    for (int i = threadIdx.x; i < ORDERS * N * 4; i += WARPS * LANES) weights[i] = axis[i];
    __syncthreads();

    const int lane = threadIdx.x % LANES;
    const int warp = threadIdx.x / LANES;
    unsigned char* const own = memory + warp * WARP_BYTES;
    real* const c = reinterpret_cast<real*>(own);
    real* const y = c + GROUP * C_CELL;
    real* const stage = y + GROUP * Y_CELL;
    double* const points = reinterpret_cast<double*>(own + WARP_REALS * sizeof(real));
    Head* const heads = reinterpret_cast<Head*>(points + GROUP * 64 * W);
    unsigned char* const ids = reinterpret_cast<unsigned char*>(heads + 3 * GROUP);

    const unsigned groups = (count + GROUP - 1) / GROUP;
    const unsigned step = gridDim.x * WARPS;
    unsigned group = blockIdx.x * WARPS + warp;
    if (group >= groups) return;

    const auto leaf_of = [&](unsigned group, int q) -> size_t {
        const unsigned at = group * GROUP + q;
        return first + (at < count ? at : count - 1);
    };
    const auto copy_group = [&](unsigned group, unsigned turn) {
#pragma unroll
        for (int q = 0; q < GROUP; ++q) {
            copy_ids<COMPACT>(leaves, leaf_of(group, q), lane, ids + (turn % 2 * GROUP + q) * IDS,
                              heads + turn % 3 * GROUP + q);
        }
    };
    const auto copy_group_points = [&](unsigned turn) {
#pragma unroll
        for (int q = 0; q < GROUP; ++q) {
            copy_points<COMPACT>(job, lane, ids + (turn % 2 * GROUP + q) * IDS,
                                 heads[turn % 3 * GROUP + q], points + q * 64 * W);
        }
    };
    copy_group(group, 0);
    commit_copies();
    wait_for_copies<0>();
    __syncwarp();
    copy_group_points(0);
    copy_group(group + step, 1);
    commit_copies();

    for (unsigned turn = 0; group < groups; group += step, ++turn) {
        wait_for_copies<0>();
        __syncwarp();
        const Head* const head = heads + turn % 3 * GROUP;
        real origin[GROUP][W];
#pragma unroll
        for (int q = 0; q < GROUP; ++q) {
            const double* const from = points + q * 64 * W;
            // control point (1, 1, 1) exists in every net
#pragma unroll
            for (int i = 0; i < W; ++i) origin[q][i] = real(from[21 * W + i]);
#pragma unroll
            for (int k = 0; k < PARTS; ++k) {
                const int number = k * LANES + lane;
                const int i = number % W;
                real own = origin[q][0];
#pragma unroll
                for (int j = 1; j < W; ++j) own = i == j ? origin[q][j] : own;
                c[q * C_CELL + number + number / (16 * W) * VECTOR] =
                    real(from[number] - double(own));
            }
        }
        __syncwarp();
        // on their way while this group is evaluated
        copy_group_points(turn + 1);
        copy_group(group + 2 * step, turn + 2);
        commit_copies();
#pragma unroll
        for (int q = 0; q < GROUP; ++q) {
            const unsigned ends = head[q].ends;
            if (ends == 0) continue;
            real* const cell = c + q * C_CELL;
            const auto at = [&](int w, int v, int u) {
                return cell + w * C_LAYER + (v * 4 + u) * W;
            };
            fill_ends(ends, 16, W, [&](int l) { return at(l / 4, l % 4, 0); });
            fill_ends(ends >> 2, 16, 4 * W, [&](int l) { return at(l / 4, 0, l % 4); });
            fill_ends(ends >> 4, 16, C_LAYER, [&](int l) { return at(0, l / 4, l % 4); });
        }

#pragma unroll
        for (int u_order = 0; u_order < ORDERS; ++u_order) {
            if (!is_wanted(u_order, -1)) continue;
#pragma unroll
            for (int v_order = 0; v_order < ORDERS; ++v_order) {
                if (!is_wanted(u_order, v_order)) continue;

                constexpr int TASKS = GROUP * 4 * N;
#pragma unroll
                for (int round = 0; round < (TASKS + LANES - 1) / LANES; ++round) {
                    const int task = round * LANES + lane;
                    const int q = task / (4 * N), w = task / N % 4, u = task % N;
                    if (TASKS % LANES == 0 || task < TASKS) {
                        real b[4];
                        load_vectors(b, weights + (u_order * N + u) * 4);
                        real x[4][W];
#pragma unroll
                        for (int v = 0; v < 4; ++v) {
                            real line[4 * W];
                            load_vectors(line, c + q * C_CELL + w * C_LAYER + v * 4 * W);
#pragma unroll
                            for (int i = 0; i < W; ++i) {
                                x[v][i] = b[0] * line[i] + b[1] * line[W + i] +
                                          b[2] * line[2 * W + i] + b[3] * line[3 * W + i];
                            }
                        }
                        real* const to = y + q * Y_CELL + w * Y_LAYER + u * W;
#pragma unroll
                        for (int v = 0; v < N; ++v) {
                            real b[4];
                            load_vectors(b, weights + (v_order * N + v) * 4);
#pragma unroll
                            for (int i = 0; i < W; ++i) {
                                to[v * N * W + i] = b[0] * x[0][i] + b[1] * x[1][i] +
                                                    b[2] * x[2][i] + b[3] * x[3][i];
                            }
                        }
                    }
                }
                __syncwarp();

#pragma unroll
                for (int w_order = 0; w_order < ORDERS; ++w_order) {
                    const int output = output_of(u_order, v_order, w_order);
                    if (output < 0) continue;
#pragma unroll
                    for (int layer = 0; layer < N; layer += LAYERS) {
                        wait_for_stage();
                        __syncwarp();
                        // two columns a lane at once share their weights
                        constexpr int COLUMNS = GROUP * N * N;
#pragma unroll 1
                        for (int pair = 0; pair < COLUMNS; pair += 2 * LANES) {
                            real z[2][4][W], add[2][W];
                            int to[2];
#pragma unroll
                            for (int k = 0; k < 2; ++k) {
                                const int column = pair + k * LANES + lane;
                                if (pair + k * LANES >= COLUMNS) continue;
                                const int q = min(column / (N * N), GROUP - 1);
                                const int at = column % (N * N) * W;
                                to[k] = q * STAGE_CELL + at;
#pragma unroll
                                for (int i = 0; i < W; ++i) {
                                    add[k][i] = output == 0 ? origin[0][i] : real(0);
                                    if (GROUP > 1 && output == 0 && q == 1) {
                                        add[k][i] = origin[GROUP - 1][i];
                                    }
#pragma unroll
                                    for (int w = 0; w < 4; ++w) {
                                        z[k][w][i] = y[q * Y_CELL + w * Y_LAYER + at + i];
                                    }
                                }
                            }
#pragma unroll
                            for (int n = 0; n < LAYERS; ++n) {
                                real b[4];
                                load_vectors(b, weights + (w_order * N + layer + n) * 4);
#pragma unroll
                                for (int k = 0; k < 2; ++k) {
                                    const int first_column = pair + k * LANES;
                                    if (first_column >= COLUMNS) continue;
                                    if (first_column + lane >= COLUMNS) continue;
#pragma unroll
                                    for (int i = 0; i < W; ++i) {
                                        const real sum = b[0] * z[k][0][i] + b[1] * z[k][1][i] +
                                                         b[2] * z[k][2][i] + b[3] * z[k][3][i];
                                        stage[to[k] + n * N * N * W + i] = sum + add[k][i];
                                    }
                                }
                            }
                        }
                        publish_stage();
                        __syncwarp();
#pragma unroll
                        for (int q = 0; q < GROUP; ++q) {
                            if (group * GROUP + q < count) {
                                const unsigned element = head[q].element;
                                const size_t sample =
                                    static_cast<size_t>(element - job.first_element) * (N * N * N) +
                                    layer * N * N;
                                send<LANES, WHOLE>(job, job.outputs[output], sample,
                                                   stage + q * STAGE_CELL, RUN, lane);
                            }
                        }
                    }
                }
                __syncwarp();
            }
        }
    }
    wait_for_stage();
}

extern "C" __global__ void __launch_bounds__(WARPS* LANES, BLOCKS)
    tensor_compact(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
                   const real* __restrict__ axis, unsigned first, unsigned count) {
    evaluate<true>(job, leaves, axis, first, count);
}

extern "C" __global__ void __launch_bounds__(WARPS* LANES, BLOCKS)
    tensor_wide(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
                const real* __restrict__ axis, unsigned first, unsigned count) {
    evaluate<false>(job, leaves, axis, first, count);
}
