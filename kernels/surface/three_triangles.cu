// A level of √3-subdivision (Kobbelt 2000) of a surface whose triangles all run alike, whose
// sheets do not touch and which has no rings of two triangles: the next level's topology, its
// points, or both.
//
//     corner task   a triangle and the corners across its edges
//     face task     face point
//     vertex task   vertex point
//
// A level knows the vertices at its corners and the twin of each, the corner that runs through
// the same edge the other way. Corner c of triangle t, with twin c' in t', becomes triangle c:
// (vertex of c, point of t', point of t). So twins follow from twins, no level is sorted, and the
// neighbors of a vertex follow from its corners in the control mesh, or from the triangle that
// it was born in. All sums run in the order of src/surface/refine/three_triangles.rs, where neighbors are
// ascending, without contraction of products and sums: the same bits.
//
// OPEN: the surface has ends. A corner whose edge is open has no twin but the number of that
// edge, marked END. Levels of odd depth cut open edges in three: triangle t at edge i, which
// runs a b, with c across, becomes (t's point, point i, c), (b, ·, point i) and (c, ·, t's
// point); points of such edges stand behind those of triangles. What belongs to ends of the
// surface, kernels/surface/three_triangles_ends.cu writes after this: until then it is anything.
//
// Plain reference: src/surface/refine on the CPU, bit by bit (tests/gpu/matrix.rs).
#include "surface/ends.cuh"

constexpr unsigned THREADS = 256;

// Twins of the control mesh from its edges.
extern "C" __global__ void __launch_bounds__(THREADS)
    find_twins(const unsigned* __restrict__ edges, const uint2* __restrict__ edge_corners,
               unsigned corners, unsigned* __restrict__ twins) {
    const unsigned c = blockIdx.x * THREADS + threadIdx.x;
    if (c >= corners) return;
    const uint2 two = edge_corners[edges[c]];
    twins[c] = two.x == c ? two.y : two.x;
}

// Three triangles of a triangle, none of whose edges is cut.
__device__ __forceinline__ void turn_edges(const Level& coarse, unsigned t,
                                           const unsigned (&twin)[3], unsigned (&vertices)[9],
                                           unsigned (&twins)[9]) {
    const unsigned c = 3 * t;
#pragma unroll
    for (unsigned i = 0; i < 3; ++i) {
        const unsigned after = (i + 1) % 3, before = (i + 2) % 3;
        const bool ends = is_end(twin[i]);
        vertices[3 * i] = __ldg(coarse.vertices + c + i);
        vertices[3 * i + 1] =
            ends ? __ldg(coarse.vertices + c + after) : coarse.vertex_count + twin[i] / 3;
        vertices[3 * i + 2] = coarse.vertex_count + t;
        twins[3 * i] = ends ? twin[i] : 3 * next(twin[i]) + 2;
        twins[3 * i + 1] = ends ? 3 * (c + after) + 2 : 3 * twin[i] + 1;
        twins[3 * i + 2] = is_end(twin[before]) ? 3 * (c + before) + 1 : 3 * twin[before];
    }
}

#if OPEN
// New vertex of a corner's triangle that faces its edge, which is no end.
__device__ __forceinline__ unsigned facing(const Level& level, unsigned corner) {
    const unsigned end = __ldg(level.edges + previous(corner));
    return level.vertex_count + (is_end(end) ? level.face_count + end_of(end) : corner / 3);
}

// The same where an end of the surface is cut.
__device__ __forceinline__ void cut_ends(const Level& coarse, unsigned t,
                                         const unsigned (&twin)[3], unsigned (&vertices)[9],
                                         unsigned (&twins)[9]) {
    const unsigned c = 3 * t, own = coarse.vertex_count + t;
#pragma unroll
    for (unsigned i = 0; i < 3; ++i) {
        const unsigned after = (i + 1) % 3, before = (i + 2) % 3;
        if (is_end(twin[i])) {
            vertices[3 * i] = own;
            vertices[3 * i + 1] = coarse.vertex_count + coarse.face_count + end_of(twin[i]);
            vertices[3 * i + 2] = __ldg(coarse.vertices + c + before);
            twins[3 * i] = END;
            twins[3 * i + 1] = 3 * twin[after];
            twins[3 * i + 2] = 3 * (c + before) + 2;
            continue;
        }
        vertices[3 * i] = __ldg(coarse.vertices + c + i);
        vertices[3 * i + 1] = facing(coarse, twin[i]);
        vertices[3 * i + 2] = is_end(twin[before])
                                  ? coarse.vertex_count + coarse.face_count + end_of(twin[before])
                                  : own;
        // across the edge an open one may come before or after the twin
        const unsigned back = previous(twin[i]);
        twins[3 * i] = is_end(__ldg(coarse.edges + next(twin[i]))) ? END
                       : is_end(__ldg(coarse.edges + back))        ? 3 * back + 1
                                                                   : 3 * next(twin[i]) + 2;
        twins[3 * i + 1] = 3 * twin[i] + 1;
        twins[3 * i + 2] = is_end(twin[before])  ? END
                           : is_end(twin[after]) ? 3 * (c + after) + 2
                                                 : 3 * twin[before];
    }
}
#endif

