// The mesh matrix of a control mesh from the vertices at its corners (Zayer et al. 2017): every
// corner gives the pair of its edge's ends, the smaller first; equal pairs become neighbors by
// sorting, and a scan over them numbers the edges.
//
//     make_edge_keys > sort > mark_heads > scan > name_edges      edges, edge_corners
//     sort by vertex > start_rows                                 corners at each vertex
//     make_end_keys > sort by vertex > start_rows                 neighbors of each vertex
//     build_small                      the first two by a block each, in one launch
//
// SIZE: corners of every face, 0 for polygons. LONG_KEYS: pairs of ends need 64 bits.
//
// Plain reference: src/surface/refine on the CPU, bit by bit (tests/gpu/matrix.rs).
#include "common/shared.cuh"
#include "common/sort.cuh"
#include "surface/mesh_matrix.cuh"

#if LONG_KEYS
using Key = unsigned long long;
#else
using Key = unsigned;
#endif

constexpr unsigned THREADS = host::REFINE_THREADS;

// What the host wants to know.
struct Status {
    unsigned edges;
    unsigned boundary;     // edges of one corner
    unsigned non_manifold; // edges of three or more
    unsigned inconsistent; // edges of two faces that are inconsistently oriented
    unsigned touching;     // vertices that stay since the surface is not a manifold there
    unsigned folds;        // vertices in a ring of two faces
    unsigned valence;      // the largest above TABLED
};

// Valences that the host always has tables for.
constexpr unsigned TABLED = host::TABLED;

__device__ __forceinline__ Key edge_key(const unsigned* vertices, Columns<SIZE> columns,
                                        unsigned corner, unsigned bits) {
    const unsigned a = vertices[corner], b = vertices[columns.next(corner)];
    return Key(min(a, b)) << bits | max(a, b);
}

// Adds to a count how many threads of the block say so; all of them call it.
__device__ __forceinline__ void tally(bool says, unsigned* count) {
    const unsigned all = __syncthreads_count(says);
    if (threadIdx.x == 0 && all > 0) atomicAdd(count, all);
}

// `bits`: of vertices. Clears the status too.
extern "C" __global__ void __launch_bounds__(THREADS)
    make_edge_keys(const unsigned* __restrict__ vertices, Columns<SIZE> columns, unsigned corners,
                   unsigned bits, Key* __restrict__ keys, Status* status) {
    const unsigned c = blockIdx.x * THREADS + threadIdx.x;
    if (c == 0) *status = Status{};
    if (c < corners) keys[c] = edge_key(vertices, columns, c, bits);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    mark_heads(const Key* __restrict__ keys, unsigned count, unsigned* __restrict__ heads) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count) heads[i] = i == 0 || keys[i] != keys[i - 1];
}

// `edges_before`: scan of the heads. `firsts`: where the corners of an edge start among all.
extern "C" __global__ void __launch_bounds__(THREADS)
    name_edges(const Key* __restrict__ keys, const unsigned* __restrict__ corners,
               const unsigned* __restrict__ edges_before, unsigned count,
               const unsigned* __restrict__ vertices, unsigned* __restrict__ edges,
               uint2* __restrict__ edge_corners, unsigned* __restrict__ firsts,
               unsigned* __restrict__ sorted_corners, Status* status) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    bool boundary = false, non_manifold = false, inconsistent = false;
    if (i < count) {
        const Key key = keys[i];
        const bool head = i == 0 || keys[i - 1] != key;
        const unsigned edge = edges_before[i] + head - 1, corner = corners[i];
        edges[corner] = edge;
        sorted_corners[i] = corner;
        if (head) {
            boundary = i + 1 >= count || keys[i + 1] != key;
            non_manifold = !boundary && i + 2 < count && keys[i + 2] == key;
            const unsigned second = boundary ? NONE : corners[i + 1];
            inconsistent = !boundary && !non_manifold && vertices[corner] == vertices[second];
            edge_corners[edge] = make_uint2(corner, second);
            firsts[edge] = i;
        }
        if (i + 1 == count) status->edges = edge + 1;
    }
    tally(boundary, &status->boundary);
    tally(non_manifold, &status->non_manifold);
    tally(inconsistent, &status->inconsistent);
}

