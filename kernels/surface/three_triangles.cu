// A level of √3-subdivision (Kobbelt 2000) of a surface whose triangles are consistently
// oriented, whose sheets do not touch and which has no rings of two triangles: the next level's
// topology, its points, or both.
//
//     corner task   a triangle and the corners across its edges
//     face task     face point
//     vertex task   vertex point
//
// A level knows the vertices at its corners and the opposite half-edge of each: the corner that
// runs through the same edge the other way. Corner c of triangle t, with opposite c' in t', becomes
// triangle c: (vertex of c, point of t', point of t). So opposites follow from opposites, no level
// is sorted, and the neighbors of a vertex follow from its corners in the control mesh, or from the
// triangle that it was born in. All sums run in the order of
// src/surface/refine/three_triangles.rs, where neighbors are ascending, without contraction of
// products and sums: the same bits.
//
// HAS_BOUNDARY: the surface has boundary edges. The corner of one has no opposite but the number of
// the edge, plus BOUNDARY. Levels of odd depth cut boundary edges in three: triangle t at edge i,
// which runs a b, with c across, becomes (t's point, point i, c), (b, ·, point i) and (c, ·, t's
// point); points of such edges stand behind the points of triangles. What belongs to boundary
// edges, kernels/surface/three_triangles_boundary.cu writes after this: until then it is anything.
//
// Plain reference: src/surface/refine on the CPU, bit by bit (tests/gpu/matrix.rs).
#include "common/shared.cuh"
#include "surface/boundary_edges.cuh"

constexpr unsigned THREADS = host::REFINE_THREADS;

// Opposite half-edges of the control mesh from its edges.
extern "C" __global__ void __launch_bounds__(THREADS)
    find_opposites(const unsigned* __restrict__ edges, const uint2* __restrict__ edge_corners,
               unsigned corners, unsigned* __restrict__ opposites) {
    const unsigned c = blockIdx.x * THREADS + threadIdx.x;
    if (c >= corners) return;
    const uint2 two = edge_corners[edges[c]];
    opposites[c] = two.x == c ? two.y : two.x;
}

// Three triangles of a triangle, none of whose edges is cut.
__device__ __forceinline__ void turn_edges(const Level& coarse, unsigned t,
                                           const unsigned (&opposite)[3], unsigned (&vertices)[9],
                                           unsigned (&opposites)[9]) {
    const unsigned c = 3 * t;
#pragma unroll
    for (unsigned i = 0; i < 3; ++i) {
        const unsigned after = (i + 1) % 3, before = (i + 2) % 3;
        const bool ends = is_boundary(opposite[i]);
        vertices[3 * i] = __ldg(coarse.vertices + c + i);
        vertices[3 * i + 1] =
            ends ? __ldg(coarse.vertices + c + after) : coarse.vertex_count + opposite[i] / 3;
        vertices[3 * i + 2] = coarse.vertex_count + t;
        opposites[3 * i] = ends ? opposite[i] : 3 * next(opposite[i]) + 2;
        opposites[3 * i + 1] = ends ? 3 * (c + after) + 2 : 3 * opposite[i] + 1;
        opposites[3 * i + 2] =
            is_boundary(opposite[before]) ? 3 * (c + before) + 1 : 3 * opposite[before];
    }
}

#if HAS_BOUNDARY
// New vertex of a corner's triangle that faces its edge, which is no boundary edge.
__device__ __forceinline__ unsigned facing(const Level& level, unsigned corner) {
    const unsigned across = __ldg(level.edges + previous(corner));
    return level.vertex_count +
           (is_boundary(across) ? level.face_count + boundary_index(across) : corner / 3);
}