__device__ __forceinline__ void split_triangles(const Level& coarse, const Level& fine,
                                                unsigned first, unsigned items, unsigned t,
                                                [[maybe_unused]] bool cuts, void* staged) {
    unsigned twin[3], vertices[9], twins[9];
#pragma unroll
    for (unsigned i = 0; i < 3; ++i) twin[i] = __ldg(coarse.edges + 3 * t + i);
#if OPEN
    if (cuts) cut_ends(coarse, t, twin, vertices, twins);
    else turn_edges(coarse, t, twin, vertices, twins);
#else
    turn_edges(coarse, t, twin, vertices, twins);
#endif
    store_together<THREADS>(staged, vertices, fine.vertices + 9 * size_t(first), items);
    if (fine.edges == nullptr) return;
    store_together<THREADS>(staged, twins, fine.edges + 9 * size_t(first), items);
}

__device__ __forceinline__ void sort_two(unsigned& a, unsigned& b) {
    const unsigned low = min(a, b);
    b = max(a, b);
    a = low;
}

__device__ __forceinline__ void sort_three(unsigned (&of)[3]) {
    sort_two(of[0], of[1]);
    sort_two(of[1], of[2]);
    sort_two(of[0], of[1]);
}

// 3 to a small power.
__device__ __forceinline__ unsigned power(unsigned exponent) {
    unsigned three = 1;
    for (unsigned i = 0; i < exponent; ++i) three *= 3;
    return three;
}

