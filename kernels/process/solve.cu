// Conjugate gradients with the diagonal for preconditioner: (mass M + stiffness L) x = b, where L
// has cotangent weights and M areas at its diagonal. x starts at 0. Unknowns without a pivot stay.
//
// COLUMNS: right-hand sides at once, 1 or 3. An iteration is multiply, step, turn. The last block
// of a kernel to end sums what all have found, in an order of its own, so that results are the same
// in every run.
#include "process/slices.cuh"

constexpr int THREADS = 256;
// of the kernels that sum
constexpr int BLOCKS = 1024;
// numbers of a direction
constexpr int STRIDE = COLUMNS == 3 ? 4 : COLUMNS;

struct System {
    // neighbours in slices
    const unsigned *slices, *ids;
    const real *weights, *diagonal, *masses;
    // inverses of the diagonal of the system; 0 where the unknown stays
    const real* pivots;
    double mass, stiffness;
    unsigned long long count;
};

struct State {
    // r · r / diagonal, and below what it ends
    double residual[COLUMNS], limit[COLUMNS];
    double alpha[COLUMNS], beta[COLUMNS];
    // that of |r| / (diagonal |x|) instead, if positive
    double tolerance;
    // stepped: whether the last direction is still to be added to x
    unsigned iterations, done, ticket, stepped;
};

__device__ __forceinline__ double combine(bool is_last, double a, double b) {
    return is_last ? max(a, b) : a + b;
}

// Adds of all threads of the block, but for the last, which are compared; complete in thread 0.
template <int N>
__device__ __forceinline__ void reduce(double (&values)[N]) {
    __shared__ double of_warps[N][THREADS / LANES];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        for (int other = LANES / 2; other > 0; other /= 2) {
            values[i] = combine(i == N - 1, values[i], __shfl_down_sync(ALL_LANES, values[i], other));
        }
        if (lane == 0) of_warps[i][warp] = values[i];
    }
    __syncthreads();
    if (warp == 0) {
#pragma unroll
        for (int i = 0; i < N; ++i) {
            values[i] = lane < THREADS / LANES ? of_warps[i][lane] : 0;
            for (int other = LANES / 2; other > 0; other /= 2) {
                values[i] = combine(i == N - 1, values[i], __shfl_down_sync(ALL_LANES, values[i], other));
            }
        }
    }
    __syncthreads();
}

// Calls then(values of all blocks) in one thread of the last block that comes here.
template <int N, class Then>
__device__ __forceinline__ void conclude(double (&values)[N], double* partial, State* state,
                                         Then then) {
    __shared__ bool is_last;
    reduce(values);
    if (threadIdx.x == 0) {
#pragma unroll
        for (int i = 0; i < N; ++i) partial[i * BLOCKS + blockIdx.x] = values[i];
        __threadfence();
        is_last = atomicAdd(&state->ticket, 1) == BLOCKS - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
#pragma unroll
    for (int i = 0; i < N; ++i) {
        values[i] = 0;
        for (int block = threadIdx.x; block < BLOCKS; block += THREADS) {
            values[i] = combine(i == N - 1, values[i], __ldcg(partial + i * BLOCKS + block));
        }
    }
    reduce(values);
    if (threadIdx.x == 0) {
        state->ticket = 0;
        then();
    }
}

// Row `id` of the system times `of`, STRIDE numbers an unknown.
__device__ __forceinline__ void multiply_row(const System& system, unsigned id, const real* of,
                                             real (&product)[COLUMNS]) {
    constexpr unsigned AHEAD = DOUBLE && COLUMNS == 3 ? 4 : 8;
    const unsigned width = width_of(system.slices, id);
    const size_t first = item_of(system.slices, id, 0);
    const auto load = [&](unsigned at, real (&value)[STRIDE]) {
        if constexpr (STRIDE == 4) {
            load_vectors(value, of + size_t(STRIDE) * at);
        } else {
            value[0] = of[at];
        }
    };
    real sum[COLUMNS] = {};
    for (unsigned begin = 0; begin < width; begin += AHEAD) {
        unsigned ids[AHEAD];
        real weights[AHEAD];
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            if (begin + i < width) {
                ids[i] = __ldcs(system.ids + first + (begin + i) * LANES);
                weights[i] = __ldcs(system.weights + first + (begin + i) * LANES);
            }
        }
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            if (begin + i < width) {
                real value[STRIDE];
                load(ids[i], value);
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) sum[c] += weights[i] * value[c];
            }
        }
    }
    const real stiffness = real(system.stiffness);
    const real own = real(system.mass) * system.masses[id] + stiffness * system.diagonal[id];
    real value[STRIDE];
    load(id, value);
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) product[c] = own * value[c] - stiffness * sum[c];
}

extern "C" __global__ void __launch_bounds__(THREADS)
    find_pivots(System system, const unsigned* held, real* pivots) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    if (id >= system.count) return;
    const real own =
        real(system.mass) * system.masses[id] + real(system.stiffness) * system.diagonal[id];
    pivots[id] = own > 0 && !(held && held[id]) ? 1 / own : 0;
}

