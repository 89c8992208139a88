// Grids of SAMPLES^3 samples on layered elements: the planar table first, then the spline
// across the layers.
//
// A warp evaluates GROUP elements of one batch at once:
//
//     control points c [line][layer 4]        gathered relative to line 0 of layer 1
//     -> z [layer 4] of a lane's columns (b, a), by the planar table [line][b][a]
//     -> a lane contracts its columns across the layers
//     -> stage [w sample][v sample][u sample], turned into the element's axes
//
// With M lines about 12 M / 8 + 12 multiply-adds a point for 8 samples.
#include "orders.cuh"
#include "stage.cuh"

constexpr int N = SAMPLES;
constexpr int W = WIDTH;
constexpr int WARPS = 4;
// blocks a multiprocessor holds at least: a bound for the registers
constexpr int BLOCKS = DOUBLE || 2 * SAMPLES * SAMPLES <= LANES ? 2 : WIDTH > 3 ? 4 : 5;
constexpr int COLUMNS = N * N;
constexpr int GROUP = COLUMNS >= LANES ? 1 : LANES / COLUMNS < 8 ? LANES / COLUMNS : 8;
constexpr int ROUNDS = (GROUP * COLUMNS + LANES - 1) / LANES;

constexpr int LINE = 4 * W;
constexpr int RUN = N * COLUMNS * W;
constexpr int STAGE_CELL = (RUN + VECTOR - 1) / VECTOR * VECTOR;

// weights across the layers
constexpr int ACROSS = ORDERS * N * 4;

// Shared memory of a block in bytes: `layered_shared + controls * layered_shared_control`.
extern "C" __device__ const int layered_shared =
    WARPS * (GROUP * STAGE_CELL + ACROSS) * sizeof(real);
extern "C" __device__ const int layered_shared_control = WARPS * GROUP * LINE * sizeof(real);

// How far a lane's samples across the layers are shifted against the loop, so that the lanes
// of a turned element stage on different banks.
__device__ __forceinline__ int shift(const int (&steps)[3], int a, int b) {
    const int across = abs(steps[2]), along = abs(steps[0]);
    if (across == 1) return along == N ? a / 4 + 2 * b : a;
    if (across == N) return along == 1 ? b : a;
    return 0;
}

