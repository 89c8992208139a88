// Any samples of irregular leaves on tensor cores: products of a weight table with many nets
// at once, as in solid/table.cu.
//
// In single precision every number is the sum of two halves, a high one and the rest, of 11
// bits each. Powers of two bring the largest weight of a sample, and the largest coordinate
// of a net relative to its own point, close to the largest half, so that small numbers keep
// their bits too. Of the products of two such sums high * high, high * low and low * high
// count. Tensor cores truncate below the last bit of a sum; so the sums over 16
// control points each are added by ordinary, rounded, additions. Double precision is
// multiplied as it is.
//
// A block takes CELL_TILE leaves of one batch and some tiles of SAMPLE_TILE samples. Nets stay
// in shared memory, weights come from the cache; both in fragments, the 16 bytes that a lane
// wants next. Columns of a product are one component of 8 leaves. Results leave through shared
// memory. On Hopper the long tile in single precision is multiplied by the four warps of a block
// together, which read the nets from shared memory by themselves.
//
// Plain reference: as of solid/table.cu, and the CPU in double precision (tests/gpu/tables.rs).
//
// Measured without gain (106 control points, 120,000 leaves, 417 us): two groups of warps that
// share weights (516), results stored by each warp (479), three blocks a multiprocessor (521),
// other read-ahead (426 to 445), warps that specialize in gathering, multiplying and sending (486
// to 702). Bounds: 324 us without gathering, 352 without sending.
#include "solid/fragments.cuh"

// products whose weights are read ahead
constexpr int AHEAD = WARPGROUP ? 3 : 1;
// lanes write to different banks if W is odd
constexpr int STAGE_CELL = SAMPLE_TILE * W + VECTOR;