// Edges of three corners and more: whether each is one; then, by the scan of these, which edges
// they are, with the ends of their rows among `corners`. `firsts` has `sorted` behind the last.
extern "C" __global__ void __launch_bounds__(THREADS)
    mark_non_manifold(const unsigned* __restrict__ firsts, unsigned edges, unsigned sorted,
                 unsigned* __restrict__ marks) {
    const unsigned e = blockIdx.x * THREADS + threadIdx.x;
    if (e < edges) marks[e] = (e + 1 < edges ? firsts[e + 1] : sorted) - firsts[e] > 2;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    list_non_manifold(const unsigned* __restrict__ firsts, const unsigned* __restrict__ non_manifold_before,
                 unsigned edges, unsigned sorted, uint3* __restrict__ non_manifold) {
    const unsigned e = blockIdx.x * THREADS + threadIdx.x;
    if (e >= edges || non_manifold_before[e + 1] == non_manifold_before[e]) return;
    const unsigned end = e + 1 < edges ? firsts[e + 1] : sorted;
    non_manifold[non_manifold_before[e]] = make_uint3(e, firsts[e], end);
}

// Rows from items sorted by vertex: where each row starts, and where the last one ends; the
// items; with `ends`, the vertices at the other ends of the half edges that the items are.
extern "C" __global__ void __launch_bounds__(THREADS)
    start_rows(const unsigned* __restrict__ sorted, const unsigned* __restrict__ values,
               unsigned count, unsigned vertices, const unsigned* __restrict__ ends,
               unsigned* __restrict__ starts, unsigned* __restrict__ items,
               unsigned* __restrict__ others, Status* status) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count) {
        const unsigned item = values[i];
        items[i] = item;
        if (ends != nullptr) others[i] = ends[item ^ 1];
    }
    if (i > vertices) return;
    const unsigned start = lower_bound(sorted, count, i);
    starts[i] = start;
    if (i == vertices || start + TABLED >= count || sorted[start + TABLED] != i) return;
    atomicMax(&status->valence, lower_bound(sorted, count, i + 1) - start);
}

// The vertex at each end of each edge, the smaller first: keys of 2 edge + end.
extern "C" __global__ void __launch_bounds__(THREADS)
    make_end_keys(const unsigned* __restrict__ vertices, Columns<SIZE> columns,
                  const uint2* __restrict__ edge_corners, unsigned edges,
                  uint2* __restrict__ ends) {
    const unsigned e = blockIdx.x * THREADS + threadIdx.x;
    if (e >= edges) return;
    const unsigned corner = edge_corners[e].x;
    const unsigned a = vertices[corner], b = vertices[columns.next(corner)];
    ends[e] = make_uint2(min(a, b), max(a, b));
}

// What a vertex is, bit by bit.
constexpr unsigned TOUCHING = host::TOUCHING;
constexpr unsigned LONE = host::LONE;
constexpr unsigned FOLD = 4; // a ring of two faces

// The faces at a vertex, and the edges between them.
struct Star {
    const unsigned *vertices, *edges, *firsts;
    const uint2* edge_corners;
    Columns<SIZE> columns;
    unsigned vertex, corner_count, edge_count;
    const unsigned* corners; // of this vertex
    unsigned count;
    bool crowds; // whether there are non-manifold edges

    // A side of a corner is its edge in (0) or out (1).
    __device__ __forceinline__ unsigned owner(unsigned corner, unsigned side) const {
        return side == 1 ? corner : columns.previous(corner);
    }

    __device__ __forceinline__ bool is_boundary(unsigned edge) const {
        return edge_corners[edge].y == NONE;
    }

    // Of three faces or more, or of two that are inconsistently oriented.
    __device__ __forceinline__ bool is_non_manifold(unsigned edge) const {
        if (!crowds) return false;
        const unsigned end = edge + 1 < edge_count ? firsts[edge + 1] : corner_count;
        const uint2 two = edge_corners[edge];
        return end - firsts[edge] > 2 ||
               (two.y != NONE && vertices[two.x] == vertices[two.y]);
    }

    // Goes from face to face, into a corner by one of its sides, until an edge that has not two
    // faces, or the first corner again; how many faces it met, and the edge that ended it.
    __device__ __forceinline__ unsigned walk(unsigned corner, unsigned side,
                                             unsigned& last) const {
        const unsigned start = corner;
        unsigned met = 1;
        while (true) {
            side ^= 1;
            const unsigned own = owner(corner, side);
            last = edges[own];
            if (is_boundary(last) || is_non_manifold(last) || met > count) return met;
            const uint2 two = edge_corners[last];
            const unsigned other = two.x == own ? two.y : two.x;
            side = vertices[other] == vertex;
            corner = side == 1 ? other : columns.next(other);
            if (corner == start) return met;
            ++met;
        }
    }

