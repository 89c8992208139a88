// Elements sorted along a Hilbert curve and cut into patches: src/topology/order on the device,
// with the same ids.
//
//     measure > find_cube > make_keys              keys of all faces or cells
//     start_components > join_components > find_components       least vertex of each component
//     sort > take_keys > sort                      faces or cells by component, then by key
//     mark_changes > scan > name_components > scan > name_patches
//     invert > lower_tops > name_owners            owner of every other element
//     sort > start_patches > sort_owned            elements by owner, then by key
//     renumber_edges, measure_rows > scan > renumber_rows        the incidence in the order
//
// Plain reference: src/topology/order/mod.rs, id by id (tests/gpu/query.rs).
#include "common/shared.cuh"
#include "common/sort.cuh"
#include "query/incidence.cuh"

constexpr unsigned THREADS = host::QUERY_THREADS;
constexpr unsigned MEASURING_BLOCKS = host::MEASURING_BLOCKS;

__device__ __forceinline__ unsigned thread_id() { return blockIdx.x * THREADS + threadIdx.x; }

struct Box {
    double low[3], high[3];
};

__device__ __forceinline__ Box join(const Box& a, const Box& b) {
    Box both;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        both.low[d] = fmin(a.low[d], b.low[d]);
        both.high[d] = fmax(a.high[d], b.high[d]);
    }
    return both;
}

// The box of all threads' boxes, in the first thread.
__device__ __forceinline__ Box join_block(Box box) {
    __shared__ Box boxes[THREADS];
    boxes[threadIdx.x] = box;
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            boxes[threadIdx.x] = join(boxes[threadIdx.x], boxes[threadIdx.x + half]);
        }
    }
    return boxes[0];
}

__device__ __forceinline__ Box empty_box() {
    const double infinity = __longlong_as_double(0x7ff0000000000000);
    return {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
}

// Boxes of the halved points of each block.
extern "C" __global__ void __launch_bounds__(THREADS)
    measure(const double* __restrict__ points, unsigned count, Box* __restrict__ boxes) {
    Box box = empty_box();
    for (unsigned v = thread_id(); v < count; v += THREADS * MEASURING_BLOCKS) {
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            const double x = 0.5 * points[3 * size_t(v) + d];
            box.low[d] = fmin(box.low[d], x);
            box.high[d] = fmax(box.high[d], x);
        }
    }
    box = join_block(box);
    if (threadIdx.x == 0) boxes[blockIdx.x] = box;
}

// Curve in src/topology/order/curve.rs.
struct Cube {
    double origin[3];
    double scale;
};

extern "C" __global__ void __launch_bounds__(THREADS)
    find_cube(const Box* __restrict__ boxes, Cube* __restrict__ cube) {
    static_assert(THREADS == MEASURING_BLOCKS, "a thread per box");
    const Box box = join_block(boxes[threadIdx.x]);
    if (threadIdx.x > 0) return;
    double side = 0.0;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        cube->origin[d] = box.low[d];
        side = fmax(side, box.high[d] - box.low[d]);
    }
    cube->scale = side > 0.0 ? side : 1.0;
}

constexpr unsigned BITS = 21;

// Index along the curve of a place in a grid of 2^BITS places per side (Skilling 2004).
__device__ __forceinline__ unsigned long long curve_key(unsigned (&place)[3]) {
    for (unsigned bit = BITS - 1; bit > 0; --bit) {
        const unsigned above = 1u << bit, below = above - 1;
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            if (place[d] & above) {
                place[0] ^= below;
            } else {
                const unsigned swapped = (place[0] ^ place[d]) & below;
                place[0] ^= swapped;
                place[d] ^= swapped;
            }
        }
    }
    place[1] ^= place[0];
    place[2] ^= place[1];
    unsigned flip = 0;
    for (unsigned bit = 1; bit < BITS; ++bit) {
        if (place[2] >> bit & 1) flip ^= (1u << bit) - 1;
    }
    unsigned long long key = 0;
    for (int bit = BITS - 1; bit >= 0; --bit) {
#pragma unroll
        for (int d = 0; d < 3; ++d) key = key << 1 | ((place[d] ^ flip) >> bit & 1);
    }
    return key;
}

