// Conjugate gradients whose vectors stay on the device, in double precision: steps of the iteration,
// and of its preconditioner: Chebyshev polynomials and V-cycles of stored rows.
//
// Vectors are [unknown][COMPONENTS]. Rows are in slices of a warp (process/slices.cuh); what fills them up
// has weight 0. A thread sums a row, so that results are the same on every run.
//
// Plain reference: src/numbers/conjugate_gradients.rs, src/solve (tests/gpu/solve.rs).
#include "common/shared.cuh"
#include "process/slices.cuh"

constexpr int THREADS = host::QUERY_THREADS;

struct Rows {
    const unsigned *slices, *columns;
    const double* values;
    unsigned long long count;
};

__device__ __forceinline__ unsigned thread_id() { return blockIdx.x * THREADS + threadIdx.x; }

__device__ __forceinline__ void sum_row(const Rows& rows, unsigned row, const double* of,
                                        double (&sum)[COMPONENTS]) {
    // entries that are read together
    constexpr unsigned AHEAD = 8;
    const unsigned width = width_of(rows.slices, row);
    const size_t first = item_of(rows.slices, row, 0);
#pragma unroll
    for (int d = 0; d < COMPONENTS; ++d) sum[d] = 0;
    for (unsigned begin = 0; begin < width; begin += AHEAD) {
        unsigned columns[AHEAD];
        double values[AHEAD];
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            if (begin + i < width) {
                columns[i] = __ldcs(rows.columns + first + (begin + i) * LANES);
                values[i] = __ldcs(rows.values + first + (begin + i) * LANES);
            }
        }
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            if (begin + i < width) {
                const double* const x = of + size_t(columns[i]) * COMPONENTS;
#pragma unroll
                for (int d = 0; d < COMPONENTS; ++d) sum[d] += values[i] * x[d];
            }
        }
    }
}

// to = rows times from; `adds`: to += that.
extern "C" __global__ void __launch_bounds__(THREADS)
    multiply_rows(Rows rows, const double* __restrict__ from, unsigned adds,
                  double* __restrict__ to) {
    const unsigned row = thread_id();
    if (row >= rows.count) return;
    double sum[COMPONENTS];
    sum_row(rows, row, from, sum);
#pragma unroll
    for (int d = 0; d < COMPONENTS; ++d) {
        double& own = to[size_t(row) * COMPONENTS + d];
        own = adds ? own + sum[d] : sum[d];
    }
}

// to = rhs - rows times x.
extern "C" __global__ void __launch_bounds__(THREADS)
    subtract_rows(Rows rows, const double* __restrict__ x, const double* __restrict__ rhs,
                  double* __restrict__ to) {
    const unsigned row = thread_id();
    if (row >= rows.count) return;
    double sum[COMPONENTS];
    sum_row(rows, row, x, sum);
#pragma unroll
    for (int d = 0; d < COMPONENTS; ++d) {
        const size_t at = size_t(row) * COMPONENTS + d;
        to[at] = rhs[at] - sum[d];
    }
}

// The first direction of a Chebyshev iteration: `first` times the residual, times `inverses` if there
// are any. x = that; `adds`: x += that. residual may be rhs.
extern "C" __global__ void __launch_bounds__(THREADS)
    begin_polynomial(const double* rhs, const double* __restrict__ inverses, double first,
                     unsigned count, unsigned adds, double* residual,
                     double* __restrict__ direction, double* __restrict__ x) {
    const unsigned i = thread_id();
    if (i >= count) return;
    const double r = rhs[i], step = first * (inverses ? inverses[i] : 1) * r;
    residual[i] = r;
    direction[i] = step;
    x[i] = adds ? x[i] + step : step;
}