    // As src/topology/surface/manifold.rs has it: a line where sheets meet is a crease, if it runs
    // through the vertex, no boundary edge is there and every sheet goes from one of its edges to
    // the other.
    __device__ __forceinline__ bool touches() const {
        unsigned boundary = 0, first_edge = NONE, second_edge = NONE;
        for (unsigned i = 0; i < count; ++i) {
            for (unsigned side = 0; side < 2; ++side) {
                const unsigned edge = edges[owner(corners[i], side)];
                boundary += is_boundary(edge);
                if (!is_non_manifold(edge) || edge == first_edge || edge == second_edge) continue;
                if (second_edge != NONE) return true;
                if (first_edge == NONE) first_edge = edge;
                else second_edge = edge;
            }
        }
        unsigned last;
        if (first_edge == NONE && boundary == 0) return walk(corners[0], 0, last) != count;
        if (first_edge == NONE ? boundary != 2 : second_edge == NONE || boundary > 0) return true;
        // every fan is met from both of its ends
        unsigned met = 0;
        for (unsigned i = 0; i < count; ++i) {
            for (unsigned side = 0; side < 2; ++side) {
                const unsigned edge = edges[owner(corners[i], side)];
                if (!is_boundary(edge) && !is_non_manifold(edge)) continue;
                met += walk(corners[i], side, last);
                if (first_edge != NONE && last == edge) return true;
            }
        }
        return met != 2 * count;
    }

    // Whether the one face here is all.
    __device__ __forceinline__ bool is_lone() const {
        return count == 1 && is_boundary(edges[corners[0]]) &&
               is_boundary(edges[owner(corners[0], 0)]);
    }

    __device__ __forceinline__ bool is_fold() const {
        if (count != 2) return false;
        unsigned last;
        return walk(corners[0], 0, last) == 2 && !is_boundary(last) && !is_non_manifold(last);
    }
};

// kinds: [vertex].
extern "C" __global__ void __launch_bounds__(THREADS)
    find_kinds(const unsigned* __restrict__ vertices, unsigned corner_count,
               const unsigned* __restrict__ edges, const uint2* __restrict__ edge_corners,
               const unsigned* __restrict__ firsts, Columns<SIZE> columns, Rows rows,
               unsigned vertex_count, unsigned* __restrict__ kinds, Status* status) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    unsigned kind = 0;
    if (v < vertex_count) {
        const unsigned first = rows.starts[v], count = rows.starts[v + 1] - first;
        const bool crowds = (status->non_manifold | status->inconsistent) > 0;
        const Star star{vertices, edges,        firsts,        edge_corners,
                        columns,  v,            corner_count,  status->edges,
                        rows.items + first,     count,         crowds};
        if (count > 0) {
            kind |= star.touches() ? TOUCHING : 0;
            kind |= star.is_lone() ? LONE : 0;
            kind |= star.is_fold() ? FOLD : 0;
        }
        kinds[v] = kind;
    }
    tally((kind & TOUCHING) != 0, &status->touching);
    tally((kind & FOLD) != 0, &status->folds);
}

