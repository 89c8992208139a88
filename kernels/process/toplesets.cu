// Geodesic distance by toplesets; Romero Calla et al. 2019.
//
// One cooperative launch sweeps over the mesh until no distance changes: sweeps are so short that as
// kernels of their own they would cost more than what they compute. A sweep updates the vertices
// beside those that the last one changed, all of them from the values before it.
//
// Plain reference: src/process/surface/toplesets.rs. The vertices of a sweep come in any order, on
// which no result depends.
#include "common/grid.cuh"
#include "process/slices.cuh"
#include "process/vector.cuh"
#include "query/incidence.cuh"

constexpr int THREADS = 256;
// relative change below which neighbours are not updated
constexpr real TOLERANCE = DOUBLE ? real(1e-12) : real(1e-6);
// Sweeps of a launch: the rest is for another one, that the device can be stopped.
constexpr unsigned SWEEPS = 4096;

struct State {
    unsigned sweep;
    // vertices of even and of odd sweeps
    unsigned counts[2];
    unsigned arrived;
};

struct Work {
    // vertices of even and of odd sweeps; at first the sources
    unsigned *even, *odd;
    // [vertex]: the last sweep that has it, 0 at first; its distance, infinite at first
    unsigned* sweeps;
    real* distances;
    // [place in the list]
    real* updated;
};

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

// The distance of a vertex from those of the vertices around it.
__device__ __forceinline__ real update_vertex(const unsigned* slices, const unsigned* fans,
                                              const real* points, const real* distances,
                                              unsigned v) {
    const unsigned* fan = fans + item_of(slices, v, 0);
    const unsigned* last = fan + width_of(slices, v) * LANES;
    const Vector3 p = load_point(points, v);
    // of the entry before; negative behind the vertex itself
    real least = distances[v], before = -1;
    Vector3 edge{};
    for (; fan < last; fan += LANES) {
        const unsigned id = *fan;
        const Vector3 next = load_point(points, id) - p;
        const real distance = id == v ? real(-1) : distances[id];
        if (before >= 0 && distance >= 0) least = min(least, update(edge, next, before, distance));
        edge = next;
        before = distance;
    }
    return least;
}

// Stores the distance of a vertex, found at `place`, and lists the vertices around it for the sweep
// `next`, if it has changed. All threads of a warp come here, those without a vertex with NONE.
__device__ __forceinline__ void settle(const unsigned* slices, const unsigned* fans,
                                       const Work& work, unsigned v, unsigned place, unsigned next,
                                       unsigned* list, unsigned* count) {
    constexpr unsigned MARKS = 32;
    const unsigned* fan = nullptr;
    // entries of the row that this thread lists
    unsigned marked = 0;
    if (v != NONE) {
        const real found = work.updated[place], before = work.distances[v];
        work.distances[v] = found;
        fan = fans + item_of(slices, v, 0);
        const bool changed = before > found + TOLERANCE * found;
        const unsigned width = changed ? width_of(slices, v) : 0;
        for (unsigned k = 0; k < width; ++k) {
            const unsigned id = fan[k * LANES];
            if (id == v || __ldcg(work.sweeps + id) == next) continue;
            if (atomicExch(work.sweeps + id, next) == next) continue;
            if (k < MARKS) {
                marked |= 1u << k;
            } else {
                list[atomicAdd(count, 1)] = id;
            }
        }
    }
    // room for those of the warp at once: one word counts for all blocks
    const unsigned lane = threadIdx.x % LANES;
    unsigned end = __popc(marked);
    for (unsigned other = 1; other < LANES; other *= 2) {
        const unsigned before = __shfl_up_sync(ALL_LANES, end, other);
        if (lane >= other) end += before;
    }
    unsigned start = 0;
    if (lane == LANES - 1 && end > 0) start = atomicAdd(count, end);
    start = __shfl_sync(ALL_LANES, start, LANES - 1) + end - __popc(marked);
    for (; marked != 0; marked &= marked - 1) {
        list[start++] = fan[(__ffs(marked) - 1) * LANES];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 3)
    march(const unsigned* slices, const unsigned* fans, const real* points, const Work work,
          State* state) {
    const unsigned thread = blockIdx.x * THREADS + threadIdx.x, threads = gridDim.x * THREADS;
    unsigned sweep = state->sweep;
    for (const unsigned end = sweep + SWEEPS; sweep < end; ++sweep) {
        const unsigned count = state->counts[sweep % 2];
        if (count == 0) break;
        unsigned* next = state->counts + (sweep + 1) % 2;
        if (thread == 0) *next = 0;
        unsigned* list = sweep % 2 == 0 ? work.even : work.odd;
        unsigned* beside = sweep % 2 == 0 ? work.odd : work.even;
        for (unsigned i = thread; i < count; i += threads) {
            const unsigned v = list[i];
            // the first sweep has the sources
            real found = 0;
            if (sweep > 0) found = update_vertex(slices, fans, points, work.distances, v);
            work.updated[i] = found;
        }
        wait_for_grid(&state->arrived);
        // whole warps, for they list together
        for (unsigned i = thread; i - i % LANES < count; i += threads) {
            const unsigned v = i < count ? list[i] : NONE;
            settle(slices, fans, work, v, i, sweep + 1, beside, next);
        }
        wait_for_grid(&state->arrived);
    }
    // all blocks have read it
    wait_for_grid(&state->arrived);
    if (thread == 0) state->sweep = sweep;
}
