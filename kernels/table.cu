// Any samples of irregular leaves: products of a weight table with many nets at once.
//
// A block takes SAMPLE_TILE samples of CELL_TILE leaves of one batch. Control points pass
// through shared memory a few at a time; each thread sums ROWS samples of CELLS leaves in
// registers. Results leave through shared memory in the order of the element's samples.
#include "orders.cuh"
#include "stage.cuh"

constexpr int W = WIDTH;
constexpr int THREADS = 128;
// a thread: two short runs of samples, times CELLS leaves
constexpr int ROWS = DOUBLE ? 4 : 8;
constexpr int SAMPLE_TILE = 16 * ROWS;
constexpr int CELL_TILE = 8 * CELLS;
// control points at a time
constexpr int DEPTH = 16;

constexpr int TABLE_REALS = DEPTH * SAMPLE_TILE;
constexpr int POINT_ROW = (CELL_TILE * W + VECTOR - 1) / VECTOR * VECTOR;
constexpr int POINT_REALS = DEPTH * POINT_ROW;
// leaves staged at once: one of each thread's
constexpr int STAGE_CELL = SAMPLE_TILE * W;
constexpr int STAGE_REALS = 8 * STAGE_CELL;
constexpr int BLOCK_REALS =
    TABLE_REALS + POINT_REALS > STAGE_REALS ? TABLE_REALS + POINT_REALS : STAGE_REALS;

// Shared memory of a block in bytes, samples and leaves of an item, for the host.
extern "C" __device__ const int table_shared = BLOCK_REALS * sizeof(real);
extern "C" __device__ const int table_samples = SAMPLE_TILE;
extern "C" __device__ const int table_cells = CELL_TILE;

struct Place {
    unsigned local, result;
};

extern "C" __global__ void __launch_bounds__(THREADS)
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
    const int sample_group = thread % 16, cell_group = thread / 16;
    const int controls = batch.controls;
    const int samples = batch.counts[0] * batch.counts[1] * batch.counts[2];
    const int tile = min(SAMPLE_TILE, samples - int(item.sample));
    const bool whole = samples == job.samples;
    const Place* const own_places = places + batch.places + item.sample;
    const unsigned* const nets = static_cast<const unsigned*>(leaves.nets) + batch.first_net +
                                 static_cast<size_t>(item.first) * controls;

    if (thread < CELL_TILE) {
        const unsigned* const net = nets + min(thread, int(item.count) - 1) * controls;
#pragma unroll
        for (int i = 0; i < W; ++i) origins[thread][i] = real(component(job, __ldg(net), i));
    }

    for (int output = 0; output < OUTPUTS; ++output) {
        const real* const weights = tables + batch.tables[output];
        real sums[ROWS][CELLS][W];
#pragma unroll
        for (int s = 0; s < ROWS; ++s) {
#pragma unroll
            for (int q = 0; q < CELLS; ++q) {
#pragma unroll
                for (int i = 0; i < W; ++i) sums[s][q][i] = 0;
            }
        }

        for (int start = 0; start < controls; start += DEPTH) {
            const int depth = min(DEPTH, controls - start);
            __syncthreads();
            // the stage of the output before lies in the same memory
            wait_for_stage();
            __syncthreads();
            for (int at = thread; at < TABLE_REALS; at += THREADS) {
                const int k = at / SAMPLE_TILE, s = at % SAMPLE_TILE;
                const bool inside = k < depth && s < tile;
                shared_table[at] =
                    inside ? __ldg(weights + static_cast<size_t>(start + k) * samples +
                                   __ldg(&own_places[s].local))
                           : real(0);
            }
            for (int at = thread; at < DEPTH * CELL_TILE; at += THREADS) {
                const int q = at / DEPTH, k = at % DEPTH;
                const bool inside = k < depth && q < item.count;
                const unsigned id = inside ? __ldg(nets + q * controls + start + k) : 0;
#pragma unroll
                for (int i = 0; i < W; ++i) {
                    shared_points[k * POINT_ROW + q * W + i] =
                        inside ? real(component(job, id, i) - double(origins[q][i])) : real(0);
                }
            }
            __syncthreads();
#pragma unroll 4
            for (int k = 0; k < depth; ++k) {
                real row[ROWS];
                const real* const from = shared_table + k * SAMPLE_TILE;
#pragma unroll
                for (int part = 0; part < ROWS / VECTOR; ++part) {
                    real vector[VECTOR];
                    load_vectors(vector, from + (part * 16 + sample_group) * VECTOR);
#pragma unroll
                    for (int s = 0; s < VECTOR; ++s) row[part * VECTOR + s] = vector[s];
                }
                const real* const point = shared_points + k * POINT_ROW + cell_group * CELLS * W;
#pragma unroll
                for (int q = 0; q < CELLS; ++q) {
#pragma unroll
                    for (int i = 0; i < W; ++i) {
                        const real value = point[q * W + i];
#pragma unroll
                        for (int s = 0; s < ROWS; ++s) sums[s][q][i] += row[s] * value;
                    }
                }
            }
        }

        const real sign = batch.negate >> output & 1 ? real(-1) : real(1);
#pragma unroll
        for (int q = 0; q < CELLS; ++q) {
            __syncthreads();
            wait_for_stage();
            __syncthreads();
            const int cell = cell_group * CELLS + q;
#pragma unroll
            for (int s = 0; s < ROWS; ++s) {
                const int sample = (s / VECTOR * 16 + sample_group) * VECTOR + s % VECTOR;
#pragma unroll
                for (int i = 0; i < W; ++i) {
                    stage[cell_group * STAGE_CELL + sample * W + i] =
                        output == 0 ? sums[s][q][i] + origins[cell][i] : sign * sums[s][q][i];
                }
            }
            publish_stage();
            __syncthreads();
            // a half warp sends one leaf
            if (cell >= item.count) continue;
            const unsigned element = __ldg(leaves.elements + batch.first_leaf + item.first + cell);
            const size_t first = static_cast<size_t>(element - job.first_element) * job.samples;
            const real* const own_stage = stage + cell_group * STAGE_CELL;
            if (whole) {
                send<16, false>(job, job.outputs[output], first + item.sample, own_stage, tile * W,
                         sample_group);
                continue;
            }
            for (int at = sample_group; at < tile * W; at += 16) {
                const size_t sample = first + __ldg(&own_places[at / W].result);
                job.outputs[output][place(job, sample, at % W)] = own_stage[at];
            }
        }
    }
    wait_for_stage();
}
