// Grids of SAMPLES^3 samples on layered elements: the planar table first, then the spline
// across the layers.
//
// A warp evaluates GROUP elements of one batch at once, item after item:
//
//     ids, then control points                read while the elements before are evaluated
//     -> c [line][layer 4]                    relative to the middle of two opposite corners
//     -> z [layer 4] of a lane's columns (q, p), by the planar table [line][q][p]
//     -> a lane contracts its columns across the layers
//     -> stage [w sample][v sample][u sample], as the element's axes lie
//
// With M lines about 12 M / 8 + 12 multiply-adds a point for 8 samples.
//
// Plain reference: weights of single points in double precision, summed by
// tests/common/conformance/solid.rs for every strategy. Published counterpart: published/lay.cu.
//
// Measured without gain (f32, valence 5, 551 us): reads later, sends by one known lane, items of
// 4, 12 or 16 elements (555 to 560); products of shared layers kept, equal shares for all warps,
// blocks of one warp, other unrolling (585 to 588); weights in shared memory, nets by
// asynchronous copies (582 to 638).
#include "solid/orders.cuh"
#include "common/stage.cuh"

constexpr int N = SAMPLES;
constexpr int W = WIDTH;
constexpr int WARPS = 4;
// blocks a multiprocessor holds at least: a bound for the registers
constexpr int BLOCKS = 2 * N * N <= LANES || DOUBLE && (W > 3 || OUTPUTS > 1 || N < 8) ? 2
                       : DOUBLE || W > 3 || N == 6 || N == 7                          ? 3
                                                                                       : 4;
constexpr int COLUMNS = N * N;
constexpr int GROUP = COLUMNS >= LANES ? 1 : LANES / COLUMNS < 8 ? LANES / COLUMNS : 8;
// columns of a lane, and lanes of an element
constexpr int OWN = (GROUP * COLUMNS + LANES - 1) / LANES;
constexpr int SPAN = (COLUMNS + OWN - 1) / OWN;
static_assert(GROUP == 1 || OWN == 1, "columns of one element");

// whether a lane's columns are read as one vector
constexpr bool PAIRS = OWN == 2 && COLUMNS % 2 == 0;
// whether the next net is read while one is evaluated
constexpr bool AHEAD = GROUP == 1;

constexpr int LINE = 4 * W;
constexpr int RUN = N * COLUMNS * W;
constexpr int STAGE_CELL = (RUN + VECTOR - 1) / VECTOR * VECTOR;

// weights across the layers
constexpr int ACROSS = ORDERS * N * 4;

// Shared memory of a warp in reals: for a group of elements, and for each line of their nets.
constexpr int FIXED = GROUP * STAGE_CELL + ACROSS;
constexpr int LINES = GROUP * LINE;

// Shared memory of a block in bytes: `layered_shared + controls * layered_shared_control`.
extern "C" __device__ const int layered_shared = WARPS * (FIXED * sizeof(real) + STAGE_LINE - 1);
extern "C" __device__ const int layered_shared_control = WARPS * LINES * sizeof(real);

// Samples across the layers that are whole vectors together.
constexpr int chunk() {
    int samples = 1;
    while (samples * W % VECTOR != 0) samples *= 2;
    return samples;
}
constexpr int CHUNK = chunk();
constexpr bool CHUNKED = N % CHUNK == 0;

// Where the id of point `at` stands in a net, or of the last one if there are less: points are
// counted [line][layer], ids stand [layer][line].
__device__ __forceinline__ int place_of(int at, int lines) {
    return at % 4 * lines + min(at / 4, lines - 1);
}

// Nets on their way to shared memory: the ids of one, and the control points of the same or of
// the one before, a whole one per lane and round.
struct Net {
    static constexpr int ROUNDS = 3;
    unsigned ids[ROUNDS], next_ends, next_element;
    double points[ROUNDS][W];
    unsigned ends, element;

