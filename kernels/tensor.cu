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
#include "async.cuh"
#include "orders.cuh"
#include "stage.cuh"

constexpr int N = SAMPLES;
constexpr int W = WIDTH;
constexpr int WARPS = 4;
// two elements of few samples keep the lanes busy: one task is a (w, u sample)
constexpr int GROUP = 8 * N <= LANES ? 2 : 1;
// blocks a multiprocessor holds at least: a bound for the registers
constexpr int MOST_BLOCKS = __CUDA_ARCH__ >= 900 && GROUP == 1 ? 5 : 4;
constexpr int BLOCKS = N > 10 || W > 3 ? 2 : DOUBLE ? 3 : MOST_BLOCKS;

// shared memory of a warp, in reals; paddings keep lanes on different banks
constexpr int C_LAYER = 16 * W + VECTOR;
constexpr int C_CELL = 4 * C_LAYER;
constexpr int Y_PADDING = (32 + (N * W) % 32 - (N * N * W) % 32) % 32;
constexpr int Y_LAYER = N * N * W + Y_PADDING;
constexpr int Y_CELL = (4 * Y_LAYER + VECTOR - 1) / VECTOR * VECTOR;
// layers of samples staged at once: most that divide N and fit; one stage is filled while the
// other is sent
constexpr int STAGES = 2;
constexpr int STAGE_BYTES = 3200;
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
constexpr int WARP_REALS = GROUP * (C_CELL + Y_CELL + STAGES * STAGE_CELL);


// What is known of a leaf beside its ids.
struct Head {
    // added to the ids if they are 16 bits
    unsigned base;
    unsigned element, ends, padding;
};

// Ids and heads are copied so many groups ahead of the work: while results fill the memory's
// queues, reading takes long. Control points are read one group ahead, into registers.
constexpr int AHEAD = 3;
constexpr int RING = 4;
static_assert(AHEAD + 1 <= RING, "the head in use stays");

template <typename Id>
struct Ahead {
    Head heads[RING][GROUP];
    Id ids[RING][GROUP][64];
};

// Shared memory of a block in bytes, for the host.
template <typename Id>
constexpr int WARP_BYTES = WARP_REALS * sizeof(real) + sizeof(Ahead<Id>);
extern "C" __device__ const int tensor_compact_shared = WARPS * WARP_BYTES<unsigned short>;
extern "C" __device__ const int tensor_wide_shared = WARPS * WARP_BYTES<unsigned>;

// Reads in which a warp has a net.
constexpr int READS = (64 + TOGETHER - 1) / TOGETHER;

template <typename Id>
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
    real* const c = reinterpret_cast<real*>(memory + warp * WARP_BYTES<Id>);
    real* const y = c + GROUP * C_CELL;
    real* const stages = y + GROUP * Y_CELL;
    Ahead<Id>& ahead = *reinterpret_cast<Ahead<Id>*>(stages + STAGES * GROUP * STAGE_CELL);

    const unsigned groups = (count + GROUP - 1) / GROUP;
    const unsigned step = gridDim.x * WARPS;
    unsigned group = blockIdx.x * WARPS + warp;
    if (group >= groups) return;

    const auto leaf_of = [&](unsigned at_group, int q) -> size_t {
        const unsigned at = at_group * GROUP + q;
        return first + (at < count ? at : count - 1);
    };
    // always commits, so that waiting can count
    const auto copy_ahead = [&](unsigned turn) {
        const unsigned long long at = group + static_cast<unsigned long long>(turn) * step;
        if (at < groups) {
#pragma unroll
            for (int q = 0; q < GROUP; ++q) {
                const size_t leaf = leaf_of(at, q);
                constexpr int PIECES = 64 * sizeof(Id) / 16;
                const uint4* const net = static_cast<const uint4*>(leaves.nets) + leaf * PIECES;
                uint4* const to = reinterpret_cast<uint4*>(ahead.ids[turn % RING][q]);
                if (lane < PIECES) copy_async<16>(to + lane, net + lane);
                if (lane == LANES - 1) {
                    copy_async<16>(&ahead.heads[turn % RING][q],
                                   static_cast<const Head*>(leaves.heads) + leaf);
                }
            }
        }
        commit_copies();
    };
    double points[GROUP][READS];
    const auto read_ahead = [&](unsigned turn) {
#pragma unroll
        for (int q = 0; q < GROUP; ++q) {
            const Id* const ids = ahead.ids[turn % RING][q];
            const unsigned base = sizeof(Id) == 2 ? ahead.heads[turn % RING][q].base : 0;
#pragma unroll
            for (int k = 0; k < READS; ++k) {
                const int control = min(k * TOGETHER + lane / W, 63);
                points[q][k] = component(job, base + ids[control], lane % W);
            }
        }
    };
    for (unsigned turn = 0; turn < AHEAD; ++turn) copy_ahead(turn);
    wait_for_copies<AHEAD - 1>();
    __syncwarp();
    read_ahead(0);

    unsigned sent = 0;
    const unsigned turns = (groups - group + step - 1) / step;
    for (unsigned turn = 0; turn < turns; ++turn) {
        const Head* const head = ahead.heads[turn % RING];
        real origin[GROUP][W];
#pragma unroll
        for (int q = 0; q < GROUP; ++q) {
            // control point 21 is (1, 1, 1), which exists in every net
            constexpr int CENTRE = 21 / TOGETHER, CENTRE_LANE = 21 % TOGETHER * W;
            const real centre = real(points[q][CENTRE]);
#pragma unroll
            for (int i = 0; i < W; ++i) {
                origin[q][i] = __shfl_sync(ALL_LANES, centre, CENTRE_LANE + i);
            }
            const double own = __shfl_sync(ALL_LANES, centre, CENTRE_LANE + lane % W);
#pragma unroll
            for (int k = 0; k < READS; ++k) {
                const int control = k * TOGETHER + lane / W;
                if (lane < TOGETHER * W && control < 64) {
                    c[q * C_CELL + k * TOGETHER * W + lane + control / 16 * VECTOR] =
                        real(points[q][k] - own);
                }
            }
        }
        // on their way while this group is evaluated
        copy_ahead(turn + AHEAD);
        wait_for_copies<AHEAD - 1>();
        __syncwarp();
        if (turn + 1 < turns) read_ahead(turn + 1);
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
                        wait_for_stage<(STAGES - 1) * GROUP>();
                        __syncwarp();
                        real* const stage = stages + sent++ % STAGES * GROUP * STAGE_CELL;
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
                            if ((group + turn * step) * GROUP + q < count) {
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
    evaluate<unsigned short>(job, leaves, axis, first, count);
}

extern "C" __global__ void __launch_bounds__(WARPS* LANES, BLOCKS)
    tensor_wide(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
                const real* __restrict__ axis, unsigned first, unsigned count) {
    evaluate<unsigned>(job, leaves, axis, first, count);
}
