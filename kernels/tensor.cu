// Grids of SAMPLES^3 samples on regular elements, by sum factorisation.
//
// A warp evaluates GROUP elements at once, without barriers between warps:
//
//     ids and control points             copied and read ahead of the work
//     control points c [w 4][v 4][u 4]   relative to control point (1, 1, 1)
//     -> a lane for every line and half of the u samples: contracts u
//     -> x [u sample][w 4][v 4]          in shared memory
//     -> a lane for every column (v, u sample): contracts v, then w, in registers
//     -> stage [w sample][v sample][u sample]   sent in runs of whole layers
//
// About 21 multiply-adds a point for 8 samples, so that writing the points is the limit.
#include "async.cuh"
#include "orders.cuh"
#include "stage.cuh"

constexpr int N = SAMPLES;
constexpr int W = WIDTH;
constexpr int WARPS = 4;
// two elements of few samples keep the lanes busy
constexpr int GROUP = 8 * N <= LANES ? 2 : 1;
// blocks a multiprocessor holds at least: a bound for the registers
constexpr int BLOCKS =
    N > 8 || W > 3 ? 2 : DOUBLE ? 3 - (OUTPUTS > 1) : OUTPUTS > 4 || N == 7 ? 3 : 4;

// shared memory of a warp, in reals; paddings keep lanes on different banks
constexpr int C_LAYER = 16 * W + VECTOR;
constexpr int C_CELL = 4 * C_LAYER;
constexpr int X_SAMPLE = 16 * W + VECTOR;
constexpr int X_CELL = N * X_SAMPLE;
// columns of samples evaluated at once, two a lane
constexpr int COLUMNS = N * N <= 2 * LANES ? N * N : 2 * LANES;
// layers of them staged at once: most that divide N and fit; of two stages one is filled while
// the other is sent
constexpr int STAGES = DOUBLE ? 2 : 1;
constexpr int STAGE_BYTES = DOUBLE ? 3200 : 6400;
constexpr int layers() {
    int most = 1;
    for (int n = 2; n <= N; ++n) {
        if (N % n == 0 && GROUP * n * COLUMNS * W * int(sizeof(real)) <= STAGE_BYTES) most = n;
    }
    return most;
}
constexpr int LAYERS = layers();
// whole layers are one run of results, parts of layers one each
constexpr int RUNS = COLUMNS == N * N ? 1 : LAYERS;
constexpr int RUN = LAYERS / RUNS * COLUMNS * W;
constexpr bool WHOLE = N * N * W % VECTOR == 0;
constexpr int STAGE_CELL = (LAYERS * COLUMNS * W + VECTOR - 1) / VECTOR * VECTOR;
constexpr int WARP_REALS = GROUP * (C_CELL + X_CELL + STAGES * STAGE_CELL);

// Weights of the samples, alike on all axes: [order][sample][4].
struct Weights {
    real b[ORDERS * N * 4];
};

// What is known of a leaf beside its ids.
struct Head {
    // added to the ids if they are 16 bits
    unsigned base;
    unsigned element, ends, padding;
};

