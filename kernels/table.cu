// Any samples of irregular leaves: products of a weight table with many nets at once.
//
// A block takes SAMPLE_TILE samples of CELL_TILE leaves of one batch. Weights and control
// points pass through shared memory a few control points at a time; each thread sums ROWS
// samples of CELLS leaves in registers. Results leave through shared memory in the order of
// the element's samples.
#include "orders.cuh"
#include "stage.cuh"

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
constexpr int BLOCKS = DOUBLE || (CELLS > 1 && (OUTPUTS > 1 || W > 3)) ? 3 : 4;

constexpr int TABLE_REALS = DEPTH * SAMPLE_TILE;
// rows of points begin on different banks
constexpr int POINT_ROW = (CELL_TILE * W + 31) / 32 * 32 + VECTOR;
constexpr int POINT_REALS = DEPTH * POINT_ROW;
// one leaf of each thread is staged at a time, in the same memory
constexpr int STAGE_CELL = SAMPLE_TILE * W;
constexpr int STAGE_REALS = CELL_THREADS * STAGE_CELL;
constexpr int BLOCK_REALS =
    TABLE_REALS + POINT_REALS > STAGE_REALS ? TABLE_REALS + POINT_REALS : STAGE_REALS;

// Shared memory of a block in bytes, samples and leaves of an item, for the host.
extern "C" __device__ const int table_shared = BLOCK_REALS * sizeof(real);
extern "C" __device__ const int table_samples = SAMPLE_TILE;
extern "C" __device__ const int table_cells = CELL_TILE;

struct Place {
    unsigned local, result;
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    table(const __grid_constant__ Job job, const __grid_constant__ Leaves leaves,
          const Batch* __restrict__ batches, const Item* __restrict__ items,
          const real* __restrict__ tables, const Place* __restrict__ places) {
    extern __shared__ __align__(16) unsigned char memory[];
    real* const shared_table = reinterpret_cast<real*>(memory);
    real* const shared_points = shared_table + TABLE_REALS;
    real* const stage = shared_table;
    __shared__ real origins[CELL_TILE][W];

    const Item item = items[blockIdx.x];
    const Batch& batch = batches[item.batch];
    const int thread = threadIdx.x;
    const int sample_thread = thread % SAMPLE_THREADS, cell_thread = thread / SAMPLE_THREADS;
    const int controls = batch.controls;
    const int samples = batch.counts[0] * batch.counts[1] * batch.counts[2];
    const int tile = min(SAMPLE_TILE, samples - int(item.sample));
    // whole elements have their tables in the order of the results
    const bool whole = samples == job.samples;
    const bool aligned = whole && samples % VECTOR == 0;
    const Place* const own_places = places + batch.places + item.sample;
    const unsigned* const nets = static_cast<const unsigned*>(leaves.nets) + batch.first_net +
                                 static_cast<size_t>(item.first) * controls;

    for (int number = thread; number < CELL_TILE * W; number += THREADS) {
        const int q = number / W, i = number % W;
        const unsigned* const net = nets + min(q, int(item.count) - 1) * controls;
        origins[q][i] = real(component(job, __ldg(net), i));
    }

    for (int output = 0; output < OUTPUTS; ++output) {
        const real* const weights = tables + batch.tables[output];
        real sums[CELLS][ROWS][W];
#pragma unroll
        for (int q = 0; q < CELLS; ++q) {
#pragma unroll
            for (int s = 0; s < ROWS; ++s) {
#pragma unroll
                for (int i = 0; i < W; ++i) sums[q][s][i] = 0;
            }
        }

        // the stage of the output before lies in the same memory
        wait_for_stage();
        for (int start = 0; start < controls; start += DEPTH) {
            const int depth = min(DEPTH, controls - start);
            __syncthreads();
            if (aligned) {
#pragma unroll
                for (int at = thread * VECTOR; at < TABLE_REALS; at += THREADS * VECTOR) {
                    const int k = at / SAMPLE_TILE, s = at % SAMPLE_TILE;
                    real vector[VECTOR] = {};
                    if (k < depth && s < tile) {
                        load_vectors(vector, weights + static_cast<size_t>(start + k) * samples +
                                                 item.sample + s);
                    }
                    store_vectors(shared_table + at, vector);
                }
            } else {
                for (int at = thread; at < TABLE_REALS; at += THREADS) {
                    const int k = at / SAMPLE_TILE, s = at % SAMPLE_TILE;
                    real weight = 0;
                    if (k < depth && s < tile) {
                        const int local = whole ? item.sample + s : __ldg(&own_places[s].local);
                        weight = __ldg(weights + static_cast<size_t>(start + k) * samples + local);
                    }
                    shared_table[at] = weight;
                }
            }
            // neighbouring threads read neighbouring numbers of a net
            constexpr int NUMBERS = CELL_TILE * DEPTH * W;
#pragma unroll 4
            for (int number = thread; number < NUMBERS; number += THREADS) {
                const int q = number / (DEPTH * W), k = number / W % DEPTH, i = number % W;
                real local = 0;
                if (k < depth && q < item.count) {
                    const unsigned id = __ldg(nets + q * controls + start + k);
                    local = real(component(job, id, i) - double(origins[q][i]));
                }
                shared_points[k * POINT_ROW + q * W + i] = local;
            }
            __syncthreads();
#pragma unroll 2
            for (int k = 0; k < depth; ++k) {
                real row[RUNS][VECTOR];
#pragma unroll
                for (int run = 0; run < RUNS; ++run) {
                    load_vectors(row[run], shared_table + k * SAMPLE_TILE +
                                               (run * SAMPLE_THREADS + sample_thread) * VECTOR);
                }
                const real* const point = shared_points + k * POINT_ROW + cell_thread * CELLS * W;
#pragma unroll
                for (int q = 0; q < CELLS; ++q) {
#pragma unroll
                    for (int i = 0; i < W; ++i) {
                        const real value = point[q * W + i];
#pragma unroll
                        for (int s = 0; s < ROWS; ++s) {
                            sums[q][s][i] += row[s / VECTOR][s % VECTOR] * value;
                        }
                    }
                }
            }
        }

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
            const size_t first = static_cast<size_t>(element - job.first_element) * job.samples;
            if (whole) {
                send<SAMPLE_THREADS, false>(job, job.outputs[output], first + item.sample,
                                            own_stage, tile * W, sample_thread);
                continue;
            }
            for (int at = sample_thread; at < tile * W; at += SAMPLE_THREADS) {
                const size_t sample = first + __ldg(&own_places[at / W].result);
                job.outputs[output][place(job, sample, at % W)] = own_stage[at];
            }
        }
    }
    wait_for_stage();
}
