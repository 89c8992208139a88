// Grids of SAMPLES^3 samples on regular elements, by sum factorization.
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
//
// Bricks of 2 x 2 x 2 elements share 5 x 5 x 5 control points: a warp reads the points of a brick
// once, into shared memory, and takes its elements one GROUP after another. Reading 16 points
// an element instead of 64 matters, because reads are slow while writing fills the memory.
//
// Plain reference: weights of single points in double precision, summed by
// tests/common/conformance/solid.rs for every strategy. Published counterpart: published/reg.cu.
//
// Measured without gain at 8^3: room on every multiprocessor for elements outside bricks costs
// whole models 4 to 6 %. The order of writes does not matter: a kernel that only writes 768 bytes
// an element runs at write bandwidth in any order.
#include "solid/nets.cuh"
#include "common/stage.cuh"

constexpr int N = SAMPLES;
constexpr int W = WIDTH;
constexpr int WARPS = 4;
// two elements of few samples keep the lanes busy
constexpr int GROUP = 8 * N <= LANES ? 2 : 1;
// blocks a multiprocessor holds at least: a bound for the registers
constexpr int BLOCKS =
    N > 8 || W > 3 ? 2 : DOUBLE ? 3 - (OUTPUTS > 1) : OUTPUTS > 4 || N == 7 ? 3 : 4;
// a brick's control points on their way take registers too
constexpr int BRICK_BLOCKS = !DOUBLE && OUTPUTS > 1 && BLOCKS > 3 ? 3 : BLOCKS;

// shared memory of a warp, in reals; paddings keep lanes on different banks
constexpr int C_LAYER = 16 * W + VECTOR;
constexpr int C_CELL = 4 * C_LAYER;
constexpr int X_SAMPLE = 16 * W + VECTOR;
constexpr int X_CELL = N * X_SAMPLE;
// columns of samples evaluated at once, two per lane
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

// Nets that a warp reads, one by one or as a brick.
using OneByOne = Singles<GROUP>;
using Brick = Bricks<GROUP>;

template <typename Step>
constexpr bool BRICKED = Step::POINTS == 125;
// groups of elements of a step
template <typename Step>
constexpr int TURNS = BRICKED<Step> ? 8 / GROUP : 1;
// control points of a brick in shared memory
template <typename Step>
constexpr int TILE = BRICKED<Step> ? (125 * W + 1) / 2 * 2 : 0;

// Shared memory of a block in bytes, for the host.
template <typename Id, typename Step>
constexpr int WARP_BYTES =
    whole_lines(WARP_REALS * sizeof(real) + sizeof(Ahead<Id, Step>) + TILE<Step> * sizeof(double));
extern "C" __device__ const int tensor_compact_shared =
    WARPS * WARP_BYTES<unsigned short, OneByOne>;
extern "C" __device__ const int tensor_wide_shared = WARPS * WARP_BYTES<unsigned, OneByOne>;
extern "C" __device__ const int bricks_compact_shared =
    WARPS * WARP_BYTES<unsigned short, Brick>;
extern "C" __device__ const int bricks_wide_shared = WARPS * WARP_BYTES<unsigned, Brick>;

// Evaluates a group of elements whose control points stand in `c`, relative to `origin`.
// `weights`: `all_weights` in shared memory. `sent`: stages so far. `ends_of(q)`:
// missing layers of element q; `target_of(q)`: its place among the results, or NOWHERE.
template <typename Ends, typename Target>
__device__ __forceinline__ void evaluate_group(const Job& job, const Weights& all_weights,
                                               const real* weights, real* c, real* x,
                                               real* stages, unsigned& sent,
                                               const real (&origin)[GROUP][W], int lane,
                                               Ends ends_of, Target target_of) {
#pragma unroll
    for (int q = 0; q < GROUP; ++q) {
        const unsigned ends = ends_of(q);
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
                        wait_for_stage<WHOLE ? STAGES - 1 : 0>();
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
                        const int columns = min(COLUMNS, N * N - first_column);
                        // a lane a run
                        const int own = min(lane, GROUP * RUNS - 1);
                        const size_t element = target_of(own / RUNS);
                        const int first = (layer + own % RUNS) * N * N + first_column;
                        send_each<GROUP * RUNS, WHOLE>(
                            job, job.outputs[output], stage,
                            COLUMNS == N * N ? RUN : columns * W, lane,
                            [](int k) { return k / RUNS * STAGE_CELL + k % RUNS * COLUMNS * W; },
                            element == NOWHERE ? NOWHERE : element * (N * N * N) + first);
                    }
                }
            }
        }
        __syncwarp();
    }
}