extern "C" __global__ void __launch_bounds__(WARPS* LANES, BLOCKS)
    layered(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
            const Batch* __restrict__ batches, const Item* __restrict__ items, unsigned count,
            const real* __restrict__ tables, const real* __restrict__ axes, unsigned controls) {
    extern __shared__ __align__(16) unsigned char memory[];
    const int lane = threadIdx.x % LANES;
    const int warp = threadIdx.x / LANES;
    real* const stage = reinterpret_cast<real*>(memory) +
                        warp * (GROUP * (STAGE_CELL + LINE * controls) + ACROSS);
    real* const across = stage + GROUP * STAGE_CELL;
    real* const c = across + ACROSS;

    for (unsigned at = blockIdx.x * WARPS + warp; at < count; at += gridDim.x * WARPS) {
        const Item item = items[at];
        const Batch& batch = batches[item.batch];
        const int lines = batch.controls;
        const int steps[3] = {batch.steps[0], batch.steps[1], batch.steps[2]};
        for (int i = lane; i < ACROSS; i += LANES) across[i] = __ldg(axes + batch.axes[2] + i);
        for (unsigned done = 0; done < item.count; done += GROUP) {
            const int cells = min(GROUP, int(item.count - done));
            const auto leaf_of = [&](int q) { return batch.first_leaf + item.first + done + q; };
            real origin[GROUP][W];
            unsigned elements[GROUP];
#pragma unroll
            for (int q = 0; q < GROUP; ++q) {
                if (q >= cells) break;
                elements[q] = __ldg(leaves.elements + leaf_of(q));
                const unsigned* const net =
                    static_cast<const unsigned*>(leaves.nets) + batch.first_net +
                    static_cast<size_t>(item.first + done + q) * (4 * lines);
                const unsigned ends = __ldg(leaves.ends + leaf_of(q));
                real* const cell = c + q * LINE * lines;
                // the cell's corners are the first four lines, its two layers the middle ones
                gather(job, net, 4 * lines, 1, 14, origin[q], cell);
                __syncwarp();
                if (ends) fill_ends(ends, lines, W, [&](int l) { return cell + l * LINE; });
            }
            __syncwarp();

            for (int output = 0; output < OUTPUTS; ++output) {
                const real* const table = tables + batch.tables[output];
                const int order = batch.orders[output] >> 4;
                const real* const weights = across + order * N * 4;
                const real sign = batch.negate >> output & 1 ? real(-1) : real(1);

                real z[ROUNDS][4][W];
#pragma unroll
                for (int r = 0; r < ROUNDS; ++r) {
#pragma unroll
                    for (int l = 0; l < 4; ++l) {
#pragma unroll
                        for (int i = 0; i < W; ++i) z[r][l][i] = 0;
                    }
                }
                // the lane's columns, and the elements they are in
                const real* column_weights[ROUNDS];
                const real* points[ROUNDS];
#pragma unroll
                for (int r = 0; r < ROUNDS; ++r) {
                    const int slot = r * LANES + lane;
                    const int q = GROUP == 1 ? 0 : min(slot / COLUMNS, cells - 1);
                    column_weights[r] =
                        table + (GROUP == 1 ? min(slot, COLUMNS - 1) : slot % COLUMNS);
                    points[r] = c + q * lines * LINE;
                }
#pragma unroll 4
                for (int line = 0; line < lines; ++line) {
                    real weight[ROUNDS], point[LINE];
#pragma unroll
                    for (int r = 0; r < ROUNDS; ++r) {
                        weight[r] = __ldg(column_weights[r] + line * COLUMNS);
                    }
#pragma unroll
                    for (int r = 0; r < ROUNDS; ++r) {
                        if (GROUP > 1 || r == 0) load_vectors(point, points[r] + line * LINE);
#pragma unroll
                        for (int l = 0; l < 4; ++l) {
#pragma unroll
                            for (int i = 0; i < W; ++i) z[r][l][i] += weight[r] * point[l * W + i];
                        }
                    }
                }

                wait_for_stage();
                __syncwarp();
                // each lane's columns at once, layer after layer
                int shifted[ROUNDS];
                real* to[ROUNDS];
                real add[ROUNDS][W];
#pragma unroll
                for (int r = 0; r < ROUNDS; ++r) {
                    const int slot = r * LANES + lane;
                    const int q = min(slot / COLUMNS, cells - 1), column = slot % COLUMNS;
                    const int a = column % N, b = column / N;
                    shifted[r] = shift(steps, a, b);
                    to[r] = stage + q * STAGE_CELL +
                            (batch.start + a * steps[0] + b * steps[1]) * W;
#pragma unroll
                    for (int i = 0; i < W; ++i) {
                        add[r][i] = 0;
#pragma unroll
                        for (int g = 0; g < GROUP; ++g) {
                            if (output == 0 && q == g) add[r][i] = origin[g][i];
                        }
                    }
                }
                const auto contract = [&](int r, const real(&weight)[4], real* at) {
#pragma unroll
                    for (int i = 0; i < W; ++i) {
                        const real sum = weight[0] * z[r][0][i] + weight[1] * z[r][1][i] +
                                         weight[2] * z[r][2][i] + weight[3] * z[r][3][i];
                        at[i] = sign * sum + add[r][i];
                    }
                };
                const auto is_own = [&](int r) {
                    constexpr bool ALL = GROUP == 1 && COLUMNS % LANES == 0;
                    return ALL || r * LANES + lane < cells * COLUMNS;
                };
                if (abs(steps[2]) == COLUMNS) {
#pragma unroll
                    for (int n = 0; n < N; ++n) {
                        real weight[4];
                        load_vectors(weight, weights + n * 4);
#pragma unroll
                        for (int r = 0; r < ROUNDS; ++r) {
                            if (is_own(r)) contract(r, weight, to[r] + n * steps[2] * W);
                        }
                    }
                } else {
#pragma unroll 1
                    for (int k = 0; k < N; ++k) {
#pragma unroll
                        for (int r = 0; r < ROUNDS; ++r) {
                            const int n = (k + shifted[r]) % N;
                            real weight[4];
                            load_vectors(weight, weights + n * 4);
                            if (is_own(r)) contract(r, weight, to[r] + n * steps[2] * W);
                        }
                    }
                }
                publish_stage();
                __syncwarp();
#pragma unroll
                for (int q = 0; q < GROUP; ++q) {
                    if (q >= cells) break;
                    const size_t sample =
                        static_cast<size_t>(elements[q] - job.first_element) * (N * COLUMNS);
                    send<LANES, RUN % VECTOR == 0>(job, job.outputs[output], sample,
                                                   stage + q * STAGE_CELL, RUN, lane);
                }
            }
            __syncwarp();
        }
    }
    wait_for_stage();
}
