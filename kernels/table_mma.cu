// Any samples of irregular leaves on tensor cores: products of a weight table with many nets
// at once, as in table.cu.
//
// In single precision every number is the sum of two halves, a high one and the rest, of 11
// bits each. Powers of two bring the largest weight of a sample, and the largest coordinate
// of a net relative to its own point, close to the largest half, so that small numbers keep
// their bits too. Of the products of two such sums high * high, high * low and low * high
// count. Tensor cores cut off what is below the last bit of a sum; so the sums over 16
// control points each are added by ordinary, rounded, additions. Double precision is
// multiplied as it is.
//
// A block takes CELL_TILE leaves of one batch and some tiles of SAMPLE_TILE samples. Nets stay
// in shared memory, weights come from the cache; both in fragments, the 16 bytes that a lane
// wants next. Columns of a product are one component of 8 leaves. Results leave through shared
// memory. On Hopper the long tile in single precision is multiplied by the four warps of a block
// together, which read the nets from shared memory by themselves.
#include "orders.cuh"
#include "stage.cuh"

constexpr int W = WIDTH;
// a product: 16 samples, DEPTH control points, 8 leaves
constexpr int ROWS = 16;
constexpr int DEPTH = 4 * VECTOR;
constexpr int GROUP = 8;

#if TILE == 1 && !DOUBLE && defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define WARPGROUP 1
#include "warpgroup.cuh"
#else
#define WARPGROUP 0
#endif

// a warp: RUNS of 16 samples times GROUPS of leaves; the host takes the tile of positions, which
// other variants may take in several steps along the samples
#if WARPGROUP
constexpr int RUNS = 1, GROUPS = 3, SAMPLE_WARPS = 4, CELL_WARPS = 1;
constexpr int BLOCKS = W > 3 || STRIDED ? 3 : 4;
#elif TILE == 0
constexpr int RUNS = 1, GROUPS = 1, SAMPLE_WARPS = 4, CELL_WARPS = 1;
constexpr int BLOCKS = DOUBLE || W > 3 ? 4 : 5;
#elif TILE == 1
constexpr int RUNS = DOUBLE || OUTPUTS > 1 ? 1 : 2;
constexpr int GROUPS = 2, SAMPLE_WARPS = 4, CELL_WARPS = 1;
constexpr int BLOCKS = DOUBLE || W > 3 || OUTPUTS > 1 || STRIDED ? 3 : 4;
#else
constexpr int RUNS = 2, GROUPS = 2, SAMPLE_WARPS = 2, CELL_WARPS = 2;
constexpr int BLOCKS = W > 3 || OUTPUTS > 1 ? 2 : 3;
#endif
constexpr int WARPS = SAMPLE_WARPS * CELL_WARPS;
constexpr int THREADS = WARPS * LANES;
constexpr int SAMPLE_TILE = SAMPLE_WARPS * RUNS * ROWS;
constexpr int CELL_TILE = CELL_WARPS * GROUPS * GROUP;
// leaves whose nets a warp gathers and whose results it sends, and nets at a time
constexpr int OWN_NETS = CELL_TILE / WARPS;
constexpr int NETS = WARPGROUP ? OWN_NETS / 2 : OWN_NETS;
// lanes write to different banks if W is odd
constexpr int STAGE_CELL = SAMPLE_TILE * W + VECTOR;

// 16 bytes of lane 4 g + t: control points VECTOR t on of a column g, or parts of rows g and
// g + 8 (src/backend/cuda/fragments.rs). Halves come in pairs, of a column two high ones, then
// two low ones.
#if DOUBLE
using Fragment = double2;
#else
using Fragment = uint4;
#endif

// Steps in bytes from leaf to leaf of a group, from lane to lane, which has VECTOR control points,
// and from one to the next of these. Warps that multiply together want matrices of 8 columns and
// 16 bytes of each, high halves and then low ones; the odd steps spread them over the banks.
#if WARPGROUP
constexpr int LEAF_STEP = 16, LANE_STEP = 4, GROUP_STEP = GROUP * LEAF_STEP + 16;
constexpr int WORD_STEP = GROUPS * W * GROUP_STEP, DEPTH_STEP = VECTOR * WORD_STEP + 16;
#else
constexpr int LEAF_STEP = 64, LANE_STEP = 16, WORD_STEP = sizeof(real), DEPTH_STEP = LANES * 16;
#endif

