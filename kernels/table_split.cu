// Any samples of irregular leaves on tensor cores: products of a weight table with many nets
// at once, as in table.cu.
//
// Every number is the sum of two halves, a high one and the rest, of 11 bits each. Powers of
// two bring the largest weight of a sample, and the largest coordinate of a net relative to
// its own point, close to the largest half, so that small numbers keep their bits too. Of the
// products of two such sums high * high, high * low and low * high count. Tensor cores add 16
// control points exactly enough, but cut off what is below the last bit; their sums are added
// by ordinary, rounded, additions.
//
// A block takes CELL_TILE leaves of one batch and some tiles of SAMPLE_TILE samples. Split nets
// stay in shared memory, split weights come from the cache; both in the order in which the
// lanes of a warp want them, 16 bytes a lane. Columns of a product are one component of 8
// leaves. Results leave through shared memory.
#include "orders.cuh"
#include "stage.cuh"

constexpr int W = WIDTH;
// a product: 16 samples, 16 control points, 8 leaves
constexpr int ROWS = 16;
constexpr int DEPTH = 16;
constexpr int GROUP = 8;

// a warp: RUNS of 16 samples times GROUPS of leaves
#if WIDE
constexpr int RUNS = 2, GROUPS = 2;
constexpr int BLOCKS = 3;
#else
constexpr int RUNS = 1, GROUPS = 1;
constexpr int BLOCKS = 4;
#endif
constexpr int WARPS = 4;
constexpr int THREADS = WARPS * LANES;
constexpr int SAMPLE_TILE = WARPS * RUNS * ROWS;
constexpr int CELL_TILE = GROUPS * GROUP;
constexpr int CELL_THREADS = THREADS / CELL_TILE;
// lanes write to different banks if W is odd
constexpr int STAGE_CELL = SAMPLE_TILE * W + VECTOR;

// 16 bytes of a lane: control points 4 t to 4 t + 3 of a row or column, in pairs
struct alignas(16) Split {
    unsigned high_first, low_first, high_second, low_second;
};

struct Place {
    unsigned local, result;
};

// Shared memory of a block in bytes, `table_shared + controls * table_shared_control` for
// control points in multiples of `table_depth`, and the samples and leaves of a tile, for the
// host.
extern "C" __device__ const int table_shared = CELL_TILE * STAGE_CELL * sizeof(float);
extern "C" __device__ const int table_shared_control = CELL_TILE * W * sizeof(float);
extern "C" __device__ const int table_depth = DEPTH;
extern "C" __device__ const int table_samples = SAMPLE_TILE;
extern "C" __device__ const int table_cells = CELL_TILE;

// Two halves of two numbers: high, then low.
__device__ __forceinline__ uint2 split(float first, float second) {
    uint2 both;
    asm("{\n\t"
        ".reg .f16 a, b;\n\t"
        ".reg .f32 x, y;\n\t"
        "cvt.rn.f16x2.f32 %0, %3, %2;\n\t"
        "mov.b32 {a, b}, %0;\n\t"
        "cvt.f32.f16 x, a;\n\t"
        "cvt.f32.f16 y, b;\n\t"
        "sub.f32 x, %2, x;\n\t"
        "sub.f32 y, %3, y;\n\t"
        "cvt.rn.f16x2.f32 %1, y, x;\n\t"
        "}"
        : "=&r"(both.x), "=r"(both.y)
        : "f"(first), "f"(second));
    return both;
}

// Adds 16 rows times 8 columns of 16 products each to `sums`: of lane 4 g + t in rows g and
// g + 8 the columns 2 t and 2 t + 1. A lane brings two pairs of rows g and g + 8, `above` and
// `below`, and of column g.
__device__ __forceinline__ void multiply(float (&sums)[4], unsigned above, unsigned below,
                                         unsigned above_second, unsigned below_second,
                                         unsigned column, unsigned column_second) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(above), "r"(below), "r"(above_second), "r"(below_second), "r"(column),
          "r"(column_second));
}