#if !LONG_KEYS
// Up to 8192 corners: the first block finds the edges, the second the corners at each vertex.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS)
    build_small(const unsigned* __restrict__ vertices, Columns<SIZE> columns, unsigned corners,
                unsigned vertex_count, unsigned bits, unsigned* __restrict__ edges,
                uint2* __restrict__ edge_corners, unsigned* __restrict__ sorted_corners,
                unsigned* __restrict__ firsts, unsigned* __restrict__ starts,
                unsigned* __restrict__ row_items, Status* status) {
    __shared__ BlockSort shared;
    const unsigned rounds = (corners + BLOCK_THREADS - 1) / BLOCK_THREADS;
    const bool finds_edges = blockIdx.x == 0;
    unsigned key[BLOCK_ROUNDS], corner[BLOCK_ROUNDS];
#pragma unroll
    for (unsigned k = 0; k < BLOCK_ROUNDS; ++k) {
        corner[k] = block_item(rounds, k);
        key[k] = ~0u;
        if (k < rounds && corner[k] < corners) {
            key[k] = finds_edges ? edge_key(vertices, columns, corner[k], bits)
                                 : vertices[corner[k]];
        }
    }
    sort_in_block(shared, rounds, finds_edges ? 2 * bits : bits, key, corner);
    // all keys side by side, to see their neighbors
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < BLOCK_ROUNDS; ++k) {
        if (k < rounds) shared.words[block_item(rounds, k)] = key[k];
    }
    __syncthreads();
    if (!finds_edges) {
#pragma unroll
        for (unsigned k = 0; k < BLOCK_ROUNDS; ++k) {
            const unsigned i = block_item(rounds, k);
            if (k < rounds && i < corners) row_items[i] = corner[k];
        }
        if (threadIdx.x == 0) shared.sums[0] = 0;
        __syncthreads();
        for (unsigned v = threadIdx.x; v <= vertex_count; v += BLOCK_THREADS) {
            const unsigned start = lower_bound(shared.words, corners, v);
            starts[v] = start;
            if (start + TABLED >= corners || shared.words[start + TABLED] != v) continue;
            atomicMax(&shared.sums[0], lower_bound(shared.words, corners, v + 1) - start);
        }
        __syncthreads();
        if (threadIdx.x == 0) status->valence = shared.sums[0];
        return;
    }
    // heads of this thread's eight neighboring items, then of all before them
    unsigned heads = 0, total;
    for (unsigned k = 0; k < rounds; ++k) {
        const unsigned i = threadIdx.x * rounds + k;
        heads += i < corners && (i == 0 || shared.words[i] != shared.words[i - 1]);
    }
    unsigned edge = sum_before<BLOCK_THREADS>(heads, total, shared.sums);
    unsigned boundary = 0, non_manifold = 0;
    unsigned own_edges[BLOCK_ROUNDS];
#pragma unroll
    for (unsigned k = 0; k < BLOCK_ROUNDS; ++k) {
        const unsigned i = threadIdx.x * rounds + k;
        own_edges[k] = 0;
        if (k >= rounds || i >= corners) continue;
        const unsigned here = shared.words[i];
        const bool head = i == 0 || shared.words[i - 1] != here;
        edge += head;
        own_edges[k] = edge - 1;
        if (!head) continue;
        const bool alone = i + 1 >= corners || shared.words[i + 1] != here;
        boundary += alone;
        non_manifold += !alone && i + 2 < corners && shared.words[i + 2] == here;
    }
    __syncthreads();
    // 2 edge + head, item by item, beside the corners
#pragma unroll
    for (unsigned k = 0; k < BLOCK_ROUNDS; ++k) {
        const unsigned i = threadIdx.x * rounds + k;
        if (k < rounds && i < corners) shared.words[i] = own_edges[k];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < BLOCK_ROUNDS; ++k) {
        const unsigned i = block_item(rounds, k);
        if (k >= rounds || i >= corners) continue;
        const unsigned own = shared.words[i];
        edges[corner[k]] = own;
        sorted_corners[i] = corner[k];
        if (i == 0 || shared.words[i - 1] != own) {
            edge_corners[own].x = corner[k];
            firsts[own] = i;
            if (i + 1 >= corners || shared.words[i + 1] != own) edge_corners[own].y = NONE;
        } else if (i == 1 || shared.words[i - 2] != own) {
            edge_corners[own].y = corner[k];
        }
    }
    __syncthreads(); // and all corners of edges are written
    unsigned inconsistent = 0;
    for (unsigned e = threadIdx.x; e < total; e += BLOCK_THREADS) {
        const uint2 two = edge_corners[e];
        const unsigned end = e + 1 < total ? firsts[e + 1] : corners;
        inconsistent += end - firsts[e] == 2 && vertices[two.x] == vertices[two.y];
    }
    unsigned all_boundary, all_non_manifold, all_inconsistent;
    sum_before<BLOCK_THREADS>(boundary, all_boundary, shared.sums);
    sum_before<BLOCK_THREADS>(non_manifold, all_non_manifold, shared.sums);
    sum_before<BLOCK_THREADS>(inconsistent, all_inconsistent, shared.sums);
    if (threadIdx.x == 0) {
        status->edges = total;
        status->boundary = all_boundary;
        status->non_manifold = all_non_manifold;
        status->inconsistent = all_inconsistent;
        status->touching = 0;
        status->folds = 0;
    }
}
#endif
