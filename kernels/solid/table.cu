// Any samples of irregular leaves: products of a weight table with many nets at once.
//
// A block takes CELL_TILE leaves of one batch and some tiles of SAMPLE_TILE samples. The nets
// stay in shared memory, weights pass through it, DEPTH control points while the DEPTH before
// are used. Each thread sums ROWS samples of CELLS leaves in registers. Results leave through
// shared memory in the order of the element's samples.
//
// Per output: results [element][sample][stride] = weights [control][sample]ᵀ × nets [control][W].
//
// Plain reference: weights of single points in double precision, summed by
// tests/common/conformance/solid.rs for every strategy. Published counterpart: published/irr.cu.
#include "common/async.cuh"
#include "solid/orders.cuh"
#include "common/stage.cuh"

constexpr int W = WIDTH;
constexpr int THREADS = 128;
// threads along the samples, and along the leaves
constexpr int SAMPLE_THREADS = 16;
constexpr int CELL_THREADS = THREADS / SAMPLE_THREADS;
// a thread: runs of VECTOR samples, times CELLS leaves
constexpr int RUNS = 2;
constexpr int ROWS = RUNS * VECTOR;
constexpr int SAMPLE_TILE = SAMPLE_THREADS * ROWS;
constexpr int CELL_TILE = CELL_THREADS * CELLS;
// control points at a time
constexpr int DEPTH = 16;
constexpr bool HEAVY = OUTPUTS > 1 || W > 3 || __CUDA_ARCH__ < 900;
constexpr int BLOCKS = DOUBLE || (CELLS > 1 && HEAVY) ? 3 : 4;

constexpr int TABLE_REALS = DEPTH * SAMPLE_TILE;
// rows of points begin on different banks
constexpr int POINT_ROW = (CELL_TILE * W + 31) / 32 * 32 + VECTOR;
// one leaf of each thread is staged at a time
constexpr int STAGE_CELL = SAMPLE_TILE * W;
constexpr int STAGE_REALS = CELL_THREADS * STAGE_CELL;

