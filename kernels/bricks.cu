// Grids of 2 or 4 samples an axis on bricks of 2 x 2 x 2 regular elements, by sum
// factorisation over the whole brick: neighbours share what they have in common.
//
// A warp evaluates a brick at once:
//
//     tile [w 5][v 5][u 5]             control points, relative to the middle one
//     -> a lane for every line along u: contracts u for the samples of both elements
//     -> x [u sample 2N][w 5][v 5]     in shared memory
//     -> a lane for two columns (u sample, v sample) of an element: contracts v into
//        y [column 2][w 5], then w, in registers
//     -> stage [element 4][w][v][u]    lower, then upper half of the brick, sent in bulk
//
// About 12 multiply-adds a point for 4 samples and 30 accesses of a warp to shared memory an
// element, where elements one by one take 18 and 128.
#include "nets.cuh"
#include "orders.cuh"
#include "stage.cuh"

constexpr int N = SAMPLES;
static_assert(N == 2 || N == 4, "two columns a lane fill at most a warp");
constexpr int W = WIDTH;
constexpr int WARPS = 4;
// blocks a multiprocessor holds at least: a bound for the registers
constexpr int BLOCKS = DOUBLE ? 2 : 3;

// reals of a point in shared memory, and distances that keep lanes on different banks
constexpr int POINT = W == 3 ? 4 : W;
__host__ __device__ constexpr int spread(int reals) {
    const int even = (reals + VECTOR - 1) / VECTOR;
    return W > 2 ? (even + (even % 2 == 0)) * VECTOR : reals | 1;
}
constexpr int LINE = spread(5 * POINT);
constexpr int TILE = (25 * LINE + VECTOR - 1) / VECTOR * VECTOR;
constexpr int SAMPLE = spread(25 * POINT);
constexpr int X = (2 * N * SAMPLE + VECTOR - 1) / VECTOR * VECTOR;
// an element's results of one half, and their distance
constexpr int CELL = N * N * N * W;
constexpr int DISTANCE = whole_lines(CELL * sizeof(real)) / sizeof(real);
constexpr int STAGE = 4 * DISTANCE;
constexpr int STAGES = 2;
constexpr int WARP_REALS = TILE + X + STAGES * STAGE;

// Weights of the samples, alike on all axes: [order][sample][4].
struct Weights {
    real b[ORDERS * N * 4];
};

using Brick = Bricks<8>;

// Shared memory of a block in bytes, for the host.
template <typename Id>
constexpr int WARP_BYTES = whole_lines(WARP_REALS * sizeof(real) + sizeof(Ahead<Id, Brick>));
extern "C" __device__ const int bricks_compact_shared = WARPS * WARP_BYTES<unsigned short>;
extern "C" __device__ const int bricks_wide_shared = WARPS * WARP_BYTES<unsigned>;

__device__ __forceinline__ void load_point(real (&to)[W], const real* from) {
    if constexpr (W > 2) {
        real all[POINT];
        load_vectors(all, from);
#pragma unroll
        for (int i = 0; i < W; ++i) to[i] = all[i];
    } else {
#pragma unroll
        for (int i = 0; i < W; ++i) to[i] = from[i];
    }
}

__device__ __forceinline__ void store_point(real* to, const real (&from)[W]) {
    if constexpr (W > 2) {
        real all[POINT] = {};
#pragma unroll
        for (int i = 0; i < W; ++i) all[i] = from[i];
        store_vectors(to, all);
    } else {
#pragma unroll
        for (int i = 0; i < W; ++i) to[i] = from[i];
    }
}

// sum + b0 p0 + ... + b3 p3
__device__ __forceinline__ void combine(real (&sum)[W], const real* b, const real* p0,
                                        const real* p1, const real* p2, const real* p3) {
#pragma unroll
    for (int i = 0; i < W; ++i) {
        sum[i] = b[0] * p0[i] + b[1] * p1[i] + b[2] * p2[i] + b[3] * p3[i];
    }
}

// Replaces missing end layers of an axis; entry i of line l stands at `at(l, i)`.
template <typename At>
__device__ __forceinline__ void fill_layers(unsigned ends, int lane, At at) {
    if (ends != 0 && lane < 25) {
#pragma unroll
        for (int i = 0; i < W; ++i) {
            const auto entry = [&](int k) -> real& { return at(lane, k)[i]; };
            if (ends & 1) entry(0) = entry(1) + entry(1) - entry(2);
            if (ends & 2) entry(4) = entry(3) + entry(3) - entry(2);
        }
    }
    __syncwarp();
}

// Contracts u: a lane a line.
__device__ __forceinline__ void contract_u(const real* b, const real* tile, real* x, int lane) {
    if (lane < 25) {
        real points[5][W];
#pragma unroll
        for (int k = 0; k < 5; ++k) load_point(points[k], tile + lane * LINE + k * POINT);
#pragma unroll
        for (int s = 0; s < 2 * N; ++s) {
            const int c = s / N;
            real sum[W];
            combine(sum, b + s % N * 4, points[c], points[c + 1], points[c + 2], points[c + 3]);
            store_point(x + s * SAMPLE + lane * POINT, sum);
        }
    }
    __syncwarp();
}