// The same from component to component of 8 leaves.
__device__ __forceinline__ int component_step(int depths) {
#if WARPGROUP
    return GROUP_STEP;
#else
    return depths * DEPTH_STEP;
#endif
}

struct Place {
    unsigned local, result;
};

// What undoes the scaling of a leaf's net, and its origin, in whole vectors.
struct alignas(16) Undo {
    real origin[(W + VECTOR) / VECTOR * VECTOR - 1];
    real size;
};

// Shared memory of a block in bytes, `table_shared + controls * table_shared_control` for
// control points in multiples of `table_depth`, the samples and leaves of a tile, and the
// threads of a block, for the host.
extern "C" __device__ const int table_shared = CELL_TILE * STAGE_CELL * sizeof(real);
#if WARPGROUP
extern "C" __device__ const int table_shared_control = (DEPTH_STEP + DEPTH - 1) / DEPTH;
#else
extern "C" __device__ const int table_shared_control = CELL_TILE * W * sizeof(real);
#endif
extern "C" __device__ const int table_depth = DEPTH;
extern "C" __device__ const int table_samples = SAMPLE_TILE;
extern "C" __device__ const int table_cells = CELL_TILE;
extern "C" __device__ const int table_threads = THREADS;

// `multiply` adds products of 16 rows with W times 8 columns to `sums`: of lane 4 g + t in rows
// g and g + 8 the columns 2 t and 2 t + 1.
#if DOUBLE
__device__ __forceinline__ void multiply(double (&sums)[W][4], const double2 (&rows)[2],
                                         const double2 (&columns)[W]) {
#pragma unroll
    for (int i = 0; i < W; ++i) {
        double(&own)[4] = sums[i];
#if __CUDA_ARCH__ >= 900
        asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+d"(own[0]), "+d"(own[1]), "+d"(own[2]), "+d"(own[3])
            : "d"(rows[0].x), "d"(rows[0].y), "d"(rows[1].x), "d"(rows[1].y),
              "d"(columns[i].x), "d"(columns[i].y));
#else
        const auto add = [](double& left, double& right, double row, double column) {
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+d"(left), "+d"(right)
                : "d"(row), "d"(column));
        };
        add(own[0], own[1], rows[0].x, columns[i].x);
        add(own[2], own[3], rows[0].y, columns[i].x);
        add(own[0], own[1], rows[1].x, columns[i].y);
        add(own[2], own[3], rows[1].y, columns[i].y);
#endif
    }
}
#else
// `sums` = rows * columns + `before`
__device__ __forceinline__ void multiply_halves(float (&sums)[4], uint4 rows, unsigned column,
                                                unsigned column_second, const float (&before)[4]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%10, %11, %12, %13};"
        : "=f"(sums[0]), "=f"(sums[1]), "=f"(sums[2]), "=f"(sums[3])
        : "r"(rows.x), "r"(rows.y), "r"(rows.z), "r"(rows.w), "r"(column), "r"(column_second),
          "f"(before[0]), "f"(before[1]), "f"(before[2]), "f"(before[3]));
}

__device__ __forceinline__ void multiply(float (&sums)[W][4], const uint4 (&rows)[2],
                                         const uint4 (&columns)[W]) {
    constexpr float ZERO[4] = {};
    float parts[W][4];
    // the small ones first; the components do not wait for each other
#pragma unroll
    for (int i = 0; i < W; ++i) {
        multiply_halves(parts[i], rows[1], columns[i].x, columns[i].y, ZERO);
    }
#pragma unroll
    for (int i = 0; i < W; ++i) {
        multiply_halves(parts[i], rows[0], columns[i].z, columns[i].w, parts[i]);
    }
#pragma unroll
    for (int i = 0; i < W; ++i) {
        multiply_halves(parts[i], rows[0], columns[i].x, columns[i].y, parts[i]);
    }
#pragma unroll
    for (int i = 0; i < W; ++i) {
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[i][e] += parts[i][e];
    }
}

// Halves of two numbers: high, then low.
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