// A further one, next = a direction + b residual, after the product of the direction has left the
// residual. fixed: numbers whose products are 0, if any.
extern "C" __global__ void __launch_bounds__(THREADS)
    step_polynomial(Rows rows, const unsigned char* __restrict__ fixed,
                    const double* __restrict__ inverses, double a, double b,
                    const double* __restrict__ direction, double* __restrict__ residual,
                    double* __restrict__ next, double* __restrict__ x) {
    const unsigned row = thread_id();
    if (row >= rows.count) return;
    double sum[COMPONENTS];
    sum_row(rows, row, direction, sum);
#pragma unroll
    for (int d = 0; d < COMPONENTS; ++d) {
        const size_t at = size_t(row) * COMPONENTS + d;
        const double r = residual[at] - (fixed && fixed[at] ? 0 : sum[d]);
        const double step = a * direction[at] + b * (inverses ? inverses[at] : 1) * r;
        residual[at] = r;
        next[at] = step;
        x[at] += step;
    }
}

// to = matrix times from, a warp a row.
extern "C" __global__ void __launch_bounds__(THREADS)
    multiply_dense(const double* __restrict__ matrix, const double* __restrict__ from,
                   unsigned count, double* __restrict__ to) {
    const unsigned row = thread_id() / LANES, lane = threadIdx.x % LANES;
    if (row >= count) return;
    const double* const own = matrix + size_t(row) * count;
    double sum = 0;
    for (unsigned i = lane; i < count; i += LANES) sum += __ldcs(own + i) * from[i];
    for (int other = LANES / 2; other > 0; other /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, other);
    }
    if (lane == 0) to[row] = sum;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    clear_fixed(const unsigned char* __restrict__ fixed, unsigned count, double* __restrict__ y) {
    const unsigned i = thread_id();
    if (i < count && fixed[i]) y[i] = 0;
}

// p · q; r · z, and what it was before.
struct Numbers {
    double energy, gamma, before;
};

// Adds up the sums of the chunks of a dot product, in their order: p · q, or r · z.
extern "C" __global__ void __launch_bounds__(THREADS)
    add_up(const double* __restrict__ sums, unsigned count, unsigned is_energy,
           Numbers* __restrict__ numbers) {
    __shared__ double staged[THREADS];
    double sum = 0;
    for (unsigned begin = 0; begin < count; begin += THREADS) {
        const unsigned length = min(count - begin, unsigned(THREADS));
        if (threadIdx.x < length) staged[threadIdx.x] = sums[begin + threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) {
            for (unsigned i = 0; i < length; ++i) sum += staged[i];
        }
        __syncthreads();
    }
    if (threadIdx.x > 0) return;
    if (is_energy) {
        numbers->energy = sum;
    } else {
        numbers->before = numbers->gamma;
        numbers->gamma = sum;
    }
}

// p = z + gamma / before p; z the first time.
extern "C" __global__ void __launch_bounds__(THREADS)
    turn(const Numbers* __restrict__ numbers, const double* __restrict__ z, unsigned count,
         double* __restrict__ p) {
    const unsigned i = thread_id();
    if (i >= count) return;
    const double beta = numbers->before > 0 ? numbers->gamma / numbers->before : 0;
    p[i] = z[i] + beta * p[i];
}

// x += alpha p, r -= alpha q, alpha = gamma / energy.
extern "C" __global__ void __launch_bounds__(THREADS)
    step(const Numbers* __restrict__ numbers, const double* __restrict__ p,
         const double* __restrict__ q, unsigned count, double* __restrict__ x,
         double* __restrict__ r) {
    const unsigned i = thread_id();
    if (i >= count) return;
    const double alpha = numbers->gamma / numbers->energy;
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
}

// Some of the numbers of a vector.
extern "C" __global__ void __launch_bounds__(THREADS)
    take(const unsigned* __restrict__ ids, const double* __restrict__ from, unsigned count,
         double* __restrict__ to) {
    const unsigned i = thread_id();
    if (i < count) to[i] = from[ids[i]];
}

// Adds to them; ids differ.
extern "C" __global__ void __launch_bounds__(THREADS)
    put(const unsigned* __restrict__ ids, const double* __restrict__ from, unsigned count,
        double* __restrict__ to) {
    const unsigned i = thread_id();
    if (i < count) to[ids[i]] += from[i];
}