template <typename Id>
__device__ __forceinline__ void evaluate(const Job& job, const Leaves& leaves,
                                         const Weights& all_weights, unsigned first,
                                         unsigned count, unsigned elements) {
    extern __shared__ __align__(STAGE_LINE) unsigned char memory[];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    // those that differ from lane to lane are read here, the others as constants
    __shared__ __align__(16) real weights[ORDERS * N * 4];
    for (int i = threadIdx.x; i < ORDERS * N * 4; i += WARPS * LANES) {
        weights[i] = all_weights.b[i];
    }
    __syncthreads();

    real* const stages = reinterpret_cast<real*>(memory + warp * WARP_BYTES<Id>);
    real* const tile = stages + STAGES * STAGE;
    real* const x = tile + TILE;
    auto& ahead = *reinterpret_cast<Ahead<Id, Brick>*>(x + X);

    const unsigned group = blockIdx.x * WARPS + warp, stride = gridDim.x * WARPS;
    if (group >= count) return;
    const unsigned turns = (count - group + stride - 1) / stride;
    Reader<Id, Brick> reader{job, leaves, ahead, first, count, group, stride, turns};
    reader.begin();

    // the lane's columns: u sample, and v samples 2 pair and 2 pair + 1
    const int u = lane % (2 * N), pair = lane / (2 * N);
    const bool mine = pair < N;
    const int element_v = mine ? 2 * pair / N : 0, v = 2 * pair % N;
    const real* const window = x + u * SAMPLE + element_v * POINT;
    // lanes store to different banks: upper elements along u take their columns, those along v
    // every two layers, the other way round
    const int other = u / N, turned = element_v;
    const int place = (u / N + 2 * element_v) * DISTANCE + (v * N + u % N) * W;

    unsigned sent = 0;
    for (unsigned turn = 0; turn < turns; ++turn) {
        const BrickHead& head = reader.step(turn).head;
        real origin[W];
        {
            // control point 62 is (2, 2, 2), which exists in every brick
            constexpr int MIDDLE = 62 / TOGETHER, MIDDLE_LANE = 62 % TOGETHER * W;
            const real middle = real(reader.points[0][MIDDLE]);
#pragma unroll
            for (int i = 0; i < W; ++i) {
                origin[i] = __shfl_sync(ALL_LANES, middle, MIDDLE_LANE + i);
            }
            // as rounded as it is added again
            const double own = __shfl_sync(ALL_LANES, middle, MIDDLE_LANE + lane % W);
#pragma unroll
            for (int k = 0; k < READS<Brick>; ++k) {
                const int control = k * TOGETHER + lane / W;
                if (lane < TOGETHER * W && control < 125) {
                    // without a division where lines follow each other
                    const int at = LINE == 5 * POINT
                                       ? control * POINT
                                       : control / 5 * LINE + control % 5 * POINT;
                    tile[at + lane % W] = real(reader.points[0][k] - own);
                }
            }
        }
        reader.advance(turn);

        // alike for all elements of a side
        const unsigned ends = (head.ends[0] & 0x15) | (head.ends[7] & 0x2a);
        if (ends != 0) {
            const auto at = [&](int w, int v, int u) {
                return tile + (w * 5 + v) * LINE + u * POINT;
            };
            fill_layers(ends & 3, lane, [&](int l, int k) { return at(l / 5, l % 5, k); });
            fill_layers(ends >> 2 & 3, lane, [&](int l, int k) { return at(l / 5, k, l % 5); });
            fill_layers(ends >> 4 & 3, lane, [&](int l, int k) { return at(k, l / 5, l % 5); });
        }

#pragma unroll
        for (int u_order = 0; u_order < ORDERS; ++u_order) {
            if (!is_wanted(u_order, -1)) continue;
            contract_u(all_weights.b + u_order * N * 4, tile, x, lane);
#pragma unroll
            for (int v_order = 0; v_order < ORDERS; ++v_order) {
                if (!is_wanted(u_order, v_order)) continue;
                real y[2][5][W];
                {
                    real b[2][4];
                    const real* const own = weights + (v_order * N + v) * 4;
                    load_vectors(b[0], own + other * 4);
                    load_vectors(b[1], own + (1 - other) * 4);
#pragma unroll
                    for (int w = 0; w < 5; ++w) {
                        real p[4][W];
#pragma unroll
                        for (int k = 0; k < 4; ++k) {
                            load_point(p[k], window + (w * 5 + k) * POINT);
                        }
#pragma unroll
                        for (int j = 0; j < 2; ++j) {
                            combine(y[j][w], b[j], p[0], p[1], p[2], p[3]);
                        }
                    }
                }
#pragma unroll
                for (int w_order = 0; w_order < ORDERS; ++w_order) {
                    const int output = output_of(u_order, v_order, w_order);
                    if (output < 0) continue;
#pragma unroll
                    for (int half = 0; half < 2; ++half) {
                        wait_for_stage<STAGES - 1>();
                        __syncwarp();
                        real* const stage = stages + sent++ % STAGES * STAGE;
#pragma unroll
                        for (int w = 0; w < N; ++w) {
                            const int layer = w % 2 == 0 ? w + turned : w - turned;
                            real b[4];
                            load_vectors(b, weights + (w_order * N + layer) * 4);
#pragma unroll
                            for (int j = 0; j < 2; ++j) {
                                if (!mine) continue;
                                const int column = j == 0 ? other : 1 - other;
                                real sum[W];
                                combine(sum, b, y[j][half], y[j][half + 1], y[j][half + 2],
                                        y[j][half + 3]);
#pragma unroll
                                for (int i = 0; i < W; ++i) {
                                    const real add = output > 0 ? real(0) : origin[i];
                                    stage[place + (layer * N * N + column * N) * W + i] =
                                        sum[i] + add;
                                }
                            }
                        }
                        publish_stage();
                        __syncwarp();
                        const unsigned element =
                            head.elements[half * 4 + lane % 4] - job.first_element;
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
             unsigned elements) {                                                          \
        evaluate<Id>(job, leaves, weights, first, count, elements);                        \
    }

BRICKS(bricks_compact, unsigned short)
BRICKS(bricks_wide, unsigned)