// product = system times of, 0 in rows without a pivot, if there are pivots.
extern "C" __global__ void __launch_bounds__(THREADS)
    apply(System system, const real* of, real* product) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    if (id >= system.count) return;
    real row[COLUMNS] = {};
    if (!system.pivots || system.pivots[id] > 0) multiply_row(system, id, of, row);
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) product[size_t(id) * COLUMNS + c] = row[c];
}

// residual: b. Ends where the norm of the residual has fallen by `tolerance`, or, if
// `componentwise`, where every component of it is as small beside its unknown.
extern "C" __global__ void __launch_bounds__(THREADS)
    begin(System system, const real* residual, real* direction, real* x, double tolerance,
          unsigned componentwise, double* partial, State* state) {
    double sums[COLUMNS + 1] = {};
    for (unsigned id = blockIdx.x * THREADS + threadIdx.x; id < system.count;
         id += BLOCKS * THREADS) {
        const real pivot = system.pivots[id];
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            const real r = residual[size_t(id) * COLUMNS + c];
            direction[size_t(id) * STRIDE + c] = r * pivot;
            x[size_t(id) * COLUMNS + c] = 0;
            sums[c] += double(r) * double(r * pivot);
        }
    }
    conclude(sums, partial, state, [&] {
        bool zero = true, known = true;
        for (int c = 0; c < COLUMNS; ++c) {
            state->residual[c] = sums[c];
            state->limit[c] = tolerance * tolerance * sums[c];
            zero = zero && sums[c] == 0;
            known = known && sums[c] >= 0;
        }
        state->tolerance = componentwise ? tolerance : 0;
        state->iterations = 0;
        // 2: no number, as below
        state->done = !known ? 2 : zero ? 1 : 0;
        state->stepped = 0;
    });
}

extern "C" __global__ void __launch_bounds__(THREADS)
    multiply(System system, const real* direction, real* product, double* partial, State* state) {
    if (state->done) {
        if (blockIdx.x == 0 && threadIdx.x == 0) state->stepped = 0;
        return;
    }
    double sums[COLUMNS + 1] = {};
    for (unsigned id = blockIdx.x * THREADS + threadIdx.x; id < system.count;
         id += BLOCKS * THREADS) {
        real row[COLUMNS] = {};
        if (system.pivots[id] > 0) multiply_row(system, id, direction, row);
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            product[size_t(id) * COLUMNS + c] = row[c];
            sums[c] += double(row[c]) * double(direction[size_t(id) * STRIDE + c]);
        }
    }
    conclude(sums, partial, state, [&] {
        for (int c = 0; c < COLUMNS; ++c) {
            state->alpha[c] = sums[c] > 0 ? state->residual[c] / sums[c] : 0;
        }
    });
}

extern "C" __global__ void __launch_bounds__(THREADS)
    step(System system, const real* product, real* residual, const real* x, double* partial,
         State* state) {
    if (state->done) return;
    const bool componentwise = state->tolerance > 0;
    real alpha[COLUMNS];
    for (int c = 0; c < COLUMNS; ++c) alpha[c] = real(state->alpha[c]);
    double sums[COLUMNS + 1] = {};
    for (unsigned id = blockIdx.x * THREADS + threadIdx.x; id < system.count;
         id += BLOCKS * THREADS) {
        const real pivot = system.pivots[id];
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            const size_t at = size_t(id) * COLUMNS + c;
            const real r = residual[at] - alpha[c] * product[at];
            residual[at] = r;
            sums[c] += double(r) * double(r * pivot);
            if (componentwise && pivot > 0) {
                const double left = fabs(double(r * pivot)), whole = fabs(double(x[at]));
                // no value has come here yet where it is 0
                sums[COLUMNS] = max(sums[COLUMNS], whole > 0 ? left / whole : 1e300);
            }
        }
    }
    conclude(sums, partial, state, [&] {
        bool small = true, zero = true;
        for (int c = 0; c < COLUMNS; ++c) {
            state->beta[c] = state->residual[c] > 0 ? sums[c] / state->residual[c] : 0;
            state->residual[c] = sums[c];
            small = small && sums[c] <= state->limit[c];
            zero = zero && !(sums[c] > 0);
        }
        if (componentwise) small = sums[COLUMNS] <= state->tolerance;
        ++state->iterations;
        state->stepped = 1;
        // 2: nothing is left to go on with, though a component is not as small as asked for
        state->done = small ? 1 : zero ? 2 : 0;
    });
}

// Adds the direction to x, then turns it. Both here, so that it is read once.
extern "C" __global__ void __launch_bounds__(THREADS)
    turn(System system, const real* residual, real* direction, real* x, const State* state) {
    if (!state->stepped) return;
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    if (id >= system.count) return;
    const real pivot = system.pivots[id];
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        const size_t at = size_t(id) * STRIDE + c, own = size_t(id) * COLUMNS + c;
        const real old = direction[at];
        x[own] += real(state->alpha[c]) * old;
        direction[at] = residual[own] * pivot + real(state->beta[c]) * old;
    }
}

// points, four numbers each, plus what has been found.
extern "C" __global__ void __launch_bounds__(THREADS)
    add(const real* x, unsigned count, real* points) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    if (id >= count) return;
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) points[4 * size_t(id) + c] += x[size_t(id) * COLUMNS + c];
}