// Ids and heads are copied so many groups ahead of the work: while results fill the memory's
// queues, reading takes long. Control points are read one group ahead, into registers.
constexpr int AHEAD = 6;
constexpr int RING = 8;
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
                                         const Weights& all_weights, unsigned first,
                                         unsigned count) {
    extern __shared__ __align__(16) unsigned char memory[];
    // those that differ from lane to lane are read here, the others as constants
    __shared__ __align__(16) real weights[ORDERS * N * 4];
    for (int i = threadIdx.x; i < ORDERS * N * 4; i += WARPS * LANES) {
        weights[i] = all_weights.b[i];
    }
    __syncthreads();

    const int lane = threadIdx.x % LANES;
    const int warp = threadIdx.x / LANES;
    real* const c = reinterpret_cast<real*>(memory + warp * WARP_BYTES<Id>);
    real* const x = c + GROUP * C_CELL;
    real* const stages = x + GROUP * X_CELL;
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
            {
                // lane: line of four control points along u, and half of the samples
                constexpr int HALF = (N + 1) / 2;
                const int line = lane / 2, half = lane % 2;
#pragma unroll
                for (int q = 0; q < GROUP; ++q) {
                    real points[4 * W];
                    load_vectors(points, c + q * C_CELL + line / 4 * C_LAYER + line % 4 * 4 * W);
#pragma unroll
                    for (int k = 0; k < HALF; ++k) {
                        const int u = half * HALF + k;
                        if (N % 2 != 0 && u >= N) continue;
                        real b[4];
                        load_vectors(b, weights + (u_order * N + u) * 4);
                        real* const to = x + q * X_CELL + u * X_SAMPLE + line * W;
#pragma unroll
                        for (int i = 0; i < W; ++i) {
                            to[i] = b[0] * points[i] + b[1] * points[W + i] +
                                    b[2] * points[2 * W + i] + b[3] * points[3 * W + i];
                        }
                    }
                }
            }
            __syncwarp();
#pragma unroll
            for (int v_order = 0; v_order < ORDERS; ++v_order) {
                if (!is_wanted(u_order, v_order)) continue;
#pragma unroll 1
                for (int first_column = 0; first_column < N * N; first_column += COLUMNS) {
                    // the lane's columns, contracted along v
                    constexpr int OWN = (GROUP * COLUMNS + LANES - 1) / LANES;
                    real y[OWN][4][W];
                    bool mine[OWN];
                    int cell[OWN], to[OWN];
#pragma unroll
                    for (int k = 0; k < OWN; ++k) {
                        const int slot = k * LANES + lane;
                        cell[k] = GROUP == 1 ? 0 : min(slot / COLUMNS, GROUP - 1);
                        const int own = slot - cell[k] * COLUMNS;
                        mine[k] = own < COLUMNS && first_column + own < N * N;
                        to[k] = cell[k] * STAGE_CELL + own * W;
                        const int column = min(first_column + own, N * N - 1);
                        real b[4];
                        load_vectors(b, weights + (v_order * N + column / N) * 4);
                        const real* const from =
                            x + cell[k] * X_CELL + column % N * X_SAMPLE;
#pragma unroll
                        for (int w = 0; w < 4; ++w) {
                            real line[4 * W];
                            load_vectors(line, from + w * 4 * W);
#pragma unroll
                            for (int i = 0; i < W; ++i) {
                                y[k][w][i] = b[0] * line[i] + b[1] * line[W + i] +
                                             b[2] * line[2 * W + i] + b[3] * line[3 * W + i];
                            }
                        }
                    }
#pragma unroll
                    for (int w_order = 0; w_order < ORDERS; ++w_order) {
                        const int output = output_of(u_order, v_order, w_order);
                        if (output < 0) continue;
#pragma unroll
                        for (int layer = 0; layer < N; layer += LAYERS) {
                            // runs that are no whole vectors are not sent in bulk
                            wait_for_stage<WHOLE ? (STAGES - 1) * GROUP * RUNS : 0>();
                            __syncwarp();
                            real* const stage = stages + sent++ % STAGES * GROUP * STAGE_CELL;
#pragma unroll
                            for (int n = 0; n < LAYERS; ++n) {
                                const real* const b =
                                    all_weights.b + (w_order * N + layer + n) * 4;
#pragma unroll
                                for (int k = 0; k < OWN; ++k) {
                                    if (!mine[k]) continue;
#pragma unroll
                                    for (int i = 0; i < W; ++i) {
                                        const real sum = b[0] * y[k][0][i] + b[1] * y[k][1][i] +
                                                         b[2] * y[k][2][i] + b[3] * y[k][3][i];
                                        const real add =
                                            output > 0 ? real(0)
                                            : GROUP > 1 && cell[k] == 1 ? origin[GROUP - 1][i]
                                                                        : origin[0][i];
                                        stage[to[k] + n * COLUMNS * W + i] = sum + add;
                                    }
                                }
                            }
                            publish_stage();
                            __syncwarp();
#pragma unroll
                            for (int q = 0; q < GROUP; ++q) {
                                if ((group + turn * step) * GROUP + q >= count) continue;
                                const size_t element = head[q].element - job.first_element;
                                const int columns = min(COLUMNS, N * N - first_column);
#pragma unroll
                                for (int run = 0; run < RUNS; ++run) {
                                    send<LANES, WHOLE>(
                                        job, job.outputs[output],
                                        element * (N * N * N) + (layer + run) * N * N +
                                            first_column,
                                        stage + q * STAGE_CELL + run * COLUMNS * W,
                                        COLUMNS == N * N ? RUN : columns * W, lane);
                                }
                            }
                        }
                    }
                }
            }
            __syncwarp();
        }
    }
    wait_for_stage();
}

extern "C" __global__ void __launch_bounds__(WARPS* LANES, BLOCKS)
    tensor_compact(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
                   const __grid_constant__ Weights weights, unsigned first, unsigned count) {
    evaluate<unsigned short>(job, leaves, weights, first, count);
}

extern "C" __global__ void __launch_bounds__(WARPS* LANES, BLOCKS)
    tensor_wide(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
                const __grid_constant__ Weights weights, unsigned first, unsigned count) {
    evaluate<unsigned>(job, leaves, weights, first, count);
}
