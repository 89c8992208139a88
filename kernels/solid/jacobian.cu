// Jacobian determinants of evaluated points, and the least of each element.
#include "common/real.cuh"

constexpr int THREADS = 128;

// A block an element: determinants [sample] from derivatives u, v, w, each [sample][3], and
// the least one; NaN where a derivative does not exist, and then the least of the others.
extern "C" __global__ void __launch_bounds__(THREADS)
    jacobian(const real* __restrict__ u, const real* __restrict__ v, const real* __restrict__ w,
             unsigned samples, real* determinants, real* least) {
    __shared__ real lowest[THREADS / LANES];
    const size_t first = static_cast<size_t>(blockIdx.x) * samples;
    const real infinity = real(__int_as_float(0x7f800000));
    real low = infinity;
    for (unsigned s = threadIdx.x; s < samples; s += THREADS) {
        const real* const a = u + (first + s) * 3;
        const real* const b = v + (first + s) * 3;
        const real* const c = w + (first + s) * 3;
        const real determinant = a[0] * (b[1] * c[2] - b[2] * c[1]) -
                                 a[1] * (b[0] * c[2] - b[2] * c[0]) +
                                 a[2] * (b[0] * c[1] - b[1] * c[0]);
        determinants[first + s] = determinant;
        // not-a-number loses every comparison
        if (determinant < low) low = determinant;
    }
    for (int far = LANES / 2; far > 0; far /= 2) {
        const real other = __shfl_xor_sync(ALL_LANES, low, far);
        if (other < low) low = other;
    }
    if (threadIdx.x % LANES == 0) lowest[threadIdx.x / LANES] = low;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < THREADS / LANES; ++i) {
            if (lowest[i] < low) low = lowest[i];
        }
        least[blockIdx.x] = low == infinity ? real(__int_as_float(0x7fc00000)) : low;
    }
}
