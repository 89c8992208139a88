// Grids of SAMPLES^3 samples on regular elements, by sum factorisation.
//
// A warp evaluates GROUP elements at once, without barriers between warps:
//
//     control points c [w 4][v 4][u 4]   gathered relative to control point (1, 1, 1)
//     -> a lane for every (w, u sample): contracts u, then v, in registers
//     -> y [w 4][v sample][u sample]     in shared memory
//     -> a lane for every (v, u sample): contracts w
//     -> stage [w sample][v sample][u sample]   sent in runs of whole layers
//
// About 21 multiply-adds a point for 8 samples, so that writing the points is the limit.
#include "orders.cuh"
#include "stage.cuh"

constexpr int N = SAMPLES;
constexpr int W = WIDTH;
constexpr int WARPS = 4;
// two elements of few samples keep the lanes busy: one task is a (w, u sample)
constexpr int GROUP = 8 * N <= LANES ? 2 : 1;
// whether control points are loaded while the group before is evaluated
constexpr bool AHEAD = OUTPUTS == 1 && W <= 3;
// blocks a multiprocessor holds at least: a bound for the registers
constexpr int BLOCKS = DOUBLE || N > 10 ? 2 : AHEAD && GROUP == 1 ? 5 : 3;

// shared memory of a warp, in reals; paddings keep lanes on different banks
constexpr int C_LAYER = 16 * W + VECTOR;
constexpr int C_CELL = 4 * C_LAYER;
constexpr int Y_PADDING = (32 + (N * W) % 32 - (N * N * W) % 32) % 32;
constexpr int Y_LAYER = N * N * W + Y_PADDING;
constexpr int Y_CELL = (4 * Y_LAYER + VECTOR - 1) / VECTOR * VECTOR;
// layers of samples staged at once: most that divide N and fit
constexpr int STAGE_BYTES = 6400;
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

struct Weights {
    real b[ORDERS][N][4];
};

// Shared memory of a block in bytes, for the host.
extern "C" __device__ const int tensor_shared = WARPS * WARP_REALS * sizeof(real);

// Numbers of a net that a lane gathers: number `k * LANES + lane` of [control][W], so that
// neighbouring lanes read neighbouring numbers.
constexpr int PARTS = 64 * W / LANES;

__device__ __forceinline__ void load_ids(const Leaves& leaves, size_t leaf, int lane,
                                         unsigned (&ids)[PARTS]) {
    if (leaves.bases == nullptr) {
        const unsigned* const net = static_cast<const unsigned*>(leaves.nets) + leaf * 64;
#pragma unroll
        for (int k = 0; k < PARTS; ++k) ids[k] = __ldg(net + (k * LANES + lane) / W);
        return;
    }
    const unsigned base = __ldg(leaves.bases + leaf);
    const unsigned short* const net = static_cast<const unsigned short*>(leaves.nets) + leaf * 64;
#pragma unroll
    for (int k = 0; k < PARTS; ++k) ids[k] = base + __ldg(net + (k * LANES + lane) / W);
}

__device__ __forceinline__ void load_points(const Job& job, const unsigned (&ids)[PARTS], int lane,
                                            double (&points)[PARTS]) {
#pragma unroll
    for (int k = 0; k < PARTS; ++k) points[k] = component(job, ids[k], (k * LANES + lane) % W);
}