// Key of the mean of the vertices that an element has.
__device__ __forceinline__ unsigned long long key_of(const Incidence& mesh, const double* points,
                                                     unsigned kind, unsigned id,
                                                     const Cube* cube) {
    double x = 0.0, y = 0.0, z = 0.0, vertices = 0.0;
    visit_closure(mesh, kind, id, [&](unsigned of, unsigned v) {
        if (of != VERTEX) return;
        vertices += 1.0;
        x += points[3 * size_t(v)];
        y += points[3 * size_t(v) + 1];
        z += points[3 * size_t(v) + 2];
    });
    const double mean[3] = {x / vertices, y / vertices, z / vertices};
    unsigned place[3];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        const double along = (0.5 * mean[d] - cube->origin[d]) / cube->scale;
        const double last = double((1u << BITS) - 1);
        // NaN comes out as 0, all else in range
        place[d] = unsigned(fmin(fmax(along * last, 0.0), last));
    }
    return curve_key(place);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    make_keys(Incidence mesh, const double* __restrict__ points, unsigned kind, unsigned count,
              const Cube* __restrict__ cube, unsigned long long* __restrict__ keys) {
    const unsigned id = thread_id();
    if (id < count) keys[id] = key_of(mesh, points, kind, id, cube);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    start_components(unsigned count, unsigned* __restrict__ parents) {
    const unsigned v = thread_id();
    if (v < count) parents[v] = v;
}

// The root of a vertex; parents are never greater than their children.
__device__ __forceinline__ unsigned find_root(volatile unsigned* parents, unsigned v) {
    unsigned parent = parents[v];
    while (parent != v) {
        const unsigned above = parents[parent];
        if (above != parent) parents[v] = above;
        v = parent;
        parent = above;
    }
    return v;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    join_components(const uint2* __restrict__ edge_vertices, unsigned edges, unsigned* parents) {
    const unsigned e = thread_id();
    if (e >= edges) return;
    const uint2 ends = edge_vertices[e];
    unsigned a = find_root(parents, ends.x), b = find_root(parents, ends.y);
    while (a != b) {
        const unsigned high = max(a, b), low = min(a, b);
        const unsigned found = atomicCAS(&parents[high], high, low);
        if (found == high) return;
        a = find_root(parents, found);
        b = find_root(parents, low);
    }
}

// The component of each face or cell, by its first vertex. `several` becomes 1 if there are
// two.
extern "C" __global__ void __launch_bounds__(THREADS)
    find_components(Incidence mesh, unsigned top, unsigned count, unsigned* parents,
                    unsigned* __restrict__ components, unsigned* several) {
    const unsigned id = thread_id();
    if (id >= count) return;
    const auto component = [&](unsigned of) {
        const unsigned face = top == CELL ? mesh.cell_faces[mesh.cell_starts[of]] : of;
        return find_root(parents, mesh.face_vertices[mesh.face_starts[face]]);
    };
    components[id] = component(id);
    if (components[id] != component(0)) *several = 1;
}

// Keys and values of a second sort: keys[i] = table[ids[i]].
extern "C" __global__ void __launch_bounds__(THREADS)
    take_keys(const unsigned* __restrict__ ids, unsigned count,
              const unsigned* __restrict__ table, unsigned* __restrict__ keys,
              unsigned* __restrict__ values) {
    const unsigned i = thread_id();
    if (i >= count) return;
    const unsigned id = ids[i];
    keys[i] = table[id];
    values[i] = id;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    fill_words(unsigned count, unsigned word, unsigned* __restrict__ words) {
    const unsigned i = thread_id();
    if (i < count) words[i] = word;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    copy_words(const unsigned* __restrict__ from, unsigned count, unsigned* __restrict__ to) {
    const unsigned i = thread_id();
    if (i < count) to[i] = from[i];
}

// marks[i]: whether the component of sorted place i is another than the one before.
extern "C" __global__ void __launch_bounds__(THREADS)
    mark_changes(const unsigned* __restrict__ tops, const unsigned* __restrict__ components,
                 unsigned count, unsigned* __restrict__ marks) {
    const unsigned i = thread_id();
    if (i < count) marks[i] = i > 0 && components[tops[i]] != components[tops[i - 1]];
}

// `changes`: scan of the marks. firsts[component]: its first place; one more at the end.
extern "C" __global__ void __launch_bounds__(THREADS)
    name_components(const unsigned* __restrict__ changes, unsigned count,
                    unsigned* __restrict__ firsts) {
    const unsigned i = thread_id();
    if (i >= count) return;
    if (i == 0 || changes[i + 1] != changes[i]) firsts[changes[i + 1]] = i;
    if (i + 1 == count) firsts[changes[count] + 1] = count;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    count_patches(const unsigned* __restrict__ firsts, unsigned components, unsigned size,
                  unsigned* __restrict__ patches) {
    const unsigned c = thread_id();
    if (c < components) patches[c] = (firsts[c + 1] - firsts[c] + size - 1) / size;
}

// `patches_before`: scan of the patches of components. patches[place].
extern "C" __global__ void __launch_bounds__(THREADS)
    name_patches(const unsigned* __restrict__ changes, const unsigned* __restrict__ firsts,
                 const unsigned* __restrict__ patches_before, unsigned count, unsigned size,
                 unsigned* __restrict__ patches) {
    const unsigned i = thread_id();
    if (i >= count) return;
    const unsigned component = changes[i + 1];
    patches[i] = patches_before[component] + (i - firsts[component]) / size;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    invert(const unsigned* __restrict__ permutation, unsigned count,
           unsigned* __restrict__ inverse) {
    const unsigned i = thread_id();
    if (i < count) inverse[permutation[i]] = i;
}

// least[element]: place of the first face or cell that has it.
extern "C" __global__ void __launch_bounds__(THREADS)
    lower_tops(Incidence mesh, unsigned top, unsigned count, const unsigned* __restrict__ rank,
               unsigned* least_vertices, unsigned* least_edges, unsigned* least_faces) {
    const unsigned id = thread_id();
    if (id >= count) return;
    const unsigned place = rank[id];
    visit_closure(mesh, top, id, [&](unsigned kind, unsigned element) {
        if (kind == top) return;
        unsigned* const least =
            kind == VERTEX ? least_vertices : kind == EDGE ? least_edges : least_faces;
        if (least[element] > place) atomicMin(&least[element], place);
    });
}

// owners[element], `none` for elements of no face or cell.
extern "C" __global__ void __launch_bounds__(THREADS)
    name_owners(const unsigned* __restrict__ least, unsigned count,
                const unsigned* __restrict__ patches, unsigned none,
                unsigned* __restrict__ owners) {
    const unsigned id = thread_id();
    if (id >= count) return;
    owners[id] = least[id] == NONE ? none : patches[least[id]];
}

// starts[patch]: the first element that it owns; one more at the end.
extern "C" __global__ void __launch_bounds__(THREADS)
    start_patches(const unsigned* __restrict__ owners, unsigned count, unsigned patches,
                  unsigned* __restrict__ starts) {
    const unsigned patch = thread_id();
    if (patch <= patches) starts[patch] = lower_bound(owners, count, patch);
}

// Elements sorted by owner become sorted by owner, then by key: a block an owner, and one for those
// that have none, sorts its own stably, digit by digit. Digits that all have alike, the first ones of
// a patch, are passed over. keys, ids: found here; others: as much room.
extern "C" __global__ void __launch_bounds__(THREADS)
    sort_owned(Incidence mesh, const double* __restrict__ points, unsigned kind, unsigned count,
               const Cube* __restrict__ cube, const unsigned* __restrict__ starts,
               unsigned patches, const unsigned* __restrict__ sorted, unsigned long long* keys,
               unsigned long long* other_keys, unsigned* ids, unsigned* other_ids) {
    static_assert(THREADS == DIGITS, "a thread a digit");
    constexpr unsigned WARPS = THREADS / LANES;
    __shared__ unsigned counters[WARPS][DIGITS], digits[DIGITS], sums[LANES];
    const unsigned begin = starts[blockIdx.x];
    const unsigned end = blockIdx.x < patches ? starts[blockIdx.x + 1] : count;
    for (unsigned i = begin + threadIdx.x; i < end; i += THREADS) {
        const unsigned id = sorted[i];
        ids[i] = id;
        keys[i] = key_of(mesh, points, kind, id, cube);
    }
    bool moved = false;
    for (unsigned shift = 0; shift < 3 * BITS; shift += DIGIT_BITS) {
        digits[threadIdx.x] = 0;
        __syncthreads();
        for (unsigned i = begin + threadIdx.x; i < end; i += THREADS) {
            atomicAdd(&digits[keys[i] >> shift & (DIGITS - 1)], 1);
        }
        __syncthreads();
        const unsigned alike = digits[threadIdx.x];
        if (__syncthreads_or(alike == end - begin)) continue;
        unsigned total, place = begin + sum_before<THREADS>(alike, total, sums);
        for (unsigned tile = begin; tile < end; tile += THREADS) {
#pragma unroll
            for (unsigned w = 0; w < WARPS; ++w) counters[w][threadIdx.x] = 0;
            __syncthreads();
            const unsigned i = tile + threadIdx.x;
            const unsigned long long key = i < end ? keys[i] : 0;
            const unsigned digit = unsigned(key >> shift) & (DIGITS - 1);
            unsigned* const own = counters[warp_id()];
            const unsigned rank = rank_in_warp(own, digit, __ballot_sync(ALL_LANES, i < end));
            __syncthreads();
            counters_to_places(counters, place);
            __syncthreads();
            if (i < end) {
                other_keys[own[digit] + rank] = key;
                other_ids[own[digit] + rank] = ids[i];
            }
            __syncthreads();
        }
        unsigned long long* const keys_before = keys;
        keys = other_keys, other_keys = keys_before;
        unsigned* const ids_before = ids;
        ids = other_ids, other_ids = ids_before;
        moved = !moved;
    }
    if (!moved) return;
    for (unsigned i = begin + threadIdx.x; i < end; i += THREADS) other_ids[i] = ids[i];
}

// The two ends of each edge from the corners that have it, the smaller first.
extern "C" __global__ void __launch_bounds__(THREADS)
    find_ends(const unsigned* __restrict__ face_starts, unsigned faces,
              const unsigned* __restrict__ vertices, const unsigned* __restrict__ edges,
              const uint2* __restrict__ edge_corners, uint2* __restrict__ ends) {
    const unsigned face = thread_id();
    if (face >= faces) return;
    const unsigned start = face_starts[face], end = face_starts[face + 1];
    for (unsigned c = start; c < end; ++c) {
        if (edge_corners[edges[c]].x != c) continue;
        const unsigned a = vertices[c], b = vertices[c + 1 < end ? c + 1 : start];
        ends[edges[c]] = make_uint2(min(a, b), max(a, b));
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    start_uniform(unsigned count, unsigned size, unsigned* __restrict__ starts) {
    const unsigned i = thread_id();
    if (i <= count) starts[i] = i * size;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    renumber_edges(const uint2* __restrict__ edge_vertices, const unsigned* __restrict__ originals,
                   unsigned count, const unsigned* __restrict__ new_vertices,
                   uint2* __restrict__ renumbered) {
    const unsigned e = thread_id();
    if (e >= count) return;
    const uint2 ends = edge_vertices[originals[e]];
    renumbered[e] = make_uint2(new_vertices[ends.x], new_vertices[ends.y]);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    measure_rows(const unsigned* __restrict__ starts, const unsigned* __restrict__ originals,
                 unsigned count, unsigned* __restrict__ lengths) {
    const unsigned i = thread_id();
    if (i >= count) return;
    const unsigned old = originals[i];
    lengths[i] = starts[old + 1] - starts[old];
}

// Rows in the order with the new ids of their items.
extern "C" __global__ void __launch_bounds__(THREADS)
    renumber_rows(Lists rows, const unsigned* __restrict__ originals, unsigned count,
                  const unsigned* __restrict__ new_ids,
                  const unsigned* __restrict__ new_starts, unsigned* __restrict__ items) {
    const unsigned i = thread_id();
    if (i >= count) return;
    const unsigned from = rows.starts[originals[i]], to = new_starts[i];
    for (unsigned k = 0; k < new_starts[i + 1] - to; ++k) {
        items[to + k] = new_ids[rows.items[from + k]];
    }
}

// Values of `width` components of `words` words each: to[i] = from[ids[i]], or from[i] without ids.
extern "C" __global__ void __launch_bounds__(THREADS)
    move_values(const unsigned* __restrict__ from, unsigned from_id, unsigned from_component,
                const unsigned* __restrict__ ids, unsigned count, unsigned width, unsigned words,
                unsigned* __restrict__ to, unsigned to_id, unsigned to_component) {
    const unsigned i = thread_id();
    if (i >= count) return;
    const unsigned id = ids == nullptr ? i : ids[i];
    for (unsigned c = 0; c < width; ++c) {
        const size_t source = size_t(id) * from_id + size_t(c) * from_component;
        const size_t target = size_t(i) * to_id + size_t(c) * to_component;
        for (unsigned w = 0; w < words; ++w) to[target * words + w] = from[source * words + w];
    }
}