// corners: [vertex], of the control mesh; neighbors: the other ends of edges there; alphas:
// [valence].
__device__ __forceinline__ Point vertex_task(const Levels& levels, unsigned depth,
                                             const Rows& corners, const Rows& neighbors,
                                             const double* alphas, unsigned v,
                                             const Point* points) {
    Point sum = {0, 0, 0};
    unsigned count = 0;
    const auto add = [&](unsigned neighbor) {
        const Point point = point_at(points, neighbor);
        sum = count == 0 ? point : sum + point;
        ++count;
    };
    const unsigned base = levels.level[depth == 0 ? 0 : depth - 1].vertex_count;
    if (v < levels.level[0].vertex_count) {
        // where the surface ends there are more neighbors than corners
        const unsigned* const starts = depth == 0 ? neighbors.starts : corners.starts;
        const unsigned start = __ldg(starts + v), end = __ldg(starts + v + 1);
        const unsigned scale = depth < 2 ? 1 : power(depth - 2);
        for (unsigned i = start; i < end; ++i) {
            if (depth == 0) {
                add(__ldg(neighbors.others + i));
            } else {
                const unsigned c = __ldg(corners.items + i);
                add(base + (depth == 1 ? c / 3 : c * scale));
            }
        }
    } else {
        unsigned born = depth;
        while (v < levels.level[born - 1].vertex_count) --born;
        const Level& parent = levels.level[born - 1];
        const unsigned t = v - parent.vertex_count, c = 3 * t;
        unsigned twins[3];
        [[maybe_unused]] bool ends[3];
#if OPEN
        if (t >= parent.face_count) return point_at(points, v); // of an end
#endif
#pragma unroll
        for (unsigned i = 0; i < 3; ++i) {
            twins[i] = __ldg(parent.edges + c + i);
            ends[i] = is_end(twins[i]);
        }
#if OPEN
        const bool was_cut = (born & 1) == 0;
        if (was_cut && (ends[0] || ends[1] || ends[2])) return point_at(points, v);
#endif
        if (depth == born) {
            unsigned own[3];
#pragma unroll
            for (unsigned i = 0; i < 3; ++i) own[i] = __ldg(parent.vertices + c + i);
            sort_three(own);
#pragma unroll
            for (unsigned i = 0; i < 3; ++i) add(own[i]);
            unsigned others[3];
#pragma unroll
            for (unsigned i = 0; i < 3; ++i) {
                others[i] = ends[i] ? NONE : base + twins[i] / 3;
#if OPEN
                if (was_cut) others[i] = facing(parent, twins[i]);
#endif
            }
            sort_three(others);
#pragma unroll
            for (unsigned i = 0; i < 3; ++i) {
                if (!OPEN || others[i] != NONE) add(others[i]);
            }
        } else {
            sort_three(twins); // ends last
            // triangles around the vertex: of its own corners and of their twins
            const bool first = depth == born + 1;
            const unsigned scale = first ? 1 : power(depth - born - 2);
            const auto own = [&](unsigned corner) {
                return base + (first ? corner : (3 * corner + 2) * scale);
            };
            const auto other = [&](unsigned corner) {
                return base + (first ? corner : (3 * corner + 1) * scale);
            };
            unsigned before = 0;
#pragma unroll
            for (unsigned i = 0; i < 3; ++i) before += twins[i] < c;
#pragma unroll
            for (unsigned i = 0; i < 3; ++i) {
                if (i < before) add(other(twins[i]));
            }
#pragma unroll
            for (unsigned i = 0; i < 3; ++i) {
#if OPEN
                // a triangle that was cut gave one more
                if (!first && ends[i]) {
                    const unsigned cut = 3 * (c + i);
                    add(base + (depth == born + 2 ? cut : (3 * cut + 2) * (scale / 3)));
                }
#endif
                add(own(c + i));
            }
#pragma unroll
            for (unsigned i = 0; i < 3; ++i) {
                if (i >= before && !is_end(twins[i])) add(other(twins[i]));
            }
#if OPEN
            if (first) {
                const unsigned behind = base + levels.level[born].face_count;
#pragma unroll
                for (unsigned i = 0; i < 3; ++i) {
                    if (is_end(twins[i])) add(behind + end_of(twins[i]));
                }
            }
#endif
        }
    }
    const Point p = point_at(points, v);
    if (count == 0) return p;
    const double alpha = __ldg(alphas + count);
    return p * real(1.0 - alpha) + sum * real(alpha / double(count));
}

#if DOUBLE && OPEN
// left alone, the compiler spills for the sake of a full multiprocessor
#define REFINE_BOUNDS __launch_bounds__(THREADS, 4)
#else
#define REFINE_BOUNDS __launch_bounds__(THREADS)
#endif

// LINKS: topology of the next level; POINTS: its points. Blocks for triangles, then for vertices.
extern "C" __global__ void REFINE_BOUNDS
    refine(const __grid_constant__ Levels levels, unsigned depth,
           const __grid_constant__ Rows corners, const __grid_constant__ Rows neighbors,
           const double* __restrict__ alphas, const Point* __restrict__ points,
           Point* __restrict__ refined) {
    __shared__ real staged[9 * THREADS]; // or as many words
    const Level& coarse = levels.level[depth];
    const unsigned triangle_blocks = (coarse.face_count + THREADS - 1) / THREADS;
    if (blockIdx.x < triangle_blocks) {
        const unsigned first = blockIdx.x * THREADS;
        const unsigned items = min(THREADS, coarse.face_count - first);
        const unsigned t = first + min(threadIdx.x, items - 1);
#if LINKS
        split_triangles(coarse, levels.level[depth + 1], first, items, t, depth & 1, staged);
#endif
#if POINTS
        const auto at = [&](unsigned i) {
            return point_at(points, __ldg(coarse.vertices + 3 * t + i));
        };
        const Point point = ((at(0) + at(1)) + at(2)) * real(1.0 / 3.0);
        store_points<THREADS>(staged, point, refined + coarse.vertex_count + first, items);
#endif
        return;
    }
#if POINTS
    const unsigned first = (blockIdx.x - triangle_blocks) * THREADS;
    const unsigned items = min(THREADS, coarse.vertex_count - first);
    const unsigned v = first + min(threadIdx.x, items - 1);
    const Point point = vertex_task(levels, depth, corners, neighbors, alphas, v, points);
    store_points<THREADS>(staged, point, refined + first, items);
#endif
}
