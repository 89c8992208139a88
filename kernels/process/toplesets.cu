// Geodesic distance by toplesets; Romero Calla et al. 2019.
//
// Plain reference: src/process/surface/toplesets.rs. Vertices of a level come in any order, on which
// no result depends: all of a sweep are updated from the values before it.
#include "process/slices.cuh"
#include "process/vector.cuh"
#include "query/incidence.cuh"

constexpr int THREADS = 256;
// relative change below which values stay
constexpr real TOLERANCE = DOUBLE ? real(1e-12) : real(1e-6);

struct State {
    // vertices of all levels so far; levels 0 to level have them
    unsigned count, level, grown;
    // the levels that are swept; the first of them whose values change
    unsigned low, high, changed;
    unsigned sweeps, done, ticket;
};

__device__ __forceinline__ bool is_last_block(unsigned* ticket) {
    __shared__ bool is_last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(ticket, 1) == gridDim.x - 1;
    __syncthreads();
    __threadfence();
    return is_last;
}

// Finds the next level. ends: of the levels in `order`.
extern "C" __global__ void __launch_bounds__(THREADS)
    grow(Lists neighbours, unsigned* order, unsigned* levels, unsigned* ends, State* state) {
    if (state->grown) return;
    const unsigned level = state->level;
    const unsigned begin = level > 0 ? ends[level - 1] : 0, end = ends[level];
    for (unsigned i = begin + blockIdx.x * THREADS + threadIdx.x; i < end;
         i += gridDim.x * THREADS) {
        const unsigned v = order[i], last = neighbours.starts[v + 1];
        for (unsigned k = neighbours.starts[v]; k < last; ++k) {
            const unsigned other = neighbours.items[k];
            if (levels[other] == NONE && atomicCAS(levels + other, NONE, level + 1) == NONE) {
                order[atomicAdd(&state->count, 1)] = other;
            }
        }
    }
    if (!is_last_block(&state->ticket) || threadIdx.x > 0) return;
    state->ticket = 0;
    const unsigned count = atomicAdd(&state->count, 0);
    if (count == end) {
        state->grown = 1;
        state->done = level == 0;
    } else {
        ends[level + 1] = count;
        state->level = level + 1;
    }
}

// The distance of a corner of a triangle from those of the other two.
__device__ __forceinline__ real update(Vector3 a, Vector3 b, real s, real t) {
    const real aa = dot(a, a), ab = dot(a, b), bb = dot(b, b);
    const real straight = min(s + sqrt(aa), t + sqrt(bb));
    if (!isfinite(s) || !isfinite(t)) return straight;
    const real determinant = aa * bb - ab * ab;
    const real qa = bb / determinant, qab = -ab / determinant, qb = aa / determinant;
    const real sum = qa + 2 * qab + qb;
    const real half = s * (qa + qab) + t * (qab + qb);
    const real rest = s * s * qa + 2 * s * t * qab + t * t * qb - 1;
    const real discriminant = half * half - sum * rest;
    if (discriminant < 0) return straight;
    const real p = (half + sqrt(discriminant)) / sum;
    // the front must come through the triangle
    const real ca = qa * (s - p) + qab * (t - p), cb = qab * (s - p) + qb * (t - p);
    return ca < 0 && cb < 0 ? p : straight;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    sweep(const unsigned* __restrict__ slices, const uint2* __restrict__ corners,
          const real* __restrict__ points, const unsigned* __restrict__ order,
          const unsigned* __restrict__ ends, const real* distances, real* updated,
          const State* state) {
    if (!state->grown || state->done) return;
    const unsigned begin = ends[state->low - 1], end = ends[state->high - 1];
    for (unsigned i = begin + blockIdx.x * THREADS + threadIdx.x; i < end;
         i += gridDim.x * THREADS) {
        const unsigned v = order[i], width = width_of(slices, v);
        const size_t first = item_of(slices, v, 0);
        const Vector3 p = load_point(points, v);
        real least = distances[v];
        for (unsigned k = 0; k < width; ++k) {
            const uint2 other = corners[first + k * LANES];
            if (other.x == NONE) break;
            const Vector3 a = load_point(points, other.x) - p, b = load_point(points, other.y) - p;
            least = min(least, update(a, b, distances[other.x], distances[other.y]));
        }
        updated[v] = least;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    settle(const unsigned* __restrict__ order, const unsigned* __restrict__ levels,
           const unsigned* __restrict__ ends, const real* __restrict__ updated, real* distances,
           State* state) {
    if (!state->grown || state->done) return;
    const unsigned low = state->low, high = state->high;
    const unsigned begin = ends[low - 1], end = ends[high - 1];
    for (unsigned i = begin + blockIdx.x * THREADS + threadIdx.x; i < end;
         i += gridDim.x * THREADS) {
        const unsigned v = order[i];
        const real now = updated[v], before = distances[v];
        distances[v] = now;
        if (before > now + TOLERANCE * now) atomicMin(&state->changed, levels[v]);
    }
    if (!is_last_block(&state->ticket) || threadIdx.x > 0) return;
    const unsigned all = state->level + 1, changed = atomicMin(&state->changed, NONE);
    const unsigned next = high == all || changed != low ? min(changed, high) : low;
    state->ticket = 0;
    state->changed = NONE;
    state->low = next;
    state->high = max(min(high + 1, all), min(next + 1, all));
    ++state->sweeps;
    state->done = next >= all || state->sweeps >= 10 * all + 100;
}