// Scales and splits a net in place, for a warp; returns what undoes the scaling. `most`: of
// the lane's own numbers the largest.
__device__ __forceinline__ float split_net(unsigned char* net, int depths, float most) {
    // the largest becomes 2^14 to 2^15
    const unsigned found = __reduce_max_sync(ALL_LANES, __float_as_uint(most)) >> 23;
    const unsigned exponent = max(found, 15u);
    const float scale = __uint_as_float((268 - exponent) << 23);
#pragma unroll
    for (int i = 0; i < W; ++i) {
#pragma unroll 1
        for (int at = threadIdx.x % LANES; at < depths * 4; at += LANES) {
            unsigned char* const own =
                net + i * component_step(depths) + at / 4 * DEPTH_STEP + at % 4 * LANE_STEP;
#if WARPGROUP
            float values[VECTOR];
#pragma unroll
            for (int k = 0; k < VECTOR; ++k) {
                values[k] = *reinterpret_cast<const float*>(own + k * WORD_STEP);
            }
            const uint2 first = split(values[0] * scale, values[1] * scale);
            const uint2 second = split(values[2] * scale, values[3] * scale);
            const unsigned words[VECTOR] = {first.x, second.x, first.y, second.y};
#pragma unroll
            for (int k = 0; k < VECTOR; ++k) {
                *reinterpret_cast<unsigned*>(own + k * WORD_STEP) = words[k];
            }
#else
            const float4 values = *reinterpret_cast<const float4*>(own);
            const uint2 first = split(values.x * scale, values.y * scale);
            const uint2 second = split(values.z * scale, values.w * scale);
            *reinterpret_cast<uint4*>(own) = uint4{first.x, second.x, first.y, second.y};
#endif
        }
    }
    return __uint_as_float((exponent - 14) << 23);
}
#endif

// Gathers nets first to first + NETS - 1 of a block relative to their first points. Leaves that
// are not there repeat the last. `undo` gets the first points and what undoes a scaling. Called by
// a warp.
__device__ __forceinline__ void gather_fragments(const Job& job, const unsigned* ids, int controls,
                                                 int first, int count, int depths, Undo* undo,
                                                 unsigned char* to) {
    // of each net, before the first is used
    constexpr int READS = NETS > 2 ? 20 / NETS : 7;
    const int lane = threadIdx.x % LANES;
    const unsigned* nets[NETS];
    unsigned char* own_nets[NETS];
    real own[NETS], most[NETS];
    unsigned points[NETS][READS];
    // ids are read a step ahead of the control points
    const auto read_ids = [&](int from) {
#pragma unroll
        for (int k = 0; k < NETS; ++k) {
#pragma unroll
            for (int read = 0; read < READS; ++read) {
                const int control = from + read * TOGETHER + lane / W;
                points[k][read] = read_widely(nets[k] + min(control, controls - 1));
            }
        }
    };
#pragma unroll
    for (int k = 0; k < NETS; ++k) {
        const int q = first + k;
        nets[k] = ids + min(q, count - 1) * controls;
        own_nets[k] =
            to + q / GROUP * W * component_step(depths) + q % GROUP * LEAF_STEP;
        most[k] = 0;
    }
    read_ids(0);
#pragma unroll 1
    for (int from = 0; from < depths * DEPTH; from += READS * TOGETHER) {
        double values[NETS][READS];
#pragma unroll
        for (int k = 0; k < NETS; ++k) {
#pragma unroll
            for (int read = 0; read < READS; ++read) {
                values[k][read] =
                    read_widely(job.points + place(job, points[k][read], lane % W));
            }
        }
        read_ids(from + READS * TOGETHER);
#pragma unroll
        for (int k = 0; k < NETS; ++k) {
            if (from == 0) own[k] = real(__shfl_sync(ALL_LANES, values[k][0], lane % W));
            unsigned char* const numbers = own_nets[k] + lane % W * component_step(depths);
#pragma unroll
            for (int read = 0; read < READS; ++read) {
                // more than are wanted repeat the last
                const int control = min(from + read * TOGETHER + lane / W, depths * DEPTH - 1);
                const real value = control < controls ? real(values[k][read] - own[k]) : real(0);
                const int at = control / DEPTH * DEPTH_STEP + control % DEPTH / VECTOR * LANE_STEP +
                               control % VECTOR * WORD_STEP;
                *reinterpret_cast<real*>(numbers + at) = value;
                most[k] = max(most[k], abs(value));
            }
        }
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < NETS; ++k) {
        if (lane < W) undo[first + k].origin[lane] = own[k];
#if DOUBLE
        const real size = 1;
#else
        const real size = split_net(own_nets[k], depths, most[k]);
#endif
        if (lane == 0) undo[first + k].size = size;
    }
}