// Shared memory of a block in bytes, `table_shared + controls * table_shared_control`, and
// the samples and leaves of a tile, and the threads of a block, for the host.
extern "C" __device__ const int table_shared = (2 * TABLE_REALS + STAGE_REALS) * sizeof(real);
extern "C" __device__ const int table_shared_control = POINT_ROW * sizeof(real);
extern "C" __device__ const int table_samples = SAMPLE_TILE;
extern "C" __device__ const int table_cells = CELL_TILE;
extern "C" __device__ const int table_threads = THREADS;

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    table(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
          const Batch* __restrict__ batches, const Item* __restrict__ items,
          const real* __restrict__ tables, const Place* __restrict__ places) {
    extern __shared__ __align__(16) unsigned char memory[];
    real* const shared_table = reinterpret_cast<real*>(memory);
    real* const stage = shared_table + 2 * TABLE_REALS;
    real* const shared_points = stage + STAGE_REALS;
    __shared__ real origins[CELL_TILE][W];

    const Item item = items[blockIdx.x];
    const Batch& batch = batches[item.batch];
    const int thread = threadIdx.x;
    const int sample_thread = thread % SAMPLE_THREADS, cell_thread = thread / SAMPLE_THREADS;
    const int controls = batch.controls;
    const int samples = batch.counts[0] * batch.counts[1] * batch.counts[2];
    // whole elements have their tables in the order of the results
    const bool whole = samples == job.samples;
    const bool aligned = whole && samples % VECTOR == 0;
    const Place* const own_places = places + batch.places;
    const unsigned* const nets = static_cast<const unsigned*>(leaves.nets) + batch.first_net +
                                 static_cast<size_t>(item.first) * controls;

    for (int number = thread; number < CELL_TILE * W; number += THREADS) {
        const int q = number / W, i = number % W;
        const unsigned* const net = nets + min(q, int(item.count) - 1) * controls;
        origins[q][i] = real(component(job, __ldg(net), i));
    }
    __syncthreads();
    // leaves that are not there repeat the last
    const int lane = thread % LANES;
    for (int q = thread / LANES; q < CELL_TILE; q += THREADS / LANES) {
        constexpr int READS = 8;
        const unsigned* const net = nets + min(q, int(item.count) - 1) * controls;
        const double own = origins[q][lane % W];
        for (int from = 0; from < controls; from += READS * TOGETHER) {
            double values[READS];
            read_points(job, net, 0, from, controls, values);
#pragma unroll
            for (int k = 0; k < READS; ++k) {
                const int control = from + k * TOGETHER + lane / W;
                if (lane < TOGETHER * W && control < controls) {
                    shared_points[control * POINT_ROW + q * W + lane % W] = real(values[k] - own);
                }
            }
        }
    }

    // chunks of weights, tile after tile and output after output
    const int depths = (controls + DEPTH - 1) / DEPTH;
    const int tiles = (item.samples + SAMPLE_TILE - 1) / SAMPLE_TILE;
    const int chunks = OUTPUTS * tiles * depths;
    const auto copy_chunk = [&](int chunk) {
        const int start = chunk % depths * DEPTH;
        const int first = item.sample + chunk / depths % tiles * SAMPLE_TILE;
        const int depth = min(DEPTH, controls - start), tile = min(SAMPLE_TILE, samples - first);
        const real* const weights = tables + batch.tables[chunk / (depths * tiles)] +
                                    static_cast<size_t>(start) * samples;
        real* const to = shared_table + chunk % 2 * TABLE_REALS;
        if (aligned) {
            // a thread copies the same samples of every few control points
            constexpr int ACROSS = SAMPLE_TILE / VECTOR, STEP = THREADS / ACROSS;
            const int s = thread % ACROSS * VECTOR;
            if (s >= tile) {
                commit_copies();
                return;
            }
            const real* from = weights + static_cast<size_t>(thread / ACROSS) * samples + first + s;
            real* own = to + thread / ACROSS * SAMPLE_TILE + s;
            for (int k = thread / ACROSS; k < depth; k += STEP) {
                copy_async<16>(own, from);
                from += STEP * samples;
                own += STEP * SAMPLE_TILE;
            }
        } else {
            for (int at = thread; at < depth * SAMPLE_TILE; at += THREADS) {
                const int k = at / SAMPLE_TILE, s = at % SAMPLE_TILE;
                if (s < tile) {
                    const int local = whole ? first + s : __ldg(&own_places[first + s].local);
                    copy_async<sizeof(real)>(to + at,
                                             weights + static_cast<size_t>(k) * samples + local);
                }
            }
        }
        commit_copies();
    };

    real sums[CELLS][ROWS][W];
    copy_chunk(0);
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const int start = chunk % depths * DEPTH;
        if (start == 0) {
#pragma unroll
            for (int q = 0; q < CELLS; ++q) {
#pragma unroll
                for (int s = 0; s < ROWS; ++s) {
#pragma unroll
                    for (int i = 0; i < W; ++i) sums[q][s][i] = 0;
                }
            }
        }
        wait_for_copies<0>();
        __syncthreads();
        if (chunk + 1 < chunks) copy_chunk(chunk + 1);

        const real* const table = shared_table + chunk % 2 * TABLE_REALS + sample_thread * VECTOR;
        const real* const points = shared_points + start * POINT_ROW + cell_thread * CELLS * W;
        const int depth = min(DEPTH, controls - start);
#pragma unroll 2
        for (int k = 0; k < depth; ++k) {
            real row[RUNS][VECTOR], point[CELLS * W];
#pragma unroll
            for (int run = 0; run < RUNS; ++run) {
                load_vectors(row[run], table + k * SAMPLE_TILE + run * SAMPLE_THREADS * VECTOR);
            }
            load_pairs(point, points + k * POINT_ROW);
#pragma unroll
            for (int q = 0; q < CELLS; ++q) {
#pragma unroll
                for (int i = 0; i < W; ++i) {
#pragma unroll
                    for (int s = 0; s < ROWS; ++s) {
                        sums[q][s][i] += row[s / VECTOR][s % VECTOR] * point[q * W + i];
                    }
                }
            }
        }
        if (start + DEPTH < controls) continue;

        // the sums of a tile are complete
        const int output = chunk / (depths * tiles);
        const int first = item.sample + chunk / depths % tiles * SAMPLE_TILE;
        const int tile = min(SAMPLE_TILE, samples - first);
        const real sign = batch.negate >> output & 1 ? real(-1) : real(1);
#pragma unroll
        for (int q = 0; q < CELLS; ++q) {
            wait_for_stage();
            __syncthreads();
            const int cell = cell_thread * CELLS + q;
            real* const own_stage = stage + cell_thread * STAGE_CELL;
#pragma unroll
            for (int run = 0; run < RUNS; ++run) {
                real results[VECTOR * W];
#pragma unroll
                for (int s = 0; s < VECTOR; ++s) {
#pragma unroll
                    for (int i = 0; i < W; ++i) {
                        const real sum = sums[q][run * VECTOR + s][i];
                        results[s * W + i] = output == 0 ? sum + origins[cell][i] : sign * sum;
                    }
                }
                store_vectors(own_stage + (run * SAMPLE_THREADS + sample_thread) * VECTOR * W,
                              results);
            }
            publish_stage();
            __syncthreads();
            // the threads of a leaf send it
            if (cell >= item.count) continue;
            const unsigned element = __ldg(leaves.elements + batch.first_leaf + item.first + cell);
            const size_t before = static_cast<size_t>(element - job.first_element) * job.samples;
            real* const results = job.outputs[output];
            if (whole) {
                send<SAMPLE_THREADS, false>(job, results, before + first, own_stage, tile * W,
                                            sample_thread);
                continue;
            }
            for (int at = sample_thread; at < tile * W; at += SAMPLE_THREADS) {
                const size_t sample = before + __ldg(&own_places[first + at / W].result);
                results[place(job, sample, at % W)] = own_stage[at];
            }
        }
    }
    wait_for_stage();
}
