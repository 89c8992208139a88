// Grids of 2 or 4 samples per axis on bricks of 2 x 2 x 2 regular elements, by sum
// factorization over the whole brick: neighbors share what they have in common.
//
// A warp evaluates a brick at once:
//
//     control points [w 5][v 5][u 5]   each lane reads whole columns, a component each
//     -> contracts w for the samples of both elements, in registers
//     -> x [w sample 2N][v 5][u 5]     in shared memory, relative to the middle control point
//     -> a lane for two rows (w sample, v sample) of an element: contracts v into
//        y [row 2][u 5], then u, in registers
//     -> stage [element 4][w][v][u]    lower, then upper half of the brick along u, sent in bulk
//
// Rows are stored as whole vectors. About 12 multiply-adds a point for 4 samples, and 22 passes
// of a warp through shared memory an element.
//
// Plain reference: weights of single points in double precision, summed by
// tests/common/conformance/solid.rs for every strategy. Published counterpart: published/reg.cu.
//
// Measured without gain at 4^3 (91 to 92 us): steps given to whichever warp comes first (107 us:
// neighbors stop sharing an L1 cache), blocks of one warp, hints that keep ids in the L2 cache.
#include "solid/nets.cuh"
#include "common/stage.cuh"

constexpr int N = SAMPLES;
static_assert(N == 2 || N == 4, "the rows of all lanes are those of a brick");
constexpr int W = WIDTH;
constexpr int WARPS = 4;
// blocks a multiprocessor holds at least: a bound for the registers
constexpr int BLOCKS = (DOUBLE ? 2 : 3) + (ORDERS == 1 && W < 4);

// rows of samples of a lane; an element with one w has two lanes
constexpr int OWN = N / 2;

// reals of a row of control points and of a w sample, in whole vectors; lanes with neighboring
// w samples read different banks
constexpr int vectors(int reals) { return (reals + VECTOR - 1) / VECTOR; }
constexpr int ROW = vectors(5 * W) * VECTOR;
constexpr int SAMPLE = (vectors(5 * ROW) | 1) * VECTOR;
constexpr int X = 2 * N * SAMPLE;
// an element's results, and their distance
constexpr int CELL = N * N * N * W;
constexpr int DISTANCE = whole_lines(CELL * sizeof(real)) / sizeof(real);
constexpr int STAGE = 4 * DISTANCE;
constexpr int STAGES = 2;
// with derivatives the control points wait in shared memory, each for the lane that has it
constexpr int KEPT = ORDERS > 1 ? Columns::READS * LANES : 0;
constexpr int WARP_REALS = X + STAGES * STAGE + KEPT;

// Shared memory of a block in bytes, for the host.
template <typename Id>
constexpr int WARP_BYTES = whole_lines(WARP_REALS * sizeof(real) + sizeof(Ahead<Id, Columns>));
extern "C" __device__ const int bricks_compact_shared = WARPS * WARP_BYTES<unsigned short>;
extern "C" __device__ const int bricks_wide_shared = WARPS * WARP_BYTES<unsigned>;

// b0 p0 + ... + b3 p3
__device__ __forceinline__ real combine(const real* b, real p0, real p1, real p2, real p3) {
    return b[0] * p0 + b[1] * p1 + b[2] * p2 + b[3] * p3;
}

// A row of results.
__device__ __forceinline__ void store_row(real* to, const real (&row)[N * W]) {
    if constexpr (N * W % VECTOR == 0) {
        store_vectors(to, row);
    } else {
        store_pairs(to, row);
    }
}

// Replaces missing end layers by phantoms, 2 near - next; `low` and `high`: bits of both ends.
template <typename Entry>
__device__ __forceinline__ void fill(unsigned ends, unsigned low, unsigned high, Entry entry) {
    if (ends & low) entry(0) = entry(1) + entry(1) - entry(2);
    if (ends & high) entry(4) = entry(3) + entry(3) - entry(2);
}

