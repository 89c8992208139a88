// Boundary edges in √3-subdivision (Kobbelt 2000): lists of them, a thread per edge, in the order of
// the CPU, by their end vertices.
//
//     level 0       mark_boundary > scan > list_boundary
//     even depth    trace_boundary       the boundary line around every edge
//     odd depth     cut_boundary > sort > name_boundary    the three edges that an edge is cut in
//     points        boundary_points
//
// Boundary edges stay what they are at levels of even depth, and are cut in three at levels of odd
// depth. The triangle of a boundary edge at an odd depth has the number of the edge's corner at the
// depth before, whose corner 0 the edge is then.
//
// Plain reference: src/surface/refine on the CPU, bit by bit (tests/gpu/matrix.rs).
#include "common/shared.cuh"
#include "surface/boundary_edges.cuh"

constexpr unsigned THREADS = host::REFINE_THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
    mark_boundary(const uint2* __restrict__ edge_corners, unsigned edges,
                  unsigned* __restrict__ marks) {
    const unsigned e = blockIdx.x * THREADS + threadIdx.x;
    if (e < edges) marks[e] = edge_corners[e].y == NONE;
}

// boundary_before: scan of the marks. corners: of boundary edges, of which there are `count`.
extern "C" __global__ void __launch_bounds__(THREADS)
    list_boundary(const uint2* __restrict__ edge_corners,
                  const unsigned* __restrict__ boundary_before, unsigned edges, unsigned count,
                  unsigned* __restrict__ corners, unsigned* __restrict__ opposites) {
    const unsigned e = blockIdx.x * THREADS + threadIdx.x;
    if (e >= edges || edge_corners[e].y != NONE || boundary_before[e] >= count) return;
    corners[boundary_before[e]] = edge_corners[e].x;
    opposites[edge_corners[e].x] = BOUNDARY + boundary_before[e];
}

// lines: the vertices before an edge, at its two ends, and after it, NONE beyond a vertex that
// stays, as vertices of one face do if `keeps_corners`; kinds: see surface/topology.cu, of the
// `control_count` vertices of the control mesh.
extern "C" __global__ void __launch_bounds__(THREADS)
    trace_boundary(const unsigned* __restrict__ vertices, const unsigned* __restrict__ opposites,
                   const unsigned* __restrict__ corners, unsigned count,
                   const unsigned* __restrict__ kinds, unsigned control_count,
                   unsigned keeps_corners, uint4* __restrict__ lines) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    constexpr unsigned LONE = host::LONE;
    const auto stays = [&](unsigned v) {
        return keeps_corners != 0 && v < control_count && (kinds[v] & LONE) != 0;
    };
    const unsigned corner = corners[i];
    unsigned before = previous(corner), after = next(corner);
    const unsigned a = vertices[corner], b = vertices[after];
    while (!is_boundary(opposites[before])) before = previous(opposites[before]);
    while (!is_boundary(opposites[after])) after = next(opposites[after]);
    lines[i] = make_uint4(stays(a) ? NONE : vertices[before], a, b,
                          stays(b) ? NONE : vertices[next(after)]);
}

// The corners that edge i is cut in, `children` [3][count], and the smaller ends of the edges
// there. Sorted by these, the first before the last, they are in order.
extern "C" __global__ void __launch_bounds__(THREADS)
    cut_boundary(const unsigned* __restrict__ corners, const uint4* __restrict__ lines,
                 unsigned count, const unsigned* __restrict__ opposites, unsigned vertex_count,
                 unsigned* __restrict__ keys, unsigned* __restrict__ children) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const unsigned t = corners[i], c = 3 * t;
    const uint4 line = lines[i];
    keys[i] = line.y;
    children[i] = 3 * opposites[c + 2];
    keys[count + i] = vertex_count + t;
    children[count + i] = 3 * c;
    keys[2 * count + i] = line.z;
    children[2 * count + i] = 3 * (c + 1) + 2;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    name_boundary(const unsigned* __restrict__ order, const unsigned* __restrict__ children,
                  unsigned count, unsigned* __restrict__ corners,
                  unsigned* __restrict__ opposites) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const unsigned corner = children[order[i]];
    corners[i] = corner;
    opposites[corner] = BOUNDARY + i;
}

// The new point near a on a boundary edge to b; where a stays the line goes on straight.
__device__ __forceinline__ Point third_point(const Point* points, Point a, Point b,
                                             unsigned before) {
    if (before == NONE) return a * real(18.0 / 27.0) + b * real(9.0 / 27.0);
    const Point both = a * real(16.0 / 27.0) + b * real(10.0 / 27.0);
    return both + point_at(points, before) * real(1.0 / 27.0);
}

// The vertex that a boundary edge starts at, and, if edges are cut, the two new points.
extern "C" __global__ void __launch_bounds__(THREADS)
    boundary_points(const unsigned* __restrict__ corners, const uint4* __restrict__ lines,
                    unsigned count, unsigned vertex_count, unsigned face_count, unsigned cuts,
                    const Point* __restrict__ points, Point* __restrict__ refined) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const uint4 line = lines[i];
    const Point a = point_at(points, line.y);
    if (cuts == 0) {
        refined[line.y] = a;
        return;
    }
    const Point b = point_at(points, line.z);
    refined[line.y] =
        line.x == NONE
            ? a
            : a * real(19.0 / 27.0) + (point_at(points, line.x) + b) * real(4.0 / 27.0);
    refined[vertex_count + corners[i]] = third_point(points, a, b, line.x);
    refined[vertex_count + face_count + i] = third_point(points, b, a, line.w);
}