    __device__ __forceinline__ void read_ids(const Leaves& leaves, const unsigned* net,
                                             unsigned leaf, int lines) {
        const int lane = threadIdx.x % LANES;
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            ids[k] = read_widely(net + place_of(k * LANES + lane, lines));
        }
        next_ends = __ldg(leaves.ends + leaf);
        next_element = __ldg(leaves.elements + leaf);
    }

    __device__ __forceinline__ void read_points(const Job& job, int lines) {
        ends = next_ends;
        element = next_element;
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            if (k * LANES >= 4 * lines) continue;
#pragma unroll
            for (int i = 0; i < W; ++i) {
                points[k][i] = read_widely(job.points + place(job, ids[k], i));
            }
        }
    }

    // Puts the control points relative to the middle of points `a` and `b`, both below LANES,
    // which is `origin`: sums round by the size of their terms.
    __device__ __forceinline__ void put(const Job& job, const unsigned* net, int lines, int a,
                                        int b, real (&origin)[W], real* to) const {
        const int lane = threadIdx.x % LANES, count = 4 * lines;
#pragma unroll
        for (int i = 0; i < W; ++i) {
            const real own = real(points[0][i]);
            origin[i] =
                real(0.5) * (__shfl_sync(ALL_LANES, own, a) + __shfl_sync(ALL_LANES, own, b));
        }
        const auto put_point = [&](int at, const double* point) {
            real own[W];
#pragma unroll
            for (int i = 0; i < W; ++i) own[i] = real(point[i] - double(origin[i]));
            if (at >= count) return;
#pragma unroll
            for (int i = 0; i < W; ++i) to[at * W + i] = own[i];
        };
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) put_point(k * LANES + lane, points[k]);
        // the last of many are read now
        for (int at = ROUNDS * LANES + lane; at < count; at += LANES) {
            const unsigned id = __ldg(net + place_of(at, lines));
            double point[W];
#pragma unroll
            for (int i = 0; i < W; ++i) point[i] = component(job, id, i);
            put_point(at, point);
        }
    }
};

