// Quantities that follow from first derivatives, a kernel each, named as in src/plan/quantity,
// which is the plain reference.
//
//     position: u, v, w, each [result][3]; attribute: u, v, w, each [result][components]
//     -> to: [result][numbers], a thread per result, or [element][1], a block per element
#include "common/shared.cuh"
#include "common/real.cuh"

constexpr int THREADS = host::QUANTITY_THREADS;
// scaled determinants up to which a Jacobian is singular: `rounding` in src/plan/quantity
constexpr real ROUNDING = real(DOUBLE ? 1e-12 : 1e-5);

struct Derivatives {
    const real *u, *v, *w;
};

// What all kernels take: see `QuantityInputs` in src/backend/cuda/solid/quantities.rs.
struct Inputs {
    Derivatives position, attribute;
    // results in all, and of an element
    unsigned long long results;
    unsigned components, samples;
};

__device__ __forceinline__ real not_a_number() { return real(__int_as_float(0x7fc00000)); }

__device__ __forceinline__ real determinant_of(const real* a, const real* b, const real* c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// The determinant of d(x, y, z)/d(u, v, w) at a result.
__device__ __forceinline__ real determinant_at(const Derivatives& d, size_t result) {
    return determinant_of(d.u + 3 * result, d.v + 3 * result, d.w + 3 * result);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    determinant(const __grid_constant__ Inputs in, real* __restrict__ to) {
    const size_t result = blockIdx.x * size_t(THREADS) + threadIdx.x;
    if (result < in.results) to[result] = determinant_at(in.position, result);
}

// Determinants that do not exist count as none; NaN if there is no other.
extern "C" __global__ void __launch_bounds__(THREADS)
    least_determinant(const __grid_constant__ Inputs in, real* __restrict__ to) {
    __shared__ real lowest[THREADS / LANES];
    const size_t first = static_cast<size_t>(blockIdx.x) * in.samples;
    const real infinity = real(__int_as_float(0x7f800000));
    real low = infinity;
    for (unsigned s = threadIdx.x; s < in.samples; s += THREADS) {
        const real found = determinant_at(in.position, first + s);
        // not-a-number loses every comparison
        if (found < low) low = found;
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
        to[blockIdx.x] = low == infinity ? not_a_number() : low;
    }
}

// The columns of the Jacobian at a result, of unit length, so that their determinant is the scaled
// one, whatever the size of the cell; returns it. `scale`: 1 / length. Columns that are 0 stay so.
__device__ __forceinline__ real unit_columns(const Derivatives& d, size_t result,
                                             real (&unit)[3][3], real (&scale)[3]) {
    const real* const columns[3] = {d.u + 3 * result, d.v + 3 * result, d.w + 3 * result};
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const real* const c = columns[k];
        const real found = fmax(fabs(c[0]), fmax(fabs(c[1]), fabs(c[2])));
        const real largest = found == real(0) ? real(1) : found;
        const real x = c[0] / largest, y = c[1] / largest, z = c[2] / largest;
        const real squares = x * x + y * y + z * z;
        const real length = squares == real(0) ? real(1) : sqrt(squares);
        unit[k][0] = x / length;
        unit[k][1] = y / length;
        unit[k][2] = z / length;
        scale[k] = real(1) / length / largest;
    }
    return determinant_of(unit[0], unit[1], unit[2]);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    scaled_jacobian(const __grid_constant__ Inputs in, real* __restrict__ to) {
    const size_t result = blockIdx.x * size_t(THREADS) + threadIdx.x;
    real unit[3][3], scale[3];
    if (result < in.results) to[result] = unit_columns(in.position, result, unit, scale);
}

// df/dx_i = sum of df/du_j du_j/dx_i, [component][xyz]; NaN where the Jacobian is singular or
// does not exist.
extern "C" __global__ void __launch_bounds__(THREADS)
    gradient(const __grid_constant__ Inputs in, real* __restrict__ to) {
    const size_t result = blockIdx.x * size_t(THREADS) + threadIdx.x;
    if (result >= in.results) return;
    real unit[3][3], scale[3];
    const real scaled = unit_columns(in.position, result, unit, scale);
    // not-a-number is not greater
    const bool is_regular = fabs(scaled) > ROUNDING;
    // rows of the inverse, times the scale of their axis
    real inverse[3][3];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        const real* const a = unit[(d + 1) % 3];
        const real* const b = unit[(d + 2) % 3];
        const real by = is_regular ? scale[d] / scaled : not_a_number();
        inverse[d][0] = by * (a[1] * b[2] - a[2] * b[1]);
        inverse[d][1] = by * (a[2] * b[0] - a[0] * b[2]);
        inverse[d][2] = by * (a[0] * b[1] - a[1] * b[0]);
    }
    const Derivatives& f = in.attribute;
    for (unsigned c = 0; c < in.components; ++c) {
        const size_t at = result * in.components + c;
        const real u = f.u[at], v = f.v[at], w = f.w[at];
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            to[3 * at + i] = u * inverse[0][i] + v * inverse[1][i] + w * inverse[2][i];
        }
    }
}
