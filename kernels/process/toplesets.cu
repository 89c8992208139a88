// Geodesic distance by toplesets; Romero Calla et al. 2019.
//
// One cooperative launch sweeps over the mesh until no distance changes: sweeps are so short that
// as kernels of their own they would cost more than their work. A sweep updates the vertices
// beside those that the last one changed, all of them from the values before it:
//
//     slices of a block > neighbors that changed > distances > slices of the next sweep
//
// A warp updates a slice (kernels/process/slices.cuh), so that it reads fans in one piece, and a
// block has every gridDim.x-th slice, so that a front is spread over all blocks. Sweeps read and
// write two arrays in turn: blocks wait for one another once a sweep. A distance lies beside its
// point, and its sign tells that it changed: one load gives all there is of a neighbor.
//
// Plain reference: src/process/surface/toplesets.rs.
#include "common/grid_barrier.cuh"
#include "process/slices.cuh"
#include "process/vector.cuh"
#include "query/incidence.cuh"

// one block a multiprocessor: more take longer to wait for one another
constexpr unsigned THREADS = DOUBLE ? 512 : 1024;
constexpr unsigned WARPS = THREADS / LANES;
// relative change below which neighbors are not updated
constexpr real TOLERANCE = DOUBLE ? real(1e-12) : real(1e-6);
// Sweeps of a launch: the rest is for another one, that the device can be stopped.
constexpr unsigned SWEEPS = 4096;

struct State {
    // the next sweep, and the last that has slices
    unsigned sweep, last;
    unsigned arrived;
};

// The surface, and what sweeps read and write.
struct Work {
    const unsigned *slices, *fans;
    const real* points;
    // [vertex]: point and distance after even and after odd sweeps; negative, -0 too, where the
    // sweep changed it
    real *even, *odd;
    // [slice]: the last sweep that has it, 0 at first
    unsigned* sweeps;
    unsigned count;
};

// A neighbor as a vertex sees it; a negative distance for the vertex itself, between fans.
struct Neighbor {
    Vector3 edge;
    real square, length, distance;
};

// The distance of a corner of a triangle from the other two.
__device__ __forceinline__ real update(const Neighbor& a, const Neighbor& b) {
    const real s = a.distance, t = b.distance;
    const real straight = min(s + a.length, t + b.length);
    if (!isfinite(s) || !isfinite(t)) return straight;
    const real aa = a.square, ab = dot(a.edge, b.edge), bb = b.square;
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

// Whether the last sweep changed a neighbor of a vertex.
__device__ __forceinline__ bool is_beside_changed(const unsigned* fan, unsigned width,
                                                  const real* nodes, unsigned v) {
    constexpr unsigned AHEAD = 8;
    bool beside = false;
    for (unsigned begin = 0; begin < width; begin += AHEAD) {
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            const unsigned id = begin + i < width ? fan[(begin + i) * LANES] : v;
            beside |= (id != v) & (signbit(nodes[4 * size_t(id) + 3]) != 0);
        }
    }
    return beside;
}

// The distance of a vertex from the distances around it, if it is less than `least`.
__device__ __forceinline__ real update_vertex(const unsigned* fan, unsigned width,
                                              const real* nodes, unsigned v, Vector3 p,
                                              real least) {
    // more take too many registers
    constexpr unsigned AHEAD = 4;
    Neighbor last{};
    last.distance = -1;
    for (unsigned begin = 0; begin < width; begin += AHEAD) {
        unsigned ids[AHEAD];
        real others[AHEAD][4];
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            ids[i] = begin + i < width ? fan[(begin + i) * LANES] : v;
            load_vectors(others[i], nodes + 4 * size_t(ids[i]));
        }
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            Neighbor next;
            next.edge = Vector3{others[i][0], others[i][1], others[i][2]} - p;
            next.square = dot(next.edge, next.edge);
            next.length = sqrt(next.square);
            next.distance = ids[i] == v ? real(-1) : fabs(others[i][3]);
            if (last.distance >= 0 && next.distance >= 0) least = min(least, update(last, next));
            last = next;
        }
    }
    return least;
}

// Gives the next sweep the slices around a vertex.
__device__ __forceinline__ void mark(const unsigned* fan, unsigned width, unsigned* sweeps,
                                     unsigned next) {
    for (unsigned k = 0; k < width; ++k) __stcg(sweeps + fan[k * LANES] / LANES, next);
}