extern "C" __global__ void __launch_bounds__(WARPS* LANES, BLOCKS)
    layered(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
            const Batch* __restrict__ batches, const Item* __restrict__ items, unsigned count,
            const real* __restrict__ tables, const real* __restrict__ axes, unsigned controls,
            unsigned* asked) {
    extern __shared__ __align__(STAGE_LINE) unsigned char memory[];
    const int lane = threadIdx.x % LANES;
    const int warp = threadIdx.x / LANES;
    // the lane's cell of a group, and the lane's place in the cell
    const int cell = GROUP == 1 ? 0 : lane / COLUMNS;
    const int own_lane = GROUP == 1 ? lane : lane % COLUMNS;
    const int warp_bytes = whole_lines((FIXED + LINES * int(controls)) * sizeof(real));
    real* const stage = reinterpret_cast<real*>(memory + warp * warp_bytes);
    real* const across = stage + GROUP * STAGE_CELL;
    real* const c = across + ACROSS;

    // Two items by the warp's number, then whichever is next when the warp gets there, each known
    // one ahead. Every warp with two asks for each of the others, and once without result: the last time
    // leaves zero.
    const unsigned stride = gridDim.x * WARPS;
    unsigned later = blockIdx.x * WARPS + warp;
    // less the first two of all warps
    unsigned asked_for = later - stride;
    Item following{};
    Net net;
    bool ids_are_read = false, points_are_read = false;
    unsigned batch_before = ~0u;
    const auto advance = [&] {
        const Item item = following;
        later = 2 * stride + __shfl_sync(ALL_LANES, asked_for, 0);
        following.count = 0;
        if (later < count) {
            following = items[later];
            if (lane == 0) asked_for = atomicInc(asked, count - stride - 1);
        }
        return item;
    };
    if (later >= count) return;
    following = items[later];
    while (following.count > 0) {
        const Item item = advance();
        const Batch& batch = batches[item.batch];
        // read here: in the loop they would wait for the nets that are read ahead, with which
        // they would share a scoreboard
        const int lines = batch.controls;
        const unsigned first_leaf = batch.first_leaf;
        const unsigned* const nets = static_cast<const unsigned*>(leaves.nets) + batch.first_net;
        const real* const positions = tables + batch.tables[0];
        // samples across the layers run along one axis of the element; columns (p, q) are counted
        // along the other two, as in the tables
        const int along = abs(batch.steps[2]);
        const bool is_chunked = CHUNKED && along == 1;
        const int step_p = along == 1 ? N : 1, step_q = along == COLUMNS ? N : COLUMNS;
        int p[OWN], q[OWN];
        bool mine[OWN];
#pragma unroll
        for (int k = 0; k < OWN; ++k) {
            // a lane stores whole columns if they are stretches of results, else neighbors
            const int own = is_chunked ? own_lane + k * SPAN : own_lane * OWN + k;
            mine[k] = own_lane < SPAN && own < COLUMNS && cell < GROUP;
            p[k] = mine[k] ? own % N : 0;
            q[k] = mine[k] ? own / N : 0;
        }
        for (int i = lane; i < ACROSS && item.batch != batch_before; i += LANES) {
            const int n = i / 4 % N;
            const int local = batch.steps[2] < 0 ? N - 1 - n : n;
            across[i] = __ldg(axes + batch.axes[2] + i + (local - n) * 4);
        }
        batch_before = item.batch;
        // ids of a leaf of an item: the next leaf of a stack begins a layer further
        const auto net_of = [](const Item& item, unsigned leaf, const unsigned* nets, int lines) {
            const unsigned stacks = __popc(item.stacks & ((2u << leaf) - 1));
            return nets + static_cast<size_t>(item.layer + leaf + 3 * stacks) * lines;
        };
        // what `then` is given of a leaf of this item, or of the next: ids, its number among all
        // leaves, control points of a layer; false if there is no such leaf
        const auto find = [&](unsigned leaf, auto then) {
            if (!AHEAD || leaf < item.count) {
                then(net_of(item, leaf, nets, lines), first_leaf + item.first + leaf, lines);
                return true;
            }
            leaf -= item.count;
            if (leaf >= following.count) return false;
            const Batch& own = batches[following.batch];
            const unsigned* const own_nets =
                static_cast<const unsigned*>(leaves.nets) + own.first_net;
            then(net_of(following, leaf, own_nets, own.controls),
                 own.first_leaf + following.first + leaf, own.controls);
            return true;
        };
        const auto read_ids = [&](unsigned leaf) {
            return find(leaf, [&](const unsigned* ids, unsigned number, int lines) {
                net.read_ids(leaves, ids, number, lines);
            });
        };
        const auto read_points = [&](unsigned leaf) {
            return find(leaf, [&](const unsigned* ids, unsigned number, int lines) {
                if (!ids_are_read) net.read_ids(leaves, ids, number, lines);
                ids_are_read = false;
                net.read_points(job, lines);
            });
        };
        for (unsigned done = 0; done < item.count; done += GROUP) {
            const int cells = min(GROUP, int(item.count - done));
            // of the cell that the lane sends
            unsigned element = 0;
            real origin[GROUP][W];
#pragma unroll
            for (int g = 0; g < GROUP; ++g) {
                if (g >= cells) break;
                if (!points_are_read) read_points(done + g);
                const unsigned own_ends = net.ends;
                if (GROUP == 1 || lane == g) element = net.element;
                real* const to = c + g * LINE * lines;
                // the cell's corners are the first four lines, its two layers the middle ones
                net.put(job, net_of(item, done + g, nets, lines), lines, 1, 14, origin[g], to);
                __syncwarp();
                if (own_ends) fill_ends(own_ends, lines, W, [&](int l) { return to + l * LINE; });
            }
            __syncwarp();
            if (AHEAD) {
                points_are_read = read_points(done + 1);
                ids_are_read = points_are_read && read_ids(done + 2);
            }

            for (int output = 0; output < OUTPUTS; ++output) {
                const real* table = OUTPUTS == 1 ? positions : tables + batch.tables[output];
                const int order = OUTPUTS == 1 ? 0 : batch.orders[output] >> 4;
                const real* const weights = across + order * N * 4;
                const real sign = OUTPUTS > 1 && batch.negate >> output & 1 ? real(-1) : real(1);

                real z[OWN][4][W] = {};
                const real* points = c + min(cell, cells - 1) * lines * LINE;
                const auto multiply = [&](auto read_weights) {
                    const real* own_table = table;
#pragma unroll 6
                    for (int line = 0; line < lines; ++line) {
                        real weight[OWN], point[LINE];
                        read_weights(weight, own_table);
                        own_table += COLUMNS;
                        load_vectors(point, points);
                        points += LINE;
#pragma unroll
                        for (int k = 0; k < OWN; ++k) {
#pragma unroll
                            for (int l = 0; l < 4; ++l) {
#pragma unroll
                                for (int i = 0; i < W; ++i) {
                                    z[k][l][i] += weight[k] * point[l * W + i];
                                }
                            }
                        }
                    }
                };
                if (PAIRS && !is_chunked) {
                    table += mine[0] ? 2 * own_lane : 0;
                    multiply([](real(&weight)[OWN], const real* at) { load_pairs(weight, at); });
                } else {
                    table += p[0] + N * q[0];
                    const int apart = is_chunked ? SPAN : 1;
                    multiply([&](real(&weight)[OWN], const real* at) {
#pragma unroll
                        for (int k = 0; k < OWN; ++k) weight[k] = __ldg(at + (mine[k] ? k * apart : 0));
                    });
                }
                real add[W];
#pragma unroll
                for (int i = 0; i < W; ++i) {
                    add[i] = 0;
#pragma unroll
                    for (int g = 0; g < GROUP; ++g) {
                        if (output == 0 && cell == g) add[i] = origin[g][i];
                    }
                }
                // sample n across the layers of the lane's k-th column
                const auto contract = [&](int k, int n, real* to) {
                    real weight[4];
                    load_vectors(weight, weights + n * 4);
#pragma unroll
                    for (int i = 0; i < W; ++i) {
                        const real sum = weight[0] * z[k][0][i] + weight[1] * z[k][1][i] +
                                         weight[2] * z[k][2][i] + weight[3] * z[k][3][i];
                        to[i] = sign * sum + add[i];
                    }
                };

                wait_for_stage();
                __syncwarp();
                real* const own_stage = stage + cell * STAGE_CELL;
                if (is_chunked) {
#pragma unroll
                    for (int k = 0; k < OWN; ++k) {
                        real* const to = own_stage + (p[k] * step_p + q[k] * step_q) * W;
#pragma unroll
                        for (int start = 0; start < N; start += CHUNK) {
                            // neighbors begin with different ones, on different banks
                            const int n = (start + p[k] / CHUNK * CHUNK) % N;
                            real run[CHUNK * W];
#pragma unroll
                            for (int i = 0; i < CHUNK; ++i) contract(k, n + i, run + i * W);
                            if (mine[k] && cell < cells) store_vectors(to + n * W, run);
                        }
                    }
                } else {
                    real* const to = own_stage + (p[0] * step_p + q[0] * step_q) * W;
#pragma unroll
                    for (int start = 0; start < N; ++start) {
                        const int n = along == N ? (start + q[0]) % N : start;
                        real run[OWN * W];
#pragma unroll
                        for (int k = 0; k < OWN; ++k) contract(k, n, run + k * W);
                        if (OWN == 2 && N % 2 == 0 && step_p == 1) {
                            if (mine[0]) store_pairs(to + n * along * W, run);
                            continue;
                        }
#pragma unroll
                        for (int k = 0; k < OWN; ++k) {
                            if (!mine[k] || cell >= cells) continue;
                            const int apart = (p[k] - p[0]) * step_p + (q[k] - q[0]) * step_q;
                            real* const own = to + (apart + n * along) * W;
#pragma unroll
                            for (int i = 0; i < W; ++i) own[i] = run[k * W + i];
                        }
                    }
                }
                publish_stage();
                __syncwarp();
                send_each<GROUP, RUN % VECTOR == 0>(
                    job, job.outputs[output], stage, RUN, lane,
                    [](int g) { return g * STAGE_CELL; },
                    lane < cells ? size_t(element - job.first_element) * (N * COLUMNS) : NOWHERE);
            }
            __syncwarp();
        }
    }
    wait_for_stage();
}
