// Vectors beside a sparse matrix, for iterative solutions: products, combinations and sums.
//
//     matrix    row r: entries starts[r]..starts[r + 1] of columns and weights
//     vectors   [row][width]
//     sums      one of every 4096 numbers, which the host adds up in their order
//
// A thread per number: threads of one row read the same weights at once, and one after another its
// values. A regular solid has 27 entries a row, 12 bytes each, beside which vectors are small.
//
// Products and sums stay apart, in the order of the CPU: the bits of src/backend/cpu/vectors.rs,
// which is the plain reference (tests/gpu/fit.rs).

#include "common/shared.cuh"

constexpr unsigned THREADS = host::QUERY_THREADS;
// numbers of a sum
constexpr unsigned NUMBERS = host::CHUNK_NUMBERS;

struct Matrix {
    const unsigned long long* starts;
    const unsigned* columns;
    const double* weights;
    unsigned long long rows;
};

// The matrix times a vector. Sums run relative to the first entry of a row where rows sum to 1.
extern "C" __global__ void __launch_bounds__(THREADS)
    apply(const __grid_constant__ Matrix matrix, unsigned width, unsigned is_relative,
          const double* __restrict__ from, double* __restrict__ to) {
    const unsigned item = blockIdx.x * THREADS + threadIdx.x;
    const unsigned row = item / width, component = item - row * width;
    if (row >= matrix.rows) return;
    size_t at = matrix.starts[row];
    const size_t end = matrix.starts[row + 1];
    const double* const own = from + component;
    double origin = 0, sum = 0;
    if (is_relative && at < end) {
        origin = own[size_t(matrix.columns[at]) * width];
        ++at;
    }
#pragma unroll 4
    for (; at < end; ++at) {
        const double value = own[size_t(__ldg(matrix.columns + at)) * width];
        sum += __ldg(matrix.weights + at) * (value - origin);
    }
    to[item] = sum + origin;
}

// to = a to + b from; a of 0 forgets what was there.
extern "C" __global__ void __launch_bounds__(THREADS)
    combine(double* __restrict__ to, double a, double b, const double* __restrict__ from,
            unsigned count) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const double added = b * from[i];
    to[i] = a == 0 ? added : a * to[i] + added;
}

struct Sum {
    static __device__ __forceinline__ double join(double a, double b) { return a + b; }
};

struct Largest {
    // NaN if one is
    static __device__ __forceinline__ double join(double a, double b) {
        return isnan(a) || a >= b ? a : b;
    }
};

// Joins what `of` makes of the block's numbers: by lanes, then by halves of them.
template <class Join, class Of>
__device__ __forceinline__ void join_block(unsigned count, double* sums, Of of) {
    __shared__ double lanes[THREADS];
    const unsigned first = blockIdx.x * NUMBERS, end = first + min(NUMBERS, count - first);
    double own = 0;
    for (unsigned i = first + threadIdx.x; i < end; i += THREADS) own = Join::join(own, of(i));
    lanes[threadIdx.x] = own;
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            lanes[threadIdx.x] = Join::join(lanes[threadIdx.x], lanes[threadIdx.x + half]);
        }
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = lanes[0];
}

// Dot products. A block per sum.
extern "C" __global__ void __launch_bounds__(THREADS)
    dot(const double* __restrict__ a, const double* __restrict__ b, unsigned count,
        double* __restrict__ sums) {
    join_block<Sum>(count, sums, [=](unsigned i) { return a[i] * b[i]; });
}

// Largest magnitudes. A block per sum.
extern "C" __global__ void __launch_bounds__(THREADS)
    largest(const double* __restrict__ a, unsigned count, double* __restrict__ sums) {
    join_block<Largest>(count, sums, [=](unsigned i) { return fabs(a[i]); });
}