extern "C" __global__ void __launch_bounds__(WARPS* LANES, BLOCKS)
    tensor(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
           const __grid_constant__ Weights weights, unsigned first, unsigned count) {
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ __align__(16) real u_weights[ORDERS][N][4];
    for (int i = threadIdx.x; i < ORDERS * N * 4; i += WARPS * LANES) {
        u_weights[0][0][i] = weights.b[0][0][i];
    }
    __syncthreads();

    const int lane = threadIdx.x % LANES;
    const int warp = threadIdx.x / LANES;
    real* const c = reinterpret_cast<real*>(memory) + warp * WARP_REALS;
    real* const y = c + GROUP * C_CELL;
    real* const stage = y + GROUP * Y_CELL;

    const unsigned groups = (count + GROUP - 1) / GROUP;
    const unsigned step = gridDim.x * WARPS;
    unsigned group = blockIdx.x * WARPS + warp;
    if (group >= groups) return;

    // ids run two groups ahead of the work, points one
    const auto leaf_of = [&](unsigned group, int q) -> size_t {
        const unsigned at = group * GROUP + q;
        return first + (at < count ? at : count - 1);
    };
    unsigned ids[GROUP][PARTS];
    double points[GROUP][PARTS];
    if (AHEAD) {
#pragma unroll
        for (int q = 0; q < GROUP; ++q) {
            load_ids(leaves, leaf_of(group, q), lane, ids[q]);
            load_points(job, ids[q], lane, points[q]);
            load_ids(leaves, leaf_of(group + step, q), lane, ids[q]);
        }
    }

    for (; group < groups; group += step) {
        real origin[GROUP][W];
#pragma unroll
        for (int q = 0; q < GROUP; ++q) {
#pragma unroll
            for (int i = 0; i < W; ++i) {
                // control point 21 is (1, 1, 1), which exists in every net
                const int number = 21 * W + i;
                origin[q][i] =
                    __shfl_sync(ALL_LANES, real(points[q][number / LANES]), number % LANES);
            }
#pragma unroll
            for (int k = 0; k < PARTS; ++k) {
                const int number = k * LANES + lane;
                const int i = number % W;
                real own = origin[q][0];
#pragma unroll
                for (int j = 1; j < W; ++j) own = i == j ? origin[q][j] : own;
                c[q * C_CELL + number + number / (16 * W) * VECTOR] =
                    real(points[q][k] - double(own));
            }
            if (AHEAD) {
                load_points(job, ids[q], lane, points[q]);
                load_ids(leaves, leaf_of(group + 2 * step, q), lane, ids[q]);
            }
        }
        __syncwarp();
#pragma unroll
        for (int q = 0; q < GROUP; ++q) {
            const unsigned ends = __ldg(leaves.ends + leaf_of(group, q));
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
                        load_vectors(b, u_weights[u_order][u]);
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
                            const real(&b)[4] = weights.b[v_order][v];
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
                        constexpr int COLUMNS = GROUP * N * N;
#pragma unroll
                        for (int round = 0; round < (COLUMNS + LANES - 1) / LANES; ++round) {
                            const int column = round * LANES + lane;
                            const int q = column / (N * N), at = column % (N * N) * W;
                            if (COLUMNS % LANES == 0 || column < COLUMNS) {
                                real z[4][W];
#pragma unroll
                                for (int w = 0; w < 4; ++w) {
#pragma unroll
                                    for (int i = 0; i < W; ++i) {
                                        z[w][i] = y[q * Y_CELL + w * Y_LAYER + at + i];
                                    }
                                }
                                real add[W];
#pragma unroll
                                for (int i = 0; i < W; ++i) {
                                    add[i] = 0;
#pragma unroll
                                    for (int g = 0; g < GROUP; ++g) {
                                        if (output == 0 && q == g) add[i] = origin[g][i];
                                    }
                                }
#pragma unroll
                                for (int n = 0; n < LAYERS; ++n) {
                                    const real(&b)[4] = weights.b[w_order][layer + n];
#pragma unroll
                                    for (int i = 0; i < W; ++i) {
                                        const real sum = b[0] * z[0][i] + b[1] * z[1][i] +
                                                         b[2] * z[2][i] + b[3] * z[3][i];
                                        stage[q * STAGE_CELL + n * N * N * W + at + i] =
                                            sum + add[i];
                                    }
                                }
                            }
                        }
                        publish_stage();
                        __syncwarp();
#pragma unroll
                        for (int q = 0; q < GROUP; ++q) {
                            if (group * GROUP + q < count) {
                                const unsigned element = __ldg(leaves.elements + leaf_of(group, q));
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