// `count`: elements, or bricks; those outside the job's `elements` are not written.
template <typename Id, typename Step>
__device__ __forceinline__ void evaluate(const Job& job, const Leaves& leaves,
                                         const Weights& all_weights, unsigned first,
                                         unsigned count, unsigned elements, unsigned* asked) {
    extern __shared__ __align__(STAGE_LINE) unsigned char memory[];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    // those that differ from lane to lane are read here, the others as constants
    __shared__ __align__(16) real weights[Weights::COUNT];
    all_weights.copy_to<WARPS * LANES>(weights);

    real* const stages = reinterpret_cast<real*>(memory + warp * WARP_BYTES<Id, Step>);
    real* const c = stages + STAGES * GROUP * STAGE_CELL;
    real* const x = c + GROUP * C_CELL;
    double* const tile = reinterpret_cast<double*>(x + GROUP * X_CELL);
    auto& ahead = *reinterpret_cast<Ahead<Id, Step>*>(tile + TILE<Step>);

    const unsigned groups = (count + Step::NETS - 1) / Step::NETS;
    const unsigned group = blockIdx.x * WARPS + warp, stride = gridDim.x * WARPS;
    if (group >= groups) return;
    Reader<Id, Step> reader{job, leaves, ahead, first, count, groups, group, stride, asked};
    reader.begin();

    unsigned sent = 0;
    for (unsigned round = 0; round < reader.rounds; ++round) {
        const Step& step = reader.step(round);
        real origin[GROUP][W];
        if constexpr (BRICKED<Step>) {
#pragma unroll
            for (int k = 0; k < Step::READS; ++k) {
                const int at = k * TOGETHER * W + lane;
                if (lane < TOGETHER * W && at < 125 * W) tile[at] = reader.points[0][k];
            }
        } else {
#pragma unroll
            for (int q = 0; q < GROUP; ++q) {
                // control point 21 is (1, 1, 1), which exists in every net
                constexpr int CENTER = 21 / TOGETHER, CENTER_LANE = 21 % TOGETHER * W;
                const real center = real(reader.points[q][CENTER]);
#pragma unroll
                for (int i = 0; i < W; ++i) {
                    origin[q][i] = __shfl_sync(ALL_LANES, center, CENTER_LANE + i);
                }
                // as rounded as it is added again
                const double own = __shfl_sync(ALL_LANES, center, CENTER_LANE + lane % W);
#pragma unroll
                for (int k = 0; k < Step::READS; ++k) {
                    const int control = k * TOGETHER + lane / W;
                    if (lane < TOGETHER * W && control < 64) {
                        c[q * C_CELL + k * TOGETHER * W + lane + control / 16 * VECTOR] =
                            real(reader.points[q][k] - own);
                    }
                }
            }
        }
        reader.advance(round);

#pragma unroll 1
        for (int part = 0; part < TURNS<Step>; ++part) {
            if constexpr (BRICKED<Step>) {
                // lane: half a line of four control points along u
#pragma unroll
                for (int q = 0; q < GROUP; ++q) {
                    const int corner = part * GROUP + q;
                    const double* const from =
                        tile + (corner % 2 + corner / 2 % 2 * 5 + corner / 4 * 25) * W;
                    const double* const line =
                        from + (lane / 2 % 4 * 5 + lane / 8 * 25 + lane % 2 * 2) * W;
                    real* const to = c + q * C_CELL + lane / 8 * C_LAYER + lane % 8 * 2 * W;
#pragma unroll
                    for (int i = 0; i < W; ++i) {
                        origin[q][i] = real(from[31 * W + i]);
                        to[i] = real(line[i] - double(origin[q][i]));
                        to[W + i] = real(line[W + i] - double(origin[q][i]));
                    }
                }
                __syncwarp();
            }
            evaluate_group(
                job, all_weights, weights, c, x, stages, sent, origin, lane,
                [&](int q) { return step.ends(part, q); },
                [&](int q) -> size_t {
                    if (!BRICKED<Step> && reader.place_of(round) * GROUP + q >= count) {
                        return NOWHERE;
                    }
                    const unsigned element = step.element(part, q) - job.first_element;
                    return BRICKED<Step> && element >= elements ? NOWHERE : element;
                });
        }
    }
    wait_for_stage();
}

#define TENSOR(name, Id, Step)                                                             \
    extern "C" __global__ void __launch_bounds__(WARPS* LANES,                             \
                                                 BRICKED<Step> ? BRICK_BLOCKS : BLOCKS)    \
        name(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,       \
             const __grid_constant__ Weights weights, unsigned first, unsigned count,      \
             unsigned elements, unsigned* asked) {                                         \
        evaluate<Id, Step>(job, leaves, weights, first, count, elements, asked);           \
    }

TENSOR(tensor_compact, unsigned short, OneByOne)
TENSOR(tensor_wide, unsigned, OneByOne)
TENSOR(bricks_compact, unsigned short, Brick)
TENSOR(bricks_wide, unsigned, Brick)