// Updates the vertices of a slice that are beside changed ones, and takes over the others; whether
// the next sweep has anything to do. All threads of a warp come here.
__device__ __forceinline__ bool update_slice(const Work& work, unsigned slice, unsigned sweep) {
    const unsigned v = slice * LANES + threadIdx.x % LANES;
    const bool is_vertex = v < work.count;
    const real* nodes = sweep % 2 == 0 ? work.odd : work.even;
    real* updated = sweep % 2 == 0 ? work.even : work.odd;
    const unsigned start = work.slices[slice];
    const unsigned width = is_vertex ? work.slices[slice + 1] - start : 0;
    const unsigned* fan = work.fans + size_t(start) * LANES + threadIdx.x % LANES;
    real node[4] = {};
    if (is_vertex) load_vectors(node, nodes + 4 * size_t(v));
    const real before = fabs(node[3]);
    real found = before;
    if (is_beside_changed(fan, width, nodes, v)) {
        found = update_vertex(fan, width, nodes, v, {node[0], node[1], node[2]}, before);
    }
    const bool changed = before > found + TOLERANCE * found;
    if (is_vertex) updated[4 * size_t(v) + 3] = changed ? -found : found;
    if (changed) mark(fan, width, work.sweeps, sweep + 1);
    // both arrays have the same until the slice has another sweep
    const bool differs = signbit(node[3]) != 0 || found != before;
    const bool any = __any_sync(ALL_LANES, differs);
    if (any && threadIdx.x % LANES == 0) __stcg(work.sweeps + slice, sweep + 1);
    return any;
}

// Infinite distances except at the sources, and the slices of the first sweep.
__device__ __forceinline__ void start(const Work& work, const unsigned* sources, unsigned count,
                                      State* state) {
    const unsigned thread = blockIdx.x * THREADS + threadIdx.x, threads = gridDim.x * THREADS;
    for (unsigned v = thread; v < work.count; v += threads) {
        real node[4];
        load_vectors(node, work.points + 4 * size_t(v));
        node[3] = real(__longlong_as_double(0x7ff0000000000000));
        store_vectors(work.even + 4 * size_t(v), node);
        store_vectors(work.odd + 4 * size_t(v), node);
    }
    wait_for_grid(&state->arrived);
    for (unsigned i = thread; i < count; i += threads) {
        const unsigned v = sources[i];
        work.even[4 * size_t(v) + 3] = -real(0);
        __stcg(work.sweeps + v / LANES, 1);
        mark(work.fans + item_of(work.slices, v, 0), width_of(work.slices, v), work.sweeps, 1);
    }
    if (thread == 0) state->last = 1;
    wait_for_grid(&state->arrived);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    march(const __grid_constant__ Work work, const unsigned* sources, unsigned source_count,
          real* distances, State* state) {
    __shared__ unsigned list[THREADS];
    __shared__ unsigned listed;
    const unsigned lane = threadIdx.x % LANES;
    const unsigned slices = (work.count + LANES - 1) / LANES;
    unsigned sweep = state->sweep;
    const unsigned end = sweep + SWEEPS;
    if (sweep == 0) {
        start(work, sources, source_count, state);
        sweep = 1;
    }
    // Blocks ahead of this one may have marked for the next sweep already: more is as good, for a
    // slice with nothing to do stays as it is.
    for (; sweep < end && __ldcg(&state->last) >= sweep; ++sweep) {
        bool any = false;
        for (unsigned first = 0; first * gridDim.x < slices; first += THREADS) {
            if (threadIdx.x == 0) listed = 0;
            __syncthreads();
            const unsigned slice = (first + threadIdx.x) * gridDim.x + blockIdx.x;
            const bool has = slice < slices && __ldcg(work.sweeps + slice) >= sweep;
            if (has) list[atomicAdd(&listed, 1)] = slice;
            __syncthreads();
            const unsigned count = listed;
            for (unsigned i = threadIdx.x / LANES; i < count; i += WARPS) {
                any |= update_slice(work, list[i], sweep);
            }
            __syncthreads();
        }
        if (any && lane == 0) __stcg(&state->last, sweep + 1);
        wait_for_grid(&state->arrived);
    }
    const unsigned thread = blockIdx.x * THREADS + threadIdx.x, threads = gridDim.x * THREADS;
    for (unsigned v = thread; v < work.count; v += threads) {
        distances[v] = fabs(work.even[4 * size_t(v) + 3]);
    }
    // all blocks have read it
    wait_for_grid(&state->arrived);
    if (thread == 0) state->sweep = sweep;
}