#if WARPGROUP
// Adds the products of 64 samples, 16 of each warp, with all leaves of the block.
__device__ __forceinline__ void add_products(float (&sums)[GROUPS][W][4], const uint4* weights,
                                             int depths, unsigned long long columns) {
    // weights come two steps ahead, by turns into one of three places
    uint4 rows[3][2];
    float parts[GROUPS * W][4] = {};
    const auto read = [&](uint4(&to)[2], int depth) {
        const uint4* const from = weights + min(depth, depths - 1) * 2 * LANES;
        to[0] = read_now(from);
        to[1] = read_now(from + LANES);
    };
    const auto step = [&](int depth, const uint4(&own)[2], uint4(&later)[2]) {
        read(later, depth + 2);
        const unsigned long long high = columns + depth * (DEPTH_STEP >> 4);
        const unsigned long long low = high + (2 * WORD_STEP >> 4);
        begin_products();
        // the small ones first
        start_product<false>(parts, own[1], high);
        start_product<true>(parts, own[0], low);
        start_product<true>(parts, own[0], high);
        wait_for_products(parts);
#pragma unroll
        for (int i = 0; i < GROUPS * W; ++i) {
#pragma unroll
            for (int e = 0; e < 4; ++e) sums[i / W][i % W][e] += parts[i][e];
        }
    };
    read(rows[0], 0);
    read(rows[1], 1);
#pragma unroll 1
    for (int depth = 0; depth < depths; depth += 3) {
        step(depth, rows[0], rows[2]);
        if (depth + 1 < depths) step(depth + 1, rows[1], rows[0]);
        if (depth + 2 < depths) step(depth + 2, rows[2], rows[1]);
    }
}
#else
// Adds the products of a warp's samples with its leaves.
__device__ __forceinline__ void add_products(real (&sums)[RUNS][GROUPS][W][4],
                                             const Fragment* const (&weights)[RUNS], int own_depths,
                                             int depths, const Fragment* own_nets) {
    Fragment next[RUNS][2];
#pragma unroll
    for (int m = 0; m < RUNS; ++m) {
        next[m][0] = __ldg(weights[m]);
        next[m][1] = __ldg(weights[m] + LANES);
    }
#pragma unroll 1
    for (int depth = 0; depth < own_depths; ++depth) {
        Fragment rows[RUNS][2];
#pragma unroll
        for (int m = 0; m < RUNS; ++m) {
            const Fragment* const from = weights[m] + min(depth + 1, depths - 1) * 2 * LANES;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                rows[m][half] = next[m][half];
                next[m][half] = __ldg(from + half * LANES);
            }
        }
#pragma unroll
        for (int group = 0; group < GROUPS; ++group) {
            Fragment columns[W];
#pragma unroll
            for (int i = 0; i < W; ++i) {
                columns[i] = own_nets[((group * W + i) * depths + depth) * LANES];
            }
#pragma unroll
            for (int m = 0; m < RUNS; ++m) multiply(sums[m][group], rows[m], columns);
        }
    }
}
#endif

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    table_mma(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
              const Batch* __restrict__ batches, const Item* __restrict__ items,
              const Fragment* __restrict__ tables, const Place* __restrict__ places) {
    extern __shared__ __align__(16) unsigned char memory[];
    real* const stage = reinterpret_cast<real*>(memory);
    unsigned char* const nets = memory + CELL_TILE * STAGE_CELL * sizeof(real);
    __shared__ Undo undo[CELL_TILE];

    const Item item = items[blockIdx.x];
    const Batch& batch = batches[item.batch];
    const int thread = threadIdx.x, lane = thread % LANES, warp = thread / LANES;
    const int controls = batch.controls;
    const int depths = (controls + DEPTH - 1) / DEPTH;
    const int samples = batch.counts[0] * batch.counts[1] * batch.counts[2];
    const bool whole = samples == job.samples;
    const Place* const own_places = places + batch.places;
    const unsigned* const ids = static_cast<const unsigned*>(leaves.nets) + batch.first_net +
                                static_cast<size_t>(item.first) * controls;
#pragma unroll 1
    for (int own = 0; own < OWN_NETS; own += NETS) {
        gather_fragments(job, ids, controls, warp * OWN_NETS + own, item.count, depths, undo,
                         nets);
    }
    if (WARPGROUP) publish_stage();
    __syncthreads();

    // 16 samples: weights [depth][part 2][lane], then what undoes the scaling of each row
    const int run_length = depths * 2 * LANES + (DOUBLE ? 0 : ROWS / VECTOR);
    const int runs = (samples + ROWS - 1) / ROWS;
    const int first_run = warp % SAMPLE_WARPS * RUNS, row = first_run * ROWS + lane / 4;
    const int first_group = warp / SAMPLE_WARPS * GROUPS;
    const int first_cell = first_group * GROUP + lane % 4 * 2;
#if WARPGROUP
    const unsigned long long columns = columns_at(nets, WORD_STEP, GROUP_STEP);
#else
    const Fragment* const own_nets =
        reinterpret_cast<const Fragment*>(nets) + first_group * W * depths * LANES + lane;
#endif
    // the leaf of a lane, which its warp sends
    const int cell = warp * OWN_NETS + lane % OWN_NETS;
    const real* const own_stage = stage + warp * OWN_NETS * STAGE_CELL;
#pragma unroll 1
    for (int output = 0; output < OUTPUTS; ++output) {
        const Fragment* const table = tables + batch.tables[output];
#pragma unroll 1
        for (int start = 0; start < item.samples; start += SAMPLE_TILE) {
            const int first = item.sample + start;
            const Fragment* weights[RUNS];
            real sums[RUNS][GROUPS][W][4] = {};
#pragma unroll
            for (int m = 0; m < RUNS; ++m) {
                const int run = min(first / ROWS + first_run + m, runs - 1);
                weights[m] = table + static_cast<size_t>(run) * run_length + lane;
            }
#if !DOUBLE
            // read now, wanted at the end
            real row_sizes[RUNS][2];
#pragma unroll
            for (int m = 0; m < RUNS; ++m) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const Fragment* const end = weights[m] - lane + depths * 2 * LANES;
                    const float* const sizes_of_run = reinterpret_cast<const float*>(end);
                    row_sizes[m][half] = __ldg(sizes_of_run + half * 8 + lane / 4);
                }
            }
#endif
#if WARPGROUP
            add_products(sums[0], weights[0], depths, columns);
#else
            // warps without samples have nothing to add
            const int own_depths = first / ROWS + first_run < runs ? depths : 0;
            add_products(sums, weights, own_depths, depths, own_nets);
#endif

            const bool negates = output > 0 && (batch.negate >> output & 1);
            // the sums of a tile are complete
            wait_for_stage();
            __syncthreads();
#pragma unroll
            for (int group = 0; group < GROUPS; ++group) {
#pragma unroll
                for (int side = 0; side < 2; ++side) {
                    const int q = first_cell + group * GROUP + side;
                    const Undo own = undo[q];
                    const real size = negates ? -own.size : own.size;
                    real* const to = stage + q * STAGE_CELL + row * W;
#pragma unroll
                    for (int i = 0; i < W; ++i) {
                        const real origin = output == 0 ? own.origin[i] : real(0);
#pragma unroll
                        for (int m = 0; m < RUNS; ++m) {
#pragma unroll
                            for (int half = 0; half < 2; ++half) {
#if DOUBLE
                                const real scale = size;
#else
                                const real scale = row_sizes[m][half] * size;
#endif
                                // a scaling by powers of two rounds nothing
                                to[(m * ROWS + half * 8) * W + i] =
                                    sums[m][group][i][half * 2 + side] * scale + origin;
                            }
                        }
                    }
                }
            }
            publish_stage();
            __syncthreads();
            const int tile = min(SAMPLE_TILE, samples - first);
            const unsigned element =
                __ldg(leaves.elements + batch.first_leaf + item.first +
                      min(cell, int(item.count) - 1));
            const size_t before = static_cast<size_t>(element - job.first_element) * job.samples;
            real* const results = job.outputs[output];
            if (whole) {
                const auto from = [](int q) { return q * STAGE_CELL; };
                const bool is_there = lane < OWN_NETS && cell < item.count;
                const size_t sample = is_there ? before + first : NOWHERE;
                if (tile * W % VECTOR == 0 && samples * W % VECTOR == 0) {
                    send_each<OWN_NETS, true>(job, results, own_stage, tile * W, lane, from,
                                              sample);
                } else {
                    send_each<OWN_NETS, false>(job, results, own_stage, tile * W, lane, from,
                                               sample);
                }
                continue;
            }
#pragma unroll 1
            for (int q = 0; q < min(OWN_NETS, int(item.count) - warp * OWN_NETS); ++q) {
                const size_t own =
                    __shfl_sync(ALL_LANES, static_cast<unsigned long long>(before), q);
                for (int at = lane; at < tile * W; at += LANES) {
                    const size_t sample = own + __ldg(&own_places[first + at / W].result);
                    results[place(job, sample, at % W)] = own_stage[q * STAGE_CELL + at];
                }
            }
        }
    }
    wait_for_stage();
}
