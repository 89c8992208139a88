// Gradients at control points from gradients at results, in double precision (src/plan/adjoint.rs,
// whose bits these are: the same sums in the same order, products and sums apart).
//
//     gradients [order][result][width]
//     -> leaf_gradients: nets [place][width], a net of control points each leaf
//     -> gather_gradients: points [point of all levels][width], from nets, then from finer levels

#include "common/shared.cuh"

constexpr unsigned THREADS = host::LEAF_THREADS;
// components that a thread sums at once
constexpr unsigned AT_ONCE = 4;

// A leaf: see `AdjointLeaf` in src/backend/cuda/solid/adjoint.rs.
struct Leaf {
    // first weight, [order][sample][control]; first entry of `samples`; first place in nets
    unsigned long long weights, samples, place;
    // result that samples count from
    unsigned long long first;
    unsigned controls, count;
};

struct Leaves {
    const Leaf* leaves;
    const double* weights;
    // results relative to the first of their leaf's, [sample]
    const unsigned* samples;
    // gradients of how many orders are given, and results of each
    unsigned long long orders, results;
};

__device__ __forceinline__ bool is_zero(const double* gradient, unsigned width) {
    for (unsigned d = 0; d < width; ++d) {
        if (gradient[d] != 0) return false;
    }
    return true;
}

// A block per leaf, a thread a control point of its net.
extern "C" __global__ void __launch_bounds__(THREADS)
    leaf_gradients(const __grid_constant__ Leaves in, const double* __restrict__ gradients,
                   double* __restrict__ nets, unsigned width) {
    const Leaf leaf = in.leaves[blockIdx.x];
    const unsigned* const samples = in.samples + leaf.samples;
    for (unsigned c = threadIdx.x; c < leaf.controls; c += THREADS) {
        double* const net = nets + (leaf.place + c) * width;
        for (unsigned begin = 0; begin < width; begin += AT_ONCE) {
            double sums[AT_ONCE] = {};
            const double* weight = in.weights + leaf.weights + c;
            for (unsigned long long order = 0; order < in.orders; ++order) {
                const double* const own = gradients + (order * in.results + leaf.first) * width;
                for (unsigned s = 0; s < leaf.count; ++s, weight += leaf.controls) {
                    const double* const gradient = own + size_t(samples[s]) * width;
                    // also where a derivative does not exist
                    if (is_zero(gradient, width)) continue;
#pragma unroll
                    for (unsigned d = 0; d < AT_ONCE; ++d) {
                        if (begin + d < width) sums[d] += *weight * gradient[begin + d];
                    }
                }
            }
            for (unsigned d = 0; d < AT_ONCE && begin + d < width; ++d) net[begin + d] = sums[d];
        }
    }
}

// Row r of `to` [row][width] gains weight[i] times row items[i] of `from`, for i from starts[r] to
// starts[r + 1]; without weights it is the sum of these rows. A thread per number.
extern "C" __global__ void __launch_bounds__(128)
    gather_gradients(const unsigned long long* __restrict__ starts,
                     const unsigned long long* __restrict__ items,
                     const double* __restrict__ weights, const double* from, double* to,
                     unsigned long long rows, unsigned width) {
    const size_t at = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (at >= rows * width) return;
    const size_t row = at / width, component = at % width;
    double sum = weights ? to[at] : 0;
    for (unsigned long long i = starts[row]; i < starts[row + 1]; ++i) {
        const double value = from[items[i] * width + component];
        sum += weights ? weights[i] * value : value;
    }
    to[at] = sum;
}