// Gathers a net relative to its first point, scales and splits it: to[(i * depths + d) * LANES
// + t] for component i and control points 16 d + 4 t on. `origin` gets the first point; returns
// what undoes the scaling. Called by a warp.
__device__ __forceinline__ float gather_split(const Job& job, const unsigned* net, int controls,
                                              int depths, float* origin, Split* to) {
    constexpr int READS = 6;
    const int lane = threadIdx.x % LANES;
    const float own = float(component(job, __ldg(net), lane % W));
    if (lane < W) origin[lane] = own;
    float* const numbers = reinterpret_cast<float*>(to) + lane % W * depths * LANES * VECTOR;
    float most = 0;
#pragma unroll 1
    for (int from = 0; from < depths * DEPTH; from += READS * TOGETHER) {
        double values[READS];
        read_points(job, net, 0, from, controls, values);
#pragma unroll
        for (int k = 0; k < READS; ++k) {
            const int control = from + k * TOGETHER + lane / W;
            const float value = control < controls ? float(values[k] - own) : 0.0f;
            if (lane < TOGETHER * W && control < depths * DEPTH) {
                numbers[control / DEPTH * LANES * VECTOR + control % DEPTH] = value;
                most = fmaxf(most, fabsf(value));
            }
        }
    }
    // the largest becomes 2^14 to 2^15
    const unsigned found = __reduce_max_sync(ALL_LANES, __float_as_uint(most)) >> 23;
    const unsigned exponent = max(found, 15u);
    const float scale = __uint_as_float((268 - exponent) << 23);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < W; ++i) {
#pragma unroll 1
        for (int at = lane; at < depths * (DEPTH / VECTOR); at += LANES) {
            Split* const own_split = to + (i * depths + at / 4) * LANES + at % 4;
            const float4 values = *reinterpret_cast<const float4*>(own_split);
            const uint2 first = split(values.x * scale, values.y * scale);
            const uint2 second = split(values.z * scale, values.w * scale);
            *own_split = Split{first.x, first.y, second.x, second.y};
        }
    }
    return __uint_as_float((exponent - 14) << 23);
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    table_split(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
                const Batch* __restrict__ batches, const Item* __restrict__ items,
                const uint4* __restrict__ tables, const Place* __restrict__ places) {
    extern __shared__ __align__(16) unsigned char memory[];
    float* const stage = reinterpret_cast<float*>(memory);
    Split* const nets = reinterpret_cast<Split*>(stage + CELL_TILE * STAGE_CELL);
    __shared__ float origins[CELL_TILE][W], sizes[CELL_TILE];

    const Item item = items[blockIdx.x];
    const Batch& batch = batches[item.batch];
    const int thread = threadIdx.x, lane = thread % LANES, warp = thread / LANES;
    const int controls = batch.controls;
    const int depths = (controls + DEPTH - 1) / DEPTH;
    const int samples = batch.counts[0] * batch.counts[1] * batch.counts[2];
    const bool whole = samples == job.samples;
    const Place* const own_places = places + batch.places;

    // leaves that are not there repeat the last
    const unsigned* const ids = static_cast<const unsigned*>(leaves.nets) + batch.first_net +
                                static_cast<size_t>(item.first) * controls;
#pragma unroll 1
    for (int q = warp; q < CELL_TILE; q += WARPS) {
        Split* const to = nets + q / GROUP * W * depths * LANES + q % GROUP * 4;
        const unsigned* const net = ids + min(q, int(item.count) - 1) * controls;
        const float size = gather_split(job, net, controls, depths, origins[q], to);
        if (lane == 0) sizes[q] = size;
    }
    __syncthreads();

    // 16 samples: weights [depth][rows 8][lane], then what undoes the scaling of each row
    const int run_length = depths * 2 * LANES + ROWS / VECTOR;
    const int runs = (samples + ROWS - 1) / ROWS;
    const int row = lane / 4, column = lane % 4 * 2;
#pragma unroll 1
    for (int output = 0; output < OUTPUTS; ++output) {
        const uint4* const table = tables + batch.tables[output];
        const float sign = output > 0 && (batch.negate >> output & 1) ? -1.0f : 1.0f;
#pragma unroll 1
        for (int start = 0; start < item.samples; start += SAMPLE_TILE) {
            const int first = item.sample + start;
            const uint4* weights[RUNS];
#pragma unroll
            for (int m = 0; m < RUNS; ++m) {
                const int run = min(first / ROWS + warp * RUNS + m, runs - 1);
                weights[m] = table + static_cast<size_t>(run) * run_length;
            }
            float sums[RUNS][GROUPS][W][4] = {};
            uint4 next[RUNS][2];
#pragma unroll
            for (int m = 0; m < RUNS; ++m) {
                next[m][0] = __ldg(weights[m] + lane);
                next[m][1] = __ldg(weights[m] + LANES + lane);
            }
#pragma unroll 1
            for (int depth = 0; depth < depths; ++depth) {
                uint4 rows[RUNS][2];
#pragma unroll
                for (int m = 0; m < RUNS; ++m) {
                    const uint4* const from =
                        weights[m] + min(depth + 1, depths - 1) * 2 * LANES + lane;
#pragma unroll
                    for (int half = 0; half < 2; ++half) {
                        rows[m][half] = next[m][half];
                        next[m][half] = __ldg(from + half * LANES);
                    }
                }
#pragma unroll
                for (int group = 0; group < GROUPS; ++group) {
                    Split columns[W];
#pragma unroll
                    for (int i = 0; i < W; ++i) {
                        columns[i] = nets[((group * W + i) * depths + depth) * LANES + lane];
                    }
#pragma unroll
                    for (int m = 0; m < RUNS; ++m) {
                        const uint4 above = rows[m][0], below = rows[m][1];
                        float parts[W][4] = {};
                        // the small ones first; the components do not wait for each other
#pragma unroll
                        for (int i = 0; i < W; ++i) {
                            multiply(parts[i], above.y, below.y, above.w, below.w,
                                     columns[i].high_first, columns[i].high_second);
                        }
#pragma unroll
                        for (int i = 0; i < W; ++i) {
                            multiply(parts[i], above.x, below.x, above.z, below.z,
                                     columns[i].low_first, columns[i].low_second);
                        }
#pragma unroll
                        for (int i = 0; i < W; ++i) {
                            multiply(parts[i], above.x, below.x, above.z, below.z,
                                     columns[i].high_first, columns[i].high_second);
                        }
#pragma unroll
                        for (int i = 0; i < W; ++i) {
#pragma unroll
                            for (int e = 0; e < 4; ++e) sums[m][group][i][e] += parts[i][e];
                        }
                    }
                }
            }

            // the sums of a tile are complete
            float row_sizes[RUNS][2];
#pragma unroll
            for (int m = 0; m < RUNS; ++m) {
                const float* const sizes_of_run =
                    reinterpret_cast<const float*>(weights[m] + depths * 2 * LANES);
                row_sizes[m][0] = sign * __ldg(sizes_of_run + row);
                row_sizes[m][1] = sign * __ldg(sizes_of_run + row + 8);
            }
            wait_for_stage();
            __syncthreads();
#pragma unroll
            for (int group = 0; group < GROUPS; ++group) {
#pragma unroll
                for (int side = 0; side < 2; ++side) {
                    const int cell = group * GROUP + column + side;
                    const float size = sizes[cell];
                    float* const to = stage + cell * STAGE_CELL + (warp * RUNS * ROWS + row) * W;
#pragma unroll
                    for (int i = 0; i < W; ++i) {
                        const float origin = output == 0 ? origins[cell][i] : 0.0f;
#pragma unroll
                        for (int m = 0; m < RUNS; ++m) {
#pragma unroll
                            for (int half = 0; half < 2; ++half) {
                                to[(m * ROWS + half * 8) * W + i] =
                                    fmaf(sums[m][group][i][half * 2 + side],
                                         row_sizes[m][half] * size, origin);
                            }
                        }
                    }
                }
            }
            publish_stage();
            __syncthreads();
            // the threads of a leaf send it
            const int cell = thread / CELL_THREADS, cell_thread = thread % CELL_THREADS;
            if (cell >= item.count) continue;
            const int tile = min(SAMPLE_TILE, samples - first);
            const unsigned element = __ldg(leaves.elements + batch.first_leaf + item.first + cell);
            const size_t before = static_cast<size_t>(element - job.first_element) * job.samples;
            float* const results = job.outputs[output];
            const float* const own_stage = stage + cell * STAGE_CELL;
            if (whole) {
                send<CELL_THREADS, false>(job, results, before + first, own_stage, tile * W,
                                          cell_thread);
                continue;
            }
            for (int at = cell_thread; at < tile * W; at += CELL_THREADS) {
                const size_t sample = before + __ldg(&own_places[first + at / W].result);
                results[place(job, sample, at % W)] = own_stage[at];
            }
        }
    }
    wait_for_stage();
}