// The same in x, along u, then v, for a warp.
__device__ __forceinline__ void fill_rows(unsigned ends, real* x, int lane) {
    const auto at = [&](int w, int v, int u) { return x + w * SAMPLE + v * ROW + u * W; };
    for (int i = lane; i < 2 * N * 5 * W; i += LANES) {
        const int line = i / W;
        fill(ends, 1, 2, [&](int k) -> real& { return at(line / 5, line % 5, k)[i % W]; });
    }
    __syncwarp();
    for (int i = lane; i < 2 * N * 5 * W; i += LANES) {
        const int line = i / W;
        fill(ends, 4, 8, [&](int k) -> real& { return at(line / 5, k, line % 5)[i % W]; });
    }
    __syncwarp();
}

template <typename Id>
__device__ __forceinline__ void evaluate(const Job& job, const Leaves& leaves,
                                         const Weights& all_weights, unsigned first,
                                         unsigned count, unsigned elements, unsigned* asked) {
    extern __shared__ __align__(STAGE_LINE) unsigned char memory[];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    // those that differ from lane to lane are read here, the others as constants
    __shared__ __align__(16) real weights[Weights::COUNT];
    all_weights.copy_to<WARPS * LANES>(weights);
    real* const stages = reinterpret_cast<real*>(memory + warp * WARP_BYTES<Id>);
    real* const x = stages + STAGES * STAGE;
    real* const kept = x + X + lane;
    auto& ahead = *reinterpret_cast<Ahead<Id, Columns>*>(x + X + KEPT);

    const unsigned group = blockIdx.x * WARPS + warp, stride = gridDim.x * WARPS;
    if (group >= count) return;
    Reader<Id, Columns> reader{job, leaves, ahead, first, count, count, group, stride, asked};
    reader.begin();

    // where the columns that the lane reads go, first to last
    real* columns[Columns::RUNS];
#pragma unroll
    for (int run = 0; run < Columns::RUNS; ++run) {
        const int column = run * TOGETHER + lane / W;
        const bool is_own = lane < TOGETHER * W && column < 25;
        columns[run] = is_own ? x + column / 5 * ROW + column % 5 * W + lane % W : nullptr;
    }

    // the lane's rows of samples. Neighboring lanes share them in two, which read the same of x
    const int w = lane / 2 % (2 * N), element_v = lane / (4 * N);
    const bool mine = element_v < 2;
    const real* const window = x + w * SAMPLE + (mine ? element_v : 0) * ROW;
    // every other two layers take the second row first: lanes store to different banks
    const int other = OWN == 2 ? w / 2 % 2 : 0;
    int v[OWN];
#pragma unroll
    for (int j = 0; j < OWN; ++j) v[j] = lane % 2 * OWN + (j ^ other);
    real own_weights[OWN][4];
    const auto read_weights = [&](int order) {
#pragma unroll
        for (int j = 0; j < OWN; ++j) load_vectors(own_weights[j], weights + (order * N + v[j]) * 4);
    };
    if (ORDERS == 1) read_weights(0);
    const int place = (element_v + w / N * 2) * DISTANCE + w % N * N * N * W;

    unsigned sent = 0;
    for (unsigned round = 0; round < reader.rounds; ++round) {
        const BrickHead& head = reader.step(round).head;
        // alike for all elements of a side
        const unsigned ends = (head.ends[0] & 0x15) | (head.ends[7] & 0x2a);
        real origin[W], points[Columns::RUNS][5];
        {
            // column 12 is in the middle; the control point there exists in every brick
            constexpr int MIDDLE = 12 / TOGETHER * 5 + 2, MIDDLE_LANE = 12 % TOGETHER * W;
            const real middle = real(reader.points[0][MIDDLE]);
#pragma unroll
            for (int i = 0; i < W; ++i) {
                origin[i] = __shfl_sync(ALL_LANES, middle, MIDDLE_LANE + i);
            }
            // as rounded as it is added again
            const double own = __shfl_sync(ALL_LANES, middle, MIDDLE_LANE + lane % W);
#pragma unroll
            for (int run = 0; run < Columns::RUNS; ++run) {
#pragma unroll
                for (int k = 0; k < 5; ++k) {
                    points[run][k] = real(reader.points[0][run * 5 + k] - own);
                }
                if (ends & 0x30) {
                    fill(ends, 16, 32, [&](int k) -> real& { return points[run][k]; });
                }
#pragma unroll
                for (int k = 0; k < 5; ++k) {
                    if (ORDERS > 1) kept[(run * 5 + k) * LANES] = points[run][k];
                }
            }
        }
        reader.advance(round);

#pragma unroll
        for (int w_order = 0; w_order < ORDERS; ++w_order) {
            if (!is_wanted(w_order, -1)) continue;
#pragma unroll
            for (int run = 0; run < Columns::RUNS; ++run) {
                if (columns[run] == nullptr) continue;
#pragma unroll
                for (int k = 0; k < 5; ++k) {
                    if (ORDERS > 1) points[run][k] = kept[(run * 5 + k) * LANES];
                }
#pragma unroll
                for (int s = 0; s < 2 * N; ++s) {
                    const real* const p = points[run] + s / N;
                    columns[run][s * SAMPLE] = combine(all_weights.b + (w_order * N + s % N) * 4,
                                                       p[0], p[1], p[2], p[3]);
                }
            }
            __syncwarp();
            if (ends & 0xf) fill_rows(ends, x, lane);
#pragma unroll
            for (int v_order = 0; v_order < ORDERS; ++v_order) {
                if (!is_wanted(w_order, v_order)) continue;
                if (ORDERS > 1) read_weights(v_order);
                real y[OWN][ROW];
#pragma unroll
                for (int i = 0; i < ROW; i += VECTOR) {
                    real p[4][VECTOR];
#pragma unroll
                    for (int k = 0; k < 4; ++k) load_vectors(p[k], window + k * ROW + i);
#pragma unroll
                    for (int j = 0; j < OWN; ++j) {
#pragma unroll
                        for (int e = 0; e < VECTOR; ++e) {
                            y[j][i + e] =
                                combine(own_weights[j], p[0][e], p[1][e], p[2][e], p[3][e]);
                        }
                    }
                }
#pragma unroll
                for (int u_order = 0; u_order < ORDERS; ++u_order) {
                    const int output = output_of(u_order, v_order, w_order);
                    if (output < 0) continue;
#pragma unroll
                    for (int half = 0; half < 2; ++half) {
                        wait_for_stage<STAGES - 1>();
                        __syncwarp();
                        real* const stage = stages + sent++ % STAGES * STAGE;
#pragma unroll
                        for (int j = 0; j < OWN; ++j) {
                            real row[N * W];
#pragma unroll
                            for (int u = 0; u < N; ++u) {
#pragma unroll
                                for (int i = 0; i < W; ++i) {
                                    const real* const p = y[j] + half * W + i;
                                    const real* const b = all_weights.b + (u_order * N + u) * 4;
                                    row[u * W + i] = combine(b, p[0], p[W], p[2 * W], p[3 * W]) +
                                                     (output > 0 ? real(0) : origin[i]);
                                }
                            }
                            if (mine) store_row(stage + place + v[j] * (N * W), row);
                        }
                        publish_stage();
                        __syncwarp();
                        const unsigned element =
                            head.elements[half + lane % 4 * 2] - job.first_element;
                        send_each<4, true>(
                            job, job.outputs[output], stage, CELL, lane,
                            [](int q) { return q * DISTANCE; },
                            element < elements ? size_t(element) * (N * N * N) : NOWHERE);
                    }
                }
            }
            __syncwarp();
        }
    }
    wait_for_stage();
}

#define BRICKS(name, Id)                                                                   \
    extern "C" __global__ void __launch_bounds__(WARPS* LANES, BLOCKS)                     \
        name(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,       \
             const __grid_constant__ Weights weights, unsigned first, unsigned count,      \
             unsigned elements, unsigned* asked) {                                         \
        evaluate<Id>(job, leaves, weights, first, count, elements, asked);                 \
    }

BRICKS(bricks_compact, unsigned short)
BRICKS(bricks_wide, unsigned)