// Three triangles of a triangle with an edge of the boundary, which is cut.
__device__ __forceinline__ void cut_boundary(const Level& coarse, unsigned t,
                                             const unsigned (&opposite)[3],
                                             unsigned (&vertices)[9], unsigned (&opposites)[9]) {
    const unsigned c = 3 * t, own = coarse.vertex_count + t;
#pragma unroll
    for (unsigned i = 0; i < 3; ++i) {
        const unsigned after = (i + 1) % 3, before = (i + 2) % 3;
        if (is_boundary(opposite[i])) {
            vertices[3 * i] = own;
            vertices[3 * i + 1] =
                coarse.vertex_count + coarse.face_count + boundary_index(opposite[i]);
            vertices[3 * i + 2] = __ldg(coarse.vertices + c + before);
            opposites[3 * i] = BOUNDARY;
            opposites[3 * i + 1] = 3 * opposite[after];
            opposites[3 * i + 2] = 3 * (c + before) + 2;
            continue;
        }
        vertices[3 * i] = __ldg(coarse.vertices + c + i);
        vertices[3 * i + 1] = facing(coarse, opposite[i]);
        vertices[3 * i + 2] = is_boundary(opposite[before])
                                  ? coarse.vertex_count + coarse.face_count +
                                        boundary_index(opposite[before])
                                  : own;
        // across the edge a boundary edge may come before or after the opposite half-edge
        const unsigned back = previous(opposite[i]);
        opposites[3 * i] = is_boundary(__ldg(coarse.edges + next(opposite[i]))) ? BOUNDARY
                           : is_boundary(__ldg(coarse.edges + back)) ? 3 * back + 1
                                                                     : 3 * next(opposite[i]) + 2;
        opposites[3 * i + 1] = 3 * opposite[i] + 1;
        opposites[3 * i + 2] = is_boundary(opposite[before])  ? BOUNDARY
                               : is_boundary(opposite[after]) ? 3 * (c + after) + 2
                                                              : 3 * opposite[before];
    }
}
#endif

__device__ __forceinline__ void split_triangles(const Level& coarse, const Level& fine,
                                                unsigned first, unsigned items, unsigned t,
                                                [[maybe_unused]] bool cuts, void* staged) {
    unsigned opposite[3], vertices[9], opposites[9];
#pragma unroll
    for (unsigned i = 0; i < 3; ++i) opposite[i] = __ldg(coarse.edges + 3 * t + i);
#if HAS_BOUNDARY
    if (cuts) cut_boundary(coarse, t, opposite, vertices, opposites);
    else turn_edges(coarse, t, opposite, vertices, opposites);
#else
    turn_edges(coarse, t, opposite, vertices, opposites);
#endif
    store_together<THREADS>(staged, vertices, fine.vertices + 9 * size_t(first), items);
    if (fine.edges == nullptr) return;
    store_together<THREADS>(staged, opposites, fine.edges + 9 * size_t(first), items);
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
        // at the boundary there are more neighbors than corners
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
        unsigned opposites[3];
        [[maybe_unused]] bool ends[3];
#if HAS_BOUNDARY
        if (t >= parent.face_count) return point_at(points, v); // of a boundary edge
#endif
#pragma unroll
        for (unsigned i = 0; i < 3; ++i) {
            opposites[i] = __ldg(parent.edges + c + i);
            ends[i] = is_boundary(opposites[i]);
        }
#if HAS_BOUNDARY
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
                others[i] = ends[i] ? NONE : base + opposites[i] / 3;
#if HAS_BOUNDARY
                if (was_cut) others[i] = facing(parent, opposites[i]);
#endif
            }
            sort_three(others);
#pragma unroll
            for (unsigned i = 0; i < 3; ++i) {
                if (!HAS_BOUNDARY || others[i] != NONE) add(others[i]);
            }
        } else {
            sort_three(opposites); // boundary edges last
            // triangles around the vertex: of its own corners and of the opposite half-edges
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
            for (unsigned i = 0; i < 3; ++i) before += opposites[i] < c;
#pragma unroll
            for (unsigned i = 0; i < 3; ++i) {
                if (i < before) add(other(opposites[i]));
            }
#pragma unroll
            for (unsigned i = 0; i < 3; ++i) {
#if HAS_BOUNDARY
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
                if (i >= before && !is_boundary(opposites[i])) add(other(opposites[i]));
            }
#if HAS_BOUNDARY
            if (first) {
                const unsigned behind = base + levels.level[born].face_count;
#pragma unroll
                for (unsigned i = 0; i < 3; ++i) {
                    if (is_boundary(opposites[i])) add(behind + boundary_index(opposites[i]));
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

#if DOUBLE && HAS_BOUNDARY
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