// What all tiles of a block have in common; in shared memory, for products want the registers.
struct Task {
    const Fragment* tables[OUTPUTS];
    const Place* places;
    // samples of a leaf; where the block's begin and end
    int samples, first, end;
    unsigned negate;
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
__device__ __forceinline__ void multiply(double (*sums)[4], const double2 (&rows)[2],
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

__device__ __forceinline__ void multiply(float (*sums)[4], const uint4 (&rows)[2],
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
#endif

// The thread's number, read now: what comes of it is not kept in registers meanwhile.
__device__ __forceinline__ int thread_now() {
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
}

#if WARPGROUP
// `sums` becomes the products of 64 samples, 16 of each warp, with all leaves of the block. `rows`:
// weights of the first three steps.
__device__ __forceinline__ void add_products(float (&sums)[GROUPS * W][4], const uint4* weights,
                                             uint4 (&rows)[AHEAD][2], int depths,
                                             Columns columns) {
    float parts[GROUPS * W][4];
    // further weights take the places of those multiplied, two steps ahead
    const auto read = [&](uint4(&to)[2], int ahead) {
        to[0] = read_now(weights + ahead * 2 * LANES);
        to[1] = read_now(weights + ahead * 2 * LANES + LANES);
    };
    const auto start = [&](float(&to)[GROUPS * W][4], const uint4(&own)[2], int ahead) {
        const Columns high = columns.further(ahead * DEPTH_STEP);
        const Columns low = high.further(2 * WORD_STEP);
        begin_products();
        // the small ones first
        start_product<false>(to, own[1], high);
        start_product<true>(to, own[0], low);
        start_product<true>(to, own[0], high);
        wait_for_products(to);
    };
    const auto step = [&](const uint4(&own)[2], int ahead) {
        start(parts, own, ahead);
#pragma unroll
        for (int i = 0; i < GROUPS * W; ++i) {
#pragma unroll
            for (int e = 0; e < 4; ++e) sums[i][e] += parts[i][e];
        }
    };
    start(sums, rows[0], 0);
#pragma unroll 1
    for (int left = depths - 1; left > 0; left -= 3) {
        weights += 3 * 2 * LANES;
        if (left > 2) read(rows[0], 0);
        step(rows[1], 1);
        if (left == 1) break;
        if (left > 3) read(rows[1], 1);
        step(rows[2], 2);
        if (left == 2) break;
        if (left > 4) read(rows[2], 2);
        step(rows[0], 3);
        columns = columns.further(3 * DEPTH_STEP);
    }
}
#else
// Adds the products of a warp's samples with its leaves. `next`: weights of the first step.
__device__ __forceinline__ void add_products(real (&sums)[RUNS][GROUPS * W][4],
                                             const Fragment* (&weights)[RUNS],
                                             Fragment (&next)[RUNS][AHEAD][2], int own_depths,
                                             int depths, const Fragment* own_nets) {
#pragma unroll 1
    for (int depth = 0; depth < own_depths; ++depth) {
        Fragment rows[RUNS][2];
#pragma unroll
        for (int m = 0; m < RUNS; ++m) {
            weights[m] += 2 * LANES;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                rows[m][half] = next[m][0][half];
                if (depth + 1 < depths) next[m][0][half] = __ldg(weights[m] + half * LANES);
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
            for (int m = 0; m < RUNS; ++m) multiply(sums[m] + group * W, rows[m], columns);
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
    // first result of each leaf's element
    __shared__ size_t results_of[CELL_TILE];
    __shared__ Task task;

    int depths;
    {
        const Item item = items[blockIdx.x];
        const Batch& batch = batches[item.batch];
        const int thread = threadIdx.x, warp = thread / LANES;
        const int controls = batch.controls;
        depths = (controls + DEPTH - 1) / DEPTH;
        const unsigned* const ids = static_cast<const unsigned*>(leaves.nets) + batch.first_net +
                                    static_cast<size_t>(item.first) * controls;
#pragma unroll 1
        for (int own = 0; own < OWN_NETS; own += NETS) {
            gather_fragments(job, ids, controls, warp * OWN_NETS + own, item.count, depths, undo,
                             nets);
        }
        if (thread < CELL_TILE) {
            const bool is_there = thread < item.count;
            const unsigned leaf = batch.first_leaf + item.first + (is_there ? thread : 0);
            const unsigned element = __ldg(leaves.elements + leaf) - job.first_element;
            results_of[thread] = is_there ? static_cast<size_t>(element) * job.samples : NOWHERE;
        }
        if (thread == 0) {
            task.samples = batch.counts[0] * batch.counts[1] * batch.counts[2];
            task.first = item.sample;
            task.end = item.sample + item.samples;
            task.negate = batch.negate;
            task.places = places + batch.places;
            for (int output = 0; output < OUTPUTS; ++output) {
                task.tables[output] = tables + batch.tables[output];
            }
        }
    }
    if (WARPGROUP) publish_stage();
    __syncthreads();
#if WARPGROUP
    const Columns columns(nets, WORD_STEP, GROUP_STEP);
#else
    const int first_group = threadIdx.x / LANES / SAMPLE_WARPS * GROUPS;
    const Fragment* const own_nets = reinterpret_cast<const Fragment*>(nets) +
                                     first_group * W * depths * LANES + threadIdx.x % LANES;
#endif
    const Fragment* weights[RUNS];
    Fragment rows[RUNS][AHEAD][2];
    // reads the weights of the first steps of a tile, long before they are wanted
    const auto begin = [&](int output, int first) {
        const int thread = thread_now(), lane = thread % LANES;
        const int first_run = thread / LANES % SAMPLE_WARPS * RUNS;
        const int runs = (task.samples + ROWS - 1) / ROWS;
        // 16 samples: weights [depth][part 2][lane], then what undoes the scaling of each row
        const int run_length = depths * 2 * LANES + (DOUBLE ? 0 : ROWS / VECTOR);
#pragma unroll
        for (int m = 0; m < RUNS; ++m) {
            const int run = min(first / ROWS + first_run + m, runs - 1);
            weights[m] = task.tables[output] + static_cast<size_t>(run) * run_length + lane;
#pragma unroll
            for (int ahead = 0; ahead < AHEAD; ++ahead) {
                if (ahead >= depths) break;
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    rows[m][ahead][half] = read_now(weights[m] + (ahead * 2 + half) * LANES);
                }
            }
        }
    };
    begin(0, task.first);
#pragma unroll 1
    for (int output = 0; output < OUTPUTS; ++output) {
#pragma unroll 1
        for (int first = task.first; first < task.end; first += SAMPLE_TILE) {
            real sums[RUNS][GROUPS * W][4] = {};
#if !DOUBLE
            // read now, wanted at the end
            real row_sizes[RUNS][2];
#pragma unroll
            for (int m = 0; m < RUNS; ++m) {
                const int lane = threadIdx.x % LANES;
                const Fragment* const end = weights[m] - lane + depths * 2 * LANES;
                const float2 sizes = __ldg(reinterpret_cast<const float2*>(end) + lane / 4);
                row_sizes[m][0] = sizes.x;
                row_sizes[m][1] = sizes.y;
            }
#endif
#if WARPGROUP
            add_products(sums[0], weights[0], rows[0], depths, columns);
#else
            // warps without samples have nothing to add
            const int first_run = threadIdx.x / LANES % SAMPLE_WARPS * RUNS;
            const bool has_samples = first + first_run * ROWS < task.samples;
            add_products(sums, weights, rows, has_samples ? depths : 0, depths, own_nets);
#endif

            const int thread = thread_now(), lane = thread % LANES, warp = thread / LANES;
            const int row = warp % SAMPLE_WARPS * RUNS * ROWS + lane / 4 * 2;
            const int first_cell = warp / SAMPLE_WARPS * GROUPS * GROUP + lane % 4 * 2;
            const bool negates = output > 0 && (task.negate >> output & 1);
            // the sums of a tile are complete
            wait_for_stage();
            __syncthreads();
            // read a group ahead, for the compiler would read nothing before what it stores
            Undo next[2] = {undo[first_cell], undo[first_cell + 1]};
#pragma unroll
            for (int group = 0; group < GROUPS; ++group) {
                const Undo now[2] = {next[0], next[1]};
                if (group + 1 < GROUPS) {
                    next[0] = undo[first_cell + (group + 1) * GROUP];
                    next[1] = undo[first_cell + (group + 1) * GROUP + 1];
                }
#pragma unroll
                for (int side = 0; side < 2; ++side) {
                    const int q = first_cell + group * GROUP + side;
                    const Undo own = now[side];
                    const real size = negates ? -own.size : own.size;
                    real* const to = stage + q * STAGE_CELL + row * W;
#pragma unroll
                    for (int m = 0; m < RUNS; ++m) {
                        real both[2 * W];
#pragma unroll
                        for (int half = 0; half < 2; ++half) {
#if DOUBLE
                            const real scale = size;
#else
                            const real scale = row_sizes[m][half] * size;
#endif
#pragma unroll
                            for (int i = 0; i < W; ++i) {
                                const real origin = output == 0 ? own.origin[i] : real(0);
                                // a scaling by powers of two rounds nothing
                                both[half * W + i] =
                                    sums[m][group * W + i][half * 2 + side] * scale + origin;
                            }
                        }
                        store_pairs(to + m * ROWS * W, both);
                    }
                }
            }
            publish_stage();
            __syncthreads();
            if (first + SAMPLE_TILE < task.end) {
                begin(output, first + SAMPLE_TILE);
            } else if (output + 1 < OUTPUTS) {
                begin(output + 1, task.first);
            }
            const int samples = task.samples, tile = min(SAMPLE_TILE, samples - first);
            const real* const own_stage = stage + warp * OWN_NETS * STAGE_CELL;
            const size_t before = results_of[warp * OWN_NETS + lane % OWN_NETS];
            real* const results = job.outputs[output];
            if (samples == job.samples) {
                const auto from = [](int q) { return q * STAGE_CELL; };
                const size_t sample = before == NOWHERE ? NOWHERE : before + first;
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
            for (int q = 0; q < OWN_NETS; ++q) {
                const size_t own =
                    __shfl_sync(ALL_LANES, static_cast<unsigned long long>(before), q);
                if (own == NOWHERE) break;
                for (int at = lane; at < tile * W; at += LANES) {
                    const size_t sample = own + __ldg(&task.places[first + at / W].result);
                    results[place(job, sample, at % W)] = own_stage[q * STAGE_CELL + at];
                }
            }
        }
    }
    wait_for_stage();
}
